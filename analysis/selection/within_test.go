package selection_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// regionsApp is a program without order whose regions begin and end in loops, not always in pairs.
func regionsApp(rng *rand.Rand) string {
	var b strings.Builder
	names := []string{"a", "b", "a/b", "c"}
	var body func(depth int)
	body = func(depth int) {
		for range 1 + rng.IntN(5) {
			switch k := rng.IntN(10); {
			case k < 3 && depth > 0:
				fmt.Fprintf(&b, "loop %d\n", 1+rng.IntN(5))
				body(depth - 1)
				b.WriteString("end\n")
			case k < 5 && depth > 0:
				fmt.Fprintf(&b, "region_begin(name=%q)\n", names[rng.IntN(len(names))])
				body(depth - 1)
				b.WriteString("region_end()\n")
			case k == 5 && rng.IntN(4) == 0:
				b.WriteString("region_end()\n")
			case k == 6 && rng.IntN(4) == 0:
				fmt.Fprintf(&b, "region_begin(name=%q)\n", names[rng.IntN(len(names))])
			case k < 8:
				fmt.Fprintf(&b, "MPI_Allreduce(count=?%d, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)\n", k)
			case k == 8 && rng.IntN(2) == 0:
				fmt.Fprintf(&b, "poll %d MPI_Test(request=null) ; flag=0\nMPI_Barrier(comm=MPI_COMM_WORLD)\n",
					1+rng.IntN(4))
			default:
				b.WriteString("MPI_Barrier(comm=MPI_COMM_WORLD)\n")
			}
		}
	}
	body(5)
	text := b.String()
	all := ""
	for r := range 2 {
		all += fmt.Sprintf("rank %d of 2 on n\n%sMPI_Barrier(comm=MPI_COMM_WORLD)\n", r, text)
	}
	return all
}

// insideNaive tells of each event of a stream whether it is in the regions of a path.
func insideNaive(t *testing.T, s *archive.Stream, path []string) (in []bool, calls []*archive.Call) {
	var stack []string
	within := func() bool {
		n := 0
		for _, name := range stack {
			if n < len(path) && name == path[n] {
				n++
			}
		}
		return n == len(path)
	}
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Func.Shape == spec.ShapeOpen {
			v, _ := c.In("name")
			stack = append(stack, v.Str)
		}
		in, calls = append(in, within()), append(calls, c.Clone())
		if c.Func.Shape == spec.ShapeClose && len(stack) > 0 {
			stack = stack[:len(stack)-1]
		}
	}
	return in, calls
}

// TestWithin: the automaton on the grammar selects what a look at all events does, also where begins and ends are not
// part of the archive.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for round := range 25 {
		desc := regionsApp(rng)
		a := archivetest.InMemory(t, desc)
		calls, err := a.Calls()
		if err != nil {
			t.Fatal(err)
		}
		for text, path := range map[string][]string{"a": {"a"}, "b": {"b"}, "a/b": {"a/b"}, "b/a": {"b", "a"},
			"a/c": {"a", "c"}, "c/a/b": {"c", "a/b"}, "b/a/c": {"b", "a", "c"}} {
			names, _ := selection.OpenNames(a)
			if slices.ContainsFunc(path, func(n string) bool { return !slices.Contains(names, n) }) {
				continue
			}
			for _, arch := range []*archive.Archive{a, calls} {
				for s := range arch.Streams() {
					whole, _ := s.Whole()
					in, list := insideNaive(t, whole, path)
					var want []bool
					for i, c := range list {
						if arch == a || c.Func.Shape == spec.ShapeCall {
							want = append(want, in[i])
						}
					}
					if checkWithin(t, arch, s, text, want); t.Failed() {
						t.Fatalf("round %d, %s in\n%s", round, text, desc)
					}
					if slices.Contains(want, true) && slices.Contains(want, false) {
						found++
					}
				}
			}
		}
	}
	if found < 25 {
		t.Errorf("only %d streams had calls inside and outside", found)
	}
}

// checkWithin compares what is selected of a stream.
func checkWithin(t *testing.T, a *archive.Archive, s *archive.Stream, text string, want []bool) {
	sel, err := selection.Parse(selection.Flags{In: text})
	if err != nil {
		t.Fatal(err)
	}
	r, err := sel.Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Part(s)
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		if slices.Contains(want, true) {
			t.Errorf("nothing is selected")
		}
		return
	}
	sigs, _ := s.Signatures()
	got, counts := make([]bool, len(want)), make([]uint64, len(sigs))
	for c, err := range p.Calls {
		if err != nil {
			t.Fatal(err)
		}
		got[c.Index] = true
		counts[c.Terminal]++
	}
	if !slices.Equal(got, want) {
		t.Errorf("calls %v, want %v", got, want)
	}
	if n, err := p.Counts(); err != nil || !slices.Equal(n, counts) {
		t.Errorf("counts %v, want %v, %v", n, counts, err)
	}
	clear(got)
	for r := range p.Stretches {
		for i := r.From; i < r.To; i++ {
			got[i] = true
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("stretches %v, want %v", got, want)
	}
	occ, err := p.Occurrences()
	if err != nil {
		t.Fatal(err)
	}
	for k, sig := range sigs {
		list, err := p.OccurrencesIn(uint32(k), occ[k])
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		for _, r := range list {
			n += r.Len()
		}
		if sig.Flags&archive.Polls == 0 && n != counts[k] {
			t.Errorf("%v of terminal %d, want %d", list, k, counts[k])
		}
	}
}

// TestWithinErrors: who mistypes is told what there is.
func TestWithinErrors(t *testing.T) {
	none := archivetest.InMemory(t, "rank 0 of 1 on n\nMPI_Init()\n")
	some := archivetest.InMemory(t, "rank 0 of 2 on n\nregion_begin(name=\"solve\")\nregion_end()\nMPI_Init()\n"+
		"rank 1 of 2 on n\nregion_begin(name=\"output\")\nregion_end()\nMPI_Init()\n")
	for _, x := range []struct {
		a         *archive.Archive
		in, error string
	}{
		{none, "x", "has no regions"},
		{some, "sovle", `there is no region "sovle"; did you mean solve?; the recording has solve, output`},
		{some, "solve/outptu", "did you mean output?"},
		{some, "output", ""},
		{some, "solve/output", ""},
	} {
		sel, err := selection.Parse(selection.Flags{In: x.in})
		if err != nil {
			t.Fatal(err)
		}
		_, err = sel.Resolve(x.a)
		if x.error == "" && err != nil || x.error != "" && (err == nil || !strings.Contains(err.Error(), x.error)) {
			t.Errorf("%s: %v, want %q", x.in, err, x.error)
		}
	}
	if _, err := selection.Parse(selection.Flags{In: " "}); err == nil {
		t.Error("an empty name is accepted")
	}
}

// TestWithinFunction: what has no name of its own is known by the function that it is in.
func TestWithinFunction(t *testing.T) {
	a := archivetest.InMemory(t, `rank 0 of 1 on n
MPI_Init() @ a.c:1 [main]
function_open() @ a.c:6 [step]
MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:7 [step]
region_begin(name="part")
MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:7 [step]
region_end()
function_close()
MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:9 [main]
`)
	calls, err := a.Calls()
	if err != nil {
		t.Fatal(err)
	}
	checkWithin(t, calls, calls.Stream(0), "step", []bool{false, true, true, false})
	checkWithin(t, calls, calls.Stream(0), "step/part", []bool{false, false, true, false})
}
