package launch

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/collect"
)

// collectorFD is where the collector finds its lock, held from the election on.
const collectorFD = 3

// CollectorCommand is the hidden command of tabard whose arguments go to Collector.
const CollectorCommand = "collector"

// startCollector starts the collector of dir unless there is one.
func startCollector(exe, dir string) error {
	lock, err := collect.Elect(dir)
	if err != nil || lock == nil {
		return err
	}
	defer lock.Close()
	// A descriptor of the MPI launcher in a process that outlives the program
	// would keep the launcher waiting for ever.
	restore := closeOnExec()
	defer restore()
	// The collector must not be a child of the program, which may wait for all
	// of its children: a process in between orphans it.
	to := console()
	if to >= 0 {
		defer unix.Close(to)
	}
	cmd := detached(exe, dir, lock, CollectorCommand, "--detach", dir, strconv.Itoa(to))
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Wait()
}

// detached is a command of tabard in its own session, with nothing of ours but the lock.
func detached(exe, dir string, lock *os.File, args ...string) *exec.Cmd {
	cmd := exec.Command(exe, args...)
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{lock}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = slicesWithout(os.Environ(), "LD_PRELOAD=")
	if log, err := collect.OpenLog(dir); err == nil {
		cmd.Stdout, cmd.Stderr = log, log
	}
	return cmd
}

func slicesWithout(env []string, prefix string) []string {
	var kept []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, prefix) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// closeOnExec marks all inherited descriptors beyond the standard ones
// close-on-exec and returns what undoes that.
func closeOnExec() (restore func()) {
	var marked []int
	entries, err := os.ReadDir("/proc/self/fd")
	if err == nil {
		for _, e := range entries {
			fd, err := strconv.Atoi(e.Name())
			if err != nil || fd <= 2 {
				continue
			}
			flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
			if err != nil || flags&unix.FD_CLOEXEC != 0 {
				continue
			}
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, flags|unix.FD_CLOEXEC); err == nil {
				marked = append(marked, fd)
			}
		}
	}
	return func() {
		for _, fd := range marked {
			unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0)
		}
	}
}

// Collector is the body of the hidden command CollectorCommand: `--detach DIR FD` starts the
// collector and returns, `DIR FD` is the collector, which prints to the descriptor FD unless that
// is -1. The exit code is returned.
func Collector(args []string) int {
	if len(args) == 3 && args[0] == "--detach" {
		return detach(args[1], args[2])
	}
	to := -1
	var err error
	if len(args) == 2 {
		to, err = strconv.Atoi(args[1])
	}
	if len(args) != 2 || err != nil {
		fmt.Fprintln(stderr, "tabard: collector is for internal use: [--detach] DIR FD")
		return 2
	}
	dir := args[0]
	if to >= 0 {
		unix.CloseOnExec(to)
	}
	// The program's signals are not for us, and a file-size limit is an error like any other.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGXFSZ)
	lock, err := ownLock(dir)
	if err != nil {
		fmt.Fprintf(stderr, "tabard: collector: %v\n", err)
		return 1
	}
	if lock == nil {
		return 0 // another one is at work
	}
	defer lock.Close()
	if err := collect.Main(dir, to); err != nil {
		fmt.Fprintf(stderr, "tabard: collector: %v\n", err)
		return 1
	}
	return 0
}

func detach(dir, to string) int {
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	lock, err := ownLock(dir)
	if err != nil || lock == nil {
		return 1
	}
	defer anyCPU()()
	if err := detached(exe, dir, lock, CollectorCommand, dir, to).Start(); err != nil {
		fmt.Fprintf(stderr, "tabard: collector: %v\n", err)
		return 1
	}
	return 0
}

// anyCPU lets what this thread starts run anywhere, until restore is called. Launchers bind a rank to a
// core, and what inherits that runs only while the rank does not.
func anyCPU() (restore func()) {
	runtime.LockOSThread()
	var before, all unix.CPUSet
	err := unix.SchedGetaffinity(0, &before)
	for i := range 8 * len(all) * int(unsafe.Sizeof(all[0])) {
		all.Set(i)
	}
	_ = unix.SchedSetaffinity(0, &all) // the kernel takes what the cgroup allows; else it stays as it is
	return func() {
		if err == nil {
			_ = unix.SchedSetaffinity(0, &before)
		}
		runtime.UnlockOSThread()
	}
}

// ownLock returns the inherited lock of dir, or takes it.
func ownLock(dir string) (*os.File, error) {
	if collect.IsCollectLock(dir, collectorFD) {
		unix.CloseOnExec(collectorFD)
		return os.NewFile(collectorFD, collect.CollectLock), nil
	}
	return collect.Elect(dir)
}
