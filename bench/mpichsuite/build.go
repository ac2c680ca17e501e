package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// config stands in for what the suite's configure writes.
const config = `
#define HAVE_STDARG_H 1
#define HAVE_STRING_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_USLEEP 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_LONG_INT 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_MPI_INIT_THREAD 1
#define HAVE_MPI_TYPE_CREATE_STRUCT 1
#define HAVE_MPI_IO 1
#define USE_THREADS 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define THREAD_PACKAGE_INVALID 0
#define THREAD_PACKAGE_NONE 1
#define THREAD_PACKAGE_POSIX 2
#define THREAD_PACKAGE_SOLARIS 3
#define THREAD_PACKAGE_WIN 4
#define THREAD_PACKAGE_UTI 5
#define THREAD_PACKAGE_ARGOBOTS 6
#define HAVE_PTHREAD_H 1
#define HAVE_PTHREAD_BARRIER_INIT 1
#define POINTERINT_t long
`

// builder compiles the suite's programs one by one.
type builder struct {
	src, out, cc string
	include      []string
	objects      map[string][]string // support objects for programs without and with threads
}

var assignment = regexp.MustCompile(`^(\w+)_(SOURCES|CPPFLAGS|CFLAGS)\s*=\s*(.*)$`)

// program is what a Makefile.am says of a program beyond its name.
type program struct {
	sources, flags []string
}

// makefile reads the few facts needed from an automake file.
func makefile(dir string) map[string]program {
	text, err := os.ReadFile(filepath.Join(dir, "Makefile.am"))
	if err != nil {
		return nil
	}
	programs := map[string]program{}
	for _, line := range strings.Split(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
		m := assignment.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		p := programs[m[1]]
		for _, w := range strings.Fields(m[3]) {
			switch {
			case m[2] == "SOURCES" && strings.HasSuffix(w, ".c"):
				p.sources = append(p.sources, w)
			case strings.HasPrefix(w, "-D"):
				p.flags = append(p.flags, w)
			}
		}
		programs[m[1]] = p
	}
	return programs
}

func newBuilder(src, out, cc string) (*builder, error) {
	b := &builder{src: src, out: out, cc: cc, objects: map[string][]string{}}
	// The suite includes "../dtpoolsconf.h", which is found beside a folder of the search path.
	conf := filepath.Join(out, "conf", "include")
	if err := os.MkdirAll(conf, 0o777); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"include/mpitestconf.h": config, "dtpoolsconf.h": config, "include/mtest_mpix.h": ""} {
		if err := os.WriteFile(filepath.Join(out, "conf", name), []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	b.include = []string{"-I" + conf, "-I" + filepath.Join(src, "include"), "-I" + filepath.Join(src, "util"), "-I" + filepath.Join(src, "dtpools", "include")}
	common, err := filepath.Glob(filepath.Join(src, "dtpools", "src", "*.c"))
	if err != nil {
		return nil, err
	}
	for _, f := range []string{"mtest.c", "mtest_common.c", "dtypes.c"} {
		common = append(common, filepath.Join(src, "util", f))
	}
	for kind, extra := range map[string]string{"single": "mtest_single.c", "threads": "mtest_thread.c"} {
		for _, c := range append(common[:len(common):len(common)], filepath.Join(src, "util", extra)) {
			o := filepath.Join(out, kind+"-"+strings.TrimSuffix(filepath.Base(c), ".c")+".o")
			if _, err := os.Stat(o); err != nil {
				if msg, err := b.run("-c", c, "-o", o); err != nil {
					return nil, fmt.Errorf("support code: %w\n%s", err, msg)
				}
			}
			b.objects[kind] = append(b.objects[kind], o)
		}
	}
	return b, nil
}

func (b *builder) run(args ...string) (string, error) {
	out, err := exec.Command(b.cc, append(append([]string{"-O1", "-g", "-w"}, b.include...), args...)...).CombinedOutput()
	return string(out), err
}

// build compiles a program of a folder (relative to the suite) and returns its path.
func (b *builder) build(dir, name string, p program) (string, error) {
	exe := filepath.Join(b.out, strings.ReplaceAll(dir, "/", "_")+"_"+name)
	if _, err := os.Stat(exe); err == nil {
		return exe, nil
	}
	sources := p.sources
	if len(sources) == 0 {
		sources = []string{name + ".c"}
	}
	args := append([]string{}, p.flags...)
	for _, s := range sources {
		args = append(args, filepath.Join(b.src, dir, s))
	}
	kind := "single"
	if strings.HasPrefix(dir, "threads") {
		kind = "threads"
	}
	args = append(args, b.objects[kind]...)
	msg, err := b.run(append(args, "-o", exe, "-lm", "-lpthread")...)
	if err != nil {
		return "", fmt.Errorf("%s", firstLine(msg))
	}
	return exe, nil
}

func firstLine(s string) string {
	for _, l := range strings.Split(s, "\n") {
		if strings.Contains(l, "error") || strings.Contains(l, "undefined") {
			return l
		}
	}
	s, _, _ = strings.Cut(s, "\n")
	return s
}
