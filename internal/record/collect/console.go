package collect

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"golang.org/x/sys/unix"
)

// console is standard error of another process, for what no process of the program lives to say; -1 is none.
type console int

// OpenConsole opens standard error of a process of this user: the same open file, or else, where
// the kernel is asked to keep processes apart, a terminal or pipe opened anew. The descriptor is
// not among the first ones, and is inherited; it is never an os.File, which would change the mode
// that others use it in. -1 if there is none.
func OpenConsole(of ring.ProcessID) int {
	fd := int(openConsole(of))
	if fd < 0 {
		return -1
	}
	defer unix.Close(fd)
	const first = 10
	to, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, first)
	if err != nil {
		return -1
	}
	return to
}

func openConsole(of ring.ProcessID) console {
	w := newWatch(of)
	defer w.close()
	if of.PID == 0 || w.dead {
		return -1
	}
	if w.fd >= 0 {
		if fd, err := unix.PidfdGetfd(w.fd, 2, 0); err == nil {
			return console(fd)
		}
	}
	path := fmt.Sprintf("/proc/%d/fd/2", of.PID)
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFCHR && st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return -1
	}
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return console(fd)
}

// printMS is how long a reader that does not read is waited for.
const printMS = 1000

// print writes a text if it can be written at once. What fits into a pipe is.
func (t console) print(text string) {
	poll := []unix.PollFd{{Fd: int32(t), Events: unix.POLLOUT}}
	if n, err := unix.Poll(poll, printMS); err == nil && n == 1 && poll[0].Revents == unix.POLLOUT {
		_, _ = unix.Write(int(t), []byte(text))
	}
}

func (t console) close() {
	if t >= 0 {
		unix.Close(int(t))
	}
}
