package plan

import (
	"debug/elf"
	"encoding/binary"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// graph is who may call whom in an image, as far as its code tells. Its nodes are pieces of code: functions, and what
// compilers put far away from them.
type graph struct {
	starts   []uint64 // of the pieces, ascending
	calls    [][]int32
	imports  []map[string]bool // functions of other images that a piece calls
	indirect []bool            // it calls what a register or a word of memory says
	pointed  []bool            // data has its address, as tables of virtual functions do
	exports  map[string]int32
	provides bool // the image has MPI's functions itself
}

// graphOf reads an image once more for its calls.
func graphOf(path string) (*graph, error) {
	im, err := open(path)
	if err != nil {
		return nil, err
	}
	p, data := im.scan(), newSet(im.code)
	for i := range im.data {
		if s := &im.data[i]; !hasPrefix(s.name, ".dyn", ".gnu", ".hash", ".eh_frame") { // no tables of symbols
			im.pointersOf(&data, s)
		}
	}
	g := &graph{starts: p.starts, exports: map[string]int32{}}
	n := len(p.starts)
	g.calls, g.imports = make([][]int32, n), make([]map[string]bool, n)
	g.indirect, g.pointed = make([]bool, n), make([]bool, n)
	for i, start := range p.starts {
		g.pointed[i] = data.has(start)
		g.piece(im, int32(i), p.end(im, start))
	}
	for i := range im.symbols {
		for _, name := range im.symbols[i].names {
			if k := g.at(im.symbols[i].addr); k >= 0 {
				g.exports[name] = k
			}
			g.provides = g.provides || name == "MPI_Init" || name == "mpi_init_" ||
				strings.HasPrefix(name, "_ZN3MPI4Init")
		}
	}
	return g, nil
}

// at is the piece that an address is in, -1 if there is none.
func (g *graph) at(addr uint64) int32 {
	i := sort.Search(len(g.starts), func(i int) bool { return g.starts[i] > addr })
	return int32(i - 1)
}

// piece reads the calls and jumps of a piece of code.
func (g *graph) piece(im *image, i int32, end uint64) {
	if im.aarch64 {
		g.pieceA64(im, i, end)
	} else {
		g.pieceX86(im, i, end)
	}
	slices.Sort(g.calls[i])
	g.calls[i] = slices.Compact(g.calls[i])
}

func (g *graph) pieceX86(im *image, i int32, end uint64) {
	for at := g.starts[i]; at < end; {
		code := im.codeAt(at)
		in, ok := decode(code)
		if !ok {
			g.indirect[i] = true // what it does is not known
			return
		}
		word := uint64(0)
		if in.disp != 0 {
			word = in.target(code, at)
		}
		switch {
		case in.kind == call || in.kind == jump || in.kind == branch:
			target := in.target(code, at)
			if name := im.imported(target); name != "" {
				g.calledByName(i, name)
			} else {
				g.called(i, target)
			}
		case in.kind == plain && in.opcode == 0x8d && word != 0: // who takes an address has it called
			g.taken(i, word)
		case in.length == 5 && code[0]&0xf8 == 0xb8 && im.elf.Type == elf.ET_EXEC:
			g.taken(i, uint64(binary.LittleEndian.Uint32(code[1:])))
		case im.words[word] != "":
			g.calledByName(i, im.words[word])
		case goesAway(code):
			g.indirect[i] = true
		}
		at += uint64(in.length)
	}
}

func (g *graph) calledByName(i int32, name string) {
	if g.imports[i] == nil {
		g.imports[i] = map[string]bool{}
	}
	g.imports[i][name] = true
}

func (g *graph) called(i int32, target uint64) {
	if k := g.at(target); k >= 0 && k != i {
		g.calls[i] = append(g.calls[i], k)
	}
}

// taken notes an address that code takes, if it is that of a function.
func (g *graph) taken(i int32, target uint64) {
	if k := g.at(target); k >= 0 && g.starts[k] == target {
		g.called(i, target)
	}
}

// goesAway tells whether an instruction calls what a register or memory says, or jumps to what memory says: jumps to
// registers are mostly those of switches.
func goesAway(code []byte) bool {
	for len(code) > 2 && (code[0]&0xf0 == 0x40 || code[0] == 0x3e || code[0] == 0xf2 || code[0] == 0x66) {
		code = code[1:]
	}
	if len(code) < 2 || code[0] != 0xff {
		return false
	}
	reg, table := code[1]>>3&7, code[1]&7 == 4
	return reg == 2 || reg == 4 && code[1]>>6 != 3 && !table
}

// isMPI tells names of MPI's functions in C and Fortran.
func isMPI(name string) bool {
	name, _, _ = strings.Cut(name, "@")
	return hasPrefix(name, "MPI_", "PMPI_", "mpi_", "pmpi_", "_ZN3MPI", "_ZNK3MPI")
}

// selectCallers refuses the functions of plans that no chain of calls leads from to MPI. Who takes the address of a
// function is taken to call it: it passes it to others, to be called back. A call of what a register or memory says may
// lead to each function of its image whose address is in data. Functions of MPI libraries are refused.
func selectCallers(plans []*Plan) error {
	graphs := make([]*graph, len(plans))
	for i, p := range plans {
		var err error
		if graphs[i], err = graphOf(p.Path); err != nil {
			return err
		}
	}
	reach := leadToMPI(graphs)
	for i, p := range plans {
		for k := range p.Functions {
			f := &p.Functions[k]
			at := graphs[i].at(f.Addr)
			if f.Refused == "" && (graphs[i].provides || at < 0 || !reach[i][at]) {
				f.Refused = noCaller
			}
		}
	}
	return nil
}

const noCaller = "leads to no MPI call"

// leadToMPI finds which pieces of each image lead to a call of MPI.
func leadToMPI(graphs []*graph) [][]bool {
	reach := make([][]bool, len(graphs))
	for i, g := range graphs {
		reach[i] = make([]bool, len(g.starts))
	}
	names := map[string]bool{} // what is exported and leads there
	for changed := true; changed; {
		changed = false
		for i, g := range graphs {
			if g.provides || !g.spread(reach[i], names) {
				continue
			}
			changed = true
			for name, k := range g.exports {
				names[name] = names[name] || reach[i][k]
			}
		}
	}
	return reach
}

// spread marks what leads to MPI in one image, until there is no more.
func (g *graph) spread(reach []bool, names map[string]bool) (changed bool) {
	callers := make([][]int32, len(g.starts))
	var todo []int32
	mark := func(k int32) {
		if !reach[k] {
			reach[k], changed = true, true
			todo = append(todo, k)
		}
	}
	var indirect []int32
	for k := range g.starts {
		for _, c := range g.calls[k] {
			callers[c] = append(callers[c], int32(k))
		}
		if g.indirect[k] {
			indirect = append(indirect, int32(k))
		}
		for name := range g.imports[k] {
			if isMPI(name) || names[name] {
				mark(int32(k))
			}
		}
	}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range callers[k] {
			mark(c)
		}
		if g.pointed[k] {
			for _, c := range indirect {
				mark(c)
			}
			indirect = nil
		}
	}
	return changed
}

// usesMPI is which of some images are linked with an MPI library, or with one that is, and are none themselves.
func usesMPI(images []string) []string {
	needs := map[string][]string{}
	for _, path := range images {
		if f, err := safefile.OpenELF(path); err == nil {
			needs[path], _ = f.ImportedLibraries()
			f.Close()
		}
	}
	uses := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, path := range images {
			if uses[path] || !slices.ContainsFunc(needs[path], func(lib string) bool {
				return hasPrefix(lib, "libmpi", "libpmpi") || slices.ContainsFunc(images, func(o string) bool {
					return uses[o] && filepath.Base(o) == lib
				})
			}) {
				continue
			}
			uses[path], changed = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(images), func(path string) bool {
		return !uses[path] || hasPrefix(filepath.Base(path), "libmpi", "libpmpi")
	})
}
