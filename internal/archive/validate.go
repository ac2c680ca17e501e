package archive

import (
	"math/bits"

	"github.com/tabard-hpc/tabard/spec"
)

// Validate checks all that reading does not have to: that every signature,
// grammar, column and time stamp can be read, that columns have a value for
// each occurrence of their terminal, that numbers of calls add up, that calls
// return in order and not before they begin, that call sites and strings exist, and,
// unless calls were left out or lost, that every request that a process uses
// was created by it. The error is a *FormatError about the first thing that is
// wrong. The work is proportional to the values in columns and timing, at most
// MaxWork of them; what all streams of a class share is checked once.
func Validate(a *Archive) error {
	v := &validator{a: a, left: a.maxWork}
	if err := v.classes(); err != nil {
		return named(err, a.file)
	}
	return named(v.groups(), a.file)
}

type validator struct {
	a    *Archive
	left uint64 // values that may still be read

	// of the current process
	created, used map[int64]bool // requests, by code
}

// endProcess checks what only all streams of a process tell.
func (v *validator) endProcess(p int) error {
	if p < 0 || len(v.used) == 0 || v.a.meta.Partial {
		return nil
	}
	if g, rank := v.a.process(p); g.Lost.At(rank) != 0 {
		return nil
	}
	for code := range v.used {
		if !v.created[code] {
			return broken("structure/classes", -1, "process %d uses request#%d, which no call creates", p, (code-2)/2)
		}
	}
	return nil
}

// groups checks what is known of processes.
func (v *validator) groups() error {
	for i, g := range v.a.groups {
		for _, x := range []*RankVec{g.Clocks, g.Bases} {
			if arr, ok := x.Constant(); ok && len(arr) == 0 {
				continue
			}
			if err := v.work(uint64(g.Ranks.Len())); err != nil {
				return err
			}
			for rank := range g.Ranks.All() {
				if x.Len(rank) > MaxFacts {
					return broken(
						"meta/groups",
						-1,
						"group %d: %d clocks or load addresses at rank %d",
						i,
						x.Len(rank),
						rank,
					)
				}
				if x == g.Bases {
					continue
				}
				last := uint64(0)
				for _, c := range ParseClocks(x.At(rank)) {
					if c.Ticks < last {
						return broken(
							"meta/groups",
							-1,
							"group %d: the clocks of rank %d are not in order of ticks",
							i,
							rank,
						)
					}
					last = c.Ticks
				}
			}
		}
	}
	return nil
}

func (v *validator) stream(s *Stream) error {
	l, err := s.open()
	if err != nil {
		return err
	}
	if err := v.work(uint64(len(l.tms) + len(l.Columns))); err != nil {
		return err
	}
	total := uint64(0)
	for t, n := range l.occ {
		calls, err := v.terminal(s, l, uint32(t), n)
		if err != nil {
			return within(err, "terminal %d", t)
		}
		var carry uint64
		if total, carry = bits.Add64(total, calls, 0); carry != 0 {
			return broken("columns", -1, "the calls do not fit a number")
		}
	}
	if total != l.call {
		return broken("structure/classes", -1, "%d calls, but signatures and columns make %d", l.call, total)
	}
	return v.timing(s, l)
}

// terminal checks signature and columns of a terminal that occurs n times and
// returns the number of its calls.
func (v *validator) terminal(s *Stream, l *layout, t uint32, n uint64) (calls uint64, err error) {
	sig := l.signatures()[t]
	f := spec.ByID(sig.Func)
	for i := range sig.Slots {
		v.requests(&f.Slots[i], &sig.Slots[i])
	}
	calls = n
	elements := uint64(0) // of the array whose columns come next
	for i, c := range sig.Columns() {
		want := n
		if c.Array && c.Field >= 0 {
			want = elements
		}
		place := l.first[t] + uint32(i)
		sum, err := v.column(s, l, place, want, sig, c)
		if err != nil {
			return 0, within(err, "column %d", i)
		}
		switch {
		case c.Slot < 0:
			calls = sum
		case c.Field < 0:
			elements = sum
		}
	}
	return calls, nil
}

// column checks that a column has want values, and each of them. It returns
// the sum of lengths.
func (v *validator) column(
	s *Stream, l *layout, place uint32, want uint64, sig *Signature, c ColumnSpec,
) (sum uint64, err error) {
	col, err := s.openColumn(l, place)
	if err != nil {
		return 0, err
	}
	if col.Len() != want {
		return 0, broken("columns", -1, "%d values for %d occurrences", col.Len(), want)
	}
	if err := v.work(want); err != nil {
		return 0, err
	}
	var buf [512]int64
	for i := uint64(0); i < want; {
		n := col.Read(i, buf[:])
		if err := col.Err(); err != nil || n == 0 {
			return 0, broken("columns", -1, "unreadable at value %d: %v", i, err)
		}
		for k, x := range buf[:n] {
			if sum, err = v.value(s, l, sig, c, sum, x); err != nil {
				return 0, within(err, "value %d", i+uint64(k))
			}
		}
		i += uint64(n)
	}
	return sum, nil
}

// work takes n values off the budget.
func (v *validator) work(n uint64) error {
	if n > v.left {
		return &FormatError{Section: "columns", Offset: -1, Msg: "validating needs to read more values than allowed",
			Hint: hintWork}
	}
	v.left -= n
	return nil
}

// value checks one value of a column, and adds lengths up.
func (v *validator) value(s *Stream, l *layout, sig *Signature, c ColumnSpec, sum uint64, x int64) (uint64, error) {
	if c.Slot < 0 || c.Field < 0 {
		least := int64(0)
		if c.Slot < 0 {
			least = 1
		}
		if x < least {
			return 0, broken("columns", -1, "length %d", x)
		}
		sum, carry := bits.Add64(sum, uint64(x), 0)
		if carry != 0 {
			return 0, broken("columns", -1, "the lengths do not fit a number")
		}
		return sum, nil
	}
	slot := &spec.ByID(sig.Func).Slots[c.Slot]
	switch slot.Codec {
	case spec.String:
		if x < 0 || x >= int64(len(l.strs)) {
			return 0, broken("columns", -1, "string %d does not exist (there are %d)", x, len(l.strs))
		}
	case spec.Handle:
		if x < 0 {
			return 0, broken("columns", -1, "reference %d is out of range", x)
		}
		v.requests(slot, &Value{Kind: Ref, Class: slot.Class, N: x})
	case spec.Status:
		if c.Field < 2 && x != int64(int32(x)) {
			return 0, broken("columns", -1, "source or tag %d is out of range", x)
		}
	}
	return sum, nil
}

// requests notes which requests a value of a slot creates and which it uses.
func (v *validator) requests(slot *spec.Slot, x *Value) {
	if slot.Class != spec.Request {
		return
	}
	if x.Kind == List {
		for i := range x.List {
			v.requests(slot, &x.List[i])
		}
	}
	if x.Kind != Ref || x.N == 0 || x.N&1 != 0 {
		return
	}
	switch slot.Life {
	case spec.New, spec.NewIfDerived, spec.NewRef:
		v.created[x.N] = true
	default:
		v.used[x.N] = true
	}
}

// timing checks that calls return in order, not before they begin. Calls that
// did not return and records of Tabard's own are not in that order.
func (v *validator) timing(s *Stream, l *layout) error {
	if s.times(l) < 0 {
		return nil
	}
	if err := v.work(l.call); err != nil {
		return err
	}
	t, err := s.openTiming()
	if err != nil {
		return err
	}
	if err := t.Check(); err != nil {
		return broken("timing", -1, "%v", err)
	}
	last := uint64(0)
	for c, err := range s.Iter(0) {
		if err != nil {
			return err
		}
		if !c.Timed {
			break
		}
		ordered := c.Flags&Unfinished == 0 && !c.Func.Own()
		if c.EndTicks < c.StartTicks || ordered && c.EndTicks < last {
			return broken(
				"timing",
				-1,
				"call %d (%s) from %d to %d, after one that returned at %d",
				c.Index,
				c.Func.Name,
				c.StartTicks,
				c.EndTicks,
				last,
			)
		}
		if ordered {
			last = c.EndTicks
		}
	}
	return nil
}
