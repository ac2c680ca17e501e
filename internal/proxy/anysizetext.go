package proxy

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"tabard/internal/scale"
	"tabard/spec"
)

// program is the text of a program for any number of ranks.
func (x *anysize) program() string {
	g := x.g
	for _, s := range x.lines {
		g.code.WriteString(indent(s))
	}
	code := g.code.String() + g.values.String()
	if strings.Contains(code, "flag") {
		g.flag = true
	}
	g.usesArguments = strings.Contains(code, "argument")
	memory := anyMemory(x, code)
	objects := x.objectText()
	main := x.mainText()
	g.markUsed(code + objects + memory)

	var b strings.Builder
	b.WriteString(x.header())
	b.WriteString("static long rank = -1, size; /* in MPI_COMM_WORLD */\n")
	if g.usesArguments {
		b.WriteString("static int argument_count;\nstatic char **arguments;\n")
	}
	if g.usesFiles() {
		b.WriteString("static const char *directory = DIRECTORY;\n")
	}
	g.declareFails(&b)
	for class := spec.Comm; class < spec.NumClasses; class++ {
		if n := g.objects[class]; n > 0 && !x.computed[class] {
			fmt.Fprintf(&b, "static %s %s[%d];\n", handleClasses[class].ctype, handleClasses[class].array, n)
		}
	}
	if g.statuses > 0 {
		fmt.Fprintf(&b, "static MPI_Status status[%d];\n", g.statuses)
	}
	if g.flag {
		b.WriteString("static int flag; /* of the last test */\n")
	}
	if g.which {
		b.WriteString("static int which; /* what the last call completed */\n")
	}
	b.WriteString("\n" + strings.ReplaceAll(helpers(g.used), "@", ""))
	if strings.Contains(code+main, "sc_") || strings.Contains(code, "pick(") {
		b.WriteString("/* Functions of the rank and the number of ranks, and of the place in grids of ranks. */\n" + scale.CPrelude + "\n")
		if strings.Contains(code, "sc_room(") {
			b.WriteString("static long sc_room(long n) { return sc_max(n, 0); }\n\n")
		}
		if len(x.m.Grids) > 0 {
			b.WriteString(scale.CGrids(x.m.Grids) + "\n")
		}
		if strings.Contains(code, "pick(") {
			b.WriteString(anyPick)
		}
		for _, s := range x.c.Funcs {
			b.WriteString(s)
		}
		if len(x.c.Funcs) > 0 {
			b.WriteString("\n")
		}
	}
	g.writeCallbacks(&b)
	b.WriteString(memory)
	b.WriteString(objects)
	section(&b, g.tables.String())
	b.WriteString(g.values.String())
	b.WriteString(main)
	return b.String()
}

// header is the comment at the top, and what is included.
func (x *anysize) header() string {
	g := x.g
	var b strings.Builder
	m := g.a.Meta()
	name := g.o.Name
	if name == "" || name == "-" {
		name = "proxy.c"
	}
	program := strings.TrimSuffix(name, ".c")
	clean := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "*/", "* /"), "\n", " ") }
	fmt.Fprintf(&b, "%s: it makes the MPI calls of a recording, and nothing else, with any number of ranks.\n *\n", Mark)
	fmt.Fprintf(&b, " *   recorded   %s\n *   with       %s\n *   at         %s\n", clean(strings.Join(m.Command, " ")), clean(m.MPI), m.Created.UTC().Format("2006-01-02 15:04 MST"))
	if g.o.File != "" {
		fmt.Fprintf(&b, " *   from       %s\n", clean(g.o.File))
	}
	sizes := make([]string, len(x.m.Sizes))
	for i, n := range x.m.Sizes {
		sizes[i] = fmt.Sprint(n)
	}
	fmt.Fprintf(&b, " *   ranks      were %s\n", strings.Join(sizes, " and "))
	for _, grid := range x.m.Grids {
		fmt.Fprintf(&b, " *   grid       %s\n", clean(grid.String()))
	}
	fmt.Fprintf(&b, " *   compile    mpicc -O2 -o %s %s\n *   run        mpirun -n N ./%s\n", clean(program), clean(name), clean(program))
	b.WriteString(g.filesLine())
	if len(x.m.Assumptions) > 0 {
		b.WriteString(" *\n * What is assumed:\n")
		for _, s := range x.m.Assumptions {
			fmt.Fprintf(&b, " *   %s\n", clean(s))
		}
	}
	g.writeLeftOut(&b)
	b.WriteString(" */\n#define _DEFAULT_SOURCE\n#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n")
	g.writeNeeds(&b)
	if g.used["keep"] {
		fmt.Fprintf(&b, "#define KEPT %d\n", g.keeps)
	}
	if strings.Contains(g.code.String(), "grow_memory(") || strings.Contains(g.code.String(), "heap_") || strings.Contains(g.code.String(), "_memory(") {
		fmt.Fprintf(&b, "#define RANKS %d /* that were recorded, at least */\n", slices.Min(x.m.Sizes))
	}
	b.WriteString("#ifdef __GNUC__\n#pragma GCC diagnostic ignored \"-Wunused-function\"\n#endif\n")
	g.pragmas(&b)
	g.oldParts(&b)
	b.WriteString("\n")
	return b.String()
}

// objectText is the functions that find objects whose numbers are computed.
func (x *anysize) objectText() string {
	var b strings.Builder
	for class := spec.Comm; class < spec.NumClasses; class++ {
		h := handleClasses[class]
		if h.array == "" || !x.computed[class] && !x.sought[class] {
			continue
		}
		replace := strings.NewReplacer("$T", h.ctype, "$A", h.array, "$N", h.null, "$M", fmt.Sprint(mostObjects)).Replace
		if x.computed[class] {
			b.WriteString(replace(anyObjects))
		} else {
			b.WriteString(replace("static $T *$A_at(long n) { return &$A[n]; }\n\n"))
		}
		if x.sought[class] {
			b.WriteString(replace(anyCode))
		}
		if class == spec.Request && x.gathers {
			b.WriteString("static void put_request(long code, MPI_Request r)\n{\n    if (code > 0 && code % 2 == 0) *request_at(code / 2 - 1) = r;\n}\n\n")
		}
	}
	return b.String()
}

const anyPick = "static long pick(long i, long n, const long from[]) { return from[sc_min(sc_max(i, 0), n - 1)]; }\n\n"

const anyObjects = `/* n objects from a number on: as many as it takes. */
static $T *$A_run(long first, long n)
{
    static $T *list;
    static long made, room;
    if (first < 0 || n < 0 || first > $M || n > $M) {
        fprintf(stderr, "There is no $T %ld with this number of ranks.\n", first);
        exit(1);
    }
    if (first + n + 1 > room) {
        room = 2 * (first + n) + 16;
        list = realloc(list, room * sizeof *list);
        if (!list) exit(1);
    }
    while (made < first + n + 1) list[made++] = $N;
    return list + first;
}
static $T *$A_at(long n) { return $A_run(n, 1); }

`

const anyCode = `/* The object with a code: even for those of the program. */
static $T *$A_of(long code)
{
    static $T other;
    other = $N;
    return code > 0 && code % 2 == 0 ? $A_at(code / 2 - 1) : &other;
}

`

// anyMemory is the functions and variables for memory, those that the program needs.
func anyMemory(x *anysize, code string) string {
	if len(x.named) == 0 && !strings.Contains(code, "heap_") && !strings.Contains(code, "_at(") && !strings.Contains(code, "_memory(") {
		return ""
	}
	var b strings.Builder
	for _, name := range x.blockNames() {
		fmt.Fprintf(&b, "static char *%s;\n", name)
	}
	b.WriteString(anyReserve)
	if strings.Contains(code, "heap_") || strings.Contains(code, "_memory(") {
		b.WriteString(anyHeap)
	}
	if strings.Contains(code, "block_at(") || strings.Contains(code, "other_at(") {
		b.WriteString(anyBlocks)
	}
	return b.String()
}

// blockNames are the names of blocks of memory, sorted.
func (x *anysize) blockNames() []string {
	var names []string
	for k := range x.named {
		name, _ := (&segment{mem: k.mem, number: k.number}).base()
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

const anyReserve = `/* Room for addresses: of its pages only those exist that are used, however much that is with this number of ranks. Half of it
 * lies before the address if that is the midst of something. */
static char *reserve(int midst)
{
    for (size_t bytes = (size_t)1 << 36; bytes >= (size_t)1 << 24; bytes /= 2) {
        char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED) return midst ? at + bytes / 2 : at;
    }
    fprintf(stderr, "There is no room for more memory.\n");
    exit(1);
}

`

const anyHeap = `/* Memory that the program allocated, by its number: heap is where it is, own what is to be freed, large what is not. */
static char **heap, **own, **large;
static char **heap_slot(long n)
{
    static long heaps;
    if (n < 0 || n >= 1 << 24) {
        fprintf(stderr, "There is no memory %ld with this number of ranks.\n", n);
        exit(1);
    }
    if (n >= heaps) {
        long more = 2 * n + 16;
        heap = realloc(heap, more * sizeof *heap);
        own = realloc(own, more * sizeof *own);
        large = realloc(large, more * sizeof *large);
        if (!heap || !own || !large) exit(1);
        for (; heaps < more; heaps++) heap[heaps] = own[heaps] = large[heaps] = NULL;
    }
    return &heap[n];
}
static char *heap_at(long n)
{
    char **at = heap_slot(n);
    if (!*at && !large[n]) large[n] = reserve(0);
    if (!*at) *at = large[n];
    return *at;
}
static void begin_memory(long n, long bytes)
{
    *heap_slot(n) = calloc(1, bytes > 0 ? bytes : 1);
    if (!heap[n]) {
        fprintf(stderr, "There is no memory for %ld bytes.\n", bytes);
        exit(1);
    }
    own[n] = heap[n];
}
/* What does not follow from the number of ranks may have to be larger with more of them. */
static void grow_memory(long n, long bytes)
{
    if (size <= RANKS) {
        begin_memory(n, bytes);
        return;
    }
    heap_slot(n);
    if (!large[n]) large[n] = reserve(0);
    heap[n] = large[n];
}
static void end_memory(long n)
{
    heap_slot(n);
    free(own[n]);
    heap[n] = own[n] = NULL;
}

`

const anyBlocks = `/* Other memory by its kind and number. */
static char *block_at(long kind, long number)
{
    static struct { long kind, number; char *at; } *list;
    static long n;
    for (long i = 0; i < n; i++)
        if (list[i].kind == kind && list[i].number == number) return list[i].at;
    list = realloc(list, (n + 1) * sizeof *list);
    if (!list) exit(1);
    list[n].kind = kind;
    list[n].number = number;
    return list[n++].at = reserve(1);
}
static char *other_at(long address) { return block_at(-1, address >> 24) + (address & 0xffffff); }

`

// mainText is the function main and what it calls.
func (x *anysize) mainText() string {
	var b strings.Builder
	failed := ""
	if len(x.m.Grids) > 0 {
		var what []string
		for _, grid := range x.m.Grids {
			what = append(what, grid.String())
		}
		failed = fmt.Sprintf(anyGrids, x.givenDims(), cString(strings.Join(what, ", ")))
	}
	fmt.Fprintf(&b, anyFind, rankNames, failed)
	b.WriteString(x.g.startFiles() + "int main(int argc, char **argv)\n{\n")
	if x.g.usesArguments {
		b.WriteString("    argument_count = argc;\n    arguments = argv;\n")
	}
	if x.g.usesFiles() {
		b.WriteString("    if (argc > 1) directory = argv[1];\n    start_files();\n")
	} else if !x.g.usesArguments {
		b.WriteString("    (void)argc, (void)argv;\n")
	}
	b.WriteString("    find_rank(0);\n")
	if !strings.Contains(x.g.code.String(), "find_rank(1);") {
		b.WriteString("    if (size <= 0) rank = 0, size = 1; /* nobody started it */\n")
	}
	for class := spec.Comm; class < spec.NumClasses; class++ {
		if n := x.g.objects[class]; n > 0 && !x.computed[class] {
			h := handleClasses[class]
			fmt.Fprintf(&b, "    for (int i = 0; i < %d; i++) %s[i] = %s;\n", n, h.array, h.null)
		}
	}
	for _, name := range x.blockNames() {
		fmt.Fprintf(&b, "    %s = reserve(1);\n", name)
	}
	b.WriteString(x.g.code.String())
	b.WriteString("    return 0;\n}\n")
	return b.String()
}

// givenDims is the statements that set the sizes of grids that the user gave.
func (x *anysize) givenDims() string {
	out := ""
	for _, d := range x.dims {
		product := 1
		for _, n := range d {
			product *= n
		}
		for _, grid := range x.m.Grids {
			if grid.Axes != len(d) {
				continue
			}
			out += fmt.Sprintf("    if (size == %d) {\n        fits = 1;\n", product)
			for i, n := range d {
				out += fmt.Sprintf("        sc_grid%d[%d] = %d;\n", grid.ID, i, n)
			}
			out += "    }\n"
		}
	}
	return out
}

const anyGrids = `    int fits = sc_grids(size);
%s    if (!fits) {
        if (rank == 0) fprintf(stderr, "This program cannot run with %%ld ranks: they do not fill the grid of ranks (%%s).\n", size, %s);
        exit(1);
    }
`

const anyFind = `/* The rank is what the launcher says, so that the program makes no calls but those of the recording; else MPI is asked. */
static void find_rank(int initialised)
{
    static const char *const names[] = {%s};
    const char *s = getenv("OMPI_COMM_WORLD_SIZE");
    if (size > 0) return;
    if (!s) s = getenv("PMI_SIZE");
    for (int i = 0; s && rank < 0 && i < 4; i++)
        if (getenv(names[i])) rank = atol(getenv(names[i]));
    if (s && rank >= 0) size = atol(s);
    if (size <= 0 && !initialised) return;
    if (size <= 0) {
        int r, n;
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        rank = r;
        size = n;
    }
%s}

`
