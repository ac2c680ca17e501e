package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile makes a program, or with -shared a library, of C code.
func compile(t *testing.T, dir, name, code string, flags ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	source := path + ".c"
	if err := os.WriteFile(source, []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-O1", "-w", "-o", path, source}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", args, err, out)
	}
	return path
}

// TestSources: what a program and its libraries are linked with tells which events it can make.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	lib := compile(t, dir, "libother.so", `int MPI_Send(), ncclSend();
int other(void) { return MPI_Send() + ncclSend(); }`, "-shared", "-fPIC")
	all := compile(t, dir, "all", `#include <stdio.h>
int other(void);
void GOMP_barrier(void) __attribute__((weak)), tabard_begin(const char *) __attribute__((weak));
const char *nvtx(void) { return "NVTX_INJECTION64_PATH"; }
int main(void)
{
	if (tabard_begin) tabard_begin("x");
	if (GOMP_barrier) GOMP_barrier();
	return fopen("x", "r") == NULL || other();
}
`, "-Wl,--allow-shlib-undefined", lib, "-Wl,-rpath,"+dir)
	none := compile(t, dir, "none", "int main(void) { return 0; }", "-s")
	for path, wants := range map[string]string{
		all: "ok mpi: libother.so calls MPI_Send|ok regions: all calls tabard_begin, all has NVTX|" +
			"ok io: all calls fopen -> --events=mpi,io|ok openmp: all calls GOMP_barrier -> --events=mpi,openmp|" +
			"ok nccl: libother.so calls ncclSend -> --events=mpi,nccl|" +
			"none python: not found|ok functions: ",
		none: "none mpi: not found|none regions: not found|none io: not found|none openmp: not found|none nccl: not " +
			"found|" +
			"none python: not found|none functions: " + none + " has no names",
		compile(t, dir, "static", "int main(void) { return 0; }", "-static"): "fail program: ",
		script(t, dir, "run.sh", "exit 0"): "ok program: " + filepath.Join(dir, "run.sh") +
			" is a script, which /bin/sh runs|none mpi: ",
	} {
		checks, err := Sources(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		var lines []string
		for _, c := range checks {
			lines = append(lines, string(c.Status)+" "+c.Name+": "+c.Detail+strings.Replace(c.Fix, "tabard record",
				" ->", 1))
		}
		got := strings.Join(lines, "\n")
		for _, want := range strings.Split(wants, "|") {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing:\n%s", path, want, got)
			}
		}
	}
	script := filepath.Join(dir, "train.py") // not executable
	if err := os.WriteFile(script, []byte("import os\nfrom torch import nn\n# import mpi4py\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	checks, err := Sources(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if found := c.Status == OK; (c.Name == "torch" || c.Name == "mpi") && found != (c.Name == "torch") {
			t.Errorf("%s: %+v", script, c)
		}
	}
	if _, err := Sources(filepath.Join(dir, "nosuch")); err == nil {
		t.Error("a program that is not there has sources")
	}
}

// TestSourcesRunNothing: neither the dynamic linker that a program names is run, nor what that would load.
func TestSourcesRunNothing(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	linker := script(t, dir, "linker.sh", ": >"+ran)
	audit := compile(t, dir, "audit.so", `#include <fcntl.h>
unsigned la_version(unsigned v) { close(creat("`+ran+`", 0600)); return v; }`, "-shared", "-fPIC")
	for _, flag := range []string{"-Wl,--dynamic-linker=" + linker, "-Wl,--audit=" + audit} {
		path := compile(t, dir, "hostile", "int main(void) { return 0; }", flag)
		checks, err := Sources(path)
		if err != nil || len(checks) == 0 {
			t.Errorf("%s: %v, %v", flag, checks, err)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%s: something of the program ran", flag)
			os.Remove(ran)
		}
	}
}
