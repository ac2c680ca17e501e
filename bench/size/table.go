package main

import (
	"fmt"
	"io"
	"math"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

const tableHead = `Bytes. Tabard: structure and columns as stored, all ranks, lossless (compared with the raw log). The
whole file adds time stamps, names of call sites and the facts about the run. Without call sites: of
another run, with --callsites=off. In brackets: not of this run, but measured once on the same
program.

| program | ranks | calls | Tabard | without call sites | whole file | Pilgrim | Pilgrim, zstd -19 | ScalaTrace |
|---|---|---|---|---|---|---|---|---|
`

// line is the row of the table.
func (r *result) line() string {
	name := r.row.name
	if r.row.steps > 0 {
		name += ", " + commas(int64(r.row.steps)) + " steps"
	}
	p := peerOf(r.row.name, r.row.ranks)
	scala := "-"
	if p.scalaTrace > 0 {
		scala = "(" + commas(p.scalaTrace) + ")"
	}
	return fmt.Sprintf("| %s | %d | %s | **%s** | %s | %s | %s | %s | %s |", name, r.row.ranks, commas(int64(r.calls)),
		commas(r.bytes()), commas(r.bare), commas(r.file), foreign(r.pilgrim, p.pilgrim), foreign(r.zstd, 0), scala)
}

// foreign is what another tracer needs: measured now, or once.
func foreign(now, once int64) string {
	switch {
	case now > 0:
		return commas(now)
	case once > 0:
		return "(" + commas(once) + ")"
	case now < 0:
		return "fails"
	}
	return "-"
}

func commas(n int64) string { return programs.Commas(n) }

// lengths counts values.
type lengths map[int64]int

// add counts the lengths of the runs of unsuccessful polls of a terminal, and how many requests
// its calls completed if that depends on time.
func (h *lengths) add(s *archive.Stream, t uint32, sig *archive.Signature) error {
	f := spec.ByID(sig.Func)
	for _, c := range sig.Columns() {
		if c.Slot >= 0 && !isOutcount(f, c.Slot) {
			continue
		}
		col, err := s.Column(t, c.Slot, c.Field)
		if err != nil {
			return err
		}
		if *h == nil {
			*h = lengths{}
		}
		values := make([]int64, col.Len())
		col.Read(0, values)
		if err := col.Err(); err != nil {
			return err
		}
		for _, v := range values {
			(*h)[v]++
		}
	}
	return nil
}

// isOutcount reports whether a slot is the number of requests that Waitsome or Testsome completed.
func isOutcount(f *spec.Func, slot int) bool {
	s := &f.Slots[slot]
	return s.Out && s.Param >= 0 && f.Params[s.Param].Name == "outcount"
}

// entropy is the information in the values if each is drawn on its own, in bits.
func (h lengths) entropy() float64 {
	n, bits := 0.0, 0.0
	for _, c := range h {
		n += float64(c)
		bits -= float64(c) * math.Log2(float64(c))
	}
	if n == 0 {
		return 0
	}
	return bits + n*math.Log2(n)
}

// printEntropy writes how far the sizes of irregular programs are from the information in their
// values.
func printEntropy(w io.Writer, results []result) {
	first := true
	for _, r := range results {
		if r.row.information == 0 {
			continue
		}
		if first {
			fmt.Fprint(w, `
Information in the irregular programs, in bytes. Decided: what their random numbers decide, each
message's size and tag once, and the order of messages as if all were equally likely. Runs of polls:
their lengths and the numbers of completions, each drawn on its own.

| program | decided | runs of polls | Tabard | times the information |
|---|---|---|---|---|
`)
			first = false
		}
		total := (r.row.information + r.polls) / 8
		fmt.Fprintf(w, "| %s | %.0f | %.0f | %s | %.1f |\n", r.row.name, r.row.information/8, r.polls/8,
			commas(r.bytes()), float64(r.bytes())/total)
	}
}
