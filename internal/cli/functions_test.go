package cli

import (
	"strconv"
	"strings"
	"testing"
)

// A sequence has so many calls of each thread as are asked for, and says how many there are besides.
func TestSequence(t *testing.T) {
	path := file(t, nestedRun())
	sequence := func(who string, more ...string) (out []string) {
		code, stdout, stderr := run(append([]string{"functions", path, "--sequence"}, more...)...)
		if code != exitOK || stderr != "" {
			t.Errorf("%v: code %d, stderr %q", more, code, stderr)
		}
		for line := range strings.Lines(stdout) {
			if strings.HasPrefix(line, who) {
				out = append(out, line)
			}
		}
		return out
	}
	for _, who := range []string{"0.0  ", "1.0  "} {
		whole, some := sequence(who), sequence(who, "--limit", "5")
		if n := len(sequence(who, "--limit", "0")); n != len(whole) {
			t.Errorf("thread %s: %d lines with --limit 0, %d without", who, n, len(whole))
		}
		if len(whole) < 300 || len(some) != 6 {
			t.Fatalf("thread %s: %d calls, and %d lines with --limit 5", who, len(whole), len(some))
		}
		for i := range 5 {
			if some[i] != whole[i] {
				t.Errorf("line %d is %q, want %q", i, some[i], whole[i])
			}
		}
		want := who + "... " + strconv.Itoa(len(whole)-5) + " more (--limit 0 shows all)\n"
		if some[5] != want {
			t.Errorf("at the end there is %q, want %q", some[5], want)
		}
	}
}
