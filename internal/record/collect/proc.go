package collect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// A ProcStat is the part of /proc/PID/stat that identifies a process.
type ProcStat struct {
	Comm   string
	Parent int
	// Start is the start time in clock ticks since boot.
	Start uint64
	// Zombie processes have ended but were not waited for.
	Zombie bool
}

// ReadProcStat reads what /proc/PID/stat says, from the entry of the first thread: it is the same
// there, also under emulators of processors, which make up an answer for their own /proc/PID/stat.
func ReadProcStat(pid int) (ProcStat, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/stat", pid, pid))
	if err != nil {
		return ProcStat{}, err
	}
	// The name may hold anything, parentheses and newlines included.
	open, close := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || close < open {
		return ProcStat{}, fmt.Errorf("/proc/%d/stat: no name", pid)
	}
	f := bytes.Fields(b[close+1:])
	if len(f) < 20 {
		return ProcStat{}, fmt.Errorf("/proc/%d/stat: %d fields", pid, len(f))
	}
	parent, err1 := strconv.Atoi(string(f[1]))
	start, err2 := strconv.ParseUint(string(f[19]), 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return ProcStat{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	return ProcStat{
		Comm:   string(b[open+1 : close]),
		Parent: parent,
		Start:  start,
		Zombie: f[0][0] == 'Z' || f[0][0] == 'X',
	}, nil
}

// A watch tells whether a process lives, cheaply with a pidfd, else from
// /proc. Zombies are dead: they make no more calls.
type watch struct {
	id   ring.ProcessID
	fd   int // -1 none
	dead bool
	next time.Time // of the fallback's next look
}

// newWatch watches a process; one that is gone or whose number belongs to another process now is
// dead from the beginning.
func newWatch(id ring.ProcessID) *watch {
	w := &watch{id: id, fd: -1}
	if fd, err := unix.PidfdOpen(id.PID, 0); err == nil {
		w.fd = fd
	} else if errors.Is(err, unix.ESRCH) {
		w.dead = true
		return w
	}
	// Opened first, compared then: the descriptor cannot change its process.
	if !w.matches() {
		w.close()
		w.dead = true
	}
	return w
}

func (w *watch) matches() bool {
	st, err := ReadProcStat(w.id.PID)
	if err != nil { // without descriptors or memory we know nothing, and look again
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH)
	}
	// The first thread of a live process may be a zombie; a pidfd knows better.
	return !(st.Zombie && w.fd < 0) && (w.id.Start == 0 || st.Start == w.id.Start)
}

func (w *watch) alive() bool {
	if w.dead {
		return false
	}
	if w.fd >= 0 {
		p := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}
		n, err := unix.Poll(p, 0)
		if err != nil || n == 0 {
			return true
		}
	} else {
		// /proc costs some microseconds: not in every round.
		if now := time.Now(); now.Before(w.next) {
			return true
		} else {
			w.next = now.Add(10 * time.Millisecond)
		}
		if w.matches() {
			return true
		}
	}
	w.dead = true
	return false
}

// exitInfoWait is how long a parent may take to wait for its child before we
// give up asking how it ended: the kernel tells only then.
const exitInfoWait = 50 * time.Millisecond

// exitStatus says how a dead process ended, "" if the kernel does not tell.
func (w *watch) exitStatus() string {
	defer w.close()
	if code, ok := zombieStatus(w.id); ok {
		return statusText(code)
	}
	if w.fd < 0 {
		return ""
	}
	for end := time.Now().Add(exitInfoWait); ; time.Sleep(time.Millisecond) {
		code, ok, again := pidfdStatus(w.fd)
		if ok {
			return statusText(code)
		}
		if !again || time.Now().After(end) {
			return ""
		}
	}
}

// zombieStatus reads the wait status of a process that nobody waited for yet:
// field 52 of /proc/PID/stat.
func zombieStatus(id ring.ProcessID) (code uint32, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id.PID))
	if err != nil {
		return 0, false
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 50 || f[0][0] != 'Z' || id.Start != 0 && string(f[19]) != strconv.FormatUint(id.Start, 10) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(f[49]), 10, 32)
	// Who may not see it reads 0, which is also a clean exit.
	return uint32(v), err == nil && v != 0
}

// pidfdInfo is struct pidfd_info of the kernel (linux/pidfd.h), first version.
type pidfdInfo struct {
	mask, cgroup uint64
	_            [11]uint32
	exitCode     int32
}

const (
	pidfdGetInfo  = 0xc040ff0b // _IOWR(0xff, 11, struct pidfd_info)
	pidfdInfoExit = 1 << 3
)

// pidfdStatus asks for the wait status of a process that was waited for. Since Linux 6.15;
// again says that it may be known later.
func pidfdStatus(fd int) (code uint32, ok, again bool) {
	info := pidfdInfo{mask: pidfdInfoExit}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), pidfdGetInfo, uintptr(unsafe.Pointer(&info)))
	if errno == 0 && info.mask&pidfdInfoExit != 0 {
		return uint32(info.exitCode), true, false
	}
	return 0, false, errno == 0 || errno == unix.ESRCH
}

func statusText(code uint32) string {
	ws := unix.WaitStatus(code)
	if ws.Signaled() {
		name := unix.SignalName(ws.Signal())
		return strings.TrimSpace(fmt.Sprintf("killed by signal %d %s", ws.Signal(), name))
	}
	return fmt.Sprintf("exited with status %d", ws.ExitStatus())
}

func (w *watch) close() {
	if w.fd >= 0 {
		unix.Close(w.fd)
		w.fd = -1
	}
}
