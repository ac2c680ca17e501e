package archive

import (
	"iter"

	"github.com/tabard-hpc/tabard/spec"
)

// Only yields the calls of the wanted terminals, in order, and walks past all rules that have none.
// Runs of polls are one call. The calls have no numbers and no times. As with Iter, the yielded call
// is reused, and after an error the iteration ends.
func Only(s *Stream, wanted func(terminal uint32) bool) iter.Seq2[*Call, error] {
	return OnlySlots(s, wanted, nil, 0)
}

// OnlySlots is Only, without what is in columns of slots that reads, unless it is nil, does not ask for. These are
// left Holes. Calls from event before on are not asked for, and may be an error; 0 is all.
func OnlySlots(s *Stream, wanted func(terminal uint32) bool, reads func(terminal uint32, slot int) bool, before uint64,
) iter.Seq2[*Call, error] {
	return OnlyInto(s, wanted, reads, before, nil)
}

// OnlyInto is OnlySlots for those who keep calls: the values of calls with columns are appended to *into(), unless into
// is nil, and stay there. Those of other calls are the signature's.
func OnlyInto(s *Stream, wanted func(terminal uint32) bool, reads func(terminal uint32, slot int) bool, before uint64,
	into func() *[]Value,
) iter.Seq2[*Call, error] {
	return func(yield func(*Call, error) bool) {
		l, err := s.open()
		if err != nil {
			yield(nil, err)
			return
		}
		r := &reader{s: s, l: l, cols: make([]*colReader, len(l.Columns)), occ: make([]uint64, len(l.tms)),
			reads: reads, before: before, into: into}
		g := l.x.Grammar()
		with := rulesWith(g, wanted)
		type frame struct {
			rule, next int
			times      uint64
		}
		stack := []frame{{times: 1}}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == len(g.Rules[f.rule]) {
				if f.next = 0; f.times <= 1 {
					stack = stack[:len(stack)-1]
				} else {
					f.times--
				}
				continue
			}
			x := g.Rules[f.rule][f.next]
			f.next++
			switch {
			case x.IsRule() && with[x.Rule()] && x.Count > 0:
				stack = append(stack, frame{rule: x.Rule(), times: x.Count})
			case !x.IsRule() && wanted(x.ID):
				for range x.Count {
					err := r.event(x.ID)
					if !yield(&r.call, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// nearEvents is how many events in a row are sooner read than looked up where the next wanted one is.
const nearEvents = 64

// IterOnly yields those calls of Iter, with their numbers and times, that are of the wanted terminals. It takes no time
// for others: there may be any number of them.
func (s *Stream) IterOnly(wanted func(terminal uint32) bool) iter.Seq2[*Call, error] {
	return func(yield func(*Call, error) bool) {
		r, err := s.newReader()
		if err != nil {
			yield(nil, err)
			return
		}
		every := make([]bool, len(r.l.tms))
		for t := range every {
			every[t] = wanted(uint32(t))
		}
		event := uint64(0) // the next one that r reads
		for at := range r.l.x.NewSearch(every, nil).All() {
			if at-event > nearEvents {
				calls, err := s.callsBefore(r.l, at)
				if err == nil {
					err = r.seek(calls)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				event = at
			}
			for event <= at {
				more, err := r.next()
				if err == nil && !more {
					err = r.fail("call %d is missing", r.index)
				}
				if err != nil || event == at && !yield(&r.call, nil) {
					if err != nil {
						yield(nil, err)
					}
					return
				}
				if r.pollLeft == 0 {
					event++
				}
			}
		}
	}
}

// event makes r.call the next call of a terminal.
func (r *reader) event(t uint32) error {
	if r.sigs == nil {
		r.sigs, r.sites = r.l.signatures(), r.s.sites()
	}
	sig, k := r.sigs[t], r.occ[t]
	r.occ[t]++
	r.call = Call{Terminal: t, Func: spec.ByID(sig.Func), Flags: sig.Flags, Ret: sig.Ret, Slots: sig.Slots,
		Site: siteOf(r.sites, sig), stream: r.s}
	if place, end := r.l.first[t], r.l.first[t+1]; place != end {
		return r.fill(sig, place, k)
	}
	return nil
}

// rulesWith tells of each rule of a grammar whether it contains, itself or through other rules, a
// terminal that is wanted. It does not recurse: damaged recordings may nest rules deeply.
func rulesWith(g *Grammar, wanted func(terminal uint32) bool) []bool {
	out := make([]bool, len(g.Rules))
	users := make([][]int, len(g.Rules))
	var found []int
	for i, body := range g.Rules {
		for _, s := range body {
			switch {
			case s.IsRule():
				users[s.Rule()] = append(users[s.Rule()], i)
			case !out[i] && wanted(s.ID):
				out[i] = true
				found = append(found, i)
			}
		}
	}
	for len(found) > 0 {
		i := found[len(found)-1]
		found = found[:len(found)-1]
		for _, user := range users[i] {
			if !out[user] {
				out[user] = true
				found = append(found, user)
			}
		}
	}
	return out
}

// Events is Stream.Iter without the values that are in columns: these are left Holes.
func Events(s *Stream, from uint64) iter.Seq2[*Call, error] {
	return EventsWith(s, from, func(uint32, int) bool { return false })
}

// EventsWith is Events with those values in columns that reads asks for, by terminal and slot.
func EventsWith(s *Stream, from uint64, reads func(terminal uint32, slot int) bool) iter.Seq2[*Call, error] {
	return s.iter(from, reads, true)
}

// Untimed is EventsWith from the first call on, without times.
func Untimed(s *Stream, reads func(terminal uint32, slot int) bool) iter.Seq2[*Call, error] {
	return s.iter(0, reads, false)
}
