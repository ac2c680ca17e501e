package cli

import "tabard/internal/suggest"

// closest returns at most max of the candidates that resemble word, best
// first; none if nothing comes near.
func closest(word string, candidates []string, max int) []string {
	return suggest.Closest(word, candidates, max)
}
