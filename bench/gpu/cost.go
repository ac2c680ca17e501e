package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pairsOf runs a program as it is and recorded in turn, and gives the number that each run's output has.
func (b *bench) pairsOf(events []string, number func(out string) ([]float64, error), args ...string) ([][][]float64,
	error) {
	results := make([][][]float64, len(events)+1) // as it is, then by events: numbers of each run
	for i := range b.pairs {
		for k := range results {
			v := (k + i) % len(results)
			command := args
			if v > 0 {
				command = append(b.record(b.path("x.tabard"), events[v-1]), args...)
			}
			r := b.run(nil, command...)
			if r.code != 0 {
				return nil, fmt.Errorf("%+v", r)
			}
			n, err := number(r.out)
			if err != nil {
				return nil, fmt.Errorf("%w: %q", err, r.out)
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
	events := []string{"mpi", "cuda"}
	runs, err := b.pairsOf(events, func(out string) ([]float64, error) {
		var calls, ns float64
		_, err := fmt.Sscan(out, &calls, &ns)
		return []float64{ns / calls}, err
	}, b.path("gpu"), "launch", fmt.Sprint(n))
	if err != nil {
		return err
	}
	for v, name := range []string{"as it is", "--events=mpi", "--events=cuda"} {
		var all []float64
		for _, r := range runs[v] {
			all = append(all, r[0])
		}
		fmt.Printf("  a launch, %s: %.0f ns (%.0f to %.0f)\n", name, median(all), slices.Min(all), slices.Max(all))
	}
	if err := b.watched(fmt.Sprint(n)); err != nil {
		return err
	}
	info, err := os.Stat(b.path("x.tabard"))
	if err == nil {
		fmt.Printf("  the recording: %d bytes for %d launches and kernels\n", info.Size(), n)
	}
	return err
}

// watched is what a launch costs while CUPTI alone takes note of kernels.
func (b *bench) watched(n string) error {
	var all []float64
	for range b.pairs {
		r := b.run([]string{"GPU_COUNTS=/dev/null", "CUDA_INJECTION64_PATH=" + b.path("counts.so")}, b.path("gpu"), "launch", n)
		var calls, ns float64
		if _, err := fmt.Sscan(r.out, &calls, &ns); err != nil {
			return fmt.Errorf("%w: %+v", err, r)
		}
		all = append(all, ns/calls)
	}
	fmt.Printf("  a launch, with gpucounts.c: %.0f ns (%.0f to %.0f)\n", median(all), slices.Min(all), slices.Max(all))
	return nil
}

// stepBatches are sizes of a batch: with the first the GPU has more than enough to do, with the other one the host is
// what a step takes.
var stepBatches = []string{"64", "4"}

// step is what steps of training cost more if they are recorded.
func step(b *bench) error {
	events := []string{"cuda", "torch,nccl,cuda"}
	args := append([]string{b.python, b.script(), fmt.Sprint(b.steps)}, stepBatches...)
	runs, err := b.pairsOf(events, func(out string) (times []float64, err error) {
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
	for v, name := range events {
		for k, batch := range stepBatches {
			var ratios, plain []float64
			for i := range runs[0] {
				ratios = append(ratios, runs[v+1][i][k]/runs[0][i][k])
				plain = append(plain, runs[0][i][k]*1e3)
			}
			fmt.Printf("  --events=%s, batch %s: %.3f of the time of a step (%.3f to %.3f), which is %.2f ms\n", name, batch,
				median(ratios), slices.Min(ratios), slices.Max(ratios), median(plain))
			if k == 0 && median(ratios) > 1.03 {
				b.fail("more than 3 %%")
			}
		}
	}
	return nil
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
