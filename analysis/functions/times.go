package functions

import (
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// times adds the times of the calls that stand in the stream. Every event is looked at.
func (b *builder) times(r *selection.Resolved) error {
	all := b.a.Meta().Options[OptionTimes] == "all"
	for p, err := range r.Parts() {
		if err != nil {
			return err
		}
		if !p.Stream.Timed() {
			continue
		}
		b.out.Timed = true
		if err := b.streamTimes(p.Stream, all); err != nil {
			return err
		}
	}
	return nil
}

// begun is a call that has not returned.
type begun struct {
	at    *Context
	start int64
	in    int64 // time of the functions in it
	calls int64 // and of the calls of APIs
}

func (b *builder) streamTimes(s *archive.Stream, all bool) error {
	terms, err := b.terminals(s)
	if err != nil {
		return err
	}
	var stack []begun
	last := int64(0)
	end := func(at int64) {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x.at.Func.open--
		x.at.Func.InCalls += x.calls
		b.took(x.at, at-x.start, x.in, 1)
		if len(stack) > 0 {
			stack[len(stack)-1].in += at - x.start
		}
	}
	for c, err := range s.IterAll() {
		if err != nil {
			return err
		}
		last = max(last, int64(c.End))
		x := &terms[c.Terminal]
		switch {
		case x.kind == opening:
			at := b.out.Root
			if len(stack) > 0 {
				at = stack[len(stack)-1].at
			}
			at = b.child(at, x.site)
			at.Func.open++
			stack = append(stack, begun{at: at, start: int64(c.Start)})
		case x.kind == api && len(stack) > 0:
			stack[len(stack)-1].calls += int64(c.End - c.Start)
		case x.kind == closing && len(stack) > 0:
			end(int64(c.End))
		case x.kind == calling && all:
			site := x.site
			if t := b.out.sites[site-1].Tree; t != nil {
				site = t.Func
			}
			d, at := int64(c.End-c.Start), b.out.Root
			if len(stack) > 0 {
				stack[len(stack)-1].in += d
				at = stack[len(stack)-1].at
			}
			if site > 0 {
				b.took(b.child(at, site), d, 0, uint64(max(0, c.Slots[0].N)))
			}
		}
	}
	for len(stack) > 0 {
		end(last)
	}
	return nil
}

// took adds the time d of calls at a place; in is that of functions in them.
func (b *builder) took(at *Context, d, in int64, calls uint64) {
	f := at.Func
	at.Time += max(0, d-in)
	if f.open == 0 { // of recursive calls the outermost has it all
		f.Inclusive += d
	}
	f.Exclusive += max(0, d-in)
	f.Timed += calls
}
