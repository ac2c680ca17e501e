package ringtest

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// Repeats writes the records of a thread as the runtime does: what is known on entry of a
// call is defined when it occurs for the second time, and referred to from then on.
type Repeats struct {
	// Max is how many different calls are remembered before everything is forgotten, 0 for no
	// limit.
	Max int

	seen    map[string]int // number of the definition, -1 none yet
	numbers int
	times   int // that everything was forgotten
}

// Records returns what stands for rec, a complete record or the entry part of one.
func (r *Repeats) Records(rec ring.Record) []ring.Record {
	f := spec.ByID(rec.ID())
	if rec.ID() < spec.FirstFunction || f == nil || rec.Flags()&ring.FExit != 0 {
		return []ring.Record{rec}
	}
	_, rest, err := ring.DecodeEntry(nil, f, rec.Absent(), rec.Payload())
	if err != nil {
		return []ring.Record{rec} // broken on purpose
	}
	n := len(rec) - len(rest)
	head := uint64(uint32(rec[0]) &^ (ring.FIgnored << 16))
	key := fmt.Sprint(head, rec.Site(), rec.Absent(), rec[ring.HeadWords:n])
	if r.seen == nil || r.Max > 0 && len(r.seen) >= r.Max {
		if r.seen != nil {
			r.times++
		}
		r.seen, r.numbers = map[string]int{}, 0
	}
	number, known := r.seen[key]
	if !known {
		r.seen[key] = -1
		return []ring.Record{rec}
	}
	var out []ring.Record
	if number < 0 {
		number = r.numbers | r.times*ring.DefMax
		r.numbers++
		r.seen[key] = number
		def := append(ring.Record{0, rec.Start(), 0, 0, 0, uint64(number), head | uint64(rec.Absent())<<32,
			rec.Site()}, rec[ring.HeadWords:n]...)
		def[0] = ring.RDef | uint64(len(def))<<32
		out = append(out, def)
	}
	ref := append(ring.Record{0, rec[1], rec[2], uint64(number) | uint64(uint32(rec.Ret()))<<32}, rest...)
	ref[0] = uint64(uint32(rec[0])) | ring.FRef<<16 | uint64(len(ref))<<32
	return append(out, ref)
}
