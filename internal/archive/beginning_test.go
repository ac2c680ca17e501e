package archive_test

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// The first calls of a stream are the same whether all of the bundle that their values are in is decoded, or not
// much more than them. Streams share bundles, and each of them is the first one asked for.
func TestBeginning(t *testing.T) {
	b := archivetest.Bytes(t, irregular(4, 300))
	all := archivetest.Open(t, b)
	if bundles(all) == 0 {
		t.Fatal("no bundle")
	}
	read := func(a *archive.Archive, stream int, events uint64) (out []string) {
		n := uint64(0)
		for c, err := range archive.OnlySlots(a.Stream(stream), func(uint32) bool { return true }, nil, events) {
			if err != nil {
				t.Fatal(err)
			}
			if out, n = append(out, c.Format()), n+1; n == events {
				break
			}
		}
		return out
	}
	for stream := range all.NumStreams() {
		want := read(all, stream, 0)
		whole := archivetest.Open(t, b)
		read(whole, stream, 0)
		for _, events := range []uint64{1, 7, 100, 2000} {
			a := archivetest.Open(t, b)
			for i, got := range read(a, stream, events) {
				if got != want[i] {
					t.Fatalf("stream %d, call %d of the first %d:\n%s\ninstead of\n%s", stream, i, events, got, want[i])
				}
			}
			if events == 7 && archive.BundleWork(a) <= archive.BundleWork(whole) {
				t.Errorf("stream %d: %d calls need as much work as all", stream, events)
			}
			if again := read(a, stream, 0); len(again) != len(want) || again[len(want)-1] != want[len(want)-1] {
				t.Errorf("stream %d: after the first %d calls not all of them are there", stream, events)
			}
		}
	}
}
