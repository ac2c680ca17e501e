package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// TestBundleBorder: a column that several streams have in different places, where a bundle ends
// between them, is known to the reader of a bundle if it was to the writer. In each of these pairs
// of ranks what one sends the next one receives.
func TestBundleBorder(t *testing.T) {
	const n, steps = 9, 400
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := make([][steps]int, n+1)
	for r := range sizes {
		for i := range sizes[r] {
			sizes[r][i] = rng.IntN(1000)
		}
	}
	d := strings.Builder{}
	for r := range n {
		fmt.Fprintf(&d, "rank %d of %d on n\n", r, n)
		for i := range steps {
			fmt.Fprintf(&d, "MPI_Recv(count=?%d, source=1, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]\n", sizes[r][i])
			fmt.Fprintf(&d, "MPI_Send(count=?%d, dest=2, tag=1, comm=MPI_COMM_WORLD) @ a.c:2 [f]\n", sizes[r+1][i])
			// No number that is stored already, but one that follows from it.
			fmt.Fprintf(&d, "MPI_Send(count=?%d, dest=3, tag=1, comm=MPI_COMM_WORLD) @ a.c:3 [f]\n", 3*sizes[r+1][i])
		}
	}
	want := lines(t, archivetest.Archive(t, strings.ReplaceAll(d.String(), "=?", "=")))
	for _, values := range []int{steps, 3 * steps, 1 << 19} {
		restore := archive.SetBundleValues(values)
		b := archivetest.Bytes(t, d.String())
		restore()
		a := archivetest.Open(t, b)
		if bundles(a) == 0 {
			t.Fatalf("%d values: no bundle", values)
		}
		got := lines(t, a)
		if len(got) != len(want) {
			t.Fatalf("%d values: %d calls instead of %d", values, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%d values: call %d:\n%s\ninstead of\n%s", values, i, got[i], want[i])
			}
		}
		var again bytes.Buffer
		restore = archive.SetBundleValues(values)
		c, err := a.Content()
		if err == nil {
			err = c.Write(&again)
		}
		restore()
		if err != nil || !bytes.Equal(again.Bytes(), b) {
			t.Errorf("%d values: written again the archive is another one (%v)", values, err)
		}
	}
}

// TestCostsRepeat: the parts of bundles are the same every time.
func TestCostsRepeat(t *testing.T) {
	b := archivetest.Bytes(t, irregular(6, 60))
	want := ""
	for i := range 10 {
		costs, err := archivetest.Open(t, b).Costs()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(costs); i == 0 {
			want = got
		} else if got != want {
			t.Fatalf("costs\n%s\nand then\n%s", want, got)
		}
	}
}

// TestBundleUnreadable: where a column cannot be read from which numbers of a bundle are guessed,
// then those numbers are not known either.
func TestBundleUnreadable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var lengths []int
	for range 200 {
		lengths = append(lengths, rng.IntN(3))
	}
	d := strings.Builder{}
	for r := range 2 {
		fmt.Fprintf(&d, "rank %d of 2 on n\n", r)
		for _, n := range lengths { // a column of both ranks, which is in no bundle
			count := rng.IntN(1000)
			fmt.Fprintf(&d, "MPI_Send(count=?%d, dest=1, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]\n", count)
			fmt.Fprintf(&d, "MPI_Send(count=?%d, dest=1, tag=2, comm=MPI_COMM_WORLD) @ a.c:2 [f]\n", 3*count)
			fmt.Fprintf(&d, "MPI_Alltoallv(sendcounts=?[%s], comm=MPI_COMM_WORLD) @ a.c:3 [f]\n",
				strings.TrimSuffix(strings.Repeat("7, ", n), ", "))
		}
	}
	a := archivetest.Archive(t, d.String())
	if bundles(a) == 0 {
		t.Fatal("no bundle")
	}
	archive.BreakPlainColumns(a, &archive.FormatError{Section: "columns", Offset: 77, Msg: "checksum",
		Hint: "copy it again"})
	_, err := a.Content()
	var fe *archive.FormatError
	if !errors.As(err, &fe) || fe.Offset != 77 || fe.Hint != "copy it again" {
		t.Errorf("%v", err)
	}
}

// TestManyBundles: reading streams side by side decodes each bundle once.
func TestManyBundles(t *testing.T) {
	defer archive.SetBundleValues(2000)()
	a := archivetest.Archive(t, irregular(40, 60))
	work := func() uint64 {
		before := archive.BundleWork(a)
		for i := range uint64(40) {
			for s := range a.Streams() {
				if _, err := s.CallAt(i); err != nil {
					t.Fatal(err)
				}
			}
		}
		return before - archive.BundleWork(a)
	}
	if first, again := work(), work(); first == 0 || again != 0 {
		t.Errorf("%d numbers were looked at, then %d", first, again)
	}
}

// TestBundleKinds: values of kinds that a parameter cannot have do no harm.
func TestBundleKinds(t *testing.T) {
	for _, x := range []string{"[]", "()", "[1, 2]", "(1, 2)", "[()]", `"x"`, "{source=1 tag=2 bytes=3}"} {
		rng := rand.New(rand.NewPCG(1, 2))
		d := strings.Builder{}
		for r := range 2 {
			fmt.Fprintf(&d, "rank %d of 2 on n\n", r)
			for range 200 {
				c := rng.IntN(1000)
				fmt.Fprintf(&d, "MPI_Send(count=?%d, dest=%s, tag=?%d, comm=%s)\n"+
					"MPI_Send(count=?%d, dest=1, tag=5, comm=MPI_COMM_WORLD)\n", c, x, c%7, x, 3*c)
				fmt.Fprintf(&d, "MPI_Waitall(count=1, array_of_requests=%s) ; array_of_statuses=%s\n", x, x)
				fmt.Fprintf(&d, "MPI_Waitany(count=1, array_of_requests=[request#1]) ; index=%s ; status=%s\n", x, x)
				fmt.Fprintf(&d, "MPI_Waitsome(incount=1, array_of_requests=[request#1]) ; outcount=1 ; "+
					"array_of_indices=%s ; array_of_statuses=[%s]\n", x, x)
			}
		}
		a := archivetest.Archive(t, d.String())
		if bundles(a) == 0 {
			t.Errorf("%s: no bundle", x)
		}
		if n := len(lines(t, a)); n != 2*200*5 {
			t.Errorf("%s: %d calls", x, n)
		}
	}
}
