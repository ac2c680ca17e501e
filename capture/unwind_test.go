package capture_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// frameFlags are ways to compile a program that leave different frames.
var frameFlags = []string{
	"-O0",
	"-O2 -fomit-frame-pointer",
	"-O2 -fomit-frame-pointer -s",
	"-O3 -fno-pie -no-pie",
	"-O2 -fno-omit-frame-pointer -fstack-protector-all",
	"-Os -static-libgcc",
}

// TestUnwind compares our unwinder with libgcc's in every kind of frame.
func TestUnwind(t *testing.T) {
	t.Parallel()
	dir := harness(t)
	for _, flags := range frameFlags {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			expect(t, "frames at most", nil, program(t, dir, "frames.c", strings.Fields(flags)...))
		})
	}
}

// TestSites has callers, callers behind a language binding, and stacks.
func TestSites(t *testing.T) {
	t.Parallel()
	dir := harness(t)
	lib := filepath.Join(t.TempDir(), "libbinding.so")
	err := command("gcc", "-O2", "-fPIC", "-shared", "-fomit-frame-pointer", harnessDir+"binding.c",
		"-Wl,-soname,libbinding.so", "-o", lib)
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range frameFlags {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			args := append(strings.Fields(flags), "-fno-optimize-sibling-calls", "-fno-ipa-icf", lib,
				"-Wl,-rpath,"+filepath.Dir(lib))
			expect(t, "ok", nil, program(t, dir, "sites.c", args...))
		})
	}
}
