package timing

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// selectClasses is p with the calls of some classes only, and the selection that makes them of all.
func (p *program) selectClasses(keep func(class uint32) bool) (*program, Selection) {
	q, s := &program{}, Selection{Keep: make([]bool, len(p.classes))}
	number := map[uint32]uint32{}
	for t, c := range p.classes {
		if keep(c) {
			s.Keep[t] = true
			number[uint32(t)] = uint32(len(s.Terminals))
			s.Terminals = append(s.Terminals, uint32(t))
			q.classes = append(q.classes, c)
		}
	}
	before := []uint64{0}
	for i, t := range p.terms {
		if s.Keep[t] {
			q.calls, q.terms = append(q.calls, p.calls[i]), append(q.terms, number[t])
		}
		before = append(before, uint64(len(q.calls)))
	}
	s.Len = uint64(len(q.calls))
	s.Before = func(i uint64) (uint64, error) {
		if i >= uint64(len(before)) {
			return 0, fmt.Errorf("call %d of %d", i, len(before)-1)
		}
		return before[i], nil
	}
	return q, s
}

// TestSelect: selected calls are read as if there were no others.
func TestSelect(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	for round := range 60 {
		p := anyProgram(rng, 1+rng.Intn(4*blockCalls))
		if p.classes == nil {
			continue
		}
		salt, share := uint32(rng.Intn(7)), uint32(1+rng.Intn(4))
		keep := func(c uint32) bool { return (c+salt)%share == 0 }
		if round%3 == 0 { // whole blocks without any
			last := slices.Max(p.classes)
			keep = func(c uint32) bool { return c == last }
		}
		q, s := p.selectClasses(keep)
		r := p.open(t, p.encode(lossless)).Select(s)
		if r.Len() != uint64(len(q.calls)) || !slices.Equal(r.Classes(), q.classes) {
			t.Fatalf("%d calls, want %d", r.Len(), len(q.calls))
		}
		if len(q.calls) == 0 {
			if r.Blocks() != 0 || r.SeekTime(0) != 0 || len(r.Profile(0, 1)) != 0 {
				t.Fatal("no call, but blocks of calls")
			}
			continue
		}
		if got := decodeAll(t, r); !slices.Equal(got, q.calls) {
			t.Fatalf("round %d: the calls differ", round)
		}
		checkAccess(t, rng, q, r, q.calls)
		a, err := r.Aggregates()
		b, err2 := q.open(t, q.encode(lossless)).Aggregates()
		if err != nil || err2 != nil || a.Calls != b.Calls || !slices.Equal(a.Pairs(), b.Pairs()) ||
			!slices.Equal(a.Classes(), b.Classes()) {
			t.Fatalf("aggregates %+v, want %+v: %v %v", a, b, err, err2)
		}
	}
}

// TestSelectAggregates: of stored aggregates those of the selected calls are left.
func TestSelectAggregates(t *testing.T) {
	p := loopProgram(rand.New(rand.NewSource(9)), 1000, 7)
	q, s := p.selectClasses(func(c uint32) bool { return c%2 == 0 })
	a, err := p.open(t, p.encode(Mode{Kind: Aggregate})).Select(s).Aggregates()
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.open(t, q.encode(Mode{Kind: Aggregate})).Aggregates()
	if err != nil || !slices.Equal(a.Classes(), b.Classes()) || a.Calls != b.Calls {
		t.Fatalf("%v, want %v: %v", a.Classes(), b.Classes(), err)
	}
	for _, c := range a.Classes() {
		if x, y := a.Durations(c), b.Durations(c); x.Count != y.Count || x.Sum != y.Sum {
			t.Errorf("class %d: %+v, want %+v", c, x, y)
		}
	}
}
