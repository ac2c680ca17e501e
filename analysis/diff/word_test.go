package diff

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// wordOf is the word that a grammar generates; terminals below kept count, others are left out.
func wordOf(g *grammar.Grammar, terminals, kept int, work *uint64) *word {
	letters, keep := make([]print, terminals), make([]bool, terminals)
	for t := range letters {
		letters[t] = print{uint64(t/2 + 1), uint64(t/2 + 1)} // pairs of terminals are alike
		keep[t] = t < kept
	}
	return newWord(g, letters, keep, make([]bool, terminals), work)
}

// randomLetters are loops in one another with some noise.
func randomLetters(r *rand.Rand, n int) (out []uint32) {
	for len(out) < n {
		body := make([]uint32, 1+r.IntN(5))
		for i := range body {
			body[i] = uint32(r.IntN(8))
		}
		for range 1 + r.IntN(20) {
			out = append(out, body...)
			if r.IntN(30) == 0 {
				out = append(out, uint32(r.IntN(8)))
			}
		}
	}
	return out
}

func build(letters []uint32) *grammar.Grammar {
	b := grammar.NewBuilder()
	for _, t := range letters {
		b.Append(t)
	}
	return b.Grammar()
}

// What a word says of its letters is so in the letters.
func TestWord(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := randomLetters(r, 50+r.IntN(300))
		kept := 5 + r.IntN(4)
		var work uint64
		w := wordOf(build(all), 8, kept, &work)
		var letters []uint32
		var events []uint64
		for i, x := range all {
			if int(x) < kept {
				letters, events = append(letters, x), append(events, uint64(i))
			}
		}
		if w.len() != uint64(len(letters)) {
			t.Fatalf("seed %d: %d letters instead of %d", seed, w.len(), len(letters))
		}
		for i, x := range letters {
			if got, before := w.at(uint64(i)); got != x || before.letters != uint64(i) || before.events != events[i] {
				t.Fatalf("seed %d: letter %d is %d after %+v, want %d after %d events", seed, i, got, before, x,
					events[i])
			}
		}
		for range 200 {
			i, j := r.IntN(len(letters)), r.IntN(len(letters))
			n, back := 0, 0
			for i+n < len(letters) && j+n < len(letters) && letters[i+n]/2 == letters[j+n]/2 {
				n++
			}
			for back < i && back < j && letters[i-back-1]/2 == letters[j-back-1]/2 {
				back++
			}
			if got := common(w, uint64(i), w, uint64(j), 1<<62); got != uint64(n) {
				t.Fatalf("seed %d: %d letters agree at %d and %d instead of %d", seed, got, i, j, n)
			}
			if got := commonBack(w, uint64(i), w, uint64(j), 1<<62); got != uint64(back) {
				t.Fatalf("seed %d: %d letters agree before %d and %d instead of %d", seed, got, i, j, back)
			}
		}
	}
}

// apply expands an alignment and checks that it says what is so: letters that agree do, and
// each letter of both words is in it once, in order.
func apply(t *testing.T, a, b []uint32, steps []step, i, j uint64) (uint64, uint64) {
	t.Helper()
	for k := range steps {
		s := &steps[k]
		switch s.kind {
		case same:
			for n := range s.na {
				if a[i+n]/2 != b[j+n]/2 {
					t.Fatalf("letters %d and %d do not agree", i+n, j+n)
				}
			}
			i, j = i+s.na, j+s.nb
		case missing:
			i, j = i+s.na, j+s.nb
		default:
			for range s.times {
				x, y := apply(t, a, b, s.body, i, j)
				if x != i+s.na || y != j+s.nb {
					t.Fatalf("a repetition of %d and %d letters instead of %d and %d", x-i, y-j, s.na, s.nb)
				}
				i, j = x, y
			}
		}
	}
	return i, j
}

func TestAlign(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		a := randomLetters(r, 30+r.IntN(200))
		b := slices.Clone(a)
		if r.IntN(8) == 0 {
			b = randomLetters(r, 30+r.IntN(200))
		}
		for range r.IntN(4) {
			i := r.IntN(len(b))
			switch r.IntN(3) {
			case 0:
				b[i] = uint32(r.IntN(8))
			case 1:
				b = slices.Delete(b, i, i+1)
			default:
				b = slices.Insert(b, i, uint32(r.IntN(8)), uint32(r.IntN(8)))
			}
		}
		var work uint64
		l := &aligner{a: wordOf(build(a), 8, 8, &work), b: wordOf(build(b), 8, 8, &work), work: &work, limit: maxWork}
		steps := l.align(span{0, uint64(len(a)), 0, uint64(len(b))}, 0)
		if i, j := apply(t, a, b, steps, 0, 0); i != uint64(len(a)) || j != uint64(len(b)) || l.coarse {
			t.Fatalf("seed %d: %d of %d, %d of %d letters, coarse %v", seed, i, len(a), j, len(b), l.coarse)
		}
	}
}

// nested is a thousand million calls in three loops in one another.
func nested(outer, middle, inner uint64) *grammar.Grammar {
	return &grammar.Grammar{Rules: [][]grammar.Symbol{
		{{ID: 0, Count: 1}, {ID: grammar.RuleBit | 1, Count: outer}, {ID: 2, Count: 1}},
		{{ID: grammar.RuleBit | 2, Count: middle}, {ID: 4, Count: 1}},
		{{ID: 6, Count: inner}, {ID: 1, Count: 1}},
	}}
}

// The time depends on the loops, not on how often they are repeated.
func TestLongLoops(t *testing.T) {
	for _, c := range []struct {
		name string
		b    *grammar.Grammar
		want []step // what differs, outermost
	}{
		{"same", nested(1000, 1000, 999), nil},
		{"outer", nested(1001, 1000, 999), []step{{kind: missing, nb: 1000*1000 + 1, period: 1000*1000 + 1}}},
		{"half", nested(500, 1000, 999), []step{{kind: missing, na: 500 * (1000*1000 + 1), period: 1000*1000 + 1}}},
		{"inner", nested(1000, 1000, 1001), []step{{kind: repeat, times: 1000}}},
	} {
		var work uint64
		begin := cputime.Used()
		a, b := wordOf(nested(1000, 1000, 999), 8, 8, &work), wordOf(c.b, 8, 8, &work)
		l := &aligner{a: a, b: b, work: &work, limit: maxWork}
		var got []step
		for _, s := range l.align(span{0, a.len(), 0, b.len()}, 0) {
			if s.kind != same {
				got = append(got, s)
			}
		}
		if l.coarse || work > 2e6 {
			t.Errorf("%s: %d steps of work in %v, coarse %v", c.name, work, cputime.Since(begin), l.coarse)
		}
		if len(got) > 3 || len(c.want) > len(got) {
			t.Fatalf("%s: %d differences, want %d: %+v", c.name, len(got), len(c.want), got)
		}
		for i, w := range c.want {
			g := got[i]
			if w.kind == missing && (g.kind != w.kind || g.na != w.na || g.nb != w.nb || g.period != w.period) ||
				g.kind != w.kind {
				t.Errorf("%s: %+v, want %+v", c.name, g, w)
			}
		}
	}
}

// Broken archives give errors or differences, and no panic.
func TestDamaged(t *testing.T) {
	desc := "abi mpich\nrank 0 of 2 on n\nMPI_Init() @ a.c:1 [main]\nloop 20\n" +
		"MPI_Send(count=?4, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) @ a.c:2 [main]\nend\n" +
		"MPI_Finalize() @ a.c:3 [main]\n" +
		"rank 1 of 2 on n\nMPI_Init() @ a.c:1 [main]\nloop 21\n" +
		"MPI_Send(count=5, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:2 [main]\nend\n" +
		"MPI_Finalize() @ a.c:3 [main]\n"
	good := archivetest.Bytes(t, desc)
	a := archivetest.Open(t, good)
	d, err := archivetest.NewDamager(1, good)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for range 300 {
		b, what := d.Next()
		x, err := archive.OpenReader(readerAt(b), int64(len(b)), archive.MaxSection(1<<22), archive.MaxWork(1<<16))
		if err != nil {
			continue
		}
		begin := cputime.Used()
		if _, err := Of(a, x, Options{Structure: true, Parameters: true, Time: true, Calls: 1 << 16}); err == nil {
			read++
		}
		if took := cputime.Since(begin); took > 20*time.Second {
			t.Errorf("%s: took %v", what, took)
		}
	}
	if read == 0 {
		t.Error("no damaged archive could be read")
	}
}

type readerAt []byte

func (b readerAt) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// The longest of all lengths is found whatever the limit is: a file can claim 2^64 - 1 calls.
func TestLongest(t *testing.T) {
	for _, limit := range []uint64{1, 2, 7, 1 << 20, 1<<63 + 5, 1<<64 - 1} {
		for _, want := range []uint64{0, 1, 6, 1 << 19, 1 << 63, limit - 1} {
			if want >= limit {
				continue
			}
			if got := longest(0, limit, func(n uint64) bool { return n <= want }); got != want {
				t.Errorf("limit %d: %d, want %d", limit, got, want)
			}
		}
	}
}

// A walk gives the letters from some place on, of so many events: also of those that are no letters.
func TestWalk(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 34))
		all := randomLetters(r, 40+r.IntN(400))
		kept := 3 + r.IntN(6)
		var work uint64
		w := wordOf(build(all), 8, kept, &work)
		from := uint64(0)
		for i, x := range all {
			if int(x) >= kept {
				continue
			}
			if r.IntN(20) > 0 {
				from++
				continue
			}
			events := 1 + r.IntN(100)
			var got, want []uint32
			for _, y := range all[i:min(i+events, len(all))] {
				if int(y) < kept {
					want = append(want, y)
				}
			}
			next := w.walk(from, uint64(events))
			for x, ok := next(); ok && len(got) <= len(all); x, ok = next() {
				got = append(got, x)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d events from letter %d: %v, want %v", seed, events, from, got, want)
			}
			from++
		}
	}
}
