package cgen

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/internal/program/memory"
	"github.com/tabard-hpc/tabard/spec"
)

// Options say what Generate writes.
type Options struct {
	// File is the name of the recording, for the comment at the top.
	File string
	// Name is the name of the program's source file.
	Name string
	// Compute adds busy waits for the mean time that the program spent between calls, times Scale.
	Compute bool
	Scale   float64
	// Replaced says what it does in another way than the program that was recorded.
	Replaced []string
	// Loop, if it is not nil, asks for some loops of the program besides all of it.
	Loop *Loop
}

// Skipped is calls that the program does not make.
type Skipped struct{ Func, Reason string }

// Result is what Generate did.
type Result struct {
	Lines   int
	Ranks   int
	Threads bool // it makes threads
	Skipped []Skipped
	Notes   []string
	// Sizes names the numbers of ranks that a program for several of them admits.
	Sizes string
	// Loops are the texts of the loops that Options.Loop asks for.
	Loops []string
}

// ErrEmpty says that a recording has no process of an MPI program.
var ErrEmpty = errors.New("the recording has no process that has a rank in MPI_COMM_WORLD")

// A generator writes one program.
type generator struct {
	a      *archive.Archive
	o      Options
	abi    spec.ABI
	target program.Target
	size   int
	all    *archive.RankSet
	err    error

	classes    []*class
	rules      []*rules // of each
	lists      *lists
	several    bool // some process has several threads
	threads    []*thread
	creations  bool                          // those of some threads are recorded
	ownObjects map[spec.Class]bool           // each thread has its own
	ownNumbers map[spec.Class]map[int64]bool // objects of the other classes of which each thread has its own
	ownBlocks  map[int64]bool                // of the heap: each thread has its own
	names      map[string]bool
	taken      map[string]int                 // from which number on a name may be free
	byBody     map[string]string              // body of a function -> its name
	arrays     map[[sha256.Size]byte]*cc.Expr // by their text
	columns    map[columnKey]*cc.Expr

	columnSetups []columnSetup        // of columns that are one of many
	objects      map[spec.Class]int64 // how many
	inColumns    map[spec.Class]map[int64]bool
	nowhere      map[spec.Class]bool
	shared       map[spec.Class]bool // one object may be returned several times, and is freed as often
	inPlaces     map[int]bool
	callbacks    map[string]bool
	functions    map[string]string // that are called -> since which version
	oldNames     map[string]bool   // of what MPI 3 removed
	created      map[objectKey]int
	memory       *memory.Memory
	around       map[[2]int64]bool // segments of the heap with reserved memory around them
	skipped      map[Skipped]bool
	notes        []string
	loops        []string        // see Options.Loop
	callers      map[string]bool // functions of the program that call what Options.Loop names

	files     map[string]string // path in the recording -> name in the program's folder
	fileNames map[string]bool   // the latter
	sameNames map[string]int    // how many numbers were put behind a name
	fileUse   program.Files
	reopened  map[memory.Terminal]bool // opens that demand that the file is not there, of a file that was made before

	statuses      int64
	flag, which   bool
	places        bool
	keeps         int    // calls of keep
	frees         string // the function that frees blocks: free or free_later
	attributes    bool   // the program has attribute callbacks
	remote        bool   // calls use addresses in other processes
	usesArguments bool
	opensFiles    bool
	fails         bool // callbacks may fail
	noStart       bool
	used          map[string]bool

	code, tables, variables strings.Builder
	setup                   []*cc.Stmt
	printer                 formula.Printer
	values                  valueFunctions
	words                   cc.Words // of all that is in the program but functions that return values
	mentioned               cc.Words // also of those, called or not
}

type objectKey struct {
	class  int
	kind   spec.Class
	object int64
}

// words are those of C, reserved names that the program uses itself.
var (
	words = strings.Fields(
		`auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while`,
	)
	reserved = strings.Fields(`main my_heap my_own
rank size argument_count arguments directory heap status flag which request comm group type op win file
info errhandler message session keyval column n number list made wants want done got i j k place find_rank
start_objects start_files start fails reduce reduce_large query free_request cancel extent convert memory around
reserve unreserve created begun stage number creation creations thread thread_body index time exit free read write remove mkdir open close send recv accept connect bind listen
select poll wait signal kill abs labs div log exp sin cos tan sqrt pow floor ceil y0 y1 j0 j1 yn jn gamma printf
puts atoi malloc calloc realloc memset memcpy snprintf getenv fprintf stderr stdout NULL`)
)

// newGenerator is a generator of a program that has nothing yet.
func newGenerator(a *archive.Archive, o Options) *generator {
	g := &generator{a: a, o: o, names: map[string]bool{}, byBody: map[string]string{},
		arrays:  map[[sha256.Size]byte]*cc.Expr{},
		columns: map[columnKey]*cc.Expr{}, objects: map[spec.Class]int64{},
		inColumns: map[spec.Class]map[int64]bool{}, nowhere: map[spec.Class]bool{}, shared: map[spec.Class]bool{},
		oldNames: map[string]bool{}, ownObjects: map[spec.Class]bool{}, ownBlocks: map[int64]bool{},
		ownNumbers: map[spec.Class]map[int64]bool{}, inPlaces: map[int]bool{},
		callbacks: map[string]bool{},
		functions: map[string]string{}, callers: map[string]bool{}, created: map[objectKey]int{},
		memory:  &memory.Memory{},
		around:  map[[2]int64]bool{},
		skipped: map[Skipped]bool{}, used: map[string]bool{}, files: map[string]string{}, fileNames: map[string]bool{},
		sameNames: map[string]int{}, reopened: map[memory.Terminal]bool{}, words: cc.Words{}, mentioned: cc.Words{}}
	if a != nil {
		g.abi = a.Meta().ABI
	}
	g.printer.Function = func(hint string, params []*cc.Expr, body []*cc.Stmt) string {
		return g.valueFunction(hint, "long ", params, body)
	}
	g.target = program.Target{Translation: program.Translation{From: g.abi, To: g.abi}}
	for _, s := range slices.Concat(words, reserved) {
		g.names[s] = true
	}
	for _, p := range helperParts {
		g.names[p.name] = true
	}
	return g
}

// Generate writes a program that makes the calls of a recording.
func Generate(a *archive.Archive, w io.Writer, o Options) (*Result, error) {
	g := newGenerator(a, o)
	if err := g.load(); err != nil {
		return nil, err
	}
	if err := g.measure(); err != nil {
		return nil, err
	}
	g.printer.Least = int64(g.size)
	text := g.program()
	if g.err != nil {
		return nil, g.err
	}
	bw := bufio.NewWriter(w)
	bw.WriteString(text)
	res := &Result{Lines: strings.Count(text, "\n"), Ranks: g.size, Threads: len(g.threads) > 0, Notes: g.notes,
		Skipped: g.skippedList(), Loops: g.loops}
	return res, bw.Flush()
}

// measure finds out which memory the program needs.
func (g *generator) measure() (err error) {
	list := make([]*program.Class, len(g.classes))
	for i, c := range g.classes {
		list[i] = c.Class
	}
	if g.memory, err = memory.Of(list, g.size); err != nil {
		return err
	}
	g.notes = append(g.notes, g.memory.Notes...)
	g.planReaches()
	g.findOwnBlocks()
	return nil
}

// mostProcesses is how many ranks a program is made for: values that differ from rank to rank are
// looked at one by one.
const mostProcesses = 1 << 20

// load reads the classes that the program has.
func (g *generator) load() error {
	first := 0
	for i, c := range g.a.Classes() {
		group := c.Group()
		switch {
		case group.Unranked:
			continue
		case group.World != 0:
			g.noteOnce("the processes that the program started are left out")
			continue
		case c.Thread() > 0:
			g.several = true
		}
		x, err := loadClass(c, i)
		if err != nil {
			return err
		}
		g.classes = append(g.classes, x)
		if c.Thread() == 0 {
			first++
		}
		g.size = max(g.size, group.Size)
		g.all = g.all.Union(c.Ranks())
	}
	if first == 0 || g.size == 0 {
		return ErrEmpty
	}
	if g.size > mostProcesses {
		return fmt.Errorf("the recording has %d ranks; proxies are made for up to %d", g.size, mostProcesses)
	}
	survey, err := program.Survey(g.a, g.target)
	if err != nil {
		return err
	}
	if survey.Unfinished > 0 {
		g.note(fmt.Sprintf("%d of %d processes did not reach their end in order, and do not do so here",
			survey.Unfinished, survey.Ranks))
	}
	if g.several {
		g.note("threads run side by side: which calls of one come before those of another is not as it was, but " +
			"for what was before its creation, or its first call, and after it was joined, or its last")
	}
	if g.all.Len() < g.size {
		g.note(fmt.Sprintf("%d of %d processes were not recorded: they make no calls", g.size-g.all.Len(), g.size))
	}
	if g.a.Meta().Partial {
		g.note("calls were left out of the recording on purpose; the program may lack what they did")
	}
	for _, c := range g.classes {
		g.scan(c)
		g.freedOften(c)
	}
	if g.several {
		g.findLocal()
	}
	return g.findFiles()
}

// scan notes which objects are created by calls that are made again (1), and by others (-1).
func (g *generator) scan(c *class) {
	returned := map[int64]bool{}
	for _, t := range c.terms {
		if t.Func.Func.Own() {
			continue
		}
		g.scanCallbacks(t)
		reason := g.reason(t)
		if reason != "" {
			g.skip(t.Name, reason)
		} else if !g.several && g.lacks(c, t) {
			reason = "lacks"
		}
		for i := range t.Params {
			p := &t.Params[i]
			v := t.slot(p.After)
			if v == nil || p.Codec != spec.Handle || p.Before >= 0 { // a call that gets an object makes none
				continue
			}
			if v.kind == archive.Hole {
				if err := g.scanColumn(c, t, p, reason); err != nil {
					g.fail(err)
				}
				continue
			}
			if v.kind != archive.Ref && !v.refs {
				continue
			}
			// MPI may return another reference to an object that exists.
			code := v.n.at(c.Ranks().Min())
			if p.Life == spec.NewRef || t.Name == "MPI_Type_get_contents" || p.Class == spec.Group && returned[code] {
				g.shared[p.Class] = true
			}
			if p.Class == spec.Group {
				returned[code] = true
			}
			for r := range c.Ranks().All() {
				codes := []int64{v.n.at(r)}
				if v.kind != archive.Ref {
					codes = v.codesAt(r)
				}
				for _, code := range codes {
					g.creates(c, p.Class, code, reason == "")
				}
				if _, same := v.n.constant(); same && v.vec == nil {
					break
				}
			}
		}
	}
}

// objectKey is how created knows an object. Objects of one thread are used by others.
func (g *generator) objectKey(c *class, class spec.Class, code int64) objectKey {
	if g.several {
		return objectKey{-1, class, code}
	}
	return objectKey{c.Index, class, code}
}

// creates notes that a call creates an object, and whether it is made again.
func (g *generator) creates(c *class, class spec.Class, code int64, again bool) {
	k := g.objectKey(c, class, code)
	if again {
		g.created[k] = 1
	} else if g.created[k] == 0 {
		g.created[k] = -1
	}
}

// scanColumn is scan for objects whose numbers are in a column.
func (g *generator) scanColumn(c *class, t *terminal, p *program.Param, reason string) error {
	for r := range c.Ranks().All() {
		codes, err := c.Values(program.Column{Terminal: t.id, Slot: p.After, Field: 0, Rank: r})
		if err != nil {
			return err
		}
		for _, code := range codes {
			g.creates(c, p.Class, code, reason == "")
		}
	}
	return nil
}

// reason says why a call is not made again, if it is not.
func (g *generator) reason(t *terminal) string { return g.reasonOf(t.Func, t.tm.Flags) }

func (g *generator) reasonOf(f *program.Func, flags archive.Flags) string {
	if strings.HasPrefix(f.Name, "MPI_T_") {
		return "variables and events are those of one MPI library"
	}
	return g.target.Reason(f.Func, flags)
}

func (g *generator) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

func (g *generator) note(s string) { g.notes = append(g.notes, s) }

func (g *generator) noteOnce(s string) {
	if !slices.Contains(g.notes, s) {
		g.note(s)
	}
}

func (g *generator) skip(name, reason string) { g.skipped[Skipped{name, reason}] = true }

func (g *generator) skippedList() []Skipped {
	return slices.SortedFunc(maps.Keys(g.skipped), func(a, b Skipped) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Func, b.Func))
	})
}

// need asks for a part of the prelude.
func (g *generator) need(part string) { g.used[part] = true }

// unique is a name that nothing else has.
func (g *generator) unique(hint string) string {
	name, n := hint, max(2, g.taken[hint])
	for ; g.names[name]; n++ {
		name = fmt.Sprintf("%s_%d", hint, n)
	}
	if g.taken == nil {
		g.taken = map[string]int{}
	}
	g.names[name] = true
	g.taken[hint] = n
	return name
}
