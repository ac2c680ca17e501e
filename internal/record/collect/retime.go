package collect

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Retime stores the times of the archive at path, which must be lossless, in another mode. It
// returns the archive's new size.
func Retime(path string, m archive.TimingMode) (int64, error) {
	a, target, mode, err := openOutput(path)
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
	return writeArchive(target, mode, p, func() {})
}

// SetOverview puts an overview into the archive at path instead of the one that it has, or takes that away if o is nil.
// It returns the archive's new size.
func SetOverview(path string, o *archive.Overview) (int64, error) {
	a, target, mode, err := openOutput(path)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	write := func(w io.Writer) error { return a.WriteOverview(w, o) }
	return writeOutput(target, mode, func() {}, write, func(f *safefile.Output) error {
		return f.Replace(filepath.Base(target))
	})
}

// openOutput opens an archive that is to be replaced, at its canonical path and with the permissions that it has.
func openOutput(path string) (a *archive.Archive, target string, mode fs.FileMode, err error) {
	if target, err = CanonicalOutput(path); err != nil {
		return nil, "", 0, err
	}
	if a, err = archive.Open(target); err != nil {
		return nil, "", 0, err
	}
	st, err := os.Stat(target)
	if err != nil {
		a.Close()
		return nil, "", 0, err
	}
	return a, target, st.Mode().Perm(), nil
}
