package main

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
)

// moved is how many bytes were read from and written to a file.
type moved struct{ read, written int64 }

// transfer is a line of strace -y about a call that ended.
var transfer = regexp.MustCompile(`(p?readv?2?|p?writev?2?|pread64|pwrite64)\(\d+<([^>]*)>.*\)\s+= (\d+)$`)

// straced runs a program under strace, and says what it did to the files of its folder. Each process has a log of its
// own: in one for all, a call that another process interrupts stands in two lines.
func (b *bench) straced(p *programs.Program) (map[string]moved, error) {
	logs, err := os.MkdirTemp(b.dir, "strace-")
	if err != nil {
		return nil, err
	}
	o, err := b.start(p, "strace", "-ff", "--seccomp-bpf", "-y", "-s", "0", "-o", filepath.Join(logs, "log"), "-e",
		"trace=read,readv,pread64,preadv,preadv2,write,writev,pwrite64,pwritev,pwritev2")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(logs, "log*"))
	if err != nil {
		return nil, err
	}
	all := map[string]moved{}
	for _, f := range files {
		if err := add(all, f, o.dir); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add adds the calls of a log of strace on files in dir to what is known of them.
func add(all map[string]moved, log, dir string) error {
	f, err := os.Open(log)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		m := transfer.FindStringSubmatch(lines.Text())
		if m == nil || !strings.HasPrefix(m[2], dir+"/") {
			continue
		}
		n, err := strconv.ParseInt(m[3], 10, 64)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(m[2], dir+"/")
		x := all[name]
		if strings.Contains(m[1], "read") {
			x.read += n
		} else {
			x.written += n
		}
		all[name] = x
	}
	return lines.Err()
}
