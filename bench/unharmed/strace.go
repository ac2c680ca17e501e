package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/testkit/strace"
)

// moved is how many bytes were read from and written to a file.
type moved struct{ read, written int64 }

// straced runs a program under strace, and says what it did to the files of its folder.
func (b *bench) straced(p *programs.Program) (map[string]moved, error) {
	logs, err := os.MkdirTemp(b.dir, "strace-")
	if err != nil {
		return nil, err
	}
	log := filepath.Join(logs, "log")
	o, err := b.start(p, strace.Command(log)...)
	if err != nil {
		return nil, err
	}
	calls, err := strace.Read(log, o.dir)
	if err != nil {
		return nil, err
	}
	all := map[string]moved{}
	for of, a := range calls {
		x := all[of.File]
		if strings.Contains(of.Call, "read") {
			x.read += a.Bytes
		} else {
			x.written += a.Bytes
		}
		all[of.File] = x
	}
	return all, nil
}
