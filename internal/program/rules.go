package program

import "github.com/tabard-hpc/tabard/internal/archive"

// RulesWith tells of each rule of a grammar whether it contains, itself or through other rules, a
// terminal that is wanted. It does not recurse: damaged recordings may nest rules deeply.
func RulesWith(g *archive.Grammar, wanted func(terminal uint32) bool) []bool {
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
