package capture_test

import (
	"path/filepath"
	"slices"
	"testing"
)

// fakeLibrary compiles a source of testdata/harness to a shared library.
func fakeLibrary(t *testing.T, source, name string, flags ...string) string {
	t.Helper()
	lib := filepath.Join(t.TempDir(), name)
	args := slices.Concat([]string{"-O1", "-fPIC", "-shared", "-pthread", "-Wall", "-Wextra", "-Werror",
		harnessDir + source}, flags)
	if err := command("gcc", append(args, "-Wl,-soname,"+name, "-o", lib)...); err != nil {
		t.Fatal(err)
	}
	return lib
}

// TestGPUDriver has GPU memory whose allocation passes the runtime by: the driver is asked.
func TestGPUDriver(t *testing.T) {
	t.Parallel()
	dir := harness(t)
	runtime := fakeLibrary(t, "fakegpu.c", "libcudart.so.12")
	driver := fakeLibrary(t, "fakedriver.c", "libcuda.so.1")
	exe := program(t, dir, "gpudriver.c", "-L"+dir, "-lharness", runtime, "-Wl,-rpath,"+filepath.Dir(runtime))
	expect(t, "ok", nil, exe, driver)
	expect(t, "not asked", []string{"TABARD_GPU=off"}, exe, driver)
}

// TestGPURuntimes has two libraries with a GPU runtime each, of which no other object sees any
// symbol.
func TestGPURuntimes(t *testing.T) {
	t.Parallel()
	dir := harness(t)
	var libraries []string
	for _, version := range []string{"12", "13"} {
		runtime := fakeLibrary(t, "fakegpu.c", "libcudart.so."+version)
		user := fakeLibrary(t, "gpuuser.c", "libuser"+version+".so",
			"-Wl,--no-as-needed", runtime, "-Wl,-rpath,"+filepath.Dir(runtime))
		libraries = append(libraries, user, runtime)
	}
	expect(t, "ok", nil, program(t, dir, "gpuruntimes.c"), libraries...)
}
