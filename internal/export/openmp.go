package export

import (
	"strings"

	"github.com/tabard-hpc/tabard/spec"
)

// construct is the part of an OpenMP construct that an event begins or ends, "" if it does neither. For a lock, that is
// the time until it is there.
func construct(f *spec.Func) (name string, begins bool) {
	if f.API != "openmp" || f.Shape != spec.ShapePoint {
		return "", false
	}
	if name, ok := strings.CutSuffix(f.Name, "_begin"); ok {
		return name, true
	}
	for _, end := range []string{"_end", "_acquired"} {
		if name, ok := strings.CutSuffix(f.Name, end); ok {
			return name, false
		}
	}
	return "", false
}

// closes is which of the open regions an event ends, -1 for none: the last one of the same construct, or of those that
// are none. Regions inside end with it.
func closes[T interface{ of() string }](open []T, construct string) int {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].of() == construct {
			return i
		}
	}
	return -1
}
