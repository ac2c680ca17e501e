package collect

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// leaveStart gives the pages of the executable back to the system. Starting touches most of them. Those that collecting
// calls needs, of the code a third, come again by themselves, from the system's cache of files.
func leaveStart() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	var from, to uintptr
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var first, end uintptr
		var may string
		line := lines.Text()
		if _, err := fmt.Sscanf(line, "%x-%x %s", &first, &end, &may); err == nil {
			from, to = 0, 0
			if may[1] == '-' && strings.HasSuffix(line, " "+exe) {
				from, to = first, end
			}
			continue
		}
		// Where something was written before writing was forbidden, the file is not all that there is.
		if f := strings.Fields(line); to > from && len(f) > 1 && f[0] == "Anonymous:" && f[1] == "0" {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
		}
	}
}
