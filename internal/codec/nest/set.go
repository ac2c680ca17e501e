package nest

// A Set is a set of terminals, a union of sets that may share parts; nil is empty.
type Set struct {
	t    uint32
	a, b *Set
}

// One is the set of one terminal.
func One(t uint32) *Set { return &Set{t: t} }

// Single tells whether s is the set of one terminal.
func (s *Set) Single() bool { return s.a == nil }

func (s *Set) has(t uint32) bool { return s.a == nil && s.t == t }

// Union is the union of s and o.
func (s *Set) Union(o *Set) *Set {
	switch {
	case s == nil:
		return o
	case s == o, o == nil, o.a == nil && (s.has(o.t) || s.a != nil && (s.a.has(o.t) || s.b.has(o.t))):
		return s
	case s.a != nil && (s.a == o || s.b == o):
		return s
	}
	return &Set{a: s, b: o}
}

// Collect adds the terminals of s to set.
func (s *Set) Collect(set map[uint32]bool) {
	if s == nil {
		return
	}
	seen := map[*Set]bool{}
	stack := []*Set{s}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case s.a == nil:
			set[s.t] = true
		case !seen[s]:
			seen[s] = true
			stack = append(stack, s.a, s.b)
		}
	}
}
