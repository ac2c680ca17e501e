package nest

import (
	"errors"

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
	p := &parser{tree: t, label: label, left: work, zeros: map[*Part]*Executions{}}
	rules := x.Grammar().Rules
	done := make([]*piece, len(rules))
	for _, r := range x.BottomUp() {
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
	part        *Part
	n           uint64 // executions
	first, last uint64
	between     *Counts // all but the first and the last; nil if there are none
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
	zeros map[*Part]*Executions
}

func (p *parser) call(t uint32) *piece {
	v := p.label[t]
	return &piece{&run{part: p.tree.leaf[v], n: 1, first: 1, last: 1, set: One(t)}, v, v}
}

// lift makes q one execution of a part around it.
func (p *parser) lift(q *piece, to *Part) *piece {
	r := q.run
	for r.part != to {
		up := &run{part: r.part.parent, n: 1, first: 1, last: 1}
		for _, c := range up.part.Body {
			if c == r.part {
				up.body = append(up.body, r)
			} else {
				up.body = append(up.body, &run{part: c, n: 1})
			}
		}
		*p.left -= len(up.body)
		r = up
	}
	return &piece{r, q.from, q.to}
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

// joined is a followed by b in one part. open tells that the last execution of a is the first of b.
func (p *parser) joined(a, b *run, open bool, s step) *run {
	*p.left--
	on := open && s.goesOn(a.part)
	r := &run{part: a.part, set: a.set.Union(b.set)}
	if open {
		r.merge(a, b, on)
	} else {
		r.append(a, b)
	}
	switch {
	case a.body == nil:
		r.body = b.body
	case b.body == nil:
		r.body = a.body
	default:
		r.body = make([]*run, len(a.body))
		for i := range r.body {
			r.body[i] = p.joined(a.body[i], b.body[i], on, s)
		}
	}
	return r
}

// append sets the counts of r to those of a, and then those of b.
func (r *run) append(a, b *run) {
	switch {
	case a.n == 0:
		r.n, r.first, r.last, r.between = b.n, b.first, b.last, b.between
	case b.n == 0:
		r.n, r.first, r.last, r.between = a.n, a.first, a.last, a.between
	default:
		r.n, r.first, r.last = a.n+b.n, a.first, b.last
		if a.n > 1 {
			r.between = cat(a.between, Constant(a.last, 1))
		}
		if b.n > 1 {
			r.between = cat(r.between, Constant(b.first, 1))
		}
		r.between = cat(r.between, b.between)
	}
}

// merge is like append, but the last execution of a is the first of b. With on they share an iteration, too.
func (r *run) merge(a, b *run, on bool) {
	sum := a.last + b.first
	if on {
		sum--
	}
	r.n, r.first, r.last = a.n+b.n-1, a.first, b.last
	switch {
	case a.n == 1 && b.n == 1:
		r.first, r.last = sum, sum
	case a.n == 1:
		r.first, r.between = sum, b.between
	case b.n == 1:
		r.last, r.between = sum, a.between
	default:
		r.between = cat(cat(a.between, Constant(sum, 1)), b.between)
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
	r := &run{part: a.part, set: a.set, n: a.n, first: a.first, last: a.last}
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
