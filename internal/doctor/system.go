package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

const (
	// perThread is how many bytes of the state directory one traced thread may fill before the
	// program waits: 16 segments of 4 MiB.
	perThread = 64 << 20
	// noExec is ST_NOEXEC of statfs(2).
	noExec = 8
)

// checkPreload tries the places for the state of a recording. They need room, and a program must
// start with the runtime preloaded from there.
func checkPreload(ctx context.Context, c Config) []Check {
	var checks []Check
	usable := 0
	for _, root := range c.StateRoots {
		ch := checkRoot(ctx, root, c.Runtime)
		if ch.Status != Fail {
			usable++
		}
		checks = append(checks, ch)
	}
	for i := range checks { // one usable place is enough
		if usable > 0 && checks[i].Status == Fail {
			checks[i].Status = Warn
		}
	}
	if len(checks) == 0 {
		checks = append(checks, fail("state", "set TABARD_STATE to a directory on a local disk",
			"no place for the state of a recording"))
	}
	return checks
}

func checkRoot(ctx context.Context, root string, library []byte) Check {
	const name = "state"
	place := existing(root)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(place, &fs); err != nil {
		return fail(name, "set TABARD_STATE to another directory", "%s: %v", root, err)
	}
	if fs.Flags&noExec != 0 {
		return fail(name, "set TABARD_STATE to a directory on a file system without noexec",
			"%s is mounted noexec: a library there cannot be preloaded", root)
	}
	const denied = "set TABARD_STATE to a directory that you may write to"
	if err := unix.Access(place, unix.W_OK|unix.X_OK); err != nil {
		return fail(name, denied, "%s: %v", place, err)
	}
	if err := safefile.Trusted(place); err != nil {
		return warn(name, "set TABARD_STATE to a directory that only you can change",
			"%s: the runtime will be loaded from elsewhere: %v", root, err)
	}
	dir, remove, err := safefile.ScratchIn(place, "tabard-doctor-")
	if err != nil {
		return fail(name, denied, "%v", err)
	}
	defer remove()
	const lib = "libtabard.so"
	if err := dir.WriteProgram(lib, library); err != nil {
		return fail(name, "make room there, or set TABARD_STATE to another directory", "%v", err)
	}
	if err := preload(ctx, dir.Join(lib)); err != nil {
		return fail(name,
			"see the message of the loader; a program that is linked statically cannot be recorded at all",
			"%s: a program with the runtime preloaded did not run: %v", root, err)
	}
	free := fs.Bavail * uint64(fs.Bsize)
	if need := uint64(perThread * runtime.NumCPU()); free < need {
		return warn(name,
			"nothing is lost when it is full: the program waits for the collector, then spills to the disk",
			"%s works, but has only %d MiB free (%d MiB are wanted for %d ranks)", root, free>>20, need>>20,
			runtime.NumCPU())
	}
	return ok(name, "%s: preloading works, %d MiB free", root, free>>20)
}

// preload runs a small program with the library preloaded. If the loader cannot use a library, it
// only complains on stderr and goes on.
func preload(ctx context.Context, lib string) error {
	ctx, cancel := context.WithTimeout(ctx, shortWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", ":")
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+lib)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, lastLines(string(out), 2))
	}
	if s := string(out); strings.Contains(s, filepath.Base(lib)) {
		return errors.New(firstLine(s))
	}
	return nil
}

// existing gives the nearest directory at or above path that exists.
func existing(path string) string {
	for {
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			return path
		}
		up := filepath.Dir(path)
		if up == path {
			return path
		}
		path = up
	}
}

// clockSource names the files that tell which clock the system uses.
type clockSource struct{ current, cpuinfo string }

var clockFiles = clockSource{"/sys/devices/system/clocksource/clocksource0/current_clocksource", "/proc/cpuinfo"}

// checkClock finds out whether time stamps can be taken from the cycle counter.
func checkClock(files clockSource) Check {
	const name = "clock"
	if runtime.GOARCH != "amd64" {
		return ok(name, "the %s system counter", runtime.GOARCH)
	}
	current, _ := os.ReadFile(files.current)
	cpu, _ := os.ReadFile(files.cpuinfo)
	source := strings.TrimSpace(string(current))
	invariant := strings.Contains(string(cpu), " constant_tsc") && strings.Contains(string(cpu), " nonstop_tsc")
	switch {
	case invariant && slices.Contains([]string{"hpet", "acpi_pm", "jiffies", "refined-jiffies"}, source):
		// As capture/core/clock.c decides.
		return warn(name, "see why the kernel gave up the TSC (dmesg); a time stamp costs up to a microsecond more",
			"the kernel does not trust the cycle counter and uses %q: time comes from clock_gettime", source)
	case invariant && source == "tsc":
		return ok(name, "invariant cycle counter (TSC)")
	case invariant:
		return ok(name, "invariant cycle counter (TSC); the kernel itself uses %q", source)
	}
	return warn(name, "nothing to do; a time stamp costs some 20 ns more",
		"the cycle counter is not invariant here: time comes from clock_gettime")
}

// checkOutput checks the directory that archives are written to by default.
func checkOutput(dir string) Check {
	const name = "output"
	if err := safefile.Writable(filepath.Join(dir, "tabard-doctor")); err != nil {
		return warn(name, "use record -o with a path that you may write to", "%v", err)
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return warn(name, "", "%s: %v", dir, err)
	}
	free := fs.Bavail * uint64(fs.Bsize)
	if free < perThread {
		return warn(name, "make room, or use record -o with a path on another disk", "%s has only %d MiB free", dir,
			free>>20)
	}
	return ok(name, "%s is writable, %d MiB free", dir, free>>20)
}

// limit is a resource limit that recording can run into.
type limit struct {
	resource int
	name     string
	want     uint64
	essentl  bool
	fix      string
}

const segmentBytes = 4 << 20

var limits = []limit{
	{syscall.RLIMIT_FSIZE, "file size (ulimit -f)", segmentBytes, true,
		"ulimit -f unlimited: the program's buffers are files of 4 MiB"},
	{syscall.RLIMIT_NOFILE, "open files (ulimit -n)", 256, false,
		"ulimit -n 1024: the collector opens several files for each rank"},
	{syscall.RLIMIT_AS, "address space (ulimit -v)", 1 << 30, false,
		"ulimit -v unlimited: buffers and collector map memory"},
}

func checkLimits() []Check {
	var checks []Check
	for _, l := range limits {
		var r syscall.Rlimit
		if err := syscall.Getrlimit(l.resource, &r); err != nil {
			checks = append(checks, warn("limits", "", "%s: %v", l.name, err))
			continue
		}
		if c, bad := l.judge(r.Cur); bad {
			checks = append(checks, c)
		}
	}
	if len(checks) == 0 {
		checks = append(checks, ok("limits", "file size, open files and address space suffice"))
	}
	return checks
}

// judge compares a limit with the wanted value.
func (l limit) judge(cur uint64) (Check, bool) {
	switch {
	case cur >= l.want:
		return Check{}, false
	case l.essentl:
		return fail("limits", l.fix, "%s is %d, recording needs %d", l.name, cur, l.want), true
	}
	return warn("limits", l.fix, "%s is %d, recording may need %d", l.name, cur, l.want), true
}
