package proxy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"tabard/internal/rankfn"
	"tabard/spec"
	"tabard/trace"
)

// stream is the top of the program of a class: its code in pieces.
type stream struct {
	c     *class
	r     *rules
	parts []*code
}

// program is the text of the whole program.
func (g *generator) program() string {
	for _, c := range g.classes {
		g.rules = append(g.rules, g.newRules(c))
	}
	g.chooseLists(g.rules)
	g.threadFunctions()
	var streams []*stream
	for i, c := range g.classes {
		if c.Thread() > 0 {
			continue
		}
		r := g.rules[i]
		g.fail(r.placeThreads())
		streams = append(streams, &stream{c, r, r.symbols(0, 0)})
	}
	first := g.common(streams)
	entry := g.streams(streams, len(first), g.mainRanks(streams))
	g.lists.write()
	g.placeText = g.placeFunction()
	objectFunctions := g.objectFunctions()
	setup := g.setupFunction()
	main := g.startFiles() + g.mainFunction(first, entry)

	body := g.variables.String() + g.tables.String() + g.code.String() + main + setup + objectFunctions + g.placeText
	values := g.values.usedBy(body)
	g.markUsed(body + values)
	var b strings.Builder
	b.WriteString(g.header())
	b.WriteString(g.declarations())
	text := helpers(g.used)
	if g.used["memory_around"] {
		b.WriteString(g.declareAround())
	}
	b.WriteString(g.local(text))
	g.writeCallbacks(&b)
	b.WriteString(objectFunctions)
	b.WriteString(g.placeText)
	section(&b, g.tables.String())
	section(&b, g.variables.String())
	b.WriteString(values)
	if len(g.threads) > 0 {
		b.WriteString("static void start_objects(void);\n\n")
	}
	b.WriteString(g.lists.declare())
	b.WriteString(g.code.String())
	b.WriteString(setup)
	b.WriteString(main)
	return b.String()
}

func section(b *strings.Builder, s string) {
	if s != "" {
		b.WriteString(s + "\n")
	}
}

// called are the functions that a text calls. Strings are passed over.
func called(text string) map[string]bool {
	out := map[string]bool{}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case isLetter(c) || isDigit(c):
			j := i
			for j < len(text) && (isLetter(text[j]) || isDigit(text[j])) {
				j++
			}
			if j < len(text) && text[j] == '(' && !isDigit(c) {
				out[text[i:j]] = true
			}
			i = j - 1
		}
	}
	return out
}

// markUsed finds the parts of the prelude that a text calls.
func (g *generator) markUsed(text string) {
	maps.Copy(g.used, called(text))
}

func (g *generator) writeCallbacks(b *strings.Builder) {
	var list []string
	for s := range g.callbacks {
		list = append(list, s)
	}
	sort.Strings(list)
	for _, s := range list {
		b.WriteString(s + "\n")
	}
}

// isInit tells whether code is the initialisation of MPI.
func isInit(x *code) bool {
	return len(x.lines) == 1 && (strings.HasPrefix(x.lines[0], "MPI_Init(") || strings.HasPrefix(x.lines[0], "MPI_Init_thread("))
}

// common is what all streams begin with, up to the initialisation of MPI; nothing if they do not.
func (g *generator) common(streams []*stream) []*code {
	parts := streams[0].parts
	for i, x := range parts {
		for _, s := range streams[1:] {
			if i >= len(s.parts) || !slices.Equal(s.parts[i].lines, x.lines) {
				return nil
			}
		}
		if isInit(x) {
			return parts[:i+1]
		}
	}
	return nil
}

// streams makes a function of each stream and returns the statements that choose one.
func (g *generator) streams(streams []*stream, from int, all *trace.RankSet) []string {
	type entry struct {
		name  string
		ranks *trace.RankSet
	}
	var list []*entry
	for _, s := range streams {
		x := s.r.split(s.parts[from:])
		hint := "all_ranks"
		if n := s.c.Thread(); n > 0 {
			hint = fmt.Sprintf("all_ranks_thread_%d", n)
		}
		if len(streams) > 1 {
			hint = fmt.Sprintf("rank_%d", s.c.Ranks().Min())
			if s.c.Ranks().Len() > 1 {
				hint = fmt.Sprintf("ranks_like_%d", s.c.Ranks().Min())
			}
			if n := s.c.Thread(); n > 0 {
				hint += fmt.Sprintf("_thread_%d", n)
			}
		}
		name := g.define(x, hint).lines[0]
		i := slices.IndexFunc(list, func(e *entry) bool { return e.name == name })
		if i < 0 {
			list = append(list, &entry{name, s.c.Ranks()})
		} else {
			list[i].ranks = list[i].ranks.Union(s.c.Ranks())
		}
	}
	var out []string
	for i, e := range list {
		cond := g.condition(e.ranks, g.everybody())
		if streams[0].c.Thread() > 0 {
			cond = g.condition(e.ranks, all)
		}
		switch {
		case cond == "1":
			out = append(out, e.name)
		case i == len(list)-1 && (all.Len() == g.size || streams[0].c.Thread() > 0):
			out = append(out, "else", "    "+e.name)
		case i == 0:
			out = append(out, "if ("+cond+")", "    "+e.name)
		default:
			out = append(out, "else if ("+cond+")", "    "+e.name)
		}
	}
	return out
}

// mainRanks are the ranks that have one of the streams.
func (g *generator) mainRanks(streams []*stream) *trace.RankSet {
	var all *trace.RankSet
	for _, s := range streams {
		all = all.Union(s.c.Ranks())
	}
	return all
}

// everybody is the ranks of MPI_COMM_WORLD.
func (g *generator) everybody() *trace.RankSet { return rankfn.Range(0, g.size) }

// declarations are the variables of the program.
func (g *generator) declarations() string {
	var b strings.Builder
	fmt.Fprintf(&b, "static long rank = -1, size = %d; /* in MPI_COMM_WORLD */\n", g.size)
	if g.usesArguments {
		b.WriteString("static int argument_count;\nstatic char **arguments;\n")
	}
	if g.usesFiles() {
		b.WriteString("static const char *directory = DIRECTORY;\n")
	}
	g.declareFails(&b)
	for class := spec.Comm; class < spec.NumClasses; class++ {
		if n := g.objects[class]; n > 0 {
			h := handleClasses[class]
			own := ""
			if g.ownObjects[class] {
				own = "@"
			}
			b.WriteString(g.local(fmt.Sprintf("static %s%s %s[%d];\n", own, h.ctype, h.array, n)))
		}
	}
	if g.statuses > 0 {
		fmt.Fprintf(&b, g.local("static @MPI_Status status[%d];\n"), g.statuses)
	}
	if g.flag {
		b.WriteString(g.local("static @int flag; /* of the last test */\n"))
	}
	if g.which {
		b.WriteString(g.local("static @int which; /* what the last call completed */\n"))
	}
	if n := len(g.threads); n > 0 {
		fmt.Fprintf(&b, "static pthread_t thread[%d];\n", g.threads[n-1].number+1)
	}
	g.declareMemory(&b)
	b.WriteString("\n")
	return b.String()
}

// largeBlock is the size from which a block of memory is allocated at the start.
const largeBlock = 1 << 26

func (g *generator) declareMemory(b *strings.Builder) {
	text := g.code.String() + g.values.String() + g.placeText + g.setup.String()
	for _, s := range g.segmentList {
		if s.mem == trace.Heap {
			g.heaps = max(g.heaps, int64(s.number)+1)
			continue
		}
		name, _ := s.base()
		n := s.most - s.low
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
			continue
		}
		if n > largeBlock || s.reach != nil {
			fmt.Fprintf(b, "static char *%s;\n", name)
			continue
		}
		fmt.Fprintf(b, "static long double %s_[%d];\nstatic char *const %s = (char *)%s_;\n", name, (n+15)/16, name, name)
	}
	if g.heaps > 0 && strings.Contains(g.code.String()+g.values.String()+g.setup.String(), "heap[") {
		fmt.Fprintf(b, "static char *heap[%d];\n", g.heaps)
		if strings.Contains(g.code.String(), "own[") {
			fmt.Fprintf(b, "static char *own[%d]; /* what is to be freed of it: the other blocks are MPI's */\n", g.heaps)
		}
	}
}

// setupFunction allocates memory and points columns to their values.
func (g *generator) setupFunction() string {
	var b strings.Builder
	var objects strings.Builder
	for class := spec.Comm; class < spec.NumClasses; class++ {
		if n := g.objects[class]; n > 0 {
			h := handleClasses[class]
			to := &b
			if g.ownObjects[class] && len(g.threads) > 0 {
				to = &objects
			}
			fmt.Fprintf(to, "    for (int i = 0; i < %d; i++) %s[i] = %s;\n", n, h.array, h.null)
		}
	}
	var table []int64
	for _, s := range g.segmentList {
		name, _ := s.base()
		switch {
		case s.mem == trace.Heap && (s.made || g.recorded[int64(s.number)]):
		case s.reach != nil && (s.mem == trace.Heap || strings.Contains(g.code.String()+g.values.String()+g.placeText, name)):
			fmt.Fprintf(&b, "    %s = %s;\n", name, g.allocationAtStart(s))
		case s.mem == trace.Heap && len(g.segmentList) > 40:
			table = append(table, int64(s.number), s.most-s.low)
		case s.mem == trace.Heap, s.most-s.low > largeBlock && strings.Contains(g.code.String()+g.values.String()+g.placeText, name):
			fmt.Fprintf(&b, "    %s = memory(%s);\n", name, g.segmentSize(s))
		}
	}
	if len(table) > 0 {
		// Runs of segments with the same size, and a constant distance.
		name := g.constants("heap_sizes", table)
		fmt.Fprintf(&b, "    for (int i = 0; i < %d; i += 2) heap[%s[i]] = memory(%s[i + 1]);\n", len(table), name, name)
	}
	g.setColumns()
	b.WriteString(g.setup.String())
	if b.Len() == 0 && len(g.threads) == 0 {
		g.noStart = true
		return ""
	}
	text := "/* What has to be there before the first call that uses it. */\nstatic void start(void)\n{\n"
	if len(g.threads) > 0 {
		text = "/* Each thread has its own. */\nstatic void start_objects(void)\n{\n" + objects.String() + "}\n\n" + text + "    start_objects();\n"
	}
	return text + b.String() + "}\n\n"
}

// placeFunction finds the memory of addresses in columns.
func (g *generator) placeFunction() string {
	if !g.places {
		return ""
	}
	var b strings.Builder
	b.WriteString("/* The address with a code: the offset there times 2^20 plus the number of its block. Negative codes stand for numbers. */\nstatic void *place(long code)\n{\n    char *block = NULL;\n    if (code < 0) return (void *)(size_t)(code % 2 ? (-1 - code) / 2 : code / 2);\n    switch (code % (1L << 20)) {\n")
	for _, s := range g.segmentList {
		if g.inPlaces[s.index] {
			name, _ := s.base()
			fmt.Fprintf(&b, "    case %d: block = %s; break;\n", s.index, name)
		}
	}
	b.WriteString("    }\n    return block + (code >> 20);\n}\n\n")
	if strings.Contains(g.code.String()+g.values.String(), "next_places(") {
		b.WriteString("static MPI_Aint *next_places(long n, struct column *c)\n{\n    MPI_Aint *v = room(n * sizeof *v);\n" +
			"    for (long i = 0; i < n; i++) v[i] = (MPI_Aint)(size_t)place(next(c));\n    return v;\n}\n\n")
	}
	return b.String()
}

// mainFunction is the function main.
func (g *generator) mainFunction(first []*code, entry []string) string {
	g.usesArguments = strings.Contains(g.code.String(), "argument") || slices.ContainsFunc(first, func(x *code) bool { return strings.Contains(strings.Join(x.lines, ""), "argument") })
	var b strings.Builder
	if len(first) == 0 {
		fmt.Fprintf(&b, mainHead, rankNames, alone)
	} else {
		fmt.Fprintf(&b, mainHead, rankNames, askMPI)
	}
	if g.usesArguments {
		b.WriteString("    argument_count = argc;\n    arguments = argv;\n")
	}
	if g.usesFiles() {
		b.WriteString("    if (argc > 1) directory = argv[1];\n    start_files();\n")
	} else if !g.usesArguments {
		b.WriteString("    (void)argc, (void)argv;\n")
	}
	for _, x := range first {
		for _, s := range x.lines {
			b.WriteString(indent(s))
		}
	}
	b.WriteString("    find_rank();\n")
	if !g.noStart {
		b.WriteString("    start();\n")
	}
	for _, s := range entry {
		b.WriteString(indent(s))
	}
	b.WriteString("    return 0;\n}\n")
	return b.String()
}

const rankNames = `"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"`

const askMPI = `        int r, n;
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        rank = r;
        ranks = n;
`

// alone is what holds where MPI cannot be asked yet and no launcher says anything.
const alone = `        rank = 0;
        ranks = 1;
`

const mainHead = `/* The rank is what the launcher says, so that the program makes no calls but those of the recording. */
static void find_rank(void)
{
    static const char *const names[] = {%s};
    const char *s = getenv("OMPI_COMM_WORLD_SIZE");
    long ranks = size;
    if (!s) s = getenv("PMI_SIZE");
    if (s) ranks = atol(s);
    for (int i = 0; rank < 0 && i < 4; i++)
        if (getenv(names[i])) rank = atol(getenv(names[i]));
    if (rank < 0) {
%s    }
    if (ranks != size) {
        if (rank == 0) fprintf(stderr, "This program needs %%ld ranks, not %%ld: mpirun -n %%ld\n", size, ranks, size);
        exit(1);
    }
}

int main(int argc, char **argv)
{
`
