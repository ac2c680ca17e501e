package loops

import (
	"slices"
	"sync"
)

// Limits of the search for repetitions. What exceeds them stays unfolded.
const (
	maxBody   = 4096 // items of a loop body
	maxTries  = 64   // earlier occurrences of an item that are tried as ends of the iteration before
	maxNearby = 8    // loops before an iteration that may take it in
)

// A folder folds a sequence of items into loops while it grows, as the
// compression of ScalaTrace does (M. Noeth, P. Ratn, F. Mueller, M. Schulz, B. R.
// de Supinski, "ScalaTrace: Scalable compression and replay of communication
// traces for high-performance computing", JPDC 69, 2009), but on the items that
// the rules of a grammar have become. Iterations need to have equal skeletons only.
//
// Loops are made only where the cycle of their body begins (see order), so that
// a loop looks the same wherever in it a rule of the grammar began.
type folder struct {
	sk  *skeletons
	out []entry
	// last is the topmost place of each skeleton.
	last map[int32]int
	// anyStart makes loops that begin anywhere.
	anyStart bool
	powers   *[maxBody + 1]uint64
}

type entry struct {
	*item
	skel   int32  // that of item, at hand
	print  uint64 // of the skeletons up to here: a polynomial in printBase
	before int    // place of the same skeleton below, -1 none
	loop   int    // nearest loop below, -1 none
}

const printBase = 0x9e3779b97f4a7c15

// printPowers are the powers of printBase up to that of the longest loop body.
var printPowers = sync.OnceValue(func() *[maxBody + 1]uint64 {
	var powers [maxBody + 1]uint64
	powers[0] = 1
	for i := range maxBody {
		powers[i+1] = powers[i] * printBase
	}
	return &powers
})

func newFolder(sk *skeletons) *folder {
	return &folder{sk: sk, last: map[int32]int{}, powers: printPowers()}
}

// add appends an item. The top item is complete only when a different one
// follows, so that is when it is folded.
func (f *folder) add(x *item) {
	if f.join(x) {
		return
	}
	f.reduce()
	if !f.join(x) {
		f.push(x)
	}
}

func (f *folder) addAll(seq []*item) {
	for _, x := range seq {
		f.add(x)
	}
}

// items ends the sequence.
func (f *folder) items() []*item {
	f.reduce()
	seq := make([]*item, len(f.out))
	for i := range f.out {
		seq[i] = f.out[i].item
	}
	return seq
}

// join merges x into the top item if x repeats it, or if the top item is a loop whose last
// iteration ended in x.
func (f *folder) join(x *item) bool {
	t := len(f.out) - 1
	if t < 0 {
		return false
	}
	top := f.out[t].item
	if top.skel == x.skel {
		f.out[t].item = joined(top, x)
		return true
	}
	if longer := f.sk.extended(top, x); longer != nil {
		f.out[t].item = longer
		return true
	}
	return false
}

func (f *folder) push(x *item) {
	p := entry{item: x, skel: x.skel, print: uint64(x.skel) + 1, before: -1, loop: -1}
	t := len(f.out)
	if b, ok := f.last[x.skel]; ok {
		p.before = b
	}
	if t > 0 {
		p.print += f.out[t-1].print * printBase
		if p.loop = f.out[t-1].loop; f.out[t-1].isLoop() {
			p.loop = t - 1
		}
	}
	f.last[x.skel] = t
	f.out = append(f.out, p)
}

// cut takes away the items from t on.
func (f *folder) cut(t int) {
	for len(f.out) > t {
		p := f.out[len(f.out)-1]
		if p.before < 0 {
			delete(f.last, p.skel)
		} else {
			f.last[p.skel] = p.before
		}
		f.out = f.out[:len(f.out)-1]
	}
}

// place puts x at the top without looking for what it completes.
func (f *folder) place(x *item) {
	if !f.join(x) {
		f.push(x)
	}
}

func (f *folder) reduce() {
	for f.precede() || f.follow() || f.square() {
	}
}

// matches tells whether the items from t on are an iteration of body.
func (f *folder) matches(t int, body []int32) bool {
	for i := len(body) - 1; i >= 0; i-- {
		if f.out[t+i].skel != body[i] {
			return false
		}
	}
	return true
}

func (f *folder) window(from, to int) []*item {
	w := make([]*item, 0, to-from)
	for _, p := range f.out[from:to] {
		w = append(w, p.item)
	}
	return w
}

// precede takes the iteration in front of a loop at the top into it. The begin of
// that iteration may have become part of a loop: in front of {a b} n times,
// "a a b" has become {a} twice and b.
func (f *folder) precede() bool {
	t := len(f.out) - 1
	if t < 1 || !f.out[t].isLoop() {
		return false
	}
	body := f.sk.list[f.out[t].skel].body
	k, at := len(body), t // the items from at on match body[k:]
	for k > 0 && at > 0 && f.out[at-1].skel == body[k-1] {
		k--
		at--
	}
	var split *item
	if k > 0 {
		if at == 0 || k == len(body) || !f.sk.isUnit(f.out[at-1].item, body[:k]) {
			return false
		}
		at--
		split = f.out[at].item
	}
	first := f.window(at, t)
	if split != nil {
		first = slices.Concat(split.unit, first[1:])
	}
	loop := joined(f.sk.loopOf(1, first), f.out[t].item)
	f.cut(at)
	if split != nil {
		f.pushLess(split)
	}
	f.place(loop)
	return true
}

// follow takes the iteration at the top into the loop in front of it. The end of
// that iteration may have become part of a loop.
func (f *folder) follow() bool {
	t := len(f.out) - 1
	if t < 1 {
		return false
	}
	for p, tries := f.out[t].loop, 0; p >= 0 && tries < maxNearby && t-p <= maxBody; p, tries = f.out[p].loop, tries+1 {
		body := f.sk.list[f.out[p].skel].body
		n := t - p // items behind the loop
		var rest *item
		switch {
		case n == len(body) && f.matches(p+1, body):
		case n > 1 && n <= len(body) && f.sk.isUnit(f.out[t].item, body[n-1:]) && f.matches(p+1, body[:n-1]):
			rest = f.out[t].item
		default:
			continue
		}
		last := f.window(p+1, t+1)
		if rest != nil {
			last = slices.Concat(last[:n-1], rest.unit)
		}
		loop := joined(f.out[p].item, f.sk.loopOf(1, last))
		f.cut(p)
		f.place(loop)
		if rest != nil {
			f.pushLess(rest)
		}
		return true
	}
	return false
}

// isUnit tells whether x is a loop of equal iterations of body.
func (s *skeletons) isUnit(x *item, body []int32) bool {
	return x.unit != nil && slices.Equal(s.list[x.skel].body, body)
}

// pushLess pushes a loop without one of its iterations.
func (f *folder) pushLess(x *item) {
	if x.n > 2 {
		c := *x
		c.n--
		f.place(&c)
		return
	}
	for _, y := range x.unit {
		f.place(y)
	}
}

// repeats tells whether the w items up to t equal the w before. Most do not, which the prints tell.
func (f *folder) repeats(t, w int) bool {
	print := func(to int) uint64 { // of the w items up to a place
		if to < w {
			return f.out[to].print
		}
		return f.out[to].print - f.out[to-w].print*f.powers[w]
	}
	if print(t) != print(t-w) {
		return false
	}
	for i := t; i > t-w; i-- {
		if f.out[i].skel != f.out[i-w].skel {
			return false
		}
	}
	return true
}

// square makes a loop of two iterations at the top.
func (f *folder) square() bool {
	t := len(f.out) - 1
	if t < 1 {
		return false
	}
	for p, tries := f.out[t].before, 0; p >= 0 && tries < maxTries; p, tries = f.out[p].before, tries+1 {
		w := t - p
		if p-w+1 < 0 || w > maxBody {
			return false
		}
		if w > 1 && f.out[p-1].skel != f.out[t-1].skel || !f.repeats(t, w) { // most differ right before
			continue
		}
		second := f.window(p+1, t+1)
		if !f.anyStart && f.sk.start(skelsOf(second)) != 0 {
			continue
		}
		loop := joined(f.sk.loopOf(1, f.window(p-w+1, p+1)), f.sk.loopOf(1, second))
		f.cut(p - w + 1)
		f.place(loop)
		return true
	}
	return false
}

// addLoop appends seq k times.
func (f *folder) addLoop(k uint64, seq []*item) {
	m := len(seq)
	switch {
	case k == 1:
		f.addAll(seq)
		return
	case m == 1:
		f.add(scaled(seq[0], k))
		return
	case seq[0].skel == seq[m-1].skel:
		// One item crosses the boundary of iterations.
		f.add(seq[0])
		inner := newFolder(f.sk)
		inner.addAll(seq[1 : m-1])
		inner.add(joined(seq[m-1], seq[0]))
		f.addLoop(k-1, inner.items())
		f.addAll(seq[1:])
		return
	}
	if at, turned := f.sk.foldSeam(seq); turned != nil {
		f.addAll(seq[:at])
		f.addLoop(k-1, turned)
		f.addAll(seq[at:])
		return
	}
	body := skelsOf(seq)
	p := period(body)
	at := f.sk.start(body[:p])
	if at == 0 {
		f.add(f.sk.iterate(k, seq, p))
		return
	}
	f.addAll(seq[:at])
	if k > 2 {
		f.add(f.sk.iterate(k-1, rotated(seq, at), p))
	} else {
		f.addAll(rotated(seq, at))
	}
	f.addAll(seq[at:])
}

// maxSeams is how many places are tried at which the seam of a cycle may fold.
const maxSeams = 64

// foldSeam folds the cycle seq across its end and begin, if that makes it
// shorter: it then begins at item at and becomes turned.
func (s *skeletons) foldSeam(seq []*item) (at int, turned []*item) {
	known, ok := s.seams[&seq[0]]
	if !ok {
		known.at, known.turned = s.searchSeam(seq)
		s.seams[&seq[0]] = known
	}
	return known.at, known.turned
}

func (s *skeletons) searchSeam(seq []*item) (at int, turned []*item) {
	m := len(seq)
	twice := newFolder(s)
	twice.anyStart = true
	twice.addAll(seq)
	twice.addAll(seq)
	// Without a fold across the seam the only loop is that of the two copies.
	if whole := twice.items(); len(whole) == 1 && len(s.list[whole[0].skel].body) == m || len(whole) == 2*m {
		return 0, nil
	}
	step := (m + maxSeams - 1) / maxSeams
	for i := step; i < m; i += step {
		f := newFolder(s)
		f.addAll(seq[i:])
		f.addAll(seq[:i])
		if t := f.items(); len(t) < m && (turned == nil || len(t) < len(turned)) {
			at, turned = i, t
		}
	}
	return at, turned
}

// period is the smallest p such that body is its first p items repeated.
func period(body []int32) int {
	n := len(body)
	fail := make([]int, n+1)
	for i, k := 1, 0; i < n; i++ {
		for k > 0 && body[i] != body[k] {
			k = fail[k]
		}
		if body[i] == body[k] {
			k++
		}
		fail[i+1] = k
	}
	if p := n - fail[n]; n%p == 0 {
		return p
	}
	return n
}

// iterate is the loop that does seq k times, where seq is iterations of p items.
func (s *skeletons) iterate(k uint64, seq []*item, p int) *item {
	loop := s.loopOf(1, seq[:p])
	for i := p; i < len(seq); i += p {
		loop = joined(loop, s.loopOf(1, seq[i:i+p]))
	}
	return scaled(loop, k)
}
