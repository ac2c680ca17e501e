package archivetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Soak is which damaged files a test makes: N of them, from number First on, of a sequence that Seed gives. Each file
// has chances of its own, so that it can be made alone, and several processes can share a sequence.
type Soak struct{ Seed, First, N uint64 }

// SoakOf is what the environment says: TABARD_DAMAGE files, TABARD_DAMAGE_FIRST and TABARD_DAMAGE_SEED. Without it the
// test makes the first n files of seed 1.
func SoakOf(t testing.TB, n uint64) Soak {
	t.Helper()
	s := Soak{Seed: 1, N: n}
	for name, to := range map[string]*uint64{"": &s.N, "_FIRST": &s.First, "_SEED": &s.Seed} {
		if text := os.Getenv("TABARD_DAMAGE" + name); text != "" {
			var err error
			if *to, err = strconv.ParseUint(text, 10, 64); err != nil {
				t.Fatalf("TABARD_DAMAGE%s: %v", name, err)
			}
		}
	}
	return s
}

// Rand gives the chances of file i.
func (s Soak) Rand(i uint64) *rand.Rand { return rand.New(rand.NewPCG(s.Seed, i)) }

// File names file i, and how to make it again.
func (s Soak) File(i uint64) string {
	return fmt.Sprintf("TABARD_DAMAGE=1 TABARD_DAMAGE_SEED=%d TABARD_DAMAGE_FIRST=%d", s.Seed, i)
}
