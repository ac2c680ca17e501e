package diff

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// twoWords are random words, one a changed copy of the other, with an alignment by their letters
// without the lowest bit, which stands for parameters.
func twoWords(r *rand.Rand) (a, b []uint32, steps []step, u, v *word) {
	n, changes := 30+r.IntN(200), r.IntN(6)
	if r.IntN(20) == 0 {
		n, changes = 20*n, 2000
	}
	a = randomLetters(r, n)
	b = slices.Clone(a)
	for range changes {
		i := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b = slices.Delete(b, i, i+1)
		case 1:
			b = slices.Insert(b, i, uint32(r.IntN(8)))
		default:
			b[i] ^= 1 // another parameter
		}
	}
	var work uint64
	ga, gb := build(a), build(b)
	l := &aligner{a: wordOf(ga, 8, 8, &work), b: wordOf(gb, 8, 8, &work), work: &work, limit: maxWork}
	steps = l.align(span{0, uint64(len(a)), 0, uint64(len(b))}, 0)
	letters, kept := make([]print, 8), make([]bool, 8)
	for t := range letters {
		letters[t], kept[t] = print{uint64(t + 1), uint64(t + 1)}, true
	}
	u, v = newWord(ga, letters, kept, make([]bool, 8), &work), newWord(gb, letters, kept, make([]bool, 8), &work)
	return a, b, steps, u, v
}

// expand lists the letters that an alignment pairs, from i and j on.
func expand(steps []step, i, j uint64, visit func(i, j uint64)) (uint64, uint64) {
	for k := range steps {
		s := &steps[k]
		switch s.kind {
		case same:
			for n := range s.na {
				visit(i+n, j+n)
			}
			i, j = i+s.na, j+s.nb
		case missing:
			i, j = i+s.na, j+s.nb
		default:
			for range s.times {
				i, j = expand(s.body, i, j, visit)
			}
		}
	}
	return i, j
}

// Aligned calls whose parameters differ are counted as if each was looked at.
func TestPairs(t *testing.T) {
	differ := 0
	for seed := range uint64(150) {
		a, b, steps, u, v := twoWords(rand.New(rand.NewPCG(seed, 31)))
		want := map[pair]uint64{}
		expand(steps, 0, 0, func(i, j uint64) {
			if a[i] != b[j] {
				want[pair{a[i], b[j]}]++
			}
		})
		p := &pairs{u: u, v: v, work: new(uint64), limit: maxWork, found: map[pair]*met{}}
		p.steps(steps, 0, 0, 1)
		got := map[pair]uint64{}
		for k, m := range p.found {
			got[k] = m.count
			if a[m.pa] != k.a || b[m.pb] != k.b {
				t.Errorf("seed %d: the first of %v is not at %d and %d", seed, k, m.pa, m.pb)
			}
		}
		if !maps.Equal(got, want) || p.cut {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		differ += len(want)
	}
	if differ < 100 {
		t.Errorf("only %d pairs", differ)
	}
}

// The partner of a letter is that which the alignment gives it, in both directions.
func TestAligned(t *testing.T) {
	for seed := range uint64(100) {
		a, b, steps, _, _ := twoWords(rand.New(rand.NewPCG(seed, 32)))
		to, back := map[uint64]uint64{}, map[uint64]uint64{}
		expand(steps, 0, 0, func(i, j uint64) { to[i], back[j] = j, i })
		check := func(n int, want map[uint64]uint64, reverse bool) {
			for i := range uint64(n) {
				q, ok := aligned(steps, i, reverse)
				if w, known := want[i]; ok != known || ok && q != w {
					t.Fatalf("seed %d, reverse %v: letter %d has %d (%v), want %d (%v)", seed, reverse, i, q, ok, w,
						known)
				}
			}
		}
		check(len(a), to, false)
		check(len(b), back, true)
	}
}

// Positions in a word and in its events follow from each other, also where events are no letters.
func TestLettersBefore(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 33))
		all := randomLetters(r, 40+r.IntN(200))
		kept := 3 + r.IntN(6)
		var work uint64
		w := wordOf(build(all), 8, kept, &work)
		n := uint64(0)
		for i, x := range all {
			if got := w.lettersBefore(uint64(i)); got != n {
				t.Fatalf("seed %d: %d letters before event %d, want %d", seed, got, i, n)
			}
			if int(x) < kept {
				if got := w.before(n); got.events != uint64(i) || got.letters != n {
					t.Fatalf("seed %d: %+v before letter %d, want %d events", seed, got, n, i)
				}
				n++
			}
		}
		if w.lettersBefore(uint64(len(all))) != n || w.before(n).events != uint64(len(all)) ||
			w.before(n+5).letters != n {
			t.Fatalf("seed %d: at the end %d letters, %+v", seed, w.lettersBefore(uint64(len(all))), w.before(n))
		}
	}
}

// Differences of one parameter are one if they are more than a reader wants to see: of calls at the
// same ranks with all their calls, of ranks with all their ranks.
func TestUnite(t *testing.T) {
	one := func(ranks []int, a string, count, at uint64) *Difference {
		d := &Difference{Kind: Parameter, Call: Call{"MPI_Send", "a.c:1 [f]", 1}, Param: "count", A: a, B: "7",
			Ranks: newSet(ranks)}
		d.Count, d.Of, d.eventA = count, 20, at
		return d
	}
	list := func(ds []*Difference) (out []string) {
		for _, d := range ds {
			out = append(out, fmt.Sprint(d.Ranks, " ", d.A, " ", d.Count, " ", d.Varies))
		}
		return out
	}
	for _, c := range []struct {
		name string
		in   []*Difference
		want []string
	}{
		{"few values", []*Difference{one([]int{1}, "3", 2, 9), one([]int{1}, "4", 2, 5)},
			[]string{"1 3 2 false", "1 4 2 false"}},
		{"many values", []*Difference{one([]int{1}, "3", 2, 9), one([]int{1}, "4", 1, 5), one([]int{1}, "5", 3, 6),
			one([]int{1}, "6", 1, 7)},
			[]string{"1 4 7 true"}},
		{"few ranks", []*Difference{one([]int{1}, "3", 2, 9), one([]int{2}, "4", 2, 9)},
			[]string{"1 3 2 false", "2 4 2 false"}},
		{"many ranks", []*Difference{one([]int{3}, "3", 2, 9), one([]int{0}, "4", 2, 9), one([]int{1}, "5", 2, 9),
			one([]int{2}, "6", 2, 9)},
			[]string{"0-3 4 2 true"}},
		{"other counts", []*Difference{one([]int{3}, "3", 1, 9), one([]int{0}, "4", 2, 9), one([]int{1}, "5", 3, 9),
			one([]int{2}, "6", 4, 9)},
			[]string{"3 3 1 false", "0 4 2 false", "1 5 3 false", "2 6 4 false"}},
	} {
		if got := list(unite(c.in)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	onwards := one([]int{1}, "3", 15, 9)
	onwards.earlier = 5
	if !onwards.onwards() {
		t.Error("all calls after the first five differ, and that is not said")
	}
	if onwards.earlier = 0; onwards.onwards() {
		t.Error("all calls differ, so that there is nothing before")
	}
}

// Call sites are compared without what another build or another place changes.
func TestSiteText(t *testing.T) {
	modules := []archive.Module{{Path: "/opt/app/bin/solver"}, {Path: "/usr/lib/libx.so.3"}}
	for _, c := range []struct {
		frames []archive.Frame
		want   string
	}{
		{nil, ""},
		{[]archive.Frame{{File: "/home/u/src/a.c", Line: 7, Func: "f"}}, "a.c:7 [f]"},
		{[]archive.Frame{{File: "a.c", Line: 7, Func: "f"}, {File: "b.c", Line: 9, Func: "main"}},
			"a.c:7 [f] < b.c:9 [main]"},
		{[]archive.Frame{{Module: 1, Offset: 64, Func: "g"}}, "libx.so.3 [g]"},
		{[]archive.Frame{{Module: 0, Offset: 64}}, "solver+0x40"},
		{[]archive.Frame{{Module: -1, Offset: 64}}, "?+0x40"},
	} {
		var s *archive.Site
		if c.frames != nil {
			s = &archive.Site{Frames: c.frames}
		}
		if got := siteText(s, modules); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A rerun has its files elsewhere: what counts of them is the name.
func TestBase(t *testing.T) {
	str := func(s string) *archive.Value { return &archive.Value{Kind: archive.Str, Str: s} }
	for in, want := range map[string]string{"/a/b.dat": "b.dat", "ufs:/tmp/b.dat": "b.dat", "b.dat": "b.dat",
		"a/x:y": "x:y"} {
		if got := base(str(in)); got.Str != want {
			t.Errorf("%q: %q, want %q", in, got.Str, want)
		}
	}
	list := base(&archive.Value{Kind: archive.List, List: []archive.Value{*str("/bin/a"), *str("/bin/b")}})
	if list.List[0].Str != "a" || list.List[1].Str != "b" {
		t.Errorf("%v", list)
	}
	f := spec.ByName("MPI_File_open")
	for i := range f.Slots {
		if name := archive.SlotName(f, &f.Slots[i]); fileName(f, &f.Slots[i]) != (name == "filename") {
			t.Errorf("%s is taken for a file, or the file is not", name)
		}
	}
}
