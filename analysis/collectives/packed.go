package collectives

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/spec"
)

// Packed all-to-alls: a process puts what goes the same way into one message, its own and what it received for others
// (Bruck and others, 1997). Which block is in which message is in no hash, as no block is ever sent by itself. What is
// known is how much each message carries: in each step all processes send as much by one distance, and if every
// distance to another process is a sum of steps, then exactly as many blocks go by each step as there are distances
// that it is part of.

const mostSteps = 12

// packed is the finding of packed all-to-alls; nil if the messages of a region are none.
func (r *region) packed() *Finding {
	members := r.members()
	if len(members) < 4 {
		return nil
	}
	parts := r.instances(slots[1])
	if len(parts) == 0 {
		return nil
	}
	f := r.ofAll(members, parts[0])
	f.Operation, f.Call = "all-to-all", callOf(spec.FlowToAll, spec.DataParts, false)
	f.Algorithm = "packed, forwarding by all"
	f.Unproven = []string{"which block is in which message: blocks for several processes are put together, and none is " +
		"sent by itself"}
	for _, ms := range parts {
		block := packedBlock(members, ms)
		if block == 0 || f.Block > 0 && f.Block != block {
			return nil
		}
		f.Block = block
		f.Instances += max(ms[0].Count, 1)
		f.All = append(f.All, Instance{Set: members, Root: -1, Messages: ms, Count: max(ms[0].Count, 1), Block: block})
	}
	f.Bytes = f.Block * int64(len(members)-1)
	return f
}

// packedBlock is the size of a block if an instance is such an all-to-all, else 0.
func packedBlock(members []int32, ms []*Message) int64 {
	n := len(members)
	type step struct {
		distance int
		bytes    int64
	}
	var steps []step
	of := map[int32][]step{}
	ms = slices.Clone(ms)
	slices.SortStableFunc(ms, func(a, b *Message) int { return cmp.Compare(a.Sent, b.Sent) })
	for _, m := range ms {
		from, _ := slices.BinarySearch(members, m.From)
		to, _ := slices.BinarySearch(members, m.To)
		of[m.From] = append(of[m.From], step{(to - from + n) % n, m.Bytes})
	}
	for _, p := range members {
		if steps == nil {
			steps = of[p]
		}
		if !slices.Equal(steps, of[p]) {
			return 0
		}
	}
	if len(steps) > mostSteps || len(steps) >= n-1 || len(steps) == 0 {
		return 0
	}
	parts, reached := make([]int64, len(steps)), map[int]bool{}
	for set := 1; set < 1<<len(steps); set++ {
		distance := 0
		for k, s := range steps {
			if set>>k&1 == 1 {
				distance += s.distance
			}
		}
		if distance >= n {
			continue
		}
		if reached[distance] {
			return 0
		}
		reached[distance] = true
		for k := range steps {
			parts[k] += int64(set >> k & 1)
		}
	}
	if len(reached) < n-1 {
		return 0
	}
	block := steps[0].bytes / parts[0]
	for k, s := range steps {
		if s.bytes != block*parts[k] {
			return 0
		}
	}
	return block
}
