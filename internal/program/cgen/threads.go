package cgen

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// A thread is what the threads with one number do in all processes that have it.
type thread struct {
	number  int
	ranks   *archive.RankSet
	created *archive.RankSet // of those, where its creations are recorded
	streams []*stream
	joined  bool   // it is recorded when it is waited for
	body    string // the name of its function
}

// Records of the creation of threads: see capture/core/lives.c.
const (
	createRecord = "tabard_thread_create"
	beginRecord  = "tabard_thread_begin"
	joinRecord   = "tabard_thread_join"
)

// findThreads finds the threads besides the first ones.
func (g *generator) findThreads() {
	for _, c := range g.classes {
		if c.Thread() == 0 {
			continue
		}
		i := slices.IndexFunc(g.threads, func(t *thread) bool { return t.number == c.Thread() })
		if i < 0 {
			i = len(g.threads)
			g.threads = append(g.threads, &thread{number: c.Thread()})
		}
		t := g.threads[i]
		t.ranks = t.ranks.Union(c.Ranks())
		if c.begins() {
			t.created = t.created.Union(c.Ranks())
			g.creations = true
		}
	}
	sort.Slice(g.threads, func(i, j int) bool { return g.threads[i].number < g.threads[j].number })
	g.findJoins()
	for _, t := range g.threads {
		t.body = g.unique(fmt.Sprintf("thread_%d", t.number))
	}
}

// findJoins finds the threads that are recorded to be waited for: nothing else needs to wait for them until the end.
func (g *generator) findJoins() {
	for _, c := range g.classes {
		for _, t := range c.terms {
			if t.Name != joinRecord {
				continue
			}
			n, same := t.slot(0).n.constant()
			same = same && t.slot(0).kind == archive.Int
			for _, x := range g.threads {
				x.joined = x.joined || !same || int64(x.number) == n
			}
		}
	}
}

// threadFunctions writes the functions of all threads but the first ones.
func (g *generator) threadFunctions() {
	for i, c := range g.classes {
		for _, t := range g.threads {
			if t.number == c.Thread() {
				r := g.rules[i]
				t.streams = append(t.streams, &stream{c, r, r.symbols(0, 0)})
			}
		}
	}
	for _, t := range g.threads {
		entry := g.streams(t.streams, 0, t.ranks)
		number, last := "", ""
		if g.creations {
			number, last = fmt.Sprintf("    number = %d;\n", t.number), "    end_lives();\n"
			g.need("end_lives")
		}
		fmt.Fprintf(&g.code, "static void *%s(void *unused)\n{\n%s    start_objects();\n%s%s    return unused;\n}\n\n",
			t.body, number, g.text(entry...), last)
	}
}

// begins tells whether the calls of a class of threads begin with the record that their creation is recorded.
func (c *class) begins() bool {
	first := uint32(archive.RuleBit)
	for rules := c.data.Grammar.Rules; first&archive.RuleBit != 0; {
		body := rules[first&^archive.RuleBit]
		if len(body) == 0 {
			return false
		}
		first = body[0].ID
	}
	return c.terms[first].Name == beginRecord
}

// declareThreads declares what the functions of threads use.
func (g *generator) declareThreads(b *strings.Builder) {
	if len(g.threads) == 0 {
		return
	}
	n := g.threads[len(g.threads)-1].number + 1
	fmt.Fprintf(b, "static pthread_t thread[%d];\n", n)
	if !g.creations {
		return
	}
	bodies := make([]string, n)
	for i := range bodies {
		bodies[i] = "NULL"
	}
	for _, t := range g.threads {
		fmt.Fprintf(b, "static void *%s(void *unused);\n", t.body)
		bodies[t.number] = t.body
	}
	fmt.Fprintf(b, "static void *(*const thread_body[%d])(void *) = {%s};\n", n, strings.Join(bodies, ", "))
	b.WriteString("/* Threads with one number, one after the other: how many were created and have begun. */\n")
	fmt.Fprintf(b, "static long created[%d], begun[%[1]d];\n", n)
	fmt.Fprintf(b, "static enum { NOT_STARTED, RUNS, ENDED } stage[%d];\nstatic $LOCAL int number;\n", n)
}

// life is what a record of the creation, the beginning or the end of threads becomes. Those with a number are one
// thread: it waits until the next one is created.
func (g *generator) life(t *terminal, number func(slot int, hint string) *cc.Expr) []*cc.Stmt {
	if !g.creations {
		return nil
	}
	if t.Name == beginRecord {
		return []*cc.Stmt{cc.Do(cc.Call("begin_life", number(0, "creations")))}
	}
	n := number(0, "thread")
	if v, ok := t.slot(0).n.constant(); ok && t.slot(0).kind != archive.Hole &&
		!slices.ContainsFunc(g.threads, func(x *thread) bool { return int64(x.number) == v }) {
		return nil // it makes no calls
	}
	if t.Name == createRecord {
		return []*cc.Stmt{cc.Do(cc.Call("create_thread", n))}
	}
	return []*cc.Stmt{cc.Do(cc.Call("join_thread", n))}
}

// placeThreads finds where in the start rule of a class threads begin and end. Those whose creation is not recorded
// begin after all calls that had returned, at any rank, when they made their first one. All are waited for before the
// calls that came after their last one at all ranks.
func (r *rules) placeThreads() error {
	r.insert = map[int][]*cc.Stmt{}
	begins, after := map[int][]*cc.Stmt{}, map[int][]*cc.Stmt{}
	body := r.c.data.Grammar.Rules[0]
	for _, t := range r.g.threads {
		var members []int
		for rank := range r.c.Ranks().All() {
			if t.ranks.Contains(rank) {
				members = append(members, rank)
			}
		}
		if len(members) == 0 {
			continue
		}
		begin, end := r.afterInit(body), len(body)
		if len(body) > 0 {
			end-- // MPI_Finalize
		}
		b, e, err := r.spans(t, members)
		if err != nil {
			return err
		}
		if e >= 0 {
			begin = max(begin, min(b, end)) // times may say nothing: not behind the end
			if !t.joined {
				end = max(begin, min(end, e))
			}
		}
		cond := r.g.condition(rankfunc.NewSet(members), r.c.Ranks())
		number := cc.Int(t.number)
		if alone := slices.DeleteFunc(slices.Clone(members), t.created.Contains); len(alone) > 0 {
			start := cc.Do(cc.Call("begin_thread", number, cc.Name(t.body)))
			if r.g.creations {
				start = cc.Do(cc.Call("start_thread", number))
			}
			begins[begin] = append(begins[begin], onlyIf(r.g.condition(rankfunc.NewSet(alone), r.c.Ranks()), start))
		}
		wait := cc.Call("pthread_join", cc.Index(cc.Name("thread"), number), cc.Null)
		if r.g.creations {
			wait = cc.Call("finish_thread", number)
		}
		join := onlyIf(cond, cc.Do(wait))
		if begin == end {
			after[end] = append(after[end], join)
		} else {
			r.insert[end] = append(r.insert[end], join)
		}
	}
	for j := range len(body) + 1 { // those that began before end first
		if list := slices.Concat(r.insert[j], begins[j], after[j]); len(list) > 0 {
			r.insert[j] = list
		}
	}
	return nil
}

// afterInit is the place after the symbol that initialises MPI.
func (r *rules) afterInit(body []archive.Symbol) int {
	for j, s := range body {
		if s.ID&archive.RuleBit == 0 && strings.HasPrefix(r.c.terms[s.ID].Name, "MPI_Init") {
			return j + 1
		}
	}
	return 0
}

// spans is where a thread begins and ends by the times of all ranks; end is -1 if they are not known.
func (r *rules) spans(t *thread, ranks []int) (begin, end int, err error) {
	for i, rank := range ranks {
		b, e, err := r.span(t, rank)
		if err != nil || e < 0 {
			return 0, -1, err
		}
		if i == 0 {
			begin = b
		}
		begin, end = min(begin, b), max(end, e)
	}
	return begin, end, nil
}

// span is where a thread begins and ends by the times of a rank; end is -1 if they are not known.
func (r *rules) span(t *thread, rank int) (begin, end int, err error) {
	var other *archive.Stream
	for _, s := range t.streams {
		if s.c.Ranks().Contains(rank) {
			other = s.c.Stream(rank)
		}
	}
	main := r.c.Stream(rank)
	if other == nil || !other.Timed() || !main.Timed() || other.Calls() == 0 {
		return 0, -1, nil
	}
	first, err := other.CallAt(0)
	if err != nil {
		return 0, -1, err
	}
	last, err := other.CallAt(other.Calls() - 1)
	if err != nil {
		return 0, -1, err
	}
	gr, err := main.Grammar()
	if err != nil {
		return 0, -1, err
	}
	at := []uint64{0} // the number of the first call of each symbol
	lengths := make([]uint64, len(gr.Rules))
	event := uint64(0)
	for _, s := range gr.Rules[0] {
		event += symbolLength(gr, lengths, s)
		n, err := main.CallsBefore(event)
		if err != nil {
			return 0, -1, err
		}
		at = append(at, n)
	}
	fail := func(e error) bool { err = e; return true }
	begin = sort.Search(len(at)-1, func(j int) bool { // the first symbol that has not returned by then
		c, e := main.CallAt(at[j+1] - 1)
		if e != nil {
			return fail(e)
		}
		return c.End > first.Start
	})
	end = sort.Search(len(at)-1, func(j int) bool {
		c, e := main.CallAt(at[j])
		if e != nil {
			return fail(e)
		}
		return c.Start >= last.End
	})
	return begin, end, err
}

// symbolLength is the number of events of a symbol; lengths has those of rules that are known.
func symbolLength(g *archive.Grammar, lengths []uint64, s archive.Symbol) uint64 {
	if s.ID&archive.RuleBit == 0 {
		return uint64(s.Count)
	}
	rule := s.ID &^ archive.RuleBit
	if lengths[rule] == 0 {
		for _, x := range g.Rules[rule] {
			lengths[rule] += symbolLength(g, lengths, x)
		}
	}
	return uint64(s.Count) * lengths[rule]
}

// local says that static variables belong to a thread, where there are several.
func (g *generator) local(text string) string {
	if len(g.threads) > 0 {
		return strings.ReplaceAll(text, "$LOCAL ", "__thread ")
	}
	return strings.ReplaceAll(text, "$LOCAL ", "")
}
