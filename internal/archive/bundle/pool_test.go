package bundle

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
	"github.com/tabard-hpc/tabard/spec"
)

// TestRequestPool compares a pool with a sorted list.
func TestRequestPool(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		p := &requestPool{state: map[int64]poolState{}}
		inUse := map[int64]bool{}
		var free []int64
		for range 300 {
			q := rng.Int64N(40)
			i, isFree := slices.BinarySearch(free, q)
			switch rng.IntN(3) {
			case 0:
				p.take(q)
				if inUse[q] = true; isFree {
					free = slices.Delete(free, i, i+1)
				}
			case 1:
				p.free(q)
				if inUse[q] && !isFree {
					free = slices.Insert(free, i, q)
				}
				delete(inUse, q)
			default:
				want := int64(102)
				if len(free) > 0 {
					want = free[0]
				}
				if got := p.least(100); got != want {
					t.Fatalf("least is %d, want %d of %v", got, want, free)
				}
			}
			if len(p.heap) > 40 {
				t.Fatalf("%d requests are queued", len(p.heap))
			}
		}
	}
}

// TestRequestPoolWork: the least of many free requests is taken and freed again and again.
func TestRequestPoolWork(t *testing.T) {
	p := &requestPool{state: map[int64]poolState{}}
	for q := range int64(maxRequests) {
		p.take(q)
	}
	for q := range int64(maxRequests) {
		p.free(q)
	}
	begin := cputime.Used()
	for range 1 << 18 {
		q := p.least(0)
		if q != 0 {
			t.Fatal(q)
		}
		p.take(q)
		p.free(q)
	}
	if d := cputime.Since(begin); d > 10*time.Second { // a list takes a minute
		t.Errorf("took %v", d)
	}
}

// TestMemory: peers that are all different fill memory up to a limit only.
func TestMemory(t *testing.T) {
	m := newMail()
	x := message{kind: 1}
	for peer := range int64(2 * maxBoxes) {
		x.set(rolePeer, peer)
		m.count(0, 1, true, &x, 0)
	}
	if len(m.boxes) != maxBoxes || len(m.to) > maxBoxes {
		t.Errorf("%d queues in %d lists", len(m.boxes), len(m.to))
	}
	s := newWalk(newCoder(nil, Messages), &Stream{Rank: 1, Terminals: 1}, 1)
	s.calls[0], s.got = &call{}, []message{{}}
	for peer := range int64(2 * maxPools) {
		s.got[0].set(rolePeer, peer)
		if near, far := s.poolsOf(0); near == nil || far == nil {
			t.Fatal("no pool")
		}
	}
	if len(s.pools) != maxPools {
		t.Errorf("%d pools", len(s.pools))
	}
}

// TestMeetings: communicators and calls without end fill memory up to a limit only.
func TestMeetings(t *testing.T) {
	id := spec.ByName("MPI_Allgatherv").ID
	c := collectiveOf(id)
	slot := spec.ByID(id).Slot(spec.RoleRecvCount)
	m := newCoder(nil, Vectors)
	s := newWalk(m, &Stream{Rank: 1, Terminals: 1}, 1)
	s.terminals[0], s.calls[0] = Terminal{Func: id}, &call{collective: c, said: []int{slot}}
	for comm := range int64(2 * maxMet / metCost) {
		s.beginVector(c)
		s.noteVector(c.on, comm)
		for i := range int64(3) {
			s.noteVector(slot, i)
		}
		s.finishVector(0, c)
	}
	if m.met > maxMet || len(m.meetings) > maxMet/metCost || len(s.vectors.nth) > maxRequests {
		t.Errorf("%d numbers in %d meetings of %d communicators", m.met, len(m.meetings), len(s.vectors.nth))
	}
	s.beginVector(c)
	for range 2 * maxVector {
		s.noteVector(slot, 1)
	}
	if n := len(s.vectors.numbers[slot]); n > maxVector {
		t.Errorf("%d numbers of one slot", n)
	}
}
