package launch

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/capture"
)

// The C parts are refused wherever they could not run, with the reason.
func TestCheckObject(t *testing.T) {
	if err := CheckObject("runtime", capture.Runtime()); err != nil {
		t.Error(err)
	}
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	for _, c := range []struct {
		goarch string
		object []byte
		want   string
	}{
		{"riscv64", capture.Runtime(), "no runtime for riscv64"},
		{"ppc64le", capture.Runtime(), "no runtime for ppc64le"},
		{other, capture.Runtime(), "is for " + other + ", but its runtime is for EM_"},
		{runtime.GOARCH, nil, "without its runtime"},
		{runtime.GOARCH, []byte("no library"), "broken runtime"},
		{runtime.GOARCH, slices.Concat([]byte("\x7fELF\x01"), capture.Runtime()[5:]), "broken runtime"},
	} {
		if err := checkObject(c.goarch, "runtime", c.object); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %d bytes: %v, want %q", c.goarch, len(c.object), err, c.want)
		}
	}
}
