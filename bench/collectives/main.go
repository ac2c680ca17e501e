// Command collectives finds HPL's broadcasts of panels, which are made of messages, and measures what the library's
// broadcast takes in their place:
//
//	go run ./bench/collectives [-grids 2x2,2x4] [-n 256] [-nb 32] [-try 50] [-tabard BIN]
//
// hpcc has to be installed; Debian links it with Open MPI. A row of the table is one of HPL's six broadcasts on a
// grid of processes. It is found if there is one finding for all rows of the grid, proven for all panels of all runs.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/testkit/answers"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

var broadcasts = []string{"1ring", "1ringM", "2ring", "2ringM", "Blong", "BlongM"}

type bench struct {
	tabard, dir   string
	n, nb, rounds int
	p, q          int
	missed        bool
	columns       []string
}

func main() {
	b := &bench{}
	grids := flag.String("grids", "2x2,2x4", "grids of processes, rows x columns")
	flag.IntVar(&b.n, "n", 256, "order of the matrix")
	flag.IntVar(&b.nb, "nb", 32, "columns of a panel")
	flag.IntVar(&b.rounds, "try", 50, "rounds of the trial of each broadcast")
	flag.StringVar(&b.tabard, "tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "the tabard to use")
	flag.Parse()
	if err := b.run(strings.Split(*grids, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "collectives:", err)
		os.Exit(1)
	}
	if b.missed {
		os.Exit(1)
	}
}

func (b *bench) run(grids []string) error {
	dir, err := os.MkdirTemp("", "tabard-collectives-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m, err := mpirun.Find("openmpi")
	if err != nil {
		return err
	}
	fmt.Println("| broadcast | grid | found | instances proven | root | an instance | as made | by the library | gain |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, grid := range grids {
		if _, err := fmt.Sscanf(grid, "%dx%d", &b.p, &b.q); err != nil || b.p < 1 || b.q < 1 {
			return fmt.Errorf("grid %q: want rows x columns, as 2x4", grid)
		}
		for i, name := range broadcasts {
			b.dir = filepath.Join(dir, grid+name)
			d, err := b.record(m, i)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", name, grid, err)
			}
			b.row(name, grid, d)
		}
	}
	if len(b.columns) > 0 {
		fmt.Println("\n| broadcast | grid | along columns | instances proven | algorithm | sent " +
			"|\n|---|---|---|---|---|---|")
		fmt.Println(strings.Join(b.columns, "\n"))
	}
	return nil
}

// record runs HPL with one of the broadcasts, and looks for it.
func (b *bench) record(m *mpirun.MPI, broadcast int) (*report.Collectives, error) {
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		return nil, err
	}
	text := fmt.Sprintf(input, b.n, b.nb, b.p, b.q, broadcast)
	if err := os.WriteFile(filepath.Join(b.dir, "hpccinf.txt"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, "hpcc.tabard")
	r, err := (&mpirun.Job{MPI: m, Ranks: b.p * b.q, Dir: b.dir,
		Args: []string{b.tabard, "record", "--quiet", "--payload",
			"--timing=off", "-o", file, "hpcc"}}).Start()
	if err != nil || r.Code != 0 {
		return nil, fmt.Errorf("hpcc: %v, exit code %d: %s", err, r.Code, r.Stderr)
	}
	args := []string{
		"collectives",
		file,
		"--json",
		"--limit",
		"12",
		"--mpicc",
		m.CC,
		"--mpirun",
		m.Run + " --oversubscribe",
	}
	d := &report.Collectives{}
	return d, answers.Read(d, b.tabard, append(args, "--try", fmt.Sprint(b.rounds))...)
}

// row prints the finding of a broadcast of panels: that of all rows of the grid.
func (b *bench) row(name, grid string, d *report.Collectives) {
	i := slices.IndexFunc(d.Findings, func(f report.ManualCollective) bool {
		return f.Operation == "broadcast" && len(f.Sets) == b.p && f.Comm == "" && f.Proven > 0 &&
			slices.Contains(f.Sets, fmt.Sprintf("0-%d", b.q-1))
	})
	b.column(name, grid, d)
	switch {
	case i < 0 && b.q == 2:
		fmt.Printf("| %s | %s | a row has two processes: each broadcast is one message | | | | | | |\n", name, grid)
		return
	case i < 0:
		b.missed = true
		fmt.Printf("| %s | %s | **no** | | | | | | |\n", name, grid)
		return
	}
	f := &d.Findings[i]
	b.missed = b.missed || f.Proven < f.Instances
	row := fmt.Sprintf(
		"| %s | %s | yes | %d of %d | %s | %d messages, %d steps | ",
		name,
		grid,
		f.Proven,
		f.Instances,
		f.RootRule,
		f.Messages,
		f.Steps,
	)
	if t := f.Trial; t != nil && t.Why == "" {
		row += fmt.Sprintf("%s | %s | %.0f %%%s |", times(t.Made), times(t.Library),
			100*(1-t.Library.Median/t.Made.Median),
			map[bool]string{false: ", not certain"}[t.Certain])
	} else {
		row += "| | |"
	}
	fmt.Println(row)
}

// column notes what is found along the columns of the grid: what rows are swapped by.
func (b *bench) column(name, grid string, d *report.Collectives) {
	first := fmt.Sprintf("0-%d:%d", (b.p-1)*b.q, b.q)
	for _, f := range d.Findings {
		if b.p > 2 && slices.Contains(f.Sets, first) && f.Operation != "neighbourhood exchange" {
			b.columns = append(b.columns, fmt.Sprintf("| %s | %s | %s | %d of %d | %s | %s |", name, grid,
				f.Operation, f.Proven,
				f.Instances, f.Algorithm, strings.Join(f.Sends[:min(len(f.Sends), 2)], ", ")))
		}
	}
}

func times(q report.Quartiles) string {
	return fmt.Sprintf("%.3g (%.3g to %.3g) ms", 1e3*q.Median, 1e3*q.Low, 1e3*q.High)
}

// input is that of hpcc.
const input = `HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
%[1]d Ns
1            # of NBs
%[2]d NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
%[3]d Ps
%[4]d Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
%[5]d BCASTs
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0                      		Number of additional problem sizes for PTRANS
1200 10000 30000        	values of N
0                       	number of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64       	values of NB
`
