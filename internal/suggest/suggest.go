// Package suggest finds what a mistyped word was meant to be.
package suggest

import (
	"slices"
	"strings"
)

// Closest returns at most most of the candidates that resemble word, best
// first; none if nothing comes near.
func Closest(word string, candidates []string, most int) []string {
	type match struct {
		name string
		cost int
	}
	var found []match
	w := strings.ToLower(word)
	for _, c := range candidates {
		lc := strings.ToLower(c)
		cost := distance(w, lc)
		if len(w) >= 3 && (strings.HasPrefix(lc, w) || strings.HasPrefix(w, lc)) {
			cost = min(cost, 1)
		}
		// If at most a third of the letters differ, it is a typing error; else it is another word.
		if cost*3 <= max(len(w), len(lc), 3) {
			found = append(found, match{c, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return a.cost - b.cost })
	var names []string
	for _, m := range found {
		if len(names) < most && !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours.
func distance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			subst := prev[j-1]
			if a[i-1] != b[j-1] {
				subst++
			}
			cur[j] = min(subst, min(prev[j], cur[j-1])+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
