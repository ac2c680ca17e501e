package archive

import (
	"fmt"
	"strings"
	"testing"
)

// A rule has a terminal if it or a rule in it has, however deep that is, and in whatever order the
// rules are.
func TestRulesWith(t *testing.T) {
	rule := func(n uint32) Symbol { return Symbol{ID: n | RuleBit, Count: 2} }
	call := func(n uint32) Symbol { return Symbol{ID: n, Count: 1} }
	g := &Grammar{Rules: [][]Symbol{
		{rule(1), call(0), rule(4)}, {call(1), rule(2)}, {rule(3), call(1)}, {call(7)}, {call(0), call(1)},
	}}
	for terminal, want := range map[uint32]string{
		7: "true true true true false", 1: "true true true false true", 0: "true false false false true",
		9: "false false false false false",
	} {
		got := rulesWith(g, func(t uint32) bool { return t == terminal })
		if s := strings.Trim(fmt.Sprint(got), "[]"); s != want {
			t.Errorf("terminal %d: %s, not %s", terminal, s, want)
		}
	}
}
