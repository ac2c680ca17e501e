package nest

import (
	"errors"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// ErrTooLarge tells that a sequence is too irregular to be parsed within the work allowed.
var ErrTooLarge = errors.New("the sequence takes too much work")

// Executions are what a sequence did in a part of a tree.
type Executions struct {
	Part *Part
	// Counts has for each execution how often the part was repeated. What is in a loop is executed
	// once in each of its iterations; the root is executed once.
	Counts *Counts
	// Set is the terminals of a call; nil if there was none.
	Set *Set
	// Body is the parts of a loop.
	Body []*Executions
}

// Parse takes the sequence that x derives as a run through t. Its transitions have to be in the flow
// that t was grown for. It makes at most about work steps, and takes them off: ErrTooLarge if that
// is not enough. The time follows the size of the grammar and not the length of the sequence.
func (t *Tree) Parse(x *grammar.Index, label []int32, work *int) (*Executions, error) {
	return t.parse(x, label, work, true)
}

// parse is Parse, without sets of terminals if they are not wanted.
func (t *Tree) parse(x *grammar.Index, label []int32, work *int, sets bool) (*Executions, error) {
	p := &parser{tree: t, label: label, left: work, sets: sets, zeros: map[*Part]*Executions{},
		nones: make([]run, t.size)}
	rules := x.Grammar().Rules
	done := make([]*piece, len(rules))
	for _, r := range x.BottomUp() {
		p.rule = int32(r) + 1
		var whole *piece
		for _, s := range rules[r] {
			var one *piece
			if s.IsRule() {
				one = done[s.Rule()]
			} else {
				one = p.call(s.ID)
			}
			if one == nil {
				continue
			}
			one = p.power(one, s.Count)
			if whole == nil {
				whole = one
			} else {
				whole = p.join(whole, one)
			}
			if *work < 0 {
				return nil, ErrTooLarge
			}
		}
		if whole != nil {
			p.settled(whole.run)
		}
		done[r] = whole
	}
	if done[0] == nil {
		return nil, errors.New("an empty sequence")
	}
	whole := p.lift(done[0], t.Root)
	return p.finish(whole.run), nil
}

// A run is what a stretch of a sequence did in a part: the number of repetitions in each execution.
// The first and the last execution may have begun before the stretch, or go on after it.
type run struct {
	rule        int32 // the rule for which it was made: only as long as that is put together, it changes
	part        *Part
	n           uint64 // executions
	first, last uint64
	between     *Counts // all but the first and the last, and but for more; nil if there are none
	more        []Run   // what follows between, as long as the rule is put together
	set         *Set
	body        []*run // nil if there is no repetition
}

// A piece is a stretch of the sequence, as one execution of the innermost part that has it all.
type piece struct {
	*run
	from, to int32 // its first and its last label
}

type parser struct {
	tree  *Tree
	label []int32
	left  *int
	sets  bool // sets of terminals are wanted
	zeros map[*Part]*Executions
	nones []run // see none
	rule  int32 // see run.rule
}

func (p *parser) call(t uint32) *piece {
	v := p.label[t]
	r := &run{rule: p.rule, part: p.tree.leaf[v], n: 1, first: 1, last: 1}
	if p.sets {
		r.set = One(t)
	}
	return &piece{r, v, v}
}

// lift makes q one execution of a part around it.
func (p *parser) lift(q *piece, to *Part) *piece {
	r := q.run
	for r.part != to {
		parent := r.part.parent
		up := &run{rule: p.rule, part: parent, n: 1, first: 1, last: 1, body: make([]*run, len(parent.Body))}
		for i, c := range parent.Body {
			if c == r.part {
				up.body[i] = r
			} else {
				up.body[i] = p.none(c)
			}
		}
		*p.left -= len(up.body)
		r = up
	}
	return &piece{r, q.from, q.to}
}

// none is one execution of a part in which it was repeated 0 times.
func (p *parser) none(c *Part) *run {
	q := &p.nones[c.number]
	q.part, q.n = c, 1
	return q
}

// outer is the outermost of parts that lie in each other.
func outer(parts ...*Part) *Part {
	out := parts[0]
	for _, q := range parts[1:] {
		if q.depth < out.depth {
			out = q
		}
	}
	return out
}

// join is a followed by b.
func (p *parser) join(a, b *piece) *piece {
	s := p.tree.step(a.to, b.from)
	top := outer(s.in, a.part, b.part)
	c := p.joined(p.lift(a, top).run, p.lift(b, top).run, true, s)
	return &piece{c, a.from, b.to}
}

// goesOn tells whether an iteration of part goes on over a step, given that its execution does.
func (s step) goesOn(part *Part) bool {
	return part.IsLoop() && part.has(s.in) && (part != s.in || s.forward)
}

// joined is a, which may change, followed by b in one part. open tells that the last execution of a is the first of b.
func (p *parser) joined(a, b *run, open bool, s step) *run {
	*p.left--
	on := open && s.goesOn(a.part)
	switch { // most parts have nothing of a short stretch
	case a.addsNothing(open):
		return b
	case b.addsNothing(open):
		return a
	}
	r := a
	if a.rule != p.rule {
		r = new(run)
		*r = *a
		r.rule, r.body = p.rule, slices.Clone(a.body)
	}
	r.set = a.set.Union(b.set)
	if open {
		r.merge(b, on)
	} else {
		r.append(b)
	}
	switch {
	case r.body == nil:
		r.body = slices.Clone(b.body)
	case b.body != nil:
		for i := range r.body {
			r.body[i] = p.joined(r.body[i], b.body[i], on, s)
		}
	}
	return r
}

// addsNothing tells that r adds nothing to what it is joined with: it was not executed or, if the execution is
// one of the other's, too, repeated 0 times in it.
func (r *run) addsNothing(open bool) bool {
	if open {
		return r.body == nil && r.n == 1 && r.first == 0
	}
	return r.body == nil && r.n == 0
}

// append adds the counts of b to those of r.
func (r *run) append(b *run) {
	switch {
	case r.n == 0:
		r.n, r.first, r.last, r.between = b.n, b.first, b.last, b.between
	case b.n > 0:
		if r.n > 1 {
			r.then(r.last)
		}
		if b.n > 1 {
			r.then(b.first)
		}
		r.thenAll(b.between)
		r.n, r.last = r.n+b.n, b.last
	}
}

// merge is like append, but the last execution of r is the first of b. With on they share an iteration, too.
func (r *run) merge(b *run, on bool) {
	sum := r.last + b.first
	if on {
		sum--
	}
	switch {
	case r.n == 1 && b.n == 1:
		r.first, r.last = sum, sum
	case r.n == 1:
		r.first, r.between, r.last = sum, b.between, b.last
	case b.n == 1:
		r.last = sum
	default:
		r.then(sum)
		r.thenAll(b.between)
		r.last = b.last
	}
	r.n += b.n - 1
}

// manyRuns are put away at once.
const manyRuns = 256

// then adds a count to those between.
func (r *run) then(count uint64) {
	r.more = plus(r.more, Run{count, 1})
	if len(r.more) >= manyRuns {
		r.settle()
	}
}

func (r *run) thenAll(c *Counts) {
	var room [1]Run
	if c == nil {
		return
	}
	if runs, ok := c.few(&room); ok {
		r.more = plus(r.more, runs...)
		return
	}
	r.settle()
	r.between = cat(r.between, c)
}

// settle puts more into between.
func (r *run) settle() {
	if len(r.more) > 0 {
		r.between = cat(r.between, flat(slices.Clone(r.more)))
		r.more = r.more[:0]
	}
}

// settled ends the work on what the rule has.
func (p *parser) settled(r *run) {
	if r.rule != p.rule {
		return
	}
	r.settle()
	r.more = nil
	for _, c := range r.body {
		p.settled(c)
	}
}

func cat(a, b *Counts) *Counts {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return a.Cat(b)
}

// power is q, k times in a row.
func (p *parser) power(q *piece, k uint64) *piece {
	if k == 1 {
		return q
	}
	s := p.tree.step(q.to, q.from)
	top := outer(s.in, q.part)
	return &piece{p.repeated(p.lift(q, top).run, k, true, s), q.from, q.to}
}

// repeated is a, k times in a row, k being at least 2; open as for joined.
func (p *parser) repeated(a *run, k uint64, open bool, s step) *run {
	*p.left--
	on := open && s.goesOn(a.part)
	r := &run{rule: p.rule, part: a.part, set: a.set, n: a.n, first: a.first, last: a.last}
	shared := uint64(0)
	if on {
		shared = 1
	}
	switch {
	case a.n == 0:
	case open && a.n == 1:
		r.first = a.first*k - shared*(k-1)
		r.last = r.first
	case open:
		r.n = k*(a.n-1) + 1
		seam := Constant(a.last+a.first-shared, 1)
		r.between = cat(cat(a.between, seam).Repeat(k-1), a.between)
	default:
		r.n = k * a.n
		r.between = cat(cat(a.rest(), repeat(a.all(), k-2)), a.start())
	}
	if a.body != nil {
		r.body = make([]*run, len(a.body))
		for i, c := range a.body {
			r.body[i] = p.repeated(c, k, on, s)
		}
	}
	return r
}

func repeat(c *Counts, k uint64) *Counts {
	if k == 0 || c == nil {
		return nil
	}
	return c.Repeat(k)
}

// all is the counts of all executions; nil if there are none.
func (r *run) all() *Counts {
	if r.n == 0 {
		return nil
	}
	return cat(Constant(r.first, 1), r.rest())
}

// rest is the counts of all but the first execution; nil if there are none.
func (r *run) rest() *Counts {
	if r.n < 2 {
		return nil
	}
	return cat(r.between, Constant(r.last, 1))
}

// start is the counts of all but the last execution; nil if there are none.
func (r *run) start() *Counts {
	if r.n < 2 {
		return nil
	}
	return cat(Constant(r.first, 1), r.between)
}

// finish makes the result of r, which has at least one execution.
func (p *parser) finish(r *run) *Executions {
	e := &Executions{Part: r.part, Counts: r.all(), Set: r.set}
	for i, c := range r.part.Body {
		if r.body == nil || r.body[i].n == 0 {
			e.Body = append(e.Body, p.never(c))
			continue
		}
		e.Body = append(e.Body, p.finish(r.body[i]))
	}
	return e
}

// never is a part that was not executed.
func (p *parser) never(q *Part) *Executions {
	if e := p.zeros[q]; e != nil {
		return e
	}
	e := &Executions{Part: q, Counts: Constant(0, 0)}
	for _, c := range q.Body {
		e.Body = append(e.Body, p.never(c))
	}
	p.zeros[q] = e
	return e
}
