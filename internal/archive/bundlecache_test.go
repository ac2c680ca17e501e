package archive_test

import (
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// Who asks for bundles in order finds the next one begun, and pays for those that were asked for only.
func TestBundlesAhead(t *testing.T) {
	defer archive.SetBundleValues(2000)()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	b := archivetest.Bytes(t, irregular(20, 60))
	open := func(a *archive.Archive, ks ...int) (all []map[int][]byte) {
		for _, k := range ks {
			blobs, err := archive.OpenBundle(a, k)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, blobs)
		}
		return all
	}
	for _, x := range []struct{ ask, known []int }{
		{[]int{0}, []int{0}},
		{[]int{0, 1}, []int{0, 1, 2}},
		{[]int{0, 2}, []int{0, 2}},
		{[]int{3, 2, 1}, []int{1, 2, 3}},
		{[]int{2, 3, 4, 4}, []int{2, 3, 4, 5}},
	} {
		a := archivetest.Open(t, b)
		open(a, x.ask...)
		if got := archive.KnownBundles(a); !slices.Equal(got, x.known) {
			t.Errorf("of %v asked for, %v are known, want %v", x.ask, got, x.known)
		}
	}
	whole := archivetest.Open(t, b)
	whole.ReadInOrder()
	open(whole, 0)
	if got := archive.KnownBundles(whole); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("what is read in order knows %v after the first bundle", got)
	}
	apart, ahead := archivetest.Open(t, b), archivetest.Open(t, b)
	before := archive.BundleWork(apart)
	want, got := open(apart, 3, 2, 1, 0), open(ahead, 0, 1, 2, 3)
	slices.Reverse(got)
	for i := range want {
		if !maps.EqualFunc(want[i], got[i], slices.Equal) {
			t.Errorf("bundle %d is another one if it was begun before it was asked for", 3-i)
		}
	}
	if x, y := before-archive.BundleWork(apart), before-archive.BundleWork(ahead); x == 0 || x != y {
		t.Errorf("%d numbers were looked at, but %d in order", x, y)
	}
}

// Several may ask for the same bundles at a time, also for those that cannot be decoded.
func TestBundlesTogether(t *testing.T) {
	defer archive.SetBundleValues(2000)()
	a := archivetest.Archive(t, irregular(20, 60), archive.MaxWork(1<<14))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 16 {
				blobs, err := archive.OpenBundle(a, (k*i+i)%8)
				var fe *archive.FormatError
				if err == nil && len(blobs) == 0 || err != nil && !errors.As(err, &fe) {
					t.Errorf("bundle %d: %d columns, %v", (k*i+i)%8, len(blobs), err)
				}
			}
		})
	}
	all.Wait()
}

// What is too much does not depend on what was begun before it was asked for.
func TestBundlesLimit(t *testing.T) {
	defer archive.SetBundleValues(2000)()
	b := archivetest.Bytes(t, irregular(20, 60))
	const bundles = 6
	mixed := 0
	for limit := uint64(1 << 13); limit < 1<<16; limit += 1 << 12 {
		run := func(processors int) (known [bundles]bool) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			a := archivetest.Open(t, b, archive.MaxWork(limit))
			for _, k := range []int{0, 1, 4, 5, 2, 3} {
				_, err := archive.OpenBundle(a, k)
				known[k] = err == nil
			}
			return known
		}
		one, two := run(1), run(2)
		if one != two {
			t.Errorf("%d numbers: bundles %v, but %v with two processors", limit, one, two)
		}
		if one != [bundles]bool{} && slices.Contains(one[:], false) {
			mixed++
		}
	}
	if mixed == 0 {
		t.Error("no limit was met")
	}
}
