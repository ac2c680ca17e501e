package collect

import (
	"tabard/internal/merge"
	"tabard/trace"
)

// Retime stores the times of the archive at path, which must be lossless, in another mode. It returns the archive's new size.
func Retime(path string, m trace.TimingMode) (int64, error) {
	target, err := CanonicalOutput(path)
	if err != nil {
		return 0, err
	}
	a, err := trace.Open(target)
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
	return writeArchive(target, p, func() {})
}
