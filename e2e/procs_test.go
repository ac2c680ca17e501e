//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// processes lists the living processes whose command line satisfies match.
// A process that this test did not start never does: all command lines that
// are looked for hold the name of the test's own temporary folder.
func processes(match func(args []string) bool) []int {
	var pids []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil || len(b) == 0 {
			continue // it ended, or is a zombie
		}
		var args []string
		for arg := range bytes.SplitSeq(bytes.TrimRight(b, "\x00"), []byte{0}) {
			args = append(args, string(arg))
		}
		if match(args) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// rankProcesses are the ranks that have become the program.
func rankProcesses(command []string) []int {
	return processes(func(args []string) bool { return slices.Equal(args, command) })
}

// collectors are the collectors whose state lies below dir.
func collectors(dir string) []int {
	return processes(func(args []string) bool {
		return len(args) > 2 && args[1] == "collector" && strings.HasPrefix(args[2], dir)
	})
}

// waitNone waits until no collector is left.
func waitNone(dir string) error {
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		left := collectors(dir)
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("collector %d did not end within two minutes of its last process", left[0])
		}
	}
}
