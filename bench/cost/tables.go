package main

import (
	"fmt"
	"slices"
	"strconv"
)

// pathTable is what recording adds to the program's own path while the
// collector has a core of its own.
func pathTable(b *bench) error {
	fmt.Println("Added to the program's path, 1 rank:")
	fmt.Println()
	fmt.Println("| MPI | call | untraced | no-op wrappers | no timing | full |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, m := range b.mpis {
		for _, c := range []struct{ name, mode string }{
			{"MPI_Comm_rank", "rank"}, {"MPI_Send to MPI_PROC_NULL", "null"}, {"MPI_Sendrecv to itself", "self"},
		} {
			plain, added, err := b.compare(m, 1, []string{c.mode, strconv.Itoa(b.calls)}, b.noop, b.noTiming, b.full)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", m.Name, c.name, median(plain, path),
				spread(added[0], path), spread(added[1], path), spread(added[2], path))
		}
	}
	return nil
}

// cpuTable is the CPU time of program and collector together.
func cpuTable(b *bench) error {
	fmt.Println("CPU time added, program and collector together, per call:")
	fmt.Println()
	fmt.Println("| MPI | loop | untraced | no timing | full | full, path only |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, m := range b.mpis {
		for _, c := range []struct {
			name  string
			ranks int
			args  []string
		}{
			{"one call, 1 rank", 1, []string{"self", strconv.Itoa(b.calls)}},
			{"ten calls in turn, 1 rank", 1, []string{"body", strconv.Itoa(b.calls), "10"}},
			{"ping-pong, 2 ranks", 2, []string{"pingpong", strconv.Itoa(b.calls)}},
		} {
			plain, added, err := b.compare(m, c.ranks, c.args, b.noTiming, b.full)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", m.Name, c.name, median(plain, cpu),
				spread(added[0], cpu), spread(added[1], cpu), spread(added[1], path))
		}
	}
	return nil
}

// bodyTable shows how the cost depends on the number of distinct calls in a loop.
func bodyTable(b *bench) error {
	fmt.Println("Loop bodies of distinct calls, 1 rank, full:")
	fmt.Println()
	fmt.Println("| MPI | distinct calls | added CPU | added path | file, KiB | structure, KiB | collector peak, MiB |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, m := range b.mpis {
		for _, k := range []int{10, 100, 1000, 10_000, 100_000} {
			// The first pass through a body costs more: it must not be all there is.
			args := []string{"body", strconv.Itoa(max(b.calls, 100*k)), strconv.Itoa(k)}
			_, added, err := b.compare(m, 1, args, b.full)
			if err != nil {
				return err
			}
			// The last run may have been one without recording.
			if _, err := b.measure(m, b.full, 1, args...); err != nil {
				return err
			}
			r, err := b.info()
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %d | %s | %s | %.1f | %.1f | %.0f |\n", m.Name, k, spread(added[0], cpu), spread(added[0], path),
				float64(r.Bytes.File)/1024, float64(r.Bytes.Structure)/1024, float64(r.Memory)/(1<<20))
		}
	}
	return nil
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
