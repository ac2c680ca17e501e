package collectives

import (
	"cmp"
	"fmt"
	"slices"
)

// A turn is an instance with its root, a place in its set, in the order of the calls of the set's first process.
type turn struct {
	set  int32
	size int
	call uint64
	root int
}

// turn notes an instance among members.
func (f *Finding) turn(members []int32, root int, ms []*Message) {
	t := turn{set: members[0], size: len(members), root: root}
	for _, m := range ms {
		switch {
		case m.Count > 1: // a loop has the same root in all
			return
		case m.From == t.set:
			t.call = m.Sent
		case m.To == t.set:
			t.call = m.Received
		default:
			continue
		}
		f.turns = append(f.turns, t)
		return
	}
}

// rule is the formula by which roots change, empty if they do not or if there is none: each set has as many turns, and
// takes them in the same way.
func (f *Finding) rule() string {
	if len(f.Roots) < 2 || uint64(len(f.turns)) != f.Instances {
		return ""
	}
	slices.SortStableFunc(
		f.turns,
		func(a, b turn) int { return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.call, b.call)) },
	)
	first, size, step := f.turns[0].root, f.turns[0].size, -1
	for i, t := range f.turns {
		if i == 0 || f.turns[i-1].set != t.set {
			if t.root != first || t.size != size {
				return ""
			}
			continue
		}
		by := (t.root - f.turns[i-1].root + size) % size
		if step >= 0 && step != by {
			return ""
		}
		step = by
	}
	text := "k"
	if step != 1 {
		text = fmt.Sprintf("%d k", step)
	}
	if first > 0 {
		text = fmt.Sprintf("%d + %s", first, text)
	}
	if first > 0 {
		text = "(" + text + ")"
	}
	return fmt.Sprintf("%s mod %d", text, size)
}
