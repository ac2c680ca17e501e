package calls

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/spec"
)

// entry is one life, for a search that looks at all of them.
type entry struct {
	stream int
	life
}

func plainAt(all []entry, stream int, event uint64) (val int64, to uint64, ok bool) {
	to = forever
	var other *entry
	several := false
	for i := range all {
		l := &all[i]
		switch {
		case l.stream != stream:
			several = several || other != nil && other.val != l.val
			other = l
		case l.from > event:
			to = min(to, l.from)
		default:
			val, ok = l.val, true
		}
	}
	if !ok && other != nil && !several {
		val, ok = other.val, true
	}
	return val, to, ok
}

// What a number means is what a search through all its lives finds.
func TestLives(t *testing.T) {
	key := objectKey{spec.Type, 2}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		l, all := &lives{}, []entry(nil)
		for stream := range 1 + r.IntN(3) {
			event := uint64(0)
			for range r.IntN(6) {
				event += 1 + uint64(r.IntN(4))
				x := life{event, int64(r.IntN(3))}
				l.add(stream, x)
				all = append(all, entry{stream, x})
			}
		}
		o := objects{key: l}
		for stream := range 4 {
			for event := range uint64(30) {
				val, to, ok := o.at(key.class, key.ref, stream, event)
				if v, e, k := plainAt(all, stream, event); val != v || to != e || ok != k {
					t.Fatalf("seed %d: stream %d, event %d: %d %d %v, want %d %d %v", seed, stream, event, val, to,
						ok, v, e, k)
				}
			}
		}
	}
}

// A number that was used 300,000 times is looked up as often in no time: a scan takes minutes.
func TestManyLives(t *testing.T) {
	const n = 300_000
	l := &lives{}
	for i := range uint64(n) {
		l.add(0, life{2 * i, int64(i % 7)})
	}
	o := objects{{spec.Type, 2}: l}
	begin := time.Now()
	for i := range uint64(n) {
		if val, to, ok := o.at(spec.Type, 2, 0, 2*i); !ok || val != int64(i%7) || to != forever && to != 2*i+2 {
			t.Fatalf("life %d: %d %d %v", i, val, to, ok)
		}
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}
