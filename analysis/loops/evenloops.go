package loops

// evenLoops looks for loops in which only the first or the last iteration differs, and moves the
// surplus out of the loop: if the call in front of {A B} is another A, it is not part of the loop.
func (s *skeletons) evenLoops(seq []*item) []*item {
	var out []*item
	for i, x := range seq {
		if x.varied == nil || x.n < 3 {
			out = append(out, x)
			continue
		}
		before, loop, after := s.even(x)
		// A shorter first iteration has to be a part of one that is turned.
		if loop == nil {
			out = append(out, s.tryTurn(out, x, seq[i+1:])...)
			continue
		}
		out = append(out, before...)
		out = append(out, loop)
		out = append(out, after...)
	}
	return out
}

// even splits off the surplus of the first call of the first iteration, or of the last call of the
// last one. loop is nil if the iterations still differ then.
func (s *skeletons) even(x *item) (before []*item, loop *item, after []*item) {
	unit := make([]*item, len(x.varied))
	for i, v := range x.varied {
		first, rest, last, ok := ends(v)
		switch {
		case !ok, first != rest && last != rest, (first != rest || last != rest) && v.set == nil:
			return nil, nil, nil
		case first < rest, first > rest && i > 0, last < rest, last > rest && i < len(unit)-1:
			return nil, nil, nil
		}
		if first > rest {
			before = []*item{{skel: v.skel, n: first - rest, set: v.set}}
		}
		if last > rest {
			after = []*item{{skel: v.skel, n: last - rest, set: v.set}}
		}
		unit[i] = v.once(rest)
	}
	return before, s.loopOf(x.n, unit), after
}

// ends returns the counts of the first and the last execution, and the one count of all between. It
// is not ok if those differ, or if anything inside varies.
func ends(v *variedItem) (first, rest, last uint64, ok bool) {
	for _, b := range v.body {
		if !b.isConstant() {
			return 0, 0, 0, false
		}
	}
	at, n := uint64(0), v.counts.Len()
	ok = n >= 3
	for value, k := range v.counts.All() {
		for ; k > 0 && ok; k-- {
			switch {
			case at == 0:
				first = value
			case at == n-1:
				last = value
			case at == 1:
				rest = value
				more := min(k, n-2) // all of a run at once
				at += more - 1
				k -= more - 1
			default:
				ok = value == rest
				if ok {
					more := min(k, n-1-at)
					at += more - 1
					k -= more - 1
				}
			}
			at++
		}
		if !ok {
			break
		}
	}
	return first, rest, last, ok
}

func (v *variedItem) isConstant() bool {
	if v.counts.Min() != v.counts.Max() {
		return false
	}
	for _, b := range v.body {
		if !b.isConstant() {
			return false
		}
	}
	return true
}

// once is one execution, with the given count, of v, whose body is constant.
func (v *variedItem) once(count uint64) *item {
	x := &item{skel: v.skel, n: count, set: v.set}
	for _, b := range v.body {
		x.unit = append(x.unit, b.once(b.counts.Min()))
	}
	return x
}

// tryTurn splits off the first or the last iteration of x if the rest can then be turned with what
// surrounds it. It returns what becomes of x alone. front precedes x and may be changed.
func (s *skeletons) tryTurn(front []*item, x *item, behind []*item) []*item {
	unit, first, last := make([]*item, len(x.varied)), make([]*item, len(x.varied)), make([]*item, len(x.varied))
	evenFirst, evenLast := true, true
	for i, v := range x.varied {
		f, r, l, ok := ends(v)
		if !ok {
			return []*item{x}
		}
		evenFirst, evenLast = evenFirst && f == r, evenLast && l == r
		unit[i], first[i], last[i] = v.once(r), v.once(f), v.once(l)
	}
	n := x.n
	var seq []*item
	if !evenFirst {
		seq = append(seq, first...)
		n--
	}
	at := len(seq)
	if !evenLast {
		n--
	}
	if n < 2 {
		return []*item{x}
	}
	seq = append(seq, s.loopOf(n, unit))
	if !evenLast {
		seq = append(seq, last...)
	}
	// The surroundings count as far as an iteration reaches.
	m := len(unit) + 1
	near := append([]*item{}, front[max(0, len(front)-m):]...)
	from := len(near)
	near = append(append(near, seq...), behind[:min(m, len(behind))]...)
	if _, now := s.turn(near, from+at); now == from+at {
		return []*item{x}
	}
	return seq
}
