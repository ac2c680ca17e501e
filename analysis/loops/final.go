package loops

import "slices"

// final finishes a sequence whose items will not be compared with others any
// more: loops may now begin wherever this leaves the least.
func (s *skeletons) final(seq []*item) []*item {
	f := newFolder(s)
	f.anyStart = true
	for _, x := range seq {
		f.add(x)
	}
	seq = s.turnLoops(s.evenLoops(f.items()))
	for i, x := range seq {
		if x.unit != nil {
			c := s.loopOf(x.n, s.final(x.unit))
			seq[i] = c
			c.period = x.period
			if len(c.unit) == 1 { // its body has become one loop
				seq[i] = scaled(c.unit[0], x.n)
			}
		}
		seq[i] = s.inner(seq[i])
	}
	return seq
}

// turnLoops finds loops between the two parts of one further iteration, the
// end of it in front and the begin behind: such a loop really begins with what
// is in front. A call may be divided: {A B A} n times is A {B A*2} (n-1) times B A.
func (s *skeletons) turnLoops(seq []*item) []*item {
	for i := 0; i < len(seq); i++ {
		if seq[i].unit != nil {
			seq, i = s.turn(seq, i)
		}
	}
	return seq
}

// turn turns loop i of seq if its surroundings make up exactly one
// iteration, and tells where the loop is then.
func (s *skeletons) turn(seq []*item, i int) ([]*item, int) {
	loop := seq[i]
	m := len(loop.unit)
	front := 0 // items in front that end an iteration
	for front < m && front < i && same(loop.unit[m-1-front], seq[i-1-front]) {
		front++
	}
	behind := 0
	for behind < m && i+1+behind < len(seq) && same(loop.unit[behind], seq[i+1+behind]) {
		behind++
	}
	if front > 0 && behind > 0 && front+behind == m {
		outside := slices.Concat(seq[i-front:i], seq[i+1:i+1+behind])
		body := mergedAll(outside, rotated(loop.unit, m-front))
		return slices.Replace(seq, i-front, i+1+behind, s.loopOf(loop.n+1, body)), i - front
	}
	// One call is divided between front and behind.
	k := m - 1 - front
	if m < 2 || k != behind || i-1-front < 0 || i+1+behind >= len(seq) {
		return seq, i
	}
	cut, a, b := loop.unit[k], seq[i-1-front], seq[i+1+behind]
	if cut.set == nil || a.skel != cut.skel || b.skel != cut.skel || a.n+b.n != cut.n {
		return seq, i
	}
	ends := []*item{{skel: a.skel, n: a.n, set: a.set.Union(cut.set)},
		{skel: b.skel, n: b.n, set: b.set.Union(cut.set)}}
	body := append(ends[:1:1], mergedAll(loop.unit[k+1:], seq[i-front:i])...)
	body = append(body, mergedAll(loop.unit[:k], seq[i+1:i+1+behind])...)
	body = append(body, ends[1])
	return slices.Replace(seq, i-1-front, i+2+behind, s.loopOf(loop.n+1, body)), i - 1 - front
}
