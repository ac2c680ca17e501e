package cgen

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// A trace without a pattern has a grammar of many symbols, and compilers need a third of a
// millisecond for each statement. So what is too much to be written as C is a list of numbers: of
// calls, which one function with a switch makes, and of other lists. Calls that differ in their
// numbers only are one statement with a table (see rowtables.go).

// Bounds of what is written as C, in symbols of grammars.
const (
	mostWritten = 3000 // of a whole program without lists
	mostOutline = 1500 // of what is written of a program with lists: the outer loops
	longBody    = 200  // of a rule there
	longHead    = 100  // of the start rule, where MPI is initialised
)

// lists are the calls and lists of a program; nil if it has none.
type lists struct {
	g      *generator
	calls  []*code // distinct statements
	byText map[string]int
	rows   [][]word
	byRow  map[string]int

	// Names in the program.
	call, sequence, sequences, starts, kinds, total string
}

// A word is a call, or -1 less the number of a list, and how often it comes.
type word struct {
	item  int
	times uint64
}

// chooseLists decides which rules are lists: none in a program of usual size, else all but the
// outermost ones.
func (g *generator) chooseLists(all []*rules) {
	total := 0
	for _, r := range all {
		for _, body := range r.c.data.Grammar.Rules {
			total += len(body)
		}
	}
	if total <= mostWritten {
		return
	}
	for _, name := range [...]string{"kind", "row"} {
		g.names[name] = true
	}
	g.lists = &lists{g: g, byText: map[string]int{}, byRow: map[string]int{}, call: g.unique("call"),
		sequence: g.unique("sequence"), sequences: g.unique("sequences"), starts: g.unique("sequence_start"),
		kinds: g.unique("call_kind"), total: g.unique("CALLS")}
	type place struct {
		r    *rules
		rule int
	}
	var queue []place
	for _, r := range all {
		r.listed = make([]bool, len(r.c.data.Grammar.Rules))
		for i := range r.listed {
			r.listed[i] = true
		}
		queue = append(queue, place{r, 0})
	}
	left := mostOutline
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		body := p.r.c.data.Grammar.Rules[p.rule]
		if !p.r.listed[p.rule] || len(body) > min(left, longBody) {
			continue
		}
		p.r.listed[p.rule] = false
		left -= len(body)
		for _, s := range body {
			if s.ID&archive.RuleBit != 0 {
				queue = append(queue, place{p.r, int(s.ID &^ archive.RuleBit)})
			}
		}
	}
}

// inList tells whether a rule is a list.
func (r *rules) inList(rule int) bool { return r.listed != nil && r.listed[rule] }

// head is how many symbols of a start rule that is a list are written before it: up to the
// initialisation of MPI.
func (r *rules) head() int {
	body := r.c.data.Grammar.Rules[0]
	for j, s := range body[:min(len(body), longHead)] {
		if s.ID&archive.RuleBit == 0 && isInit(r.termCode(s.ID)) {
			return j + 1
		}
	}
	return 0
}

// listCode is the statement that makes the calls of a rule from a symbol on.
func (r *rules) listCode(rule, from int) *code {
	return r.g.lists.code(r.listWords(rule, from))
}

// code is the statement that makes the calls of some words.
func (l *lists) code(words []word) *code {
	switch {
	case len(words) == 0:
		return &code{}
	case len(words) == 1 && words[0].times == 1 && words[0].item >= 0:
		return l.calls[words[0].item]
	}
	return newCode("", cc.Do(cc.Call(l.sequence, cc.Int(l.row(words)))))
}

// row is the number of a list.
func (l *lists) row(words []word) int {
	if len(words) == 1 && words[0].times == 1 && words[0].item < 0 {
		return -1 - words[0].item
	}
	var key []byte
	for _, w := range words {
		key = binary.AppendVarint(key, int64(w.item))
		key = binary.AppendUvarint(key, w.times)
	}
	n, ok := l.byRow[string(key)]
	if !ok {
		n = len(l.rows)
		l.rows = append(l.rows, words)
		l.byRow[string(key)] = n
	}
	return n
}

// add appends a statement.
func (l *lists) add(words []word, x *code, times uint64) []word {
	if len(x.lines) == 0 {
		return words
	}
	text := strings.Join(x.lines, "\n")
	n, ok := l.byText[text]
	if !ok {
		n = len(l.calls)
		l.calls = append(l.calls, x)
		l.byText[text] = n
	}
	return append(words, word{n, times})
}

// listWords are the words of a rule from a symbol on.
func (r *rules) listWords(rule, from int) []word {
	l := r.g.lists
	body := r.c.data.Grammar.Rules[rule]
	words := make([]word, 0, len(body)-from)
	for j := from; j <= len(body); j++ {
		if rule == 0 {
			words = l.add(words, newCode("", r.insert[j]...), 1)
		}
		if j == len(body) {
			break
		}
		s := body[j]
		if s.Count >= 1 && s.Count <= math.MaxInt32 && (r.gaps == nil || s.Count == 1) {
			before, _ := r.between(body, j, from, &code{}, false)
			if before != nil {
				words = l.add(words, before, 1)
			}
			words = r.item(words, s)
			continue
		}
		parts := r.symbolCode(rule, j, from)
		for _, x := range parts {
			words = l.add(words, x, 1)
		}
	}
	return words
}

// item appends a symbol that is repeated a known number of times.
func (r *rules) item(words []word, s archive.Symbol) []word {
	l := r.g.lists
	switch {
	case s.ID&archive.RuleBit == 0:
		return l.add(words, r.bareCode(s.ID), s.Count)
	case !r.inList(int(s.ID &^ archive.RuleBit)):
		return l.add(words, r.ruleCode(int(s.ID&^archive.RuleBit)), s.Count)
	}
	inner := r.ruleWords(int(s.ID &^ archive.RuleBit))
	switch {
	case len(inner) == 0:
		return words
	case len(inner) == 1 && inner[0].times == 1:
		return append(words, word{inner[0].item, s.Count})
	}
	return append(words, word{-1 - l.row(inner), s.Count})
}

// ruleWords are the words of a rule that is a list.
func (r *rules) ruleWords(rule int) []word {
	if r.words == nil {
		r.words = make([][]word, len(r.listed))
	}
	if r.words[rule] == nil {
		r.words[rule] = r.listWords(rule, 0)
	}
	return r.words[rule]
}

// bareCode is the code of a call, however long it is.
func (r *rules) bareCode(id uint32) *code {
	if r.bare == nil {
		r.bare = make([]*code, len(r.c.terms))
	}
	if r.bare[id] == nil {
		r.bare[id] = r.callCode(r.c.terms[id])
	}
	return r.bare[id]
}

// declare is what has to be known before the functions that use lists.
func (l *lists) declare() string {
	if l == nil || len(l.rows) == 0 {
		return ""
	}
	return fmt.Sprintf("static void %s(long n);\n\n", l.sequence)
}

// write appends the lists and the calls to the code of the program.
func (l *lists) write() {
	if l == nil || len(l.rows) == 0 {
		return
	}
	b := &l.g.code
	number := l.writeCalls()
	fmt.Fprintf(b, "/* What follows no pattern, in lists of numbers: those of calls (see %s), and of other lists "+
		"plus %s; "+
		"what is negative says how often the\n * next one comes. */\n#define %s %d\n",
		l.call, l.total, l.total, len(l.calls))
	var words, starts []int64
	for _, row := range l.rows {
		starts = append(starts, int64(len(words)))
		for _, w := range row {
			if w.times > 1 {
				words = append(words, -int64(w.times))
			}
			if w.item >= 0 {
				words = append(words, int64(number[w.item]))
			} else {
				words = append(words, int64(len(l.calls)-1-w.item))
			}
		}
	}
	starts = append(starts, int64(len(words)))
	writeNumbers(b, "int", l.sequences, words)
	writeNumbers(b, "int", l.starts, starts)
	b.WriteString(frame("sequence", "SEQUENCE", l.sequence, "LISTS", l.sequences, "STARTS", l.starts,
		"TOTAL", l.total, "CALL", l.call))
}

// writeNumbers writes a table.
func writeNumbers(b *strings.Builder, ctype, name string, vals []int64) {
	fmt.Fprintf(b, "static const %s %s[] = {\n    %s};\n", ctype, name, numberLines(vals))
}
