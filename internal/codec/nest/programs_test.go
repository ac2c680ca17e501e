package nest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A counter says how often something is done this time.
type counter func(*rand.Rand) int

func once(*rand.Rand) int { return 1 }

// A statement is a part of a test program: a call, or a loop.
type statement struct {
	label int32
	body  []*statement
	times counter
}

// A source is a random program. Its labels ascend as lines of a source do.
type source struct {
	rnd    *rand.Rand
	labels int32
}

// counts draws how often something is done each time.
func (s *source) counts() counter {
	switch s.rnd.IntN(4) {
	case 0:
		n := 2 + s.rnd.IntN(3)
		return func(*rand.Rand) int { return n }
	case 1: // none, one or many
		n := 2 + s.rnd.IntN(4)
		return func(r *rand.Rand) int { return r.IntN(n + 1) }
	case 2:
		n := 2 + s.rnd.IntN(4)
		return func(r *rand.Rand) int { return 1 + r.IntN(n) }
	}
	n := 3 + s.rnd.IntN(3)
	return func(r *rand.Rand) int { return n - r.IntN(2) }
}

// branch draws whether something is done.
func (s *source) branch() counter {
	if k := 2 + s.rnd.IntN(9); s.rnd.IntN(2) == 0 {
		i := s.rnd.IntN(k)
		return func(*rand.Rand) int {
			if i++; i%k == 0 {
				return 1
			}
			return 0
		}
	}
	p := 0.2 + 0.6*s.rnd.Float64()
	return func(r *rand.Rand) int {
		if r.Float64() < p {
			return 1
		}
		return 0
	}
}

func (s *source) call(times counter) *statement {
	s.labels++
	return &statement{label: s.labels, times: times}
}

// body makes some statements, one of which at least is always done.
func (s *source) body(depth int) []*statement {
	var out []*statement
	first := s.rnd.IntN(3) > 0
	if first {
		out = append(out, s.call(once))
	}
	for range 1 + s.rnd.IntN(3) {
		switch k := s.rnd.IntN(10); {
		case k < 4:
			out = append(out, s.call(once))
		case k < 5: // completions
			n := 2 + s.rnd.IntN(3)
			out = append(out, s.call(func(r *rand.Rand) int { return 1 + r.IntN(n) }))
		case k < 7:
			out = append(out, s.call(s.branch()))
		case depth < 2:
			out = append(out, &statement{times: s.counts(), body: s.body(depth + 1)})
		}
	}
	if !first || s.rnd.IntN(2) == 0 {
		out = append(out, s.call(once))
	}
	return out
}

// done is what is known of a statement: the fewest and the most times that it was done in a row, and whether it was
// done in other iterations of the loop around it than the first, and the last ones.
type done struct {
	min, max       int
	later, earlier bool
}

// draw executes statements in an iteration, which may be the first or the last one of its loop.
func draw(r *rand.Rand, seq []*statement, word []uint32, seen map[*statement]*done, first, last bool) []uint32 {
	for _, s := range seq {
		n := s.times(r)
		d := seen[s]
		if d == nil {
			d = &done{min: n, max: n}
			seen[s] = d
		}
		d.min, d.max = min(d.min, n), max(d.max, n)
		d.later, d.earlier = d.later || n > 0 && !first, d.earlier || n > 0 && !last
		for i := range n {
			if s.body == nil {
				word = append(word, uint32(s.label))
			} else {
				word = draw(r, s.body, word, seen, i == 0, i == n-1)
			}
		}
	}
	return word
}

// executed is what a program does on its own in the order of its source.
func executed(r *rand.Rand, program []*statement, seen map[*statement]*done) []uint32 {
	return draw(r, program, nil, seen, true, true)
}

// shape is the nest of a program as far as it was executed, as compilers define natural loops. What is never done more
// than once in a row is no loop. What begins the body of a loop and was done in first iterations only stands before it:
// the loop never went back there. What ends the body and was done in last iterations only stands behind.
func shape(seq []*statement, seen map[*statement]*done) []string {
	var out []string
	for _, s := range seq {
		switch d := seen[s]; {
		case d == nil || d.max == 0:
		case s.body == nil:
			out = append(out, fmt.Sprint(s.label))
		case d.max == 1:
			out = append(out, shape(s.body, seen)...)
		default:
			from, to := 0, len(s.body)
			for from < to && !seen[s.body[from]].later {
				from++
			}
			for to > from && !seen[s.body[to-1]].earlier {
				to--
			}
			out = append(out, shape(s.body[:from], seen)...)
			out = append(out, braced(shape(s.body[from:to], seen)))
			out = append(out, shape(s.body[to:], seen)...)
		}
	}
	return out
}

// braced is a loop over a body. A loop over one call is a call that is repeated.
func braced(body []string) string {
	if len(body) == 1 && body[0][0] != '{' {
		return body[0]
	}
	return "{" + strings.Join(body, " ") + "}"
}

func found(e *Executions) []string {
	var out []string
	for _, b := range e.Body {
		if b.Part.IsLoop() {
			out = append(out, braced(found(b)))
		} else {
			out = append(out, fmt.Sprint(b.Part.Label))
		}
	}
	return out
}

// TestSources finds the nests of random programs in what four ranks of them did, with equal and with
// different draws. What is not found is said to be open. TABARD_PROGRAMS is how many programs.
func TestSources(t *testing.T) {
	programs := 500
	if s := os.Getenv("TABARD_PROGRAMS"); s != "" {
		var err error
		if programs, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	right, open := 0, 0
	for seed := range uint64(programs) {
		s := &source{rnd: rand.New(rand.NewPCG(seed, 11)), labels: -1}
		steps := 20 + s.rnd.IntN(60)
		program := []*statement{s.call(once), {times: func(*rand.Rand) int { return steps }, body: s.body(0)},
			s.call(once)}
		seen := map[*statement]*done{}
		var words [][]uint32
		same := s.rnd.IntN(2) == 0
		for rank := range uint64(4) {
			if same {
				rank = 0
			}
			w := executed(rand.New(rand.NewPCG(seed, rank)), program, seen)
			if !slices.ContainsFunc(words, func(o []uint32) bool { return slices.Equal(o, w) }) {
				words = append(words, w)
			}
		}
		r := readOf(t, words...)
		got, want := strings.Join(found(r.Runs[0]), " "), strings.Join(shape(program, seen), " ")
		switch {
		case got == want:
			right++
		case slices.ContainsFunc(loops(r.Tree.Root.Body), func(p *Part) bool { return p.Or > 0 }):
			open++
			t.Logf("%d: open: %s, not %s", seed, text(r.Runs[0]), want)
		default:
			t.Errorf("%d: %s, not %s", seed, text(r.Runs[0]), want)
		}
	}
	t.Logf("%d of %d found, %d open", right, programs, open)
	if right < programs*98/100 {
		t.Errorf("%d of %d found, %d open", right, programs, open)
	}
}
