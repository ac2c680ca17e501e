package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/infer"
)

// A sizeRule is numbers of ranks that programs are for, in words and in C.
type sizeRule struct {
	words, c string
	holds    func(n int) bool
}

// sizeRules are the rules by which programs admit numbers of ranks, the simplest first.
func sizeRules() []sizeRule {
	power := func(k int) func(n int) bool {
		return func(n int) bool {
			for i := 1; ; i++ {
				x := 1
				for range k {
					x *= i
				}
				if x >= n {
					return x == n
				}
			}
		}
	}
	list := []sizeRule{{"any number of ranks", "1", func(int) bool { return true }}}
	for m := 2; m <= 8; m++ {
		words := fmt.Sprintf("multiples of %d", m)
		if m == 2 {
			words = "even numbers of ranks"
		}
		list = append(list, sizeRule{words, fmt.Sprintf("n %% %d == 0", m), func(n int) bool { return n%m == 0 }})
	}
	return append(list,
		sizeRule{"powers of two", "(n & (n - 1)) == 0", func(n int) bool { return n&(n-1) == 0 }},
		sizeRule{"squares", "is_power(n, 2)", power(2)}, sizeRule{"cubes", "is_power(n, 3)", power(3)})
}

// admission is which numbers of ranks a program admits.
type admission struct {
	infer.Admitted
	rule *sizeRule // nil if none was found: then it admits those that were tried
	from int       // where the rule begins
}

// minRule is how many sizes a rule that leaves out some has to have given.
const minRule = 3

// admissionOf finds the rule of the sizes that fit.
func admissionOf(a infer.Admitted) *admission {
	x := &admission{Admitted: a}
	rules := sizeRules()
	if a.Tried == 0 {
		x.rule, x.from = &rules[0], 1
		return x
	}
	for _, r := range rules {
		for _, from := range a.Sizes {
			if from > 4 || from > a.Tried {
				break
			}
			n := 0
			fits := true
			for size := from; size <= a.Tried && fits; size++ {
				there := slices.Contains(a.Sizes, size)
				fits = there == r.holds(size)
				if there {
					n++
				}
			}
			if fits && n >= minRule {
				x.rule, x.from = &r, from
				return x
			}
		}
	}
	return x
}

// all tells whether nothing is to be checked.
func (x *admission) all() bool { return x.rule != nil && x.rule.c == "1" && x.from == 1 }

// String names the sizes.
func (x *admission) String() string {
	if x.rule != nil {
		if x.from > 1 {
			return fmt.Sprintf("%s from %d on", x.rule.words, x.from)
		}
		return x.rule.words
	}
	var list []string
	for _, n := range x.Sizes {
		list = append(list, fmt.Sprint(n))
	}
	return fmt.Sprintf("%s ranks; up to %d were tried", strings.Join(list, ", "), x.Tried)
}

// condition is the numbers of ranks in C, as a function of n.
func (x *admission) condition() string {
	if x.rule != nil {
		return fmt.Sprintf("n >= %d && %s", x.from, x.rule.c)
	}
	var list []string
	for _, n := range x.Sizes {
		list = append(list, fmt.Sprintf("n == %d", n))
	}
	return strings.Join(list, " || ")
}
