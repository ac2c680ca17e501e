// Command mpichsuite runs the C programs of MPICH's own test suite plainly and
// under tabard record, and lists those whose outcome differs.
//
//	go run ./bench/mpichsuite -src PATH/test/mpi -mpi mpich
//
// PATH is a source tree of MPICH; each program is compiled against the
// installed MPI. A test passes if it exits with 0 and prints "No Errors". A
// difference counts only if it shows again in control runs of both kinds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const allDirs = "attr coll comm datatype group info init pt2pt rma topo errhan part mpi_t impls perf io " +
	"threads/coll threads/comm threads/init threads/mpi_t threads/part threads/perf threads/pt2pt threads/rma"

type suite struct {
	mpi, tabard, preload string
	limit                time.Duration
	verify               bool
	b                    *builder
	work                 string
}

func main() {
	src := flag.String("src", "", "folder test/mpi of an MPICH source tree")
	mpi := flag.String("mpi", "mpich", "openmpi or mpich")
	tabard := flag.String("tabard", "bin/tabard", "the tabard to test")
	out := flag.String("out", filepath.Join(os.TempDir(), "tabard-mpichsuite"), "where programs are built and run")
	dirs := flag.String("dirs", allDirs, "folders of the suite")
	only := flag.String("only", "", "only tests whose name contains this")
	preload := flag.String("preload", "", "library to preload in all runs")
	limit := flag.Duration("limit", 40*time.Second, "time limit of a test")
	verify := flag.Bool("verify", false, "keep the raw log of traced runs that pass and verify them")
	flag.Parse()
	if *src == "" {
		fmt.Fprintln(os.Stderr, "mpichsuite: -src is missing")
		os.Exit(2)
	}
	exe, err := filepath.Abs(*tabard)
	if err == nil {
		_, err = os.Stat(exe)
	}
	var b *builder
	if err == nil {
		b, err = newBuilder(*src, filepath.Join(*out, *mpi), "mpicc."+*mpi)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mpichsuite:", err)
		os.Exit(2)
	}
	s := &suite{mpi: *mpi, tabard: exe, preload: *preload, limit: *limit, verify: *verify, b: b, work: filepath.Join(*out, *mpi, "run")}
	if !s.run(strings.Fields(*dirs), *only) {
		os.Exit(1)
	}
}

// run runs all tests and reports whether none differs.
func (s *suite) run(dirs []string, only string) bool {
	counts := map[string]int{}
	var differ, broken []string
	for _, dir := range dirs {
		programs := makefile(filepath.Join(s.b.src, dir))
		for _, t := range readList(s.b.src, dir) {
			if !strings.Contains(t.String(), only) {
				continue
			}
			exe, err := s.b.build(dir, t.name, programs[t.name])
			if err != nil {
				counts["do not compile"]++
				fmt.Printf("%-60s does not compile: %v\n", &t, err)
				continue
			}
			plain, traced := s.compare(&t, exe)
			counts[plain]++
			if plain != traced {
				differ = append(differ, fmt.Sprintf("%s: %s, traced %s", &t, plain, traced))
			}
			if s.verify && traced == "pass" {
				if msg := s.check(); msg != "" {
					broken = append(broken, fmt.Sprintf("%s: %s", &t, msg))
				}
			}
		}
	}
	fmt.Printf("\n%s, outcomes of the untraced runs:\n", s.mpi)
	for _, k := range []string{"pass", "fail", "time out", "do not compile"} {
		fmt.Printf("  %4d %s\n", counts[k], k)
	}
	fmt.Printf("different under tabard record: %d\n", len(differ))
	for _, d := range differ {
		fmt.Println(" ", d)
	}
	if s.verify {
		fmt.Printf("archive differs from the raw log: %d\n", len(broken))
		for _, d := range broken {
			fmt.Println(" ", d)
		}
	}
	return len(differ)+len(broken) == 0
}

// compare runs a test both ways. Outcomes that differ are tried again: some
// tests fail now and then by themselves.
func (s *suite) compare(t *test, exe string) (plain, traced string) {
	start := time.Now()
	plain, _ = s.once(t, exe, false)
	took := time.Since(start)
	start = time.Now()
	traced, text := s.once(t, exe, true)
	fmt.Printf("%-60s %-8s %6.2fs  traced %-8s %6.2fs\n", t, plain, took.Seconds(), traced, time.Since(start).Seconds())
	for try := 0; plain != traced && try < 3; try++ {
		fmt.Printf("    again; the traced run said: %s\n", tail(text))
		again, _ := s.once(t, exe, false)
		if again == traced {
			return again, traced
		}
		plain = again
		traced, text = s.once(t, exe, true)
	}
	return plain, traced
}

func tail(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 600 {
		s = "..." + s[len(s)-600:]
	}
	return strings.ReplaceAll(s, "\n", "\n      ")
}

func (s *suite) archive() string { return filepath.Join(s.work, "test.tabard") }

// once runs a test in a fresh folder.
func (s *suite) once(t *test, exe string, traced bool) (outcome, text string) {
	os.RemoveAll(s.work)
	if err := os.MkdirAll(s.work, 0o777); err != nil {
		return err.Error(), ""
	}
	limit := s.limit
	if t.limit > 0 {
		limit = min(limit, t.limit)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := []string{"-n", fmt.Sprint(t.ranks)}
	if s.mpi == "openmpi" {
		args = append(args, "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")
	}
	if s.preload != "" && s.mpi == "openmpi" {
		args = append(args, "-x", "LD_PRELOAD="+s.preload)
	} else if s.preload != "" {
		args = append(args, "-genv", "LD_PRELOAD", s.preload)
	}
	if traced {
		args = append(args, s.tabard, "record", "--quiet", "-o", s.archive())
		if s.verify {
			args = append(args, "--keep-raw", filepath.Join(s.work, "raw"))
		}
		args = append(args, "--")
	}
	cmd := exec.CommandContext(ctx, "mpirun."+s.mpi, append(append(args, exe), t.args...)...)
	cmd.Dir = s.work
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	out, err := cmd.CombinedOutput()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what is left; mostly nothing
		return "time out", string(out)
	}
	ok := err == nil && strings.Contains(string(out), "No Errors")
	if t.status {
		ok = err != nil
	}
	if ok {
		return "pass", string(out)
	}
	return "fail", fmt.Sprint(string(out), err)
}

// check verifies the archive of the traced run before.
func (s *suite) check() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, s.tabard, "verify", s.archive(), filepath.Join(s.work, "raw")).CombinedOutput()
	if err != nil {
		return tail(string(out))
	}
	return ""
}
