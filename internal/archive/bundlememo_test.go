package archive_test

import (
	"bytes"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// TestBundlesMemo writes contents with a memo: the bytes are the same as without, and nothing is
// coded a second time but what changed.
func TestBundlesMemo(t *testing.T) {
	defer archive.SetBundleValues(400)()
	c, err := archivetest.Archive(t, irregular(6, 40)).Content()
	if err != nil {
		t.Fatal(err)
	}
	var walks atomic.Int64
	memo := &archive.Bundles{Tick: func() { walks.Add(1) }}
	write := func(c *archive.Content, memo *archive.Bundles) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := c.WriteWith(&b, memo); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	plain := write(c, nil)
	if !bytes.Equal(plain, write(c, memo)) {
		t.Fatal("a memo changes the archive")
	}
	all := walks.Swap(0)
	if all < 12 {
		t.Fatalf("%d walks for two of each of 6 streams", all)
	}
	other := *c
	other.Meta.MPI = "another"
	if bytes.Equal(plain, write(&other, memo)) || walks.Load() != 0 {
		t.Fatalf("%d walks for columns that are known", walks.Load())
	}
	// One value more or less is another bundle, maybe several, as guesses depend on what was sent.
	changed := *c
	changed.Columns = slices.Clone(c.Columns)
	one, most := 0, 0
	for i, b := range c.Columns {
		if len(b) > most {
			one, most = i, len(b)
		}
	}
	for i, b := range c.Columns {
		if i != one && len(b) > most/2 && archive.ColumnLength(b) == archive.ColumnLength(c.Columns[one]) {
			changed.Columns[one] = b
			break
		}
	}
	if bytes.Equal(changed.Columns[one], c.Columns[one]) {
		t.Fatal("no column of the same length")
	}
	if want := write(&changed, nil); !bytes.Equal(want, write(&changed, memo)) || walks.Load() == 0 {
		t.Fatalf("a changed column gives what was there before, after %d walks", walks.Load())
	}
	if n := walks.Load(); n >= all {
		t.Errorf("%d walks for one column, %d for all", n, all)
	}
}

// TestWriteApart compares an archive without bundles with one that has them.
func TestWriteApart(t *testing.T) {
	a := archivetest.Archive(t, irregular(4, 60))
	c, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := c.WriteApart(&file); err != nil {
		t.Fatal(err)
	}
	b, err := archive.OpenReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if bundles(a) == 0 || bundles(b) != 0 {
		t.Fatalf("%d and %d bytes of bundles", bundles(a), bundles(b))
	}
	if !slices.Equal(lines(t, a), lines(t, b)) {
		t.Error("other calls")
	}
	if err := archive.Validate(b); err != nil {
		t.Error(err)
	}
}

// TestBundlesInOrder compares coding several bundles at a time with one after the other, where some
// are not worth it.
func TestBundlesInOrder(t *testing.T) {
	worth, not := 0, 0
	for _, values := range []int{40, 60, 80, 120, 250} {
		restore := archive.SetBundleValues(values)
		for seed := range 4 {
			c, err := archivetest.Archive(t, irregular(2+seed, 12+4*seed)).Content()
			if err != nil {
				t.Fatal(err)
			}
			got, want := c.Bundles()
			for k := range want {
				if !bytes.Equal(got[k], want[k]) {
					t.Fatalf("bundles of %d numbers, %d ranks: bundle %d differs", values, 2+seed, k)
				}
				if want[k] == nil {
					not++
				} else {
					worth++
				}
			}
		}
		restore()
	}
	if worth == 0 || not == 0 {
		t.Errorf("%d bundles are worth it, %d are not", worth, not)
	}
}
