package archive

import "github.com/tabard-hpc/tabard/spec"

// Validation by class. What all streams of a class share is checked at one of them. Of what differs
// between ranks, only what can be out of range is checked. A class answers for all its streams if
// the rest of what the checks of a stream look at is the same at all of them. Where a class does
// not answer, its streams are checked one by one.

// classes checks all classes that answer for their streams, and realm by realm the streams of the
// others.
func (v *validator) classes() error {
	a := v.a
	for i := range a.realms {
		r := &a.realms[i]
		var rest []*Class
		ordered := true
		for _, t := range r.threads {
			ordered = ordered && t.ordered(r.ranks)
		}
		for _, t := range r.threads {
			for _, c := range t.classes {
				ok, err := false, error(nil)
				if ordered {
					ok, err = v.class(c)
				}
				if err != nil {
					return err
				}
				if !ok {
					rest = append(rest, c)
				}
			}
		}
		if len(rest) == 0 {
			continue
		}
		if len(r.threads) > 1 || !ordered {
			rest = nil // all: requests are those of all threads together
		}
		if err := v.realm(r, rest); err != nil {
			return err
		}
	}
	return nil
}

// ordered tells whether each of the ranks that have the thread, all of them among the given ones,
// is in one class.
func (t *realmThread) ordered(ranks *RankSet) bool {
	sets := make([]*RankSet, len(t.classes))
	for i, c := range t.classes {
		sets[i] = c.head.Ranks
	}
	union := unionOf(sets)
	return union.Len() == t.members && union.Equal(t.set()) && union.Union(ranks).Len() == ranks.Len()
}

// realm checks the streams of some classes of a realm with one thread, or all streams if there are
// none.
func (v *validator) realm(r *realm, some []*Class) error {
	at := -1
	check := func(s *Stream) error {
		if s.process != at {
			if err := v.endProcess(at); err != nil {
				return err
			}
			at = s.process
			v.created, v.used = map[int64]bool{}, map[int64]bool{}
		}
		if err := v.stream(s); err != nil {
			return within(err, "stream %d (rank %d, thread %d)", s.index, s.rank, s.thread)
		}
		return nil
	}
	for _, c := range some {
		for rank := range c.head.Ranks.All() {
			if err := check(c.Stream(rank)); err != nil {
				return err
			}
		}
	}
	if some == nil {
		for s := range v.a.realmStreams(r) {
			if err := check(s); err != nil {
				return err
			}
		}
	}
	return v.endProcess(at)
}

// class checks a class if it answers for all its streams.
func (v *validator) class(c *Class) (ok bool, err error) {
	l, err := c.open()
	if err != nil || c.head.Ranks.Len() < 2 || !l.answers() {
		return false, err
	}
	v.created, v.used = map[int64]bool{}, map[int64]bool{}
	rank := c.head.Ranks.Min()
	if err := v.stream(c.Stream(rank)); err != nil {
		return false, within(err, "class %d (rank %d, thread %d)", c.index, rank, c.head.Thread)
	}
	if err := v.varying(l); err != nil {
		return false, within(err, "class %d", c.index)
	}
	if v.a.meta.Partial {
		return true, nil
	}
	for code := range v.used {
		if !v.created[code] {
			return false, nil // another thread may create it, or calls may be lost
		}
	}
	return true, nil
}

// answers tells whether what the checks of a stream look at is the same at all ranks, but for
// single numbers.
func (l *classLayout) answers() bool {
	if l.x == nil || len(l.Strings.Values) > 1 || len(l.Timing.Values) != 1 || l.Timing.Values[0] >= 0 {
		return false
	}
	if l.Calls != nil {
		if _, same := l.Calls.Constant(); !same {
			return false
		}
	}
	for t, tm := range l.tms {
		slots := spec.ByID(tm.Func).Slots
		for i, p := range l.Params[t] {
			if constantParams(l.Params[t][i : i+1]) {
				continue
			}
			if p.Vec != nil || p.Fn != nil && slots[l.openLeaf(t, i).slot].Class == spec.Request {
				return false
			}
		}
	}
	for place := range l.Columns {
		if !l.columnAnswers(place) {
			return false
		}
	}
	return true
}

// openLeaf is the leaf of a template that parameter i of terminal t is.
func (l *classLayout) openLeaf(t, i int) Leaf {
	tm := l.tms[t]
	for k, x := range Leaves(nil, &tm.Signature) {
		if !tm.Open[k] {
			continue
		}
		if i == 0 {
			return x
		}
		i--
	}
	panic("trace: no such parameter")
}

// columnAnswers tells whether a column passes the checks at all ranks if it does at one. Values of
// plain integers are not checked; if those of others differ between ranks it does not answer.
func (l *classLayout) columnAnswers(place int) bool {
	c := &l.Columns[place]
	if len(c.Values) != 1 {
		return false
	}
	v := &c.Values[0]
	if constantParams(v.Params) {
		return true
	}
	s := &l.specs[place]
	if s.Slot < 0 || s.Field < 0 || s.Array || len(v.Shape) != 1 || v.Shape[0].Kind > affineSegment {
		return false
	}
	codec := spec.ByID(l.tms[l.owner[place]].Func).Slots[s.Slot].Codec
	return codec == spec.Int || codec == spec.Status && s.Field >= 2
}

// varying checks the values of leaves that differ between ranks, where some numbers are out of
// range.
func (v *validator) varying(l *classLayout) error {
	for t, tm := range l.tms {
		if constantParams(l.Params[t]) {
			continue
		}
		sig := tm.Signature
		sig.Slots = cloneValues(sig.Slots)
		k := 0
		for i, x := range Leaves(nil, &sig) {
			if !tm.Open[i] {
				continue
			}
			p := &l.Params[t][k]
			k++
			if p.Fn == nil && p.Base == nil || x.kind != IntLeaf || x.v.Kind == Int || x.v.Kind == Float ||
				x.v.Kind == Sentinel {
				continue
			}
			if err := v.work(uint64(l.Ranks.Len())); err != nil {
				return err
			}
			for rank := range l.Ranks.All() {
				if err := x.SetInt(p.At(rank)); err != nil {
					return broken("structure/classes", -1, "%s at rank %d: %v", leafName(tm, &x), rank, err)
				}
			}
		}
	}
	return nil
}
