package collect

import (
	"io"
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Retime stores the times of the archive at path, which must be lossless, in another mode. It
// returns the archive's new size.
func Retime(path string, m archive.TimingMode) (int64, error) {
	target, err := CanonicalOutput(path)
	if err != nil {
		return 0, err
	}
	a, err := archive.Open(target)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	c, err := a.Retimed(m)
	if err != nil {
		return 0, err
	}
	p, err := merge.FromContent(c)
	if err != nil {
		return 0, err
	}
	st, err := os.Stat(target)
	if err != nil {
		return 0, err
	}
	return writeArchive(target, st.Mode().Perm(), p, func() {})
}

// SetOverview puts an overview into the archive at path instead of the one that it has, or takes that away if o is nil.
// It returns the archive's new size.
func SetOverview(path string, o *archive.Overview) (int64, error) {
	target, err := CanonicalOutput(path)
	if err != nil {
		return 0, err
	}
	a, err := archive.Open(target)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	st, err := os.Stat(target)
	if err != nil {
		return 0, err
	}
	write := func(w io.Writer) error { return a.WriteOverview(w, o) }
	return writeOutput(target, st.Mode().Perm(), func() {}, write, func(f *safefile.Output) error {
		return f.Replace(filepath.Base(target))
	})
}
