package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// table is one of the tables of docs/benchmarks.md: a row for each MPI and loop.
type table struct {
	title    string
	columns  []string // after that of the MPI
	loops    []loop
	variants []variant // compared with runs that are not recorded
	// cells are what a row shows after the loop's name. added holds the costs of
	// the variants in turn, less those of plain.
	cells func(m *mpirun.MPI, l loop, plain []cost, added [][]cost) ([]string, error)
}

// loop is a program that makes calls in a certain way.
type loop struct {
	name    string
	ranks   int
	args    []string
	program string // in bench.programs; empty: that of the MPI
}

// print measures a table and prints it row by row.
func (b *bench) print(t table) error {
	fmt.Printf("%s\n\n| MPI | %s |\n|%s\n", t.title, strings.Join(t.columns, " | "),
		strings.Repeat("---|", 1+len(t.columns)))
	for _, m := range b.mpis {
		for _, l := range t.loops {
			plain, added, err := b.compare(m, l, t.variants...)
			if err != nil {
				return err
			}
			cells, err := t.cells(m, l, plain, added)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %s | %s |\n", m.Name, l.name, strings.Join(cells, " | "))
		}
	}
	return nil
}

// pathTable is what recording adds to the program's own path while the
// collector has a core of its own.
func pathTable(b *bench) error {
	n := strconv.Itoa(b.calls)
	return b.print(table{
		title:   "Added to the program's path, 1 rank:",
		columns: []string{"call", "untraced", "no-op wrappers", "no timing", "full"},
		loops: []loop{{name: "MPI_Comm_rank", ranks: 1, args: []string{"rank", n}},
			{name: "MPI_Send to MPI_PROC_NULL", ranks: 1, args: []string{"null", n}},
			{name: "MPI_Sendrecv to itself", ranks: 1, args: []string{"self", n}}},
		variants: []variant{b.noop, b.noTiming, b.full},
		cells: func(_ *mpirun.MPI, _ loop, plain []cost, added [][]cost) ([]string, error) {
			return []string{median(plain, path), spread(added[0], path), spread(added[1], path),
				spread(added[2], path)}, nil
		},
	})
}

// cpuTable is the CPU time of program and collector together.
func cpuTable(b *bench) error {
	n := strconv.Itoa(b.calls)
	return b.print(table{
		title:   "CPU time added, program and collector together, per call:",
		columns: []string{"loop", "untraced", "no timing", "full", "full, path only"},
		loops: []loop{
			{name: "one call, 1 rank", ranks: 1, args: []string{"self", n}},
			{name: "ten calls in turn, 1 rank", ranks: 1, args: []string{"body", n, "10"}},
			{name: "ping-pong, 2 ranks", ranks: 2, args: []string{"pingpong", n}}},
		variants: []variant{b.noTiming, b.full},
		cells: func(_ *mpirun.MPI, _ loop, plain []cost, added [][]cost) ([]string, error) {
			return []string{median(plain, cpu), spread(added[0], cpu), spread(added[1], cpu),
				spread(added[1], path)}, nil
		},
	})
}

// bodyTable shows how the cost depends on the number of distinct calls in a loop.
func bodyTable(b *bench) error {
	var loops []loop
	for _, k := range []int{10, 100, 1000, 10_000, 100_000} {
		// The first pass through a body costs more: it must not be all there is.
		args := []string{"body", strconv.Itoa(max(b.calls, 100*k)), strconv.Itoa(k)}
		loops = append(loops, loop{name: strconv.Itoa(k), ranks: 1, args: args})
	}
	return b.print(table{
		title: "Loop bodies of distinct calls, 1 rank, full:",
		columns: []string{"distinct calls", "added CPU", "added path", "file, KiB", "structure, KiB",
			"collector peak, MiB"},
		loops:    loops,
		variants: []variant{b.full},
		cells: func(m *mpirun.MPI, l loop, _ []cost, added [][]cost) ([]string, error) {
			// The last run may have been one without recording.
			if _, err := b.measure(m, b.full, l); err != nil {
				return nil, err
			}
			r, err := b.info()
			if err != nil {
				return nil, err
			}
			return []string{spread(added[0], cpu), spread(added[0], path),
				fmt.Sprintf("%.1f", float64(r.Bytes.File)/1024),
				fmt.Sprintf("%.1f", float64(r.Bytes.Structure)/1024),
				fmt.Sprintf("%.0f", float64(r.Memory)/(1<<20))}, nil
		},
	})
}

func path(c cost) float64 { return c.path }
func cpu(c cost) float64  { return c.cpu }

// sorted gives one part of the costs in ascending order.
func sorted(costs []cost, part func(cost) float64) []float64 {
	var v []float64
	for _, c := range costs {
		v = append(v, part(c))
	}
	slices.Sort(v)
	return v
}

func middle(v []float64) float64 {
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

func median(costs []cost, part func(cost) float64) string {
	return fmt.Sprintf("%.1f", middle(sorted(costs, part)))
}

func spread(costs []cost, part func(cost) float64) string {
	v := sorted(costs, part)
	return fmt.Sprintf("%+.1f (%.1f to %.1f)", middle(v), v[0], v[len(v)-1])
}
