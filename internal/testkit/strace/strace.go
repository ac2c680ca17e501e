// Package strace says what a program read from files and wrote to them, as strace sees it.
package strace

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Of is what an Access is of: a system call without the 64 behind its name, and a file.
type Of struct {
	Call string // read, pwrite, readv ...
	File string // in the folder that the program ran in
}

// Access is what all calls of one name did to a file: how many there were, the bytes that they moved, and the sum of
// the offsets of those that name one.
type Access struct{ Calls, Bytes, Offsets int64 }

// Command is a command under strace. Each process has a log of its own, LOG.PID: in one for all, a call that another
// process interrupts stands in two lines.
func Command(log string, command ...string) []string {
	return append([]string{"strace", "-ff", "--seccomp-bpf", "-y", "-s", "0", "-o", log, "-e",
		"trace=read,readv,pread64,preadv,preadv2,write,writev,pwrite64,pwritev,pwritev2"}, command...)
}

// Read reads the logs of a command that ran in dir: what it did to the files there.
func Read(log, dir string) (map[Of]Access, error) {
	files, err := filepath.Glob(log + ".*")
	if err != nil {
		return nil, err
	}
	all := map[Of]Access{}
	for _, f := range files {
		if err := add(all, f, dir); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ended is a line about a call that ended; the last argument of some is the offset.
var ended = regexp.MustCompile(`^(\w+)\(\d+<([^>]*)>.*, ([^,]*)\)\s+= (\d+)$`)

// add adds the calls of a log to what is known.
func add(all map[Of]Access, log, dir string) error {
	f, err := os.Open(log)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := ended.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		name, inside := strings.CutPrefix(m[2], dir+"/")
		if !inside {
			continue
		}
		n, err := strconv.ParseInt(m[4], 10, 64)
		if err != nil {
			return err
		}
		key := Of{strings.TrimSuffix(m[1], "64"), name}
		x := all[key]
		x.Calls, x.Bytes = x.Calls+1, x.Bytes+n
		if key.Call == "pread" || key.Call == "pwrite" {
			offset, err := strconv.ParseInt(m[3], 10, 64)
			if err != nil {
				return err
			}
			x.Offsets += offset
		}
		all[key] = x
	}
	return lines.Err()
}
