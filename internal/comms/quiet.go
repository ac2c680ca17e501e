package comms

import (
	"slices"

	"tabard/spec"
	"tabard/trace"
)

// Most processes do nothing to communicators but ask for their rank and its size. In a class of the archive whose
// streams do no more, one stream is gone through, and the answers of the others follow from their ranks.

// quiet is the questions of the streams of a class, in the order of their first calls.
type quiet struct{ asked []question }

// question is what a process asks of a communicator, and what it is told.
type question struct {
	kind     kind
	ref      int64
	function string
	answer   trace.Param
}

// quietClasses are the classes that were looked at; nil are those that are not quiet.
type quietClasses map[*trace.Class]*quiet

// of returns what the streams of the class of s ask, nil if they may do more.
func (known quietClasses) of(s *trace.Stream) (*quiet, error) {
	c := s.Class()
	if c == nil || known == nil || c.Ranks().Len() < 2 {
		return nil, nil
	}
	q, ok := known[c]
	if ok {
		return q, nil
	}
	q, err := quietOf(c, s)
	known[c] = q
	return q, err
}

func quietOf(c *trace.Class, s *trace.Stream) (*quiet, error) {
	d, err := c.Data()
	if err != nil || len(d.Trips) > 0 {
		return nil, err
	}
	questions := map[int]question{} // by terminal
	column := 0                     // the first one of the terminal
	for t := range d.Terminals {
		tm, err := c.Template(uint32(t))
		if err != nil {
			return nil, err
		}
		specs := tm.Columns()
		if p := places[tm.Func]; p != nil && tm.Flags&trace.Failed == 0 {
			x, ok := questionOf(tm, p, d.Params[t], specs, d.Columns[column:column+len(specs)])
			if !ok {
				return nil, nil
			}
			questions[t] = x
		}
		column += len(specs)
	}
	q := &quiet{}
	if len(questions) == 0 {
		return q, nil
	}
	src, err := newSource(s)
	if err != nil || src.x == nil {
		return nil, err
	}
	first := make([]bool, len(src.sigs))
	for t := range questions {
		first[t] = true
	}
	for _, t := range src.x.NewSearch(make([]bool, len(first)), first).All() {
		if x, ok := questions[int(t)]; ok {
			q.asked = append(q.asked, x)
			delete(questions, int(t))
		}
		if len(questions) == 0 {
			break
		}
	}
	return q, nil
}

// questionOf tells what a terminal asks, if that is all that it does, always the same and of the same communicator.
func questionOf(tm *trace.Template, p *place, params []trace.Param, specs []trace.ColumnSpec, columns []trace.Cases[trace.ColumnData]) (question, bool) {
	f := spec.ByID(tm.Func)
	q := question{kind: p.kind, function: f.Name}
	name := map[kind]string{askRank: "rank", askSize: "size"}[p.kind]
	if name == "" || tm.Flags&trace.Unfinished != 0 || p.onSlot < 0 {
		return q, false
	}
	slot := slotOf(f, name, true)
	known := [2]bool{}
	k := 0
	for i, l := range trace.Leaves(nil, &tm.Signature) {
		var v trace.Param
		if v.N = 0; tm.Open[i] {
			v = params[k]
			k++
		} else if l.Kind() == trace.IntLeaf {
			v.N = l.Int()
		}
		switch l.Slot() {
		case p.onSlot:
			q.ref, known[0] = v.N, v.Fn == nil && v.Base == nil && tm.Slots[p.onSlot].Kind == trace.Ref && v.N != 0
		case slot:
			q.answer, known[1] = v, tm.Slots[slot].Kind == trace.Int
		}
	}
	if i := slices.IndexFunc(specs, func(s trace.ColumnSpec) bool { return s.Slot == slot }); i >= 0 && !known[1] {
		c := &columns[i]
		if len(c.Values) == 1 && c.Values[0].Blob < 0 && len(c.Values[0].Shape) == 1 && len(c.Values[0].Params) == 1 {
			q.answer, known[1] = c.Values[0].Params[0], true // one constant segment
		}
	}
	return q, known[0] && known[1]
}

// apply takes in what the process of a stream was told.
func (q *quiet) apply(p *process, s *trace.Stream) {
	if q == nil {
		return
	}
	for i := range q.asked {
		x := &q.asked[i]
		in := p.comm(x.ref)
		to := &in.rank
		if x.kind == askSize {
			to = &in.size
		}
		in.told(to, x.answer.At(s.ClassRank()), x.function)
	}
}
