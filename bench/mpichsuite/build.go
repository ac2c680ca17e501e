package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// suite is a run of the suite with one MPI.
type suite struct {
	*options
	mpi     *mpirun.MPI
	root    string // test/mpi, copied, since configured headers must stand in it
	recipes map[string]map[string]recipe
	failed  map[string]bool // programs that do not compile
	tally
}

// headers are what MPICH's configure would have written on Linux.
var headers = map[string]string{
	"include/mpitestconf.h": `#ifndef MPITESTCONF_H
#define MPITESTCONF_H
#define HAVE_STRING_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDARG_H 1
#define HAVE_MEMORY_H 1
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_LONG_INT 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE__BOOL 1
#define HAVE_MPI_INIT_THREAD 1
#define HAVE_MPI_IO 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_MPI_TYPE_CREATE_STRUCT 1
#define HAVE_MPI2_COMBINERS 1
#define HAVE_PTHREAD_BARRIER_INIT 1
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_VOID_P 8
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#endif
`,
	"include/mtest_mpix.h": "",
	"dtpools/dtpoolsconf.h": `#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_FLOAT__COMPLEX 1
`,
}

// prepare copies the suite and compiles its support library, once for programs
// with and once for those without threads.
func (s *suite) prepare() error {
	s.recipes, s.failed = map[string]map[string]recipe{}, map[string]bool{}
	s.root = filepath.Join(s.build, "src")
	if _, err := os.Stat(s.root); err != nil {
		if err := os.CopyFS(s.root, os.DirFS(filepath.Join(s.source, "test", "mpi"))); err != nil {
			return err
		}
	}
	for name, text := range headers {
		if err := os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	var err error
	if s.mpi.YieldPreload, err = mpirun.BuildYield(s.build); err != nil {
		return err
	}
	common, err := filepath.Glob(filepath.Join(s.root, "dtpools", "src", "*.c"))
	if err != nil {
		return err
	}
	common = append(common, s.util("mtest.c"), s.util("mtest_common.c"), s.util("dtypes.c"))
	for _, kind := range []string{"single", "thread"} {
		if err := s.library(kind, append(common[:len(common):len(common)], s.util("mtest_"+kind+".c"))); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) util(name string) string { return filepath.Join(s.root, "util", name) }

func (s *suite) compile(threads bool, args ...string) error {
	flags := []string{"-w", "-g", "-O1", "-pthread", "-I" + filepath.Join(s.root, "include"),
		"-I" + filepath.Join(s.root, "dtpools", "include")}
	if threads {
		flags = append(flags, "-DMTEST_USE_THREAD")
	}
	if s.mpi.Name != "mpich" {
		flags = append(flags, "-DUSE_STRICT_MPI")
	}
	if s.mpi.Name == "openmpi" { // its library still has the functions of MPI 1 that the support code mentions
		flags = append(flags, "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-DOMPI_REMOVED_USE_STATIC_ASSERT=0")
	}
	out, err := exec.Command(s.mpi.CC, append(flags, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func (s *suite) archive(kind string) string { return filepath.Join(s.build, "libmtest_"+kind+".a") }

func (s *suite) library(kind string, sources []string) error {
	var objects []string
	for _, source := range sources {
		o := filepath.Join(s.build, strings.TrimSuffix(filepath.Base(source), ".c")+"."+kind+".o")
		if err := s.compile(kind == "thread", "-c", source, "-o", o); err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		objects = append(objects, o)
	}
	if err := os.RemoveAll(s.archive(kind)); err != nil {
		return err
	}
	ar := exec.Command("ar", append([]string{"rcs", s.archive(kind)}, objects...)...)
	if out, err := ar.CombinedOutput(); err != nil {
		return fmt.Errorf("ar: %w\n%s", err, out)
	}
	return nil
}

// program compiles a program if it is not there yet. Programs that do not
// compile are counted, not run.
func (s *suite) program(l *line) (path string, ok bool, err error) {
	path = filepath.Join(s.root, l.dir, l.program)
	if s.failed[path] {
		return "", false, nil
	}
	if _, err := os.Stat(path); err == nil {
		return path, true, nil
	}
	if s.recipes[l.dir] == nil {
		if s.recipes[l.dir], err = readRecipes(s.root, l.dir); err != nil {
			return "", false, err
		}
	}
	r := s.recipes[l.dir][l.program]
	if len(r.sources) == 0 {
		r.sources = []string{l.program + ".c"}
	}
	threads, kind := strings.HasPrefix(l.dir, "threads"), "single"
	if threads {
		kind = "thread"
	}
	args := append([]string{"-I" + filepath.Join(s.root, l.dir)}, r.flags...)
	for _, source := range r.sources {
		args = append(args, filepath.Join(s.root, l.dir, source))
	}
	if err := s.compile(threads, append(args, "-o", path, s.archive(kind), "-lm")...); err != nil {
		fmt.Printf("%s does not compile: %.300s\n", l.dir+"/"+l.program, err)
		s.failed[path] = true
		return "", false, nil
	}
	return path, true, nil
}
