// Command python measures the Python package, on synthetic recordings:
//
//	go run ./bench/python [-python COMMAND]
//
// Each question is asked by an interpreter of its own, five times; the least time counts, on the clock, from before the
// package is imported where that is the question. If a bar is missed, the exit code is 1.
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tabard-hpc/tabard/bench/internal/recordings"
)

//go:embed ask.py
var ask string

// question is what is asked of a recording.
type question struct {
	name         string
	ranks, calls int
	most         float64 // seconds
	rate         float64 // rows a second, at least; 0: the time counts
}

var questions = []question{
	{"import", 1000, 1_000_000, .05, 0},
	{"open", 1000, 1_000_000, .15, 0},
	{"profile", 1000, 1_000_000, .3, 0},
	{"matrix", 65536, 1000, 1, 0},
	{"events", 8, 250_000, 0, 5e6},
	{"calls", 8, 37_500, .3, 0},
}

// answer is what ask.py prints.
type answer struct {
	Seconds float64
	Rows    float64
	Memory  float64 // bytes, of the interpreter at most
}

func main() {
	python := flag.String("python", "python3", "the interpreter")
	flag.Parse()
	ok, err := run(*python)
	if err != nil {
		fmt.Fprintln(os.Stderr, "python:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(python string) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "tabard-python-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| question | ranks x calls | ms | rows a second, millions | MB | bar |\n|---|---|---|---|---|---|")
	ok = true
	for _, q := range questions {
		file := filepath.Join(dir, fmt.Sprintf("%d-%d.tabard", q.ranks, q.calls))
		if _, err := os.Stat(file); err != nil {
			if err := recordings.Write(file, q.ranks, q.calls); err != nil {
				return false, err
			}
		}
		best := answer{}
		for range 5 {
			a, err := once(python, q.name, file)
			if err != nil {
				return false, fmt.Errorf("%s: %w", q.name, err)
			}
			if best.Seconds == 0 || a.Seconds < best.Seconds {
				best = a
			}
		}
		rate, met, bar := "", best.Seconds <= q.most, fmt.Sprintf("%.0f ms", 1000*q.most)
		if best.Rows > 0 {
			rate = fmt.Sprintf("%.1f", best.Rows/best.Seconds/1e6)
		}
		if q.rate > 0 {
			met, bar = best.Rows/best.Seconds >= q.rate, fmt.Sprintf("%.0f million rows a second", q.rate/1e6)
		}
		fmt.Printf("| %s | %d x %d | %.0f | %s | %.0f | %s, %s |\n", q.name, q.ranks, q.calls, 1000*best.Seconds, rate,
			best.Memory/1e6, bar, map[bool]string{true: "met", false: "**missed**"}[met])
		ok = ok && met
	}
	return ok, nil
}

// once asks a question of a recording.
func once(python, question, file string) (a answer, err error) {
	root, err := os.Getwd()
	if err != nil {
		return a, err
	}
	cmd := exec.Command(python, "-c", ask, question, file)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(root, "python"),
		"TABARD="+filepath.Join(root, "bin", "tabard"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(out, &a)
}
