package launch

import (
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/collect"
)

// TestRegionEnv: variables that are set stay, unless a tabard around us has set them.
func TestRegionEnv(t *testing.T) {
	env := []string{"A=b", "KOKKOS_TOOLS_LIBS=mine.so", "NVTX_INJECTION64_PATH=/old/" + collect.LibraryFile}
	got := regionEnv(slices.Clone(env), "/l.so", &Options{})
	want := []string{"A=b", "KOKKOS_TOOLS_LIBS=mine.so", "NVTX_INJECTION64_PATH=/l.so", "INTEL_LIBITTNOTIFY64=/l.so"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := regionEnv(slices.Clone(env), "/l.so", &Options{EventsOff: 2}); !slices.Equal(got, env) {
		t.Errorf("without regions: %v", got)
	}
	if got := regionEnv(slices.Clone(env), "/l.so", &Options{EventsOff: 2, In: "solve"}); !slices.Equal(got, want) {
		t.Errorf("without regions, limited to some: %v, want %v", got, want)
	}
}
