package loops

// branches is how many inner loops of a sequence have something behind or in front that begins and ends with the same
// calls as their iterations, and does something else between: rather an iteration of the same loop in which the program
// took another branch. of tells the skeleton of item i of n, and how often it is repeated.
func (s *skeletons) branches(n int, of func(i int) (skel int32, repeats uint64)) (found int) {
	for i := range n {
		skel, repeats := of(i)
		body := s.list[skel].body
		if len(body) < 2 || repeats < few {
			continue
		}
		first, last := body[0], body[len(body)-1]
		if first != last && (stretch(i+1, n, 1, of, first, last) || stretch(i-1, -1, -1, of, last, first)) {
			found++
		}
	}
	return found
}

// stretch tells whether the items from one on, in steps of by and before end, begin with a skeleton and come to another
// one before they come to the first again.
func stretch(from, end, by int, of func(int) (int32, uint64), first, last int32) bool {
	for i := from; i != end; i += by {
		skel, _ := of(i)
		switch {
		case i == from && skel != first, i != from && skel == first:
			return false
		case skel == last:
			return true
		}
	}
	return false
}
