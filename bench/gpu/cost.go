package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A way is how a program is run: what is in front of it, and its environment.
type way struct {
	name  string
	front func() []string
	env   []string
}

// ways are the program as it is, recorded in some ways, and with CUPTI's own work alone, which no tool can do without.
func (b *bench) ways(events ...string) []way {
	nothing := func() []string { return nil }
	out := []way{{name: "as it is", front: nothing}}
	for _, e := range events {
		out = append(out, way{name: "--events=" + e, front: func() []string { return b.record(b.path("x.tabard"), e) }})
	}
	for _, calls := range []string{"", "r", "rd", "rdb"} {
		out = append(out, way{name: "CUPTI alone, calls: " + cmp.Or(calls, "none"), front: nothing, env: []string{
			"GPU_COUNTS=/dev/null", "CUDA_INJECTION64_PATH=" + b.path("counts.so"), "GPU_COUNTS_CALLS=" + calls}})
	}
	return out
}

// inTurn runs a program in all ways in turn, and gives the numbers of each run by way.
func (b *bench) inTurn(ways []way, numbers func(out string) ([]float64, error), args ...string) ([][][]float64, error) {
	results := make([][][]float64, len(ways))
	for i := range b.pairs {
		for k := range ways {
			v := (k + i) % len(ways)
			r := b.run(ways[v].env, append(ways[v].front(), args...)...)
			if r.code != 0 {
				return nil, fmt.Errorf("%s: %+v", ways[v].name, r)
			}
			n, err := numbers(r.out)
			if err != nil {
				return nil, fmt.Errorf("%s: %w: %q", ways[v].name, err, r.out)
			}
			results[v] = append(results[v], n)
		}
	}
	return results, nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// launch is what a kernel's launch costs more if it is recorded, with all that its kernel leaves behind.
func launch(b *bench) error {
	const n = 200_000
	ways := b.ways("mpi", "cuda")
	runs, err := b.inTurn(ways, func(out string) ([]float64, error) {
		var calls, ns float64
		_, err := fmt.Sscan(out, &calls, &ns)
		return []float64{ns / calls}, err
	}, b.path("gpu"), "launch", fmt.Sprint(n))
	if err != nil {
		return err
	}
	for v, w := range ways {
		var all []float64
		for _, r := range runs[v] {
			all = append(all, r[0])
		}
		fmt.Printf("  a launch, %s: %.0f ns (%.0f to %.0f)\n", w.name, median(all), slices.Min(all), slices.Max(all))
	}
	if r := b.run(nil, append(b.record(b.path("x.tabard"), "cuda"), b.path("gpu"), "launch", fmt.Sprint(n))...); r.code != 0 {
		return fmt.Errorf("%+v", r)
	}
	info, err := os.Stat(b.path("x.tabard"))
	if err == nil {
		fmt.Printf("  the recording: %d bytes for %d launches and kernels\n", info.Size(), n)
	}
	return err
}

// stepBatches are sizes of a batch: with the first the GPU has more than enough to do, with the other one the host is
// what a step takes.
var stepBatches = []string{"64", "4"}

// step is what steps of training cost more if they are recorded.
func step(b *bench) error {
	ways := b.ways("cuda", "torch,nccl,cuda")
	args := append([]string{b.python, b.script(), fmt.Sprint(b.steps)}, stepBatches...)
	runs, err := b.inTurn(ways, func(out string) (times []float64, err error) {
		for line := range strings.Lines(out) {
			var batch string
			var seconds, loss float64
			if _, err := fmt.Sscan(line, &batch, &seconds, &loss); err == nil {
				times = append(times, seconds)
			}
		}
		if len(times) != len(stepBatches) {
			err = fmt.Errorf("%d times", len(times))
		}
		return times, err
	}, args...)
	if err != nil {
		return err
	}
	for k, batch := range stepBatches {
		for v, w := range ways {
			var ratios, times []float64
			for i := range runs[0] {
				ratios = append(ratios, runs[v][i][k]/runs[0][i][k])
				times = append(times, runs[v][i][k]*1e3)
			}
			fmt.Printf("  batch %s, %s: %.2f ms a step, %.3f of as it is (%.3f to %.3f)\n", batch, w.name, median(times),
				median(ratios), slices.Min(ratios), slices.Max(ratios))
			if k == 0 && strings.HasPrefix(w.name, "--") && median(ratios) > 1.03 {
				b.fail("more than 3 %%")
			}
		}
	}
	return b.keepAs("steps.tabard")
}

func (b *bench) script() string {
	path, err := filepath.Abs(filepath.Join("bench", "programs", "gpustep.py"))
	if err != nil {
		panic(err) // there is no working directory
	}
	return path
}

// stepTruth compares what the GPU did in steps of training with what another observer saw.
func stepTruth(b *bench) error {
	list, file := b.path("seen"), b.path("x.tabard")
	args := append([]string{b.python, b.script(), "6"}, stepBatches...)
	watched := b.run([]string{"GPU_COUNTS=" + list, "CUDA_INJECTION64_PATH=" + b.path("counts.so")}, args...)
	r := b.run(nil, append(b.record(file, "torch,nccl,cuda,regions"), args...)...)
	if watched.code != 0 || r.code != 0 {
		return fmt.Errorf("watched %+v, recorded %+v", watched, r)
	}
	fmt.Printf("  %s\n", strings.TrimSpace(r.err))
	want, took, err := seen(list)
	if err != nil {
		return err
	}
	gpu, mine, called, err := b.recorded(file)
	if err != nil {
		return err
	}
	b.compare("work of the GPU", gpu, want)
	b.times("training", mine, took)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range called {
			if (strings.HasPrefix(k, "torch_") || strings.HasPrefix(k, "nccl")) && !yield(k) {
				return
			}
		}
	}) {
		fmt.Printf("  %6d %s\n", called[name], name)
	}
	report := b.run(nil, b.tabard, "report", file)
	fmt.Printf("%s%s\n", report.out, report.err)
	if strings.Contains(report.out, "without a name") {
		b.fail("kernels have no names")
	}
	return b.keepAs("train.tabard")
}
