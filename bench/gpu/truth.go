package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// counts are how often what is named so was seen.
type counts map[string]int

// sum is the time of what was seen.
type sums map[string]int64

// seen has what GPUs did, from the lines of gpucounts.c.
func seen(file string) (counts, sums, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	n, took := counts{}, sums{}
	for line := range strings.Lines(string(text)) {
		var ns int64
		time, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := fmt.Sscan(time, &ns); err != nil {
			return nil, nil, fmt.Errorf("%q: %w", line, err)
		}
		n[what]++
		took[strings.Fields(what)[0]] += ns
	}
	return n, took, nil
}

// A call is what dump says of one.
type call struct {
	Func       string         `json:"func"`
	In         map[string]any `json:"in"`
	Start, End int64
}

// calls gives each call of a recording, in the order of its streams.
func (b *bench) calls(file string, each func(*call)) error {
	c := exec.Command(b.tabard, "dump", "--json", file)
	pipe, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 1<<24)
	var wrong error
	for lines.Scan() {
		one := struct {
			call
			StartNS int64 `json:"start_ns"`
			EndNS   int64 `json:"end_ns"`
		}{}
		wrong = errors.Join(wrong, json.Unmarshal(lines.Bytes(), &one))
		one.Start, one.End = one.StartNS, one.EndNS
		each(&one.call)
	}
	return errors.Join(wrong, lines.Err(), c.Wait())
}

// recorded has what GPUs did by a recording, in the words of gpucounts.c, and how often each function was called.
func (b *bench) recorded(file string) (gpu counts, took sums, called counts, err error) {
	gpu, took, called = counts{}, sums{}, counts{}
	err = b.calls(file, func(c *call) {
		values := map[string][]string{
			"cuda_kernel": {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared", "registers", "kernel"},
			"cuda_copy":   {"kind", "bytes"}, "cuda_set": {"bytes"}}[c.Func]
		if values == nil {
			called[c.Func]++
			return
		}
		what := []string{c.Func}
		for _, v := range values {
			if number, ok := c.In[v].(float64); ok {
				what = append(what, fmt.Sprintf("%.0f", number))
			} else {
				what = append(what, fmt.Sprint(c.In[v]))
			}
		}
		gpu[strings.Join(what, " ")]++
		took[c.Func] += c.End - c.Start
	})
	return gpu, took, called, err
}

// compare says what one has and the other has not.
func (b *bench) compare(what string, got, want counts) {
	sum := 0
	for _, k := range slices.Sorted(maps.Keys(want)) {
		sum += want[k]
		if got[k] != want[k] {
			b.fail("%s: %s: %d recorded, %d seen", what, k, got[k], want[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if want[k] == 0 {
			b.fail("%s: %s: %d recorded, none seen", what, k, got[k])
		}
	}
	fmt.Printf("  %s: %d of %d kinds, %d in all\n", what, len(want), len(got), sum)
}

// times says how long the GPU worked, as recorded and as seen in another run. Its clocks differ between short runs.
func (b *bench) times(what string, got, want sums) {
	for _, k := range slices.Sorted(maps.Keys(want)) {
		fmt.Printf("  %s: time of %s: %.3f ms recorded, %.3f ms seen in another run\n", what, k, float64(got[k])/1e6,
			float64(want[k])/1e6)
		const long = 50e6
		if ratio := float64(got[k]) / float64(want[k]); want[k] > long && (ratio < 0.8 || ratio > 1.25) {
			b.fail("%s: times of %s differ", what, k)
		}
	}
}

// truth compares a program's work on the GPU with what another observer sees of it, and its calls with what it says.
func truth(b *bench) error {
	for _, program := range []string{"gpu", "gpushared"} {
		list, file := b.path("seen"), b.path("x.tabard")
		plain := b.run(nil, b.path(program), "mixed")
		watched := b.run([]string{"GPU_COUNTS=" + list, "CUDA_INJECTION64_PATH=" + b.path("counts.so")},
			b.path(program), "mixed")
		r := b.run(nil, append(b.record(file, "cuda"), b.path(program), "mixed")...)
		if plain.code != 0 || r.code != 0 || r.out != plain.out || watched.out != plain.out {
			b.fail("%s: %+v, watched %+v, recorded %+v", program, plain, watched, r)
		}
		fmt.Printf("  %s: %s\n", program, strings.TrimSpace(r.err))
		want, took, err := seen(list)
		if err != nil {
			return err
		}
		gpu, mine, called, err := b.recorded(file)
		if err != nil {
			return err
		}
		b.compare(program+": work of the GPU", gpu, want)
		b.times(program, mine, took)
		said := counts{}
		for line := range strings.Lines(plain.out) {
			var name string
			var n int
			if _, err := fmt.Sscanf(line, "calls %s %d", &name, &n); err == nil {
				said[name] = n
			}
		}
		for k := range called {
			if said[k] == 0 {
				delete(called, k) // what the program does not count: waits of libraries, properties
			}
		}
		b.compare(program+": calls", called, said)
	}
	return nil
}

// unharmed: programs that end in unusual ways do what they do without recording.
func unharmed(b *bench) error {
	for _, what := range []string{"error", "reset", "fork", "leave", "kill"} {
		plain := b.run(nil, b.path("gpu"), what)
		r := b.run(nil, append(b.record(b.path("x.tabard"), "cuda"), b.path("gpu"), what)...)
		if r.out != plain.out || r.code != plain.code {
			b.fail("%s: as it is %+v, recorded %+v", what, plain, r)
		}
		info := b.run(nil, b.tabard, "report", b.path("x.tabard"))
		fmt.Printf("  %s: exit code %d; %s\n", what, r.code, strings.ReplaceAll(strings.TrimSpace(r.err), "\n", " | "))
		if info.code != 0 {
			b.fail("%s: report: %+v", what, info)
		}
	}
	return nil
}

// clock compares the times of calls with those of the kernels that they start and wait for.
func clock(b *bench) error {
	file := b.path("x.tabard")
	const kernels = 600
	if r := b.run(nil, append(b.record(file, "cuda"), b.path("gpu"), "clock", fmt.Sprint(kernels))...); r.code != 0 {
		return fmt.Errorf("%+v", r)
	}
	var launches, works, waits []call
	err := b.calls(file, func(c *call) {
		switch c.Func {
		case "cudaLaunchKernel":
			launches = append(launches, *c)
		case "cuda_kernel":
			works = append(works, *c)
		case "cudaStreamSynchronize":
			waits = append(waits, *c)
		}
	})
	if err != nil || len(launches) != kernels || len(works) != kernels || len(waits) != kernels {
		return fmt.Errorf("%d launches, %d kernels, %d waits: %w", len(launches), len(works), len(waits), err)
	}
	var before, after []int64
	for i := range works {
		before = append(before, works[i].Start-launches[i].Start)
		after = append(after, waits[i].End-works[i].End)
	}
	slices.Sort(before)
	slices.Sort(after)
	fmt.Printf("  kernels begin %.1f us after their launch begins (least %.1f, greatest %.1f), and end %.1f us before the wait "+
		"does (least %.1f, greatest %.1f)\n", us(before[kernels/2]), us(before[0]), us(before[kernels-1]),
		us(after[kernels/2]), us(after[0]), us(after[kernels-1]))
	if before[0] < 0 || after[0] < 0 {
		b.fail("a kernel lies outside of its launch and wait")
	}
	return nil
}

func us(ns int64) float64 { return float64(ns) / 1e3 }
