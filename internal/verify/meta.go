package verify

import (
	"fmt"
	"io"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// isMeta reports whether a record is one of the runtime's own that are not
// shown as calls.
func isMeta(id spec.ID) bool {
	return id < spec.FirstFunction && spec.ByID(id) == nil
}

// scan reads the runtime's own records of a stream before the calls of the process are compared,
// because threads share what these records say.
func (p *process) scan(raw records) error {
	for {
		rec, pending, err := raw.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if pending || !isMeta(rec.ID()) {
			continue
		}
		if err := p.meta(rec); err != nil {
			return err
		}
	}
}

func (p *process) meta(rec ring.Record) error {
	w := rec.Payload()
	if n := metaWords[rec.ID()]; len(w) < n {
		return fmt.Errorf("record %d of the runtime has %d words, not %d", rec.ID(), len(w), n)
	}
	switch rec.ID() {
	case ring.RABI:
		return p.takeABI(w)
	case ring.RWorld:
		p.rank, p.size = int(int64(w[0])), int(int64(w[1]))
	case ring.RModule:
		path, _, err := ring.Take(&spec.Slot{Codec: spec.String}, w[3:])
		if err != nil {
			return err
		}
		p.modules[uint32(w[0])] = path.Text()
	case ring.RStack:
		frames, _, err := ring.Take(&spec.Slot{Array: true}, w[1:])
		if err != nil {
			return err
		}
		p.stacks[w[0]] = slices.Clone(frames.Data)
	case ring.RLost:
		p.lostRaw += w[0]
	case ring.RClock:
		p.clocks = append(p.clocks, archive.Clock{Ticks: w[0], RealNS: int64(w[1]), MonoNS: int64(w[2])})
	}
	return nil
}

// metaWords is the least number of words of each record of the runtime.
var metaWords = map[spec.ID]int{
	ring.RABI: 3, ring.RWorld: 2, ring.RModule: 4, ring.RStack: 2, ring.RLost: 1, ring.RClock: 4,
}

// takeABI notes the handles of predefined objects.
func (p *process) takeABI(w []uint64) error {
	p.reg.abi = spec.ABI(w[0])
	pairs, _, err := ring.Take(&spec.Slot{Array: true}, w[2:])
	if err != nil {
		return err
	}
	for i := 0; i+1 < pairs.N; i += 2 {
		k := pairs.Data[i]
		if k >= uint64(len(spec.Predefineds)) {
			return fmt.Errorf("predefined object %d, but there are %d", k, len(spec.Predefineds))
		}
		p.reg.predefine(int(k), pairs.Data[i+1])
	}
	return nil
}

// predefine notes the handle of a predefined object.
func (r *registry) predefine(k int, raw uint64) {
	d := &spec.Predefineds[k]
	key := rawKey{d.Class, raw}
	code := int64(1 + 2*k)
	if d.Null {
		code = 0
	}
	r.predefined[key] = append(r.predefined[key], code)
}
