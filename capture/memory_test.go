package capture_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const harnessDir = "testdata/harness/"

// harnessSources are the files under test; harness.c itself includes sites/unwind.c, and stands for
// sites/jumps.c.
var harnessSources = []string{"core/lock.c", "memory/allocation.c", "memory/blocks.c", "memory/gpu.c",
	"memory/gpudriver.c", "memory/ranges.c", "memory/segments.c", "memory/shadow.c", "sites/cfi.c", "sites/modules.c",
	"sites/python.c"}

var harnessOnce, hungryOnce = sync.OnceValues(func() (string, error) { return buildHarness("plain") }),
	sync.OnceValues(func() (string, error) { return buildHarness("hungry", "-DHUNGRY_DLSYM") })

// buildHarness compiles memory/ and sites/ with a recorder that only keeps books.
func buildHarness(name string, flags ...string) (string, error) {
	dir := filepath.Join(built.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	args := append([]string{"-std=gnu11", "-g", "-O2", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden",
		"-fno-semantic-interposition", "-fexceptions", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
		"-I."}, flags...)
	args = append(args, harnessDir+"harness.c")
	args = append(args, harnessSources...)
	return dir, command("gcc", append(args, "-Wl,-soname,libharness.so", "-Wl,--version-script=libtabard.map",
		"-o", filepath.Join(dir, "libharness.so"))...)
}

func harness(t *testing.T) string {
	t.Helper()
	dir, err := harnessOnce()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// program compiles a program of testdata/harness against the harness in dir.
func program(t *testing.T, dir, source string, flags ...string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), strings.TrimSuffix(source, ".c"))
	args := append([]string{"-std=gnu11", "-g", "-pthread", "-fno-builtin", "-Wall", "-Wno-deprecated-declarations",
		"-Wno-alloc-size-larger-than",
		"-Wl,--build-id", "-Wl,--no-as-needed", harnessDir + source}, flags...)
	args = append(args, "-L"+dir, "-lharness", "-lm", "-Wl,-rpath,"+dir, "-o", exe)
	if err := command("gcc", args...); err != nil {
		t.Fatal(err)
	}
	return exe
}

// expect runs a program, which checks itself, and wants its last line of output.
func expect(t *testing.T, want string, env []string, exe string, args ...string) {
	t.Helper()
	cmd := exec.Command(exe, args...)
	cmd.Env = append(append(os.Environ(), "TABARD_DIR=/nonexistent"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), want) {
		t.Errorf("%s: %v, output %q, want %q", filepath.Base(exe), err, out, want)
	}
}

// TestAddresses looks at each class of address in turn.
func TestAddresses(t *testing.T) {
	t.Parallel()
	expect(t, "ok", nil, program(t, harness(t), "basics.c", "-O1"))
}

// TestAddressesFixed is TestAddresses for a program with fixed addresses.
func TestAddressesFixed(t *testing.T) {
	t.Parallel()
	expect(t, "ok", nil, program(t, harness(t), "basics.c", "-O1", "-no-pie", "-fno-pie"))
}

// TestBootstrap has a dlsym that allocates while the allocator is being looked up.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	dir, err := hungryOnce()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "ok", nil, program(t, dir, "basics.c", "-O1", "-DHUNGRY_DLSYM"))
}

// TestStorm compares random allocation from several threads with an oracle.
func TestStorm(t *testing.T) {
	t.Parallel()
	expect(t, "segments", nil, program(t, harness(t), "storm.c", "-O1"))
}

// TestForeignAllocator is TestStorm on an allocator of the user, preloaded behind the runtime.
func TestForeignAllocator(t *testing.T) {
	t.Parallel()
	dir := harness(t)
	lib := filepath.Join(t.TempDir(), "liballocator.so")
	if err := command("gcc", "-O1", "-fPIC", "-shared", "-fno-builtin", harnessDir+"allocator.c",
		"-o", lib); err != nil {
		t.Fatal(err)
	}
	preload := "LD_PRELOAD=" + filepath.Join(dir, "libharness.so") + " " + lib
	expect(t, "segments", []string{preload}, program(t, dir, "storm.c", "-O1"))
}

// TestGPU has a runtime that the program is linked with, and one that it loads for itself.
func TestGPU(t *testing.T) {
	t.Parallel()
	dir := harness(t)
	lib := filepath.Join(t.TempDir(), "libcudart.so.12")
	err := command("gcc", "-O1", "-fPIC", "-shared", harnessDir+"fakegpu.c", "-Wl,-soname,libcudart.so.12", "-o", lib)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "ok", nil, program(t, dir, "gpu.c", "-L"+dir, "-lharness", lib, "-Wl,-rpath,"+filepath.Dir(lib)))
	expect(t, "ok", nil, program(t, dir, "gpu.c"), lib)
}

// TestOrdinaryPrograms runs programs with and without the runtime, following
// allocations though nobody records: nothing they do may change.
func TestOrdinaryPrograms(t *testing.T) {
	if sanitizer != "" {
		t.Skip("ordinary programs are not made for sanitizers, which have allocators of their own")
	}
	t.Parallel()
	dir := t.TempDir()
	cxx, fortran := filepath.Join(dir, "cxx"), filepath.Join(dir, "fortran")
	if err := command("g++", "-std=c++17", "-O2", "-pthread", harnessDir+"ordinary.cc", "-o", cxx); err != nil {
		t.Fatal(err)
	}
	if err := command("gfortran", "-O2", harnessDir+"ordinary.f90", "-o", fortran); err != nil {
		t.Fatal(err)
	}
	python := `import json, threading, subprocess, ctypes, mmap
d = [json.loads(json.dumps({"k": [i, str(i) * (i % 50)]})) for i in range(20000)]
ts = [threading.Thread(target=lambda: sum(len(str(x)) for x in d)) for _ in range(4)]
[t.start() for t in ts]; [t.join() for t in ts]
m = mmap.mmap(-1, 1 << 20); m[5:8] = b"abc"; m.resize(1 << 21); print(m[5:8])
print(len(str(d)), subprocess.run(["echo", "child"], capture_output=True).stdout)
raise SystemExit(5)`
	for name, argv := range map[string][]string{
		"ls":     {"/bin/ls", "-la", "/usr/bin"},
		"shell":  {"/bin/sh", "-c", "for i in 1 2 3; do (echo $i | tr 1 x | sort; exit $i) | cat; done; kill -9 $$"},
		"python": {"python3", "-c", python},
		"c++":    {cxx}, "fortran": {fortran},
	} {
		t.Run(name, func(t *testing.T) {
			plain, plainCode := execute(t, argv)
			for _, env := range [][]string{
				{"LD_PRELOAD=" + built.runtime},
				{"LD_PRELOAD=" + built.runtime, "TABARD_DIR=" + dir},
			} {
				if out, code := execute(t, argv, env...); code != plainCode || !bytes.Equal(out, plain) {
					t.Errorf("with %q: exit code %d, want %d; output %q, want %q", env, code, plainCode, out, plain)
				}
			}
		})
	}
}

func execute(t *testing.T, argv []string, env ...string) (output []byte, code int) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out, cmd.ProcessState.ExitCode()
}
