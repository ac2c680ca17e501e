package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/cli"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/replay"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// cost is what an answer took.
type cost struct {
	cpu, wall time.Duration
	memory    float64 // bytes, at most
	lines     int     // printed
	failure   string
}

// verdict says what is wrong with it, "" if nothing is.
func (c cost) verdict(most cli.Bound) string {
	var bad []string
	if c.failure != "" {
		bad = append(bad, c.failure)
	}
	if c.memory > float64(most.At(madeRanks)) { // none has more ranks
		bad = append(bad, "memory")
	}
	if c.cpu.Seconds() > float64(most.Seconds) {
		bad = append(bad, "time")
	}
	return strings.Join(bad, ", ")
}

// counter counts lines and keeps nothing.
type counter struct{ lines int }

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte{'\n'})
	return len(p), nil
}

// ask runs a command under limits.
func (b *bench) ask(name, args string) (cost, error) {
	out, err := os.MkdirTemp(b.dir, "out-")
	if err != nil {
		return cost{}, err
	}
	defer os.RemoveAll(out)
	words := strings.Fields(args)
	for i, w := range words {
		switch w {
		case "A":
			words[i] = b.file(name, 1)
		case "B":
			words[i] = b.file(name, 2)
		case "RAW":
			words[i] = b.file(name, 1) + ".raw"
		case "OUT":
			words[i] = filepath.Join(out, "out.tabard")
			switch {
			case strings.HasPrefix(args, "proxy"):
				words[i] = filepath.Join(out, "out.c")
			case strings.Contains(args, "--svg"):
				words[i] = filepath.Join(out, "out.svg")
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	bin := b.tabard
	if words[0] == "replay" {
		if bin, err = os.Executable(); err != nil {
			return cost{}, err
		}
		words[0] = "-lower"
	}
	limited := append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$@"`, addressSpace/1024), "sh", bin}, words...)
	cmd := exec.CommandContext(ctx, "sh", limited...)
	cputime.ForgetPeak()
	var lines counter
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &lines, &stderr
	begin := time.Now()
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return cost{}, err
	}
	s := cmd.ProcessState
	c := cost{cpu: s.UserTime() + s.SystemTime(), wall: time.Since(begin), lines: lines.lines,
		memory: float64(s.SysUsage().(*syscall.Rusage).Maxrss) * 1024}
	switch {
	case ctx.Err() != nil:
		c.failure = fmt.Sprintf("stopped after %v", patience)
	case s.ExitCode() == 0, strings.HasPrefix(args, "diff") && s.ExitCode() == 1:
	case refuses(args, s.ExitCode()): // some programs cannot be scaled: that must be said within the bars, too
	default:
		text, _, _ := strings.Cut(stderr.String(), "\n")
		c.failure = fmt.Sprintf("exit code %d: %.80s", s.ExitCode(), text)
	}
	return c, nil
}

// refuses tells whether a command may say that it cannot do what it was asked for.
func refuses(args string, code int) bool { return strings.HasPrefix(args, "scale") && code == 1 }

// lowerAll does what the helpers of all ranks of a replay do, for nobody.
func lowerAll(file string) error {
	bound := cli.Bounds()["replay"]
	debug.SetMemoryLimit(bound.Limit())
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	a, err := archive.OpenReader(f, st.Size())
	if err != nil {
		return err
	}
	abi := a.Meta().ABI
	o := &replay.Options{Target: program.Target{Translation: program.Translation{From: abi, To: abi}}, Forced: true,
		Scale: 1}
	for s := range a.Streams() {
		o.Threads = []*archive.Stream{s}
		p, err := replay.Lower(s, o)
		if err == nil {
			err = p.Feed(func([]uint64) error { return nil })
		}
		if err != nil {
			return err
		}
	}
	return nil
}
