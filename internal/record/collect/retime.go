package collect

import (
	"os"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
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
