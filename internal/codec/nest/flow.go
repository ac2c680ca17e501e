package nest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// A Flow says which labels follow each other in some sequences.
type Flow struct {
	next  map[[2]int32]uint64 // how often the second follows the first
	first []int32             // labels in the order of their first occurrence
	rank  map[int32]int       // place in first
	entry map[int32]uint64    // how many sequences begin with a label
}

// NewFlow returns the flow of no sequence.
func NewFlow() *Flow {
	return &Flow{next: map[[2]int32]uint64{}, rank: map[int32]int{}, entry: map[int32]uint64{}}
}

// Add adds the sequence that x derives, where label gives the label of each terminal.
func (f *Flow) Add(x *grammar.Index, label []int32) {
	rules := x.Grammar().Rules
	begins, ends := make([]int32, len(rules)), make([]int32, len(rules))
	times := x.RuleOccurrences()
	end := func(s grammar.Symbol, of []int32) int32 {
		if s.IsRule() {
			return of[s.Rule()]
		}
		return label[s.ID]
	}
	for _, r := range x.BottomUp() {
		body := rules[r]
		if len(body) == 0 {
			continue
		}
		begins[r], ends[r] = end(body[0], begins), end(body[len(body)-1], ends)
		for i, s := range body {
			if s.Count > 1 {
				f.next[[2]int32{end(s, ends), end(s, begins)}] += (s.Count - 1) * times[r]
			}
			if i > 0 {
				f.next[[2]int32{end(body[i-1], ends), end(s, begins)}] += times[r]
			}
		}
	}
	f.entry[begins[0]]++
	for t := range x.Grammar().FirstUses() {
		if _, ok := f.rank[label[t]]; !ok {
			f.rank[label[t]] = len(f.first)
			f.first = append(f.first, label[t])
		}
	}
}

// edges are the transitions between some labels as lists of successors, in the order of first
// occurrence.
func (f *Flow) edges(among map[int32]bool) map[int32][]int32 {
	to := map[int32][]int32{}
	for e := range f.next {
		if among[e[0]] && among[e[1]] {
			to[e[0]] = append(to[e[0]], e[1])
		}
	}
	for _, list := range to {
		slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(f.rank[a], f.rank[b]) })
	}
	return to
}

// entered is how often label v is come to from outside of some labels.
func (f *Flow) entered(v int32, among map[int32]bool) uint64 {
	n := f.entry[v]
	for e, k := range f.next {
		if e[1] == v && !among[e[0]] {
			n += k
		}
	}
	return n
}

// sorted is all transitions, in the order of first occurrence of the labels.
func (f *Flow) sorted() [][2]int32 {
	return slices.SortedFunc(maps.Keys(f.next), func(a, b [2]int32) int {
		return cmp.Or(cmp.Compare(f.rank[a[0]], f.rank[b[0]]), cmp.Compare(f.rank[a[1]], f.rank[b[1]]))
	})
}
