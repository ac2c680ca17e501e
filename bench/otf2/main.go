// Command otf2 sets recordings of Tabard beside OTF2 archives that EZTrace makes of the same
// programs: bytes, what recording costs, and the time to a communication matrix:
//
//	go run ./bench/otf2 [-pairs N] [-steps N] [-tabard FILE]
//
// The cost is CPU time of all processes, less that of untraced runs, per MPI call; runs are
// interleaved. The matrix of the OTF2 archive comes from matrix.c, a plain reader in C, that of
// Tabard's from `tabard matrix`; the command fails if they differ (EZTrace sees no message of
// MPI_Sendrecv: none of the programs uses it but to itself). It needs Open MPI, and eztrace and
// libotf2-trace-dev of Debian.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

func main() {
	pairs := flag.Int("pairs", 3, "interleaved runs of each variant")
	steps := flag.Int("steps", 20000, "time steps of the stencil; the loops make as many calls as it does")
	tabard := flag.String("tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "the tabard command")
	flag.Parse()
	if *pairs < 1 || *steps < 10 {
		fmt.Fprintln(os.Stderr, "otf2: at least one pair and 10 steps")
		os.Exit(2)
	}
	b := &bench{pairs: *pairs, tabard: *tabard}
	if err := b.run(*steps); err != nil {
		fmt.Fprintln(os.Stderr, "otf2:", err)
		os.Exit(1)
	}
}

// run measures all programs and prints the table.
func (b *bench) run(steps int) error {
	if err := b.prepare(); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	n := fmt.Sprint(steps)
	programs := []program{
		{"stencil", 4, []string{b.patterns, "stencil", n}},
		{"tree", 4, []string{b.patterns, "tree", n}},
		{"ping-pong", 2, []string{b.loop, "pingpong", fmt.Sprint(10 * steps)}},
	}
	fmt.Println("| program | ranks | calls | bytes: OTF2 | OTF2 tar + zstd -19 | Tabard | Tabard, lossless time " +
		"| ns of CPU per call: untraced | EZTrace | Tabard | matrix, ms of CPU: OTF2 | Tabard |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, p := range programs {
		r, err := b.measure(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		calls := float64(r.calls)
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %.0f | +%.0f | +%.0f | %.1f | %.1f |\n", p.name, p.ranks,
			r.calls, r.otf2, r.packed, r.file, r.lossless,
			float64(r.plain)/calls, float64(r.eztrace-r.plain)/calls, float64(r.tabard-r.plain)/calls, ms(r.matrixOTF2),
			ms(r.matrixTabard))
	}
	return nil
}
