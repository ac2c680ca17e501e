package archive

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/container"
)

// ValidateStreams is Validate without the knowledge that streams of a class are alike.
func ValidateStreams(a *Archive) error {
	v := &validator{a: a, left: a.maxWork}
	for i := range a.realms {
		if err := v.realm(&a.realms[i], nil); err != nil {
			return named(err, a.file)
		}
	}
	return named(v.groups(), a.file)
}

// Answering counts the classes that validation by class does not need to look at stream by stream.
func Answering(a *Archive) (n int) {
	for _, c := range a.classes {
		if l, err := c.open(); err == nil && c.head.Ranks.Len() > 1 && l.answers() {
			n++
		}
	}
	return n
}

// SetBundleValues makes bundles end after fewer numbers, until the function that it returns is
// called.
func SetBundleValues(n int) (restore func()) {
	old := bundleValues
	bundleValues = n
	return func() { bundleValues = old }
}

// BreakPlainColumns makes reading of columns fail that are in no bundle, where bundles refer to
// them.
func BreakPlainColumns(a *Archive, err error) {
	a.bundles.plain = func(int) ([]byte, error) { return nil, err }
}

// BundleWork is how many numbers bundles may still look at.
func BundleWork(a *Archive) uint64 { return a.bundles.left }

// ColumnLength is how many numbers an encoded column has.
func ColumnLength(b []byte) int {
	vals, _ := columnValues(b)
	return len(vals)
}

// Bundles codes the columns of a content together as a writer does, and one bundle after the other.
// It returns the codes of both ways, nil for what was not worth it.
func (c *Content) Bundles() (written, inOrder [][]byte) {
	w := newBundler(c, nil)
	for _, x := range w.tried(w.plan()) {
		written = append(written, x.code)
	}
	w = newBundler(c, nil)
	for k, members := range w.plan() {
		x := w.trial(k, members)
		if len(x.raw) >= minBundleBytes {
			x.bundleCode = w.code(k, x)
		}
		if x.code == nil {
			w.disown(x)
		}
		inOrder = append(inOrder, x.code)
	}
	return written, inOrder
}

// EncodeOverview and ParseOverview are what a section holds.
var (
	EncodeOverview = (*Overview).encode
	ParseOverview  = parseOverview
)

// CopySection is a file with a section of another one at its end.
func CopySection(t *testing.T, to, from []byte, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := container.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range [][]byte{to, from} {
		r, err := container.Open(bytes.NewReader(file), int64(len(file)), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range r.Sections() {
			if (sectionNames[s.Type] == name) != (&file[0] == &from[0]) {
				continue
			}
			stored, err := r.Stored(i)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.AddStored(s, stored); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// OpenBundle decodes a bundle.
func OpenBundle(a *Archive, k int) (map[int][]byte, error) { return a.openBundle(k) }

// KnownBundles are the bundles that are decoded, or are being decoded, in order.
func KnownBundles(a *Archive) (ks []int) {
	a.bundles.mu.Lock()
	defer a.bundles.mu.Unlock()
	for _, b := range a.bundles.cache {
		ks = append(ks, b.k)
	}
	slices.Sort(ks)
	return ks
}
