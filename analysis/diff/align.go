package diff

// step is a part of an alignment of two words: letters from a on in the one, na of them, and
// from b on in the other.
type step struct {
	kind         stepKind
	a, na, b, nb uint64
	// times is how often a repeat is repeated: body is about the first of its equal parts,
	// na and nb about one of them.
	times uint64
	body  []step
	// period is set for what is missing if that is iterations of a loop: its length.
	period uint64
}

type stepKind uint8

const (
	same    stepKind = iota // na = nb letters that agree
	missing                 // letters of A that B has not, then letters of B that A has not
	repeat
)

// Limits that keep words without much in common from taking forever.
const (
	maxWork  = 60e6 // steps down a grammar, for a pair of streams
	maxEdits = 96   // letters that are different before two words agree again
	maxDepth = 24
)

// aligner aligns two words.
type aligner struct {
	a, b  *word
	work  *uint64
	limit uint64
	// coarse is set when the limit was met: what is left was not aligned in detail.
	coarse bool
}

// span is a part of both words.
type span struct{ a0, a1, b0, b1 uint64 }

func (s span) ended() bool { return s.a0 == s.a1 && s.b0 == s.b1 }

func (l *aligner) align(s span, depth int) (out []step) {
	for {
		if n := common(l.a, s.a0, l.b, s.b0, min(s.a1-s.a0, s.b1-s.b0)); n > 0 {
			out = append(out, step{kind: same, a: s.a0, na: n, b: s.b0, nb: n})
			s.a0, s.b0 = s.a0+n, s.b0+n
		}
		if s.ended() {
			return out
		}
		var found []step
		if *l.work > l.limit || depth > maxDepth {
			l.coarse = true
		} else {
			found = l.different(s, depth)
		}
		if found == nil {
			found = []step{{kind: missing, a: s.a0, na: s.a1 - s.a0, b: s.b0, nb: s.b1 - s.b0}}
		}
		for _, f := range found {
			n := max(f.times, 1)
			s.a0, s.b0 = s.a0+n*f.na, s.b0+n*f.nb
		}
		out = append(out, found...)
	}
}

// different explains why the words differ at the beginning of s.
func (l *aligner) different(s span, depth int) []step {
	if s.a0 < s.a1 && s.b0 < s.b1 {
		if r := l.loops(s, depth); r != nil {
			return r
		}
	}
	if r := l.iterations(s); r != nil {
		return r
	}
	if s.a0 == s.a1 || s.b0 == s.b1 {
		return nil // what is left is missing
	}
	return l.edits(s)
}

// repeats is how often what begins at i with length p is repeated in w before end.
func repeats(w *word, i, p, end uint64) uint64 {
	if p == 0 || p > end-i {
		return 0
	}
	return common(w, i, w, i+p, end-i-p)/p + 1
}

// loops finds a loop that both words are in whose bodies differ, though not altogether.
func (l *aligner) loops(s span, depth int) []step {
	type part struct{ period, times uint64 }
	parts := func(w *word, from, to uint64) (list []part) {
		for _, p := range w.periods(from) {
			if n := repeats(w, from, p, to); n > 1 {
				list = append(list, part{p, n})
			}
		}
		return list
	}
	as := parts(l.a, s.a0, s.a1)
	if as == nil {
		return nil
	}
	var best *step
	covered := uint64(0)
	for _, x := range as {
		for _, y := range parts(l.b, s.b0, s.b1) {
			n := min(x.times, y.times)
			score := n * min(x.period, y.period)
			if x.period/2 > y.period || y.period/2 > x.period {
				score /= 4
			}
			if score <= covered {
				continue
			}
			body := l.align(span{s.a0, s.a0 + x.period, s.b0, s.b0 + y.period}, depth+1)
			if agreed(body) < min(x.period, y.period)/2 || agreed(body) == 0 {
				continue
			}
			best = &step{kind: repeat, a: s.a0, na: x.period, b: s.b0, nb: y.period, times: n, body: body}
			covered = score
		}
	}
	if best == nil {
		return nil
	}
	return []step{*best}
}

// agreed is the number of letters that agree.
func agreed(steps []step) (n uint64) {
	for i := range steps {
		switch s := &steps[i]; s.kind {
		case same:
			n += s.na
		case repeat:
			n += s.times * agreed(s.body)
		}
	}
	return n
}

// iterations finds iterations of a loop that one word has more than the other.
func (l *aligner) iterations(s span) []step {
	var best *step
	reach := uint64(0)
	try := func(u, v *word, i, end, j, vend uint64, inA bool, begin uint64) {
		periods := u.periods(i)
		if i > 0 {
			periods = append(periods, u.periods(i-1)...)
		}
		for _, p := range periods {
			if p > i-begin || p > end-i {
				continue
			}
			k := common(u, i-p, u, i, end-i) / p
			if k == 0 {
				continue
			}
			next := i + k*p
			after := common(u, next, v, j, min(end-next, vend-j))
			if next+after == end && j+after == vend {
				after = 1 << 62
			}
			if after == 0 || after <= reach && best != nil {
				continue
			}
			x := step{kind: missing, a: s.a0, b: s.b0, period: p}
			if inA {
				x.na = k * p
			} else {
				x.nb = k * p
			}
			best, reach = &x, after
		}
	}
	try(l.a, l.b, s.a0, s.a1, s.b0, s.b1, true, 0)
	try(l.b, l.a, s.b0, s.b1, s.a0, s.a1, false, 0)
	if best == nil {
		return nil
	}
	return []step{*best}
}

// edits finds the fewest letters to leave out so that the words agree again.
func (l *aligner) edits(s span) []step {
	la, lb := s.a1-s.a0, s.b1-s.b0
	limit := int(min(maxEdits, la+lb))
	// reached[d][k+d] is how far A is read on diagonal k = x-y after d letters were left out.
	var reached [][]uint64
	type point struct {
		d, k int
		run  uint64
	}
	var best point
	for d := 0; d <= limit && *l.work < l.limit; d++ {
		row := make([]uint64, 2*d+1)
		reached = append(reached, row)
		for k := -d; k <= d; k += 2 {
			x, ok := from(reached, d, k, la, lb)
			if !ok {
				row[k+d] = none
				continue
			}
			y := uint64(int64(x) - int64(k))
			run := common(l.a, s.a0+x, l.b, s.b0+y, min(la-x, lb-y))
			row[k+d] = x + run
			ended := x+run == la && y+run == lb
			if ended {
				run = 1 << 62
			}
			if d > 0 && (best.d == 0 || run > best.run && (best.d == d || run/8 > best.run)) {
				best = point{d, k, run}
			}
		}
		if best.d > 0 && best.run >= uint64(8*best.d) && best.run >= uint64(3*d) {
			break
		}
	}
	if best.d == 0 || best.run < uint64(best.d) && best.run < 1<<61 {
		return nil
	}
	return path(s, reached, best.d, best.k, la, lb)
}

const none = ^uint64(0)

// from is where diagonal k begins after d letters were left out, before the letters that agree.
func from(reached [][]uint64, d, k int, la, lb uint64) (x uint64, ok bool) {
	if d == 0 {
		return 0, true
	}
	prev := reached[d-1]
	at := func(k int) uint64 {
		if k < -(d-1) || k > d-1 {
			return none
		}
		return prev[k+d-1]
	}
	down, right := at(k+1), at(k-1) // a letter of B, a letter of A left out
	if down != none && int64(down)-int64(k) <= int64(lb) {
		x, ok = down, true
	}
	if right != none && right+1 <= la && (!ok || right+1 > x) {
		x, ok = right+1, true
	}
	return x, ok
}

// path is the steps to where diagonal k begins after d letters were left out.
func path(s span, reached [][]uint64, d, k int, la, lb uint64) (out []step) {
	var back []step
	for ; d > 0; d-- {
		x, _ := from(reached, d, k, la, lb)
		prev := reached[d-1]
		one := step{kind: missing}
		var px uint64
		if k-1 >= -(d-1) && prev[k-1+d-1] != none && prev[k-1+d-1]+1 == x {
			k, px = k-1, x-1
			one.na = 1
		} else {
			k, px = k+1, x
			one.nb = 1
		}
		py := uint64(int64(px) - int64(k))
		one.a, one.b = s.a0+px, s.b0+py
		back = append(back, one)
		if start, _ := from(reached, d-1, k, la, lb); px > start && d > 1 {
			n := px - start
			back = append(back, step{kind: same, a: s.a0 + px - n, na: n, b: s.b0 + py - n, nb: n})
		}
	}
	for i := len(back) - 1; i >= 0; i-- {
		n := len(out) - 1
		if b := back[i]; n >= 0 && b.kind == missing && out[n].kind == missing {
			out[n].na, out[n].nb = out[n].na+b.na, out[n].nb+b.nb
			continue
		}
		out = append(out, back[i])
	}
	return out
}
