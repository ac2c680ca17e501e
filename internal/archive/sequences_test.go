package archive_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// unordered describes ranks of which each makes calls in an order of its own: what follows depends on
// the call before, and on chance.
func unordered(n, calls int) string {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(calls)))
	var d strings.Builder
	d.WriteString("partial\n")
	for r := range n {
		fmt.Fprintf(&d, "rank %d of %d on n\nMPI_Init()\n", r, n)
		last := 0
		for range calls {
			last = (3*last + rng.IntN(3)) % 11
			fmt.Fprintf(&d, "MPI_Send(dest=%d, tag=%d, comm=MPI_COMM_WORLD) @ a.c:%d [f]\n", (r+1)%n, last%4, 1+last%5)
		}
	}
	return d.String()
}

func partBytes(a *archive.Archive, name string) (bytes int64) {
	for _, p := range a.Stats().Parts {
		if p.Name == name {
			bytes = p.Bytes
		}
	}
	return bytes
}

func grammars(t *testing.T, c *archive.Content) string {
	t.Helper()
	var out strings.Builder
	for _, cl := range c.Classes {
		fmt.Fprintln(&out, archive.FormatGrammar(cl.Grammar))
	}
	return out.String()
}

// TestSequences: classes without order come back with the same grammars from less room.
func TestSequences(t *testing.T) {
	for _, n := range []int{1, 4, 9} {
		a := archivetest.Archive(t, unordered(n, 700))
		c, err := a.Content()
		if err != nil {
			t.Fatal(err)
		}
		var apart bytes.Buffer
		if err := c.WriteApart(&apart); err != nil {
			t.Fatal(err)
		}
		b := archivetest.Open(t, apart.Bytes())
		if partBytes(a, "sequences") == 0 || partBytes(b, "sequences") != 0 {
			t.Fatalf("%d ranks: sequences of %d bytes, apart of %d", n, partBytes(a, "sequences"),
				partBytes(b, "sequences"))
		}
		// One of three may follow, 1.58 bits, and all else is to be learned.
		if got, most := partBytes(a, "sequences"), int64(n*700*16/80*13/10+250); got > most {
			t.Errorf("%d ranks: sequences of %d bytes, want at most %d", n, got, most)
		}
		d, err := b.Content()
		if err != nil {
			t.Fatal(err)
		}
		if grammars(t, c) != grammars(t, d) {
			t.Errorf("%d ranks: other grammars", n)
		}
		if !slices.Equal(lines(t, a), lines(t, b)) {
			t.Errorf("%d ranks: other calls", n)
		}
		if err := archive.Validate(a); err != nil {
			t.Error(err)
		}
		if _, err := a.Costs(); err != nil {
			t.Error(err)
		}
		var again bytes.Buffer
		if err := archive.ParseText(&again, strings.NewReader(text(t, a))); err != nil {
			t.Fatal(err)
		}
		if partBytes(archivetest.Open(t, again.Bytes()), "sequences") != partBytes(a, "sequences") {
			t.Error("the text makes another archive")
		}
	}
}

// TestSequencesInOrder: what has a short grammar keeps it.
func TestSequencesInOrder(t *testing.T) {
	if a := archivetest.Archive(t, ranks(6)); partBytes(a, "sequences") != 0 {
		t.Error("there are sequences")
	}
}

// TestBrokenSequences reads files whose sequences are something else.
func TestBrokenSequences(t *testing.T) {
	file, err := archivetest.Split(archivetest.Bytes(t, unordered(2, 500)))
	if err != nil {
		t.Fatal(err)
	}
	sound := file.Sections[1].Raw
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 300 {
		b := bytes.Clone(sound)
		for range 1 + i%3 {
			b[len(b)-1-rng.IntN(len(b)*3/4)] ^= byte(1 << rng.IntN(8))
		}
		file.Sections[1].Raw = b
		readDamaged(t, file.Bytes(), fmt.Sprint("change ", i))
	}
}
