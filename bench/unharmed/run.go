package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/testkit/answers"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/spec"
)

// patience is how long a program may take.
const patience = 10 * time.Minute

type bench struct {
	o           *options
	mpi         *mpirun.MPI // nil without one
	tabard, dir string
	runs        int
}

// outcome is what a run left behind.
type outcome struct {
	code  int
	lines []string
	files map[string]string // hashes of contents by name, relative to the folder
	dir   string
}

// recorded is what the recording of a run has.
type recorded struct {
	events map[string]uint64
	bytes  int64
	// structure is the bytes of the structure and the columns of all events, mpi those of what is left of MPI's calls
	// without other events.
	structure, mpi int64
	moved          map[string]moved
}

const (
	recordingName = "recording.tabard"
	projectedName = "projected.tabard"
)

// start runs a program in an empty folder, with before in front of its command.
func (b *bench) start(p *programs.Program, before ...string) (*outcome, error) {
	b.runs++
	dir := filepath.Join(b.dir, fmt.Sprint(b.runs), "work")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	args := slices.Concat(before, p.Args)
	if b.mpi == nil {
		return direct(dir, args)
	}
	r, err := (&mpirun.Job{MPI: b.mpi, Ranks: p.Ranks, Args: args, Dir: dir, Timeout: patience}).Start()
	if err != nil {
		return nil, err
	}
	return finished(dir, r.Code, r.Stdout+r.Stderr)
}

// direct starts a command without a launcher.
func direct(dir string, args []string) (*outcome, error) {
	c := exec.Command("timeout", slices.Concat([]string{fmt.Sprint(patience.Seconds())}, args)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		return nil, err
	}
	return finished(dir, c.ProcessState.ExitCode(), string(out))
}

// finished collects what a run left in its folder.
func finished(dir string, code int, printed string) (*outcome, error) {
	o := &outcome{code: code, files: map[string]string{}, dir: dir}
	for line := range strings.Lines(strings.ReplaceAll(printed, dir, "")) {
		o.lines = append(o.lines, strings.TrimRight(line, "\r\n"))
	}
	return o, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || e.Name() == recordingName {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		o.files[name] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
}

// ask is what tabard says about a recording in the folder of a run, as JSON.
func (b *bench) ask(o *outcome, file, command string, to any) error {
	return answers.Read(to, b.tabard, command, "--json", filepath.Join(o.dir, file))
}

// record runs a program under tabard record.
func (b *bench) record(p *programs.Program, options string) (*outcome, *recorded, error) {
	o, err := b.start(p, slices.Concat([]string{b.tabard, "record", "-q", "-o", recordingName},
		strings.Fields(options))...)
	if err != nil {
		return nil, nil, err
	}
	r, err := b.look(o)
	return o, r, err
}

// look reads the recording of a run.
func (b *bench) look(o *outcome) (*recorded, error) {
	var info report.Info
	if err := b.ask(o, recordingName, "info", &info); err != nil {
		return nil, err
	}
	r := &recorded{events: info.Events, moved: map[string]moved{}}
	if len(r.events) == 0 {
		r.events = map[string]uint64{"mpi": info.Calls}
	}
	file := filepath.Join(o.dir, recordingName)
	st, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	r.bytes, r.structure = st.Size(), info.Bytes.Structure+info.Bytes.Columns
	if err := project(file, filepath.Join(o.dir, projectedName)); err != nil {
		return nil, err
	}
	if err := b.ask(o, projectedName, "info", &info); err != nil {
		return nil, err
	}
	r.mpi = info.Bytes.Structure + info.Bytes.Columns
	var all report.Files
	if r.events["io"] > 0 {
		if err := b.ask(o, recordingName, "io", &all); err != nil {
			return nil, err
		}
	}
	for _, f := range all.Files {
		if name, err := filepath.Rel(o.dir, f.Path); err == nil {
			r.moved[name] = moved{f.Reads.Bytes, f.Writes.Bytes}
		}
	}
	return r, nil
}

// project writes what a recording has of MPI's calls, without other events.
func project(file, to string) error {
	a, err := archive.Open(file)
	if err != nil {
		return err
	}
	defer a.Close()
	if a, err = a.Project(func(f *spec.Func) bool { return f.Kind == 0 }); err != nil {
		return err
	}
	c, err := a.Content()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o666)
}
