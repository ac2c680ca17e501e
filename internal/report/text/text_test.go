package text

import "testing"

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
