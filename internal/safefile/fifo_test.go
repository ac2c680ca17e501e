package safefile

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// A FIFO is opened without a writer, and nothing else in its place is.
func TestFIFO(t *testing.T) {
	d, remove, err := Scratch("tabard-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	if err := d.MakeFIFO("fifo"); err != nil {
		t.Fatal(err)
	}
	if err := d.MakeFIFO("fifo"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made twice: %v", err)
	}
	f, err := d.OpenFIFO("fifo")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := os.OpenFile(d.Join("fifo"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString("hello")
	w.Close()
	b := make([]byte, 8)
	if n, err := f.Read(b); err != nil || string(b[:n]) != "hello" {
		t.Errorf("%q, %v", b[:n], err)
	}
	if err := errors.Join(d.WriteFile("file", nil, false), d.Symlink("fifo", "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "link", "nothing", "../fifo"} {
		if f, err := d.OpenFIFO(name); err == nil {
			f.Close()
			t.Errorf("%s was opened", name)
		}
	}
}
