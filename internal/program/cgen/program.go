package cgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/memory"
	"github.com/tabard-hpc/tabard/spec"
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
	g.findThreads()
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
	for _, f := range g.values { // also those that are not called in the end
		maps.Copy(g.mentioned, f.words)
	}
	place := g.placeFunction()
	objectFunctions := g.objectFunctions()
	setup := g.setupFunction()
	main := g.startFiles() + g.mainFunction(first, entry)
	values := g.values.usedBy(g.words)
	maps.Copy(g.used, g.words)
	text := helpers(g.used)
	maps.Copy(g.mentioned, g.words)

	var b strings.Builder
	b.WriteString(g.header(&heading{run: fmt.Sprintf("-n %d", g.size), mapped: g.used["memory_around"] || g.remote}))
	g.declare(&b, fmt.Sprintf("size = %d", g.size), func(spec.Class) bool { return true })
	var threads strings.Builder
	g.declareThreads(&threads)
	b.WriteString(g.local(threads.String()))
	g.declareMemory(&b)
	b.WriteString("\n")
	if g.used["memory_around"] {
		b.WriteString(g.declareAround())
	}
	b.WriteString(g.local(text))
	g.writeCallbacks(&b)
	b.WriteString(objectFunctions + place)
	section(&b, g.tables.String())
	section(&b, g.variables.String())
	b.WriteString(values.String())
	if len(g.threads) > 0 {
		b.WriteString("static void start_objects(void);\n\n")
	}
	b.WriteString(g.lists.declare() + g.code.String() + setup + main)
	return b.String()
}

func section(b *strings.Builder, s string) {
	if s != "" {
		b.WriteString(s + "\n")
	}
}

func (g *generator) writeCallbacks(b *strings.Builder) {
	for _, s := range slices.Sorted(maps.Keys(g.callbacks)) {
		b.WriteString(s + "\n")
	}
}

// isInit tells whether code is the initialisation of MPI.
func isInit(x *code) bool {
	if len(x.list) != 1 || x.list[0].Form != cc.Plain || x.list[0].Head.Kind != cc.KindCall {
		return false
	}
	name := x.list[0].Head.Text
	return name == "MPI_Init" || name == "MPI_Init_thread"
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
func (g *generator) streams(streams []*stream, from int, all *archive.RankSet) []*cc.Stmt {
	type entry struct {
		call  *cc.Stmt
		ranks *archive.RankSet
	}
	var list []*entry
	for _, s := range streams {
		x := s.r.split(s.parts[from:])
		call := g.define(x, s.hint(len(streams) > 1)).list[0]
		i := slices.IndexFunc(list, func(e *entry) bool { return e.call.Head.Text == call.Head.Text })
		if i < 0 {
			list = append(list, &entry{call, s.c.Ranks()})
		} else {
			list[i].ranks = list[i].ranks.Union(s.c.Ranks())
		}
	}
	thread := streams[0].c.Thread() > 0
	among := g.everybody()
	if thread {
		among = all
	}
	var out []*cc.Stmt
	for i, e := range list {
		cond := g.condition(e.ranks, among)
		switch {
		case cond.IsInt(1):
			out = append(out, e.call)
		case i == len(list)-1 && (all.Len() == g.size || thread):
			out = append(out, cc.Below(cc.Head("else"), e.call))
		case i == 0:
			out = append(out, cc.Below(cc.Head("if", cond), e.call))
		default:
			out = append(out, cc.Below(cc.Head("else if", cond), e.call))
		}
	}
	return out
}

// hint is what the function of a stream is called.
func (s *stream) hint(several bool) string {
	hint := "all_ranks"
	if ranks := s.c.Ranks(); several && ranks.Len() > 1 {
		hint = fmt.Sprintf("ranks_like_%d", ranks.Min())
	} else if several {
		hint = fmt.Sprintf("rank_%d", ranks.Min())
	}
	if n := s.c.Thread(); n > 0 {
		hint += fmt.Sprintf("_thread_%d", n)
	}
	return hint
}

// mainRanks are the ranks that have one of the streams.
func (g *generator) mainRanks(streams []*stream) *archive.RankSet {
	var all *archive.RankSet
	for _, s := range streams {
		all = all.Union(s.c.Ranks())
	}
	return all
}

// everybody is the ranks of MPI_COMM_WORLD.
func (g *generator) everybody() *archive.RankSet { return rankfunc.Range(0, g.size) }

// declare declares variables of the program: objects of those classes that have arrays.
func (g *generator) declare(b *strings.Builder, size string, array func(spec.Class) bool) {
	fmt.Fprintf(b, "static long rank = -1, %s; /* in MPI_COMM_WORLD */\n", size)
	if g.usesArguments {
		b.WriteString("static int argument_count;\nstatic char **arguments;\n")
	}
	if g.usesFiles() {
		b.WriteString("static const char *directory = DIRECTORY;\n")
	}
	g.declareFails(b)
	for class := spec.Comm; class < spec.NumClasses; class++ {
		if n := g.objects[class]; n > 0 && array(class) {
			h := handleClasses[class]
			own := ""
			if g.ownObjects[class] {
				own = "$LOCAL "
			}
			b.WriteString(g.local(fmt.Sprintf("static %s%s %s[%d];\n", own, h.ctype, h.array, n)))
			if len(g.ownNumbers[class]) > 0 {
				fmt.Fprintf(b, g.local("static $LOCAL %s %s[%d]; /* of each thread */\n"), h.ctype, ownPrefix+h.array,
					n)
			}
		}
	}
	if g.statuses > 0 {
		fmt.Fprintf(b, g.local("static $LOCAL MPI_Status status[%d];\n"), g.statuses)
	}
	if g.flag {
		b.WriteString(g.local("static $LOCAL int flag; /* of the last test */\n"))
	}
	if g.which {
		b.WriteString(g.local("static $LOCAL int which; /* what the last call completed */\n"))
	}
}

// noObjects sets the arrays of objects; arrays are the names of those of a class.
func (g *generator) noObjects(arrays func(spec.Class) []string) (out []*cc.Stmt) {
	for class := spec.Comm; class < spec.NumClasses; class++ {
		if g.objects[class] == 0 {
			continue
		}
		for _, array := range arrays(class) {
			set := cc.Do(cc.Assign(cc.Index(cc.Name(array), cc.Name("i")), cc.Name(handleClasses[class].null)))
			out = append(out, cc.Under(cc.For("int", "i", plainInt(g.objects[class])), set))
		}
	}
	return out
}

// arraysOf are the arrays of objects of a class: those of all threads, or those that each thread has of its own.
func (g *generator) arraysOf(class spec.Class, ofThread bool) (out []string) {
	name := handleClasses[class].array
	if own := g.ownObjects[class] && len(g.threads) > 0; own == ofThread {
		out = append(out, name)
	}
	if ofThread && len(g.ownNumbers[class]) > 0 {
		out = append(out, ownPrefix+name)
	}
	return out
}

func (g *generator) declareMemory(b *strings.Builder) {
	for _, s := range g.memory.Segments {
		if s.Mem == archive.Heap {
			g.memory.Heaps = max(g.memory.Heaps, int64(s.Number)+1)
			continue
		}
		name, n := variable(s), s.Most-s.Low
		switch {
		case !g.mentioned[name]:
		case n > memory.LargeBlock || s.Reach != nil:
			fmt.Fprintf(b, "static char *%s;\n", name)
		default:
			fmt.Fprintf(b, "static long double %s_[%d];\nstatic char *const %s = (char *)%s_;\n", name, (n+15)/16, name,
				name)
		}
	}
	const freed = " /* what is to be freed of it: the other blocks are MPI's */"
	b.WriteString(g.declareHeap("heap", "", "") + g.declareHeap("own", "", freed))
	b.WriteString(g.declareHeap(ownPrefix+"heap", "$LOCAL ", " /* of each thread */"))
	b.WriteString(g.declareHeap(ownPrefix+"own", "$LOCAL ", freed))
}

// setupFunction allocates memory and points columns to their values.
func (g *generator) setupFunction() string {
	list := g.noObjects(func(class spec.Class) []string { return g.arraysOf(class, false) })
	objects := g.text(g.noObjects(func(class spec.Class) []string { return g.arraysOf(class, true) })...)
	var table []int64
	for _, s := range g.memory.Segments {
		begin, _ := baseOf(s)
		heap := s.Mem == archive.Heap
		used := heap || g.mentioned[variable(s)]
		switch {
		case heap && (s.Made || g.memory.Records[int64(s.Number)] != nil):
		case s.Reach != nil && used:
			list = append(list, cc.Do(cc.Assign(begin, g.allocationAtStart(s))))
		case heap && len(g.memory.Segments) > 40:
			table = append(table, int64(s.Number), s.Most-s.Low)
		case heap, s.Most-s.Low > memory.LargeBlock && used:
			list = append(list, cc.Do(cc.Assign(begin, cc.Call("memory", g.segmentSize(s)))))
		}
	}
	if len(table) > 0 {
		// Runs of segments with the same size, and a constant distance.
		i, sizes := cc.Name("i"), g.constants("heap_sizes", table)
		first := cc.Declare("int", cc.Assign(i, cc.Int(0)))
		head := cc.Head("for", first, compare(i, "<", int64(len(table))), compare(i, "+=", 2))
		block := cc.Call("memory", cc.Index(sizes, compare(i, "+", 1)))
		list = append(list, cc.Under(head, cc.Do(cc.Assign(cc.Index(cc.Name("heap"), cc.Index(sizes, i)), block))))
	}
	g.setColumns()
	list = append(list, g.setup...)
	g.words.Add(list...)
	maps.Copy(g.mentioned, g.words)
	if len(list) == 0 && len(g.threads) == 0 {
		g.noStart = true
		return ""
	}
	text := "/* What has to be there before the first call that uses it. */\nstatic void start(void)\n{\n"
	if len(g.threads) > 0 {
		text = "/* Each thread has its own. */\nstatic void start_objects(void)\n{\n" + objects + "}\n\n" +
			text + "    start_objects();\n"
	}
	return text + cc.Flat(list) + "}\n\n"
}

// placeFunction finds the memory of addresses in columns.
func (g *generator) placeFunction() string {
	maps.Copy(g.mentioned, g.words)
	if !g.places {
		return ""
	}
	var cases strings.Builder
	for _, s := range g.memory.Segments {
		if g.inPlaces[s.Index] {
			g.mentioned[variable(s)] = true
			fmt.Fprintf(&cases, "    case %d: block = %s; break;\n", s.Index, variable(s))
		}
	}
	text := frame("place", "CASES", cases.String())
	if g.mentioned["next_places"] {
		g.need("room")
		g.need("next")
		text += frame("next_places")
	}
	return text
}

// mainFunction is the function main, and the one that it calls first.
func (g *generator) mainFunction(first []*code, entry []*cc.Stmt) string {
	alone := "alone"
	if len(first) > 0 {
		alone = "ask_mpi"
	}
	var b strings.Builder
	b.WriteString(frame("find_rank", "ALONE", frame(alone)))
	g.writeMainBegin(&b)
	for _, x := range first {
		b.WriteString(g.text(x.list...))
	}
	b.WriteString("    find_rank();\n")
	if !g.noStart {
		b.WriteString("    start();\n")
	}
	b.WriteString(g.text(entry...) + "    return 0;\n}\n")
	return b.String()
}

// writeMainBegin writes what main does before all else.
func (g *generator) writeMainBegin(b *strings.Builder) {
	if g.usesArguments {
		b.WriteString("    argument_count = argc;\n    arguments = argv;\n")
	}
	if g.usesFiles() {
		b.WriteString("    if (argc > 1) directory = argv[1];\n    start_files();\n")
	} else if !g.usesArguments {
		b.WriteString("    (void)argc, (void)argv;\n")
	}
}
