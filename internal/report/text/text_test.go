package text

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/render"
)

func TestNumbers(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB",
		5 << 30: "5.0 GiB"} {
		if got := byteSize(n); got != want {
			t.Errorf("byteSize(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 calls", 1: "1 call", 2000: "2,000 calls"} {
		if got := plural(n, "call"); got != want {
			t.Errorf("plural(%d) = %s, want %s", n, got, want)
		}
	}
}

// On a terminal no line of a finding is longer than the terminal is wide, and no word is lost.
func TestWrapped(t *testing.T) {
	const text = "1. Rank 5 comes late to MPI_Isend at slowphase.c:13 [halo] < main: others wait for it (2.07 s, " +
		"37.0% of all ranks' time)."
	p := &summaryPrinter{term: render.Terminal{TTY: true, Width: 40}}
	lines := p.wrapped(text)
	for _, l := range lines {
		if len(l) > 33 {
			t.Errorf("%q has %d columns", l, len(l))
		}
	}
	if got := strings.Join(lines, " "); got != text || len(lines) < 4 {
		t.Errorf("%q", lines)
	}
	if p.term.TTY = false; len(p.wrapped(text)) != 1 {
		t.Error("wrapped where nobody watches")
	}
}
