package comms

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Most processes do nothing to communicators but ask for their rank and its size. In a class of the
// archive whose streams do no more, only one stream is read. The answers of the others follow from
// their ranks.

// queryOnly lists what the streams of a class ask, in the order of their first calls. They do
// nothing else to communicators.
type queryOnly struct{ asked []question }

// question is what a process asks of a communicator, and what it is told.
type question struct {
	kind     kind
	ref      int64
	function string
	answer   archive.Param
}

// queryOnlyClasses are the classes that were looked at. Those that do more than ask are nil.
type queryOnlyClasses map[*archive.Class]*queryOnly

// of returns what the streams of the class of s ask, nil if they may do more.
func (known queryOnlyClasses) of(s *archive.Stream) (*queryOnly, error) {
	c := s.Class()
	if c == nil || known == nil || c.Ranks().Len() < 2 {
		return nil, nil
	}
	q, ok := known[c]
	if ok {
		return q, nil
	}
	q, err := queryOnlyOf(c, s)
	known[c] = q
	return q, err
}

func queryOnlyOf(c *archive.Class, s *archive.Stream) (*queryOnly, error) {
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
		if p := places[tm.Func]; p != nil && tm.Flags&archive.Failed == 0 {
			x, ok := questionOf(tm, p, d.Params[t], specs, d.Columns[column:column+len(specs)])
			if !ok {
				return nil, nil
			}
			questions[t] = x
		}
		column += len(specs)
	}
	q := &queryOnly{}
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

// questionOf tells what a terminal asks. It is not ok if the terminal does anything else, or if the
// question or its communicator changes.
func questionOf(tm *archive.Template, p *place, params []archive.Param, specs []archive.ColumnSpec,
	columns []archive.Cases[archive.ColumnData]) (question, bool) {
	f := spec.ByID(tm.Func)
	q := question{kind: p.kind, function: f.Name}
	name := map[kind]string{askRank: "rank", askSize: "size"}[p.kind]
	if name == "" || tm.Flags&archive.Unfinished != 0 || p.onSlot < 0 {
		return q, false
	}
	slot := f.Out(name)
	known := [2]bool{}
	k := 0
	for i, l := range archive.Leaves(nil, &tm.Signature) {
		var v archive.Param
		if v.N = 0; tm.Open[i] {
			v = params[k]
			k++
		} else if l.Kind() == archive.IntLeaf {
			v.N = l.Int()
		}
		switch l.Slot() {
		case p.onSlot:
			q.ref, known[0] = v.N, v.Fn == nil && v.Base == nil && tm.Slots[p.onSlot].Kind == archive.Ref && v.N != 0
		case slot:
			q.answer, known[1] = v, tm.Slots[slot].Kind == archive.Int
		}
	}
	if i := slices.IndexFunc(specs, func(s archive.ColumnSpec) bool { return s.Slot == slot }); i >= 0 && !known[1] {
		c := &columns[i]
		if len(c.Values) == 1 && c.Values[0].Blob < 0 && len(c.Values[0].Shape) == 1 && len(c.Values[0].Params) == 1 {
			q.answer, known[1] = c.Values[0].Params[0], true // one constant segment
		}
	}
	return q, known[0] && known[1]
}

// apply takes in what the process of a stream was told.
func (q *queryOnly) apply(p *process, s *archive.Stream) {
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
