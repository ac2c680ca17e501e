package main

import (
	"fmt"
	"io"
	"strings"
)

// bar is a condition that some rows have to meet.
type bar struct {
	what  string
	about func(r *result) bool
	// least is the number of its rows from which on the bar can be judged.
	least int
	check func(rs []result) (verdict string, met bool)
	// unknown is the reason why rs cannot be checked, empty if they can.
	unknown func(rs []result) string
}

// print writes whether the bar is met, and nothing if it has no row.
func (b *bar) print(w io.Writer, all []result) bool {
	var rs []result
	for i := range all {
		if b.about(&all[i]) {
			rs = append(rs, all[i])
		}
	}
	if len(rs) < b.least {
		return true
	}
	if b.unknown != nil {
		if why := b.unknown(rs); why != "" {
			fmt.Fprintf(w, "?       %s: %s\n", b.what, why)
			return true
		}
	}
	verdict, met := b.check(rs)
	mark := "ok    "
	if !met {
		mark = "MISSED"
	}
	fmt.Fprintf(w, "%s  %s: %s\n", mark, b.what, verdict)
	return met
}

// bars are the conditions that must hold.
func bars() []bar {
	bs := []bar{
		atMost("stencil", 36, 1000),
		atMost("hub", 36, 700),
		atMost("tree", 36, 700),
		atMost("transpose", 36, 600),
		atMost("growing", 4, 1000),
		atMost("LULESH", 8, 5000),
		constant("stencil, whatever the steps", func(r *result) bool {
			return r.row.name == "stencil" && r.row.ranks == 36
		}),
		constant("stencil, from 9 ranks", func(r *result) bool {
			return r.row.name == "stencil" && r.row.ranks >= 9 && r.row.steps >= 100
		}),
		// Rank 0 of a smaller one has a signature for each peer; from 33 values on they are in columns.
		constant("hub from 36 ranks on", func(r *result) bool { return r.row.name == "hub" && r.row.ranks >= 36 }),
		constant("transpose", func(r *result) bool { return r.row.name == "transpose" }),
		constant("multipartition", func(r *result) bool { return r.row.name == "multipartition" }),
		shareOfZstd("amr", 1, 2),
		shareOfZstd("test", 2, 3),
		shareOfZstd("iprobe", 2, 3),
		shareOfZstd("waitsome", 2, 3),
	}
	for _, p := range peers {
		if strings.HasSuffix(p.name, ".S") {
			bs = append(bs, bareAtMost(p.name, p.ranks, max(500, p.pilgrim/5)))
		}
	}
	return bs
}

func atMost(name string, ranks int, limit int64) bar {
	return bar{
		what:  fmt.Sprintf("%s, %d ranks: at most %s bytes", name, ranks, commas(limit)),
		about: func(r *result) bool { return r.row.name == name && r.row.ranks == ranks },
		least: 1,
		check: func(rs []result) (string, bool) {
			_, most := extremes(rs)
			return commas(most.bytes()), most.bytes() <= limit
		},
	}
}

// bareAtMost is for limits that go back to tracers that keep no call sites.
func bareAtMost(name string, ranks int, limit int64) bar {
	b := atMost(name, ranks, limit)
	b.what += " without call sites"
	b.check = func(rs []result) (string, bool) { return commas(rs[0].bare), rs[0].bare <= limit }
	return b
}

// constant demands rows within 5 % of each other.
func constant(what string, about func(r *result) bool) bar {
	return bar{
		what: what + ": the same within 5 %", about: about, least: 2,
		check: func(rs []result) (string, bool) {
			least, most := extremes(rs)
			return fmt.Sprintf("%s (%d ranks, %s steps) to %s (%d ranks, %s steps)",
					commas(least.bytes()), least.row.ranks, commas(int64(least.row.steps)),
					commas(most.bytes()), most.row.ranks, commas(int64(most.row.steps))),
				20*most.bytes() <= 21*least.bytes()
		},
	}
}

func extremes(rs []result) (least, most result) {
	least, most = rs[0], rs[0]
	for _, r := range rs {
		if r.bytes() < least.bytes() {
			least = r
		}
		if r.bytes() > most.bytes() {
			most = r
		}
	}
	return least, most
}

// shareOfZstd demands that a program is below a share of the size of Pilgrim's files after zstd
// -19, for the same command.
func shareOfZstd(name string, numerator, denominator int64) bar {
	return bar{
		what:  fmt.Sprintf("%s: at most %d/%d of what zstd -19 makes of Pilgrim's files", name, numerator, denominator),
		about: func(r *result) bool { return r.row.name == name },
		least: 1,
		unknown: func(rs []result) string {
			for _, r := range rs {
				if r.zstd == 0 {
					return "not checked without -pilgrim"
				} else if r.zstd < 0 {
					return "not checked, the program fails under Pilgrim"
				}
			}
			return ""
		},
		check: func(rs []result) (string, bool) {
			met := true
			var parts []string
			for _, r := range rs {
				met = met && r.bytes()*denominator <= r.zstd*numerator
				parts = append(parts, fmt.Sprintf("%s of %s, %.2f", commas(r.bytes()), commas(r.zstd),
					float64(r.bytes())/float64(r.zstd)))
			}
			return strings.Join(parts, "; "), met
		},
	}
}
