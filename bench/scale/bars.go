package main

import (
	"fmt"
	"math"
	"strings"
)

// rows are the table.
var rows = []row{
	{Program: "stencil-1d", Ranks: 36, Steps: 100},
	{Program: "stencil-1d", Ranks: 1 << 20, Steps: 10},
	{Program: "stencil-1d-periodic", Ranks: 36, Steps: 100},
	{Program: "stencil-1d-periodic", Ranks: 1 << 20, Steps: 10},
	{Program: "stencil-2d", Ranks: 9, Steps: 100},
	{Program: "stencil-2d", Ranks: 36, Steps: 10},
	{Program: "stencil-2d", Ranks: 36, Steps: 100},
	{Program: "stencil-2d", Ranks: 36, Steps: 100_000},
	{Program: "stencil-2d", Ranks: 252, Steps: 100, Dims: []int{21, 12}},
	{Program: "stencil-2d", Ranks: 4096, Steps: 100},
	{Program: "stencil-2d", Ranks: 65_536, Steps: 10},
	{Program: "stencil-2d", Ranks: 1 << 20, Steps: 10},
	{Program: "stencil-2d-periodic", Ranks: 36, Steps: 100},
	{Program: "stencil-2d-periodic", Ranks: 65_536, Steps: 10},
	{Program: "stencil-2d-cart", Ranks: 36, Steps: 100},
	{Program: "stencil-2d-cart", Ranks: 65_536, Steps: 10},
	{Program: "stencil-2d-9", Ranks: 36, Steps: 100},
	{Program: "stencil-2d-9", Ranks: 65_536, Steps: 10},
	{Program: "stencil-3d", Ranks: 64, Steps: 100},
	{Program: "stencil-3d", Ranks: 210, Steps: 100, Dims: []int{5, 6, 7}},
	{Program: "stencil-3d", Ranks: 1 << 20, Steps: 10},
	{Program: "stencil-3d-periodic", Ranks: 64, Steps: 100},
	{Program: "stencil-3d-periodic", Ranks: 65_536, Steps: 10},
	{Program: "stencil-3d-27", Ranks: 64, Steps: 100},
	{Program: "stencil-3d-27", Ranks: 65_536, Steps: 10},
	{Program: "hub", Ranks: 36, Steps: 10},
	{Program: "hub", Ranks: 256, Steps: 10},
	{Program: "hub", Ranks: 4096, Steps: 10},
	{Program: "hub", Ranks: 65_536, Steps: 10},
	{Program: "hub", Ranks: 65_536, Steps: 1000},
	{Program: "hub", Ranks: 1 << 20, Steps: 10},
	{Program: "tree-binary", Ranks: 36, Steps: 10},
	{Program: "tree-binary", Ranks: 4096, Steps: 10},
	{Program: "tree-binary", Ranks: 1 << 20, Steps: 10},
	{Program: "tree-binomial", Ranks: 36, Steps: 10},
	{Program: "tree-binomial", Ranks: 4096, Steps: 10},
	{Program: "tree-binomial", Ranks: 1 << 20, Steps: 10},
	{Program: "ring", Ranks: 36, Steps: 10},
	{Program: "ring", Ranks: 1 << 20, Steps: 10},
	{Program: "transpose", Ranks: 36, Steps: 10},
	{Program: "transpose", Ranks: 12, Steps: 10, Dims: []int{3, 4}},
	{Program: "transpose", Ranks: 1 << 20, Steps: 10},
	{Program: "multipartition", Ranks: 16, Steps: 10},
	{Program: "multipartition", Ranks: 36, Steps: 10},
	{Program: "multipartition", Ranks: 225, Steps: 10},
	{Program: "multipartition", Ranks: 256, Steps: 10},
	{Program: "multipartition", Ranks: 4096, Steps: 10},
	{Program: "multipartition", Ranks: 65_536, Steps: 2},
	{Program: "growing", Ranks: 4, Steps: 100},
	{Program: "growing", Ranks: 4, Steps: 10_000},
	{Program: "growing", Ranks: 4096, Steps: 1000},
	{Program: "rows-columns", Ranks: 36, Steps: 100},
	{Program: "rows-columns", Ranks: 65_536, Steps: 10},
	{Program: "alltoallv", Ranks: 36, Steps: 10},
	{Program: "alltoallv", Ranks: 1024, Steps: 10},
	{Program: "amr", Ranks: 16, Steps: 100},
	{Program: "amr", Ranks: 256, Steps: 100},
	{Program: "amr", Ranks: 1024, Steps: 100},
	{Program: "amr", Ranks: 4096, Steps: 100},
	{Program: "master-worker", Ranks: 16, Steps: 20},
	{Program: "master-worker", Ranks: 4096, Steps: 20},
	{Program: "polls", Ranks: 16, Steps: 100},
	{Program: "polls", Ranks: 1024, Steps: 100},
}

var header = fmt.Sprintf("%-20s %9s %7s %13s %11s %10s %11s  %14s %8s  %11s %8s",
	"program", "ranks", "steps", "calls", "bytes", "per rank", "entropy", "compress CPU s", "MiB", "merge CPU s", "MiB")

func (r *result) line() string {
	entropy := "-"
	if r.Entropy >= 1 {
		entropy = fmt.Sprintf("%.0f", r.Entropy)
	}
	return fmt.Sprintf("%-20s %9d %7d %13d %11d %10.3f %11s  %14.1f %8.0f  %11.1f %8.0f", r.Row.Program, r.Row.Ranks,
		r.Row.Steps,
		r.Calls, r.bytes(), float64(r.bytes())/float64(r.Row.Ranks), entropy, r.Compression, mib(r.CompressionPeak),
		r.Merge, mib(r.Peak))
}

func mib(b uint64) float64 { return float64(b) / (1 << 20) }

// bar is a condition that rows have to meet.
type bar struct {
	what  string
	about func(r row) bool
	// least is the number of its rows from which on the bar can be judged.
	least int
	check func(rs []result) (verdict string, met bool)
}

func (b bar) verdict(all []result) (verdict string, met, applies bool) {
	var rs []result
	for _, r := range all {
		if b.about(r.Row) {
			rs = append(rs, r)
		}
	}
	if len(rs) < b.least {
		return "", true, false
	}
	verdict, met = b.check(rs)
	return verdict, met, true
}

// bars are the conditions. If the structure of a program does not depend on ranks and steps, its
// size must not either. For a multi-partition code this holds on grids that are neither small nor
// odd, where cells of both sizes go round evenly.
func bars() []bar {
	even := of("multipartition")
	bs := []bar{
		atMost("stencil-2d", 36, 100, 1000),
		atMost("hub", 36, 10, 700),
		atMost("tree-binary", 36, 10, 700),
		atMost("tree-binomial", 36, 10, 700),
		atMost("transpose", 36, 10, 600),
		atMost("growing", 4, 10_000, 1000),
		constant("multipartition on grids of even size from 6", func(r row) bool {
			q := int(math.Sqrt(float64(r.Ranks)))
			return even(r) && q%2 == 0 && q >= 6
		}),
		logarithmic("tree-binary"),
		logarithmic("tree-binomial"),
		fastMerge("stencil-2d", 65_536, 10, 1<<30),
		linearMerge("amr"),
	}
	for _, p := range []string{"stencil-1d", "stencil-1d-periodic", "stencil-2d", "stencil-2d-periodic",
		"stencil-2d-cart",
		"stencil-2d-9", "stencil-3d", "stencil-3d-periodic", "stencil-3d-27", "hub", "ring", "growing"} {
		bs = append(bs, constant(p, of(p)))
	}
	return bs
}

func of(program string) func(row) bool { return func(r row) bool { return r.Program == program } }

func atMost(program string, ranks, steps int, limit int64) bar {
	return bar{
		what:  fmt.Sprintf("%s, %d ranks, %d steps: at most %d bytes", program, ranks, steps, limit),
		about: func(r row) bool { return r.Program == program && r.Ranks == ranks && r.Steps == steps },
		least: 1,
		check: func(rs []result) (string, bool) {
			return fmt.Sprint(rs[0].bytes()), rs[0].bytes() <= limit
		},
	}
}

// constant demands rows within 5 % of each other.
func constant(what string, about func(row) bool) bar {
	return bar{
		what:  what + ": the same within 5 % for all ranks and steps",
		about: about,
		least: 2,
		check: func(rs []result) (string, bool) {
			lo, hi := extremes(rs)
			return fmt.Sprintf("%d (%d ranks, %d steps) to %d (%d ranks, %d steps)", lo.bytes(), lo.Row.Ranks,
				lo.Row.Steps,
				hi.bytes(), hi.Row.Ranks, hi.Row.Steps), float64(hi.bytes()) <= 1.05*float64(lo.bytes())
		},
	}
}

func extremes(rs []result) (lo, hi result) {
	lo, hi = rs[0], rs[0]
	for _, r := range rs {
		if r.bytes() < lo.bytes() {
			lo = r
		}
		if r.bytes() > hi.bytes() {
			hi = r
		}
	}
	return lo, hi
}

// logarithmic demands that bytes per doubling of the ranks do not grow: the bytes of any row,
// divided by the logarithm of its ranks, exceed those of the first row by at most 5 %.
func logarithmic(program string) bar {
	return bar{
		what:  program + ": at most logarithmic in the ranks",
		about: of(program),
		least: 2,
		check: func(rs []result) (string, bool) {
			per := func(r result) float64 { return float64(r.bytes()) / math.Log2(float64(r.Row.Ranks)) }
			met := true
			var parts []string
			for _, r := range rs {
				met = met && per(r) <= 1.05*per(rs[0])
				parts = append(parts, fmt.Sprintf("%.1f bytes/log2(%d)", per(r), r.Row.Ranks))
			}
			return strings.Join(parts, ", "), met
		},
	}
}

func fastMerge(program string, ranks int, seconds float64, memory uint64) bar {
	return bar{
		what: fmt.Sprintf("merge of %s, %d ranks: under %.0f s of processor time and %.0f MiB", program, ranks,
			seconds, mib(memory)),
		about: func(r row) bool { return r.Program == program && r.Ranks == ranks },
		least: 1,
		check: func(rs []result) (string, bool) {
			r := rs[0]
			return fmt.Sprintf("%.1f s, %.0f MiB", r.Merge, mib(r.Peak)), r.Merge < seconds && r.Peak < memory
		},
	}
}

// linearMerge demands that merging the largest job takes at most twice as long per byte as merging
// the smallest job that takes long enough to be measured.
func linearMerge(program string) bar {
	return bar{
		what:  program + ": merge linear in the bytes",
		about: func(r row) bool { return r.Program == program && r.Ranks >= 256 },
		least: 2,
		check: func(rs []result) (string, bool) {
			per := func(r result) float64 { return 1e9 * r.Merge / float64(r.bytes()) }
			a, b := rs[0], rs[len(rs)-1]
			return fmt.Sprintf("%.0f ns a byte with %d ranks, %.0f with %d", per(a), a.Row.Ranks, per(b), b.Row.Ranks),
				per(b) <= 2*per(a)
		},
	}
}
