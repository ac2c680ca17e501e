package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// tally counts outcomes.
type tally struct {
	lines, skipped, uncompiled int
	plain                      map[string]int
	different, unsteady, wrong []string
}

// outcomes
const (
	pass    = "pass"
	fail    = "fail"
	timeout = "timeout"
)

func (s *suite) dir(dir string) error {
	lines, err := readLines(s.root, dir)
	if err != nil {
		return err
	}
	for i := range lines {
		l := &lines[i]
		if !s.run.MatchString(l.String()) {
			continue
		}
		s.lines++
		if l.env || l.memory > s.memory {
			s.skipped++
			continue
		}
		path, ok, err := s.program(l)
		if err != nil {
			return err
		}
		if !ok {
			s.uncompiled++
			continue
		}
		if err := s.line(l, path); err != nil {
			return fmt.Errorf("%s: %w", l, err)
		}
	}
	return nil
}

// line runs one line without and with recording.
func (s *suite) line(l *line, path string) error {
	begin := time.Now()
	plain, err := s.outcome(l, path, false)
	if err != nil {
		return err
	}
	if s.plain == nil {
		s.plain = map[string]int{}
	}
	s.plain[plain]++
	if s.untraced {
		fmt.Printf("%-7s %6.2fs %s\n", plain, time.Since(begin).Seconds(), l)
		return nil
	}
	traced, err := s.outcome(l, path, true)
	if err != nil {
		return err
	}
	fmt.Printf("%-7s %-7s %6.2fs %s\n", plain, traced, time.Since(begin).Seconds(), l)
	if plain == traced {
		return nil
	}
	// Both kinds of run are repeated until an outcome of one kind also occurs in the other.
	seen := map[bool]map[string]bool{false: {plain: true}, true: {traced: true}}
	for range s.controls {
		for _, recorded := range []bool{false, true} {
			o, err := s.outcome(l, path, recorded)
			if err != nil {
				return err
			}
			seen[recorded][o] = true
		}
		for o := range seen[true] {
			if seen[false][o] {
				s.unsteady = append(s.unsteady, fmt.Sprintf("%s: %s without, %s with recording, at first", l, plain,
					traced))
				return nil
			}
		}
	}
	s.different = append(s.different, fmt.Sprintf("%s: %s without, %s with recording", l, plain, traced))
	return nil
}

// outcome runs a line once. A program passes if it prints so. Of programs that are to fail in a
// certain way, only the exit code counts.
func (s *suite) outcome(l *line, path string, recorded bool) (string, error) {
	j := &mpirun.Job{MPI: s.mpi, Ranks: l.ranks, Dir: filepath.Dir(path), Timeout: s.limit(l)}
	// Processes left over from a run that was out of time must not write where the next one does.
	scratch, err := os.MkdirTemp(s.build, "run-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	archive, raw := filepath.Join(scratch, "out.tabard"), filepath.Join(scratch, "raw")
	if recorded {
		j.Args = []string{s.tabard, "record", "--quiet", "-o", archive}
		if s.check {
			j.Args = append(j.Args, "--keep-raw", raw)
		}
	}
	j.Args = append(append(j.Args, path), l.args...)
	r, err := j.Start()
	if err != nil {
		return "", err
	}
	o := fail
	switch {
	case r.TimedOut:
		o = timeout
	case l.result != "":
		o = fmt.Sprintf("exit %d", r.Code)
	case r.Code == 0 && strings.Contains(r.Stdout, "No Errors"):
		o = pass
	}
	if recorded && s.check && o == pass {
		if err := s.checkRecording(archive, raw); err != nil {
			s.wrong = append(s.wrong, fmt.Sprintf("%s: %v", l, err))
		}
	}
	return o, nil
}

// limit is the limit of one run of a line.
func (s *suite) limit(l *line) time.Duration {
	if l.limit > 0 {
		return max(s.timeout, min(time.Duration(l.limit)*time.Second, 2*time.Minute))
	}
	return s.timeout
}

// checkRecording demands that the recording is complete and agrees with its raw log.
func (s *suite) checkRecording(archive, raw string) error {
	out, err := exec.Command(s.tabard, "info", "--json", archive).CombinedOutput()
	if err != nil {
		return fmt.Errorf("info: %w: %.400s", err, out)
	}
	var info struct {
		Complete  bool     `json:"complete"`
		Missing   []string `json:"missing"`
		LostCalls uint64   `json:"lost_calls"`
	}
	if i := strings.IndexByte(string(out), '{'); i > 0 {
		out = out[i:] // what it says while it waits
	}
	if err := json.Unmarshal(out, &info); err != nil {
		return fmt.Errorf("info: %w", err)
	}
	if !info.Complete || info.LostCalls > 0 {
		return fmt.Errorf("incomplete: %q", info.Missing)
	}
	if out, err := exec.Command(s.tabard, "verify", archive, raw).CombinedOutput(); err != nil {
		return fmt.Errorf("verify: %.600s", out)
	}
	return nil
}

// report prints the result and gives the exit code.
func (s *suite) report() int {
	fmt.Printf("\n%s: %d lines, %d left out, %d of programs that do not compile; without recording", s.mpi.Name,
		s.lines, s.skipped, s.uncompiled)
	for _, o := range []string{pass, fail, timeout} {
		fmt.Printf(" %d %s,", s.plain[o], o)
		delete(s.plain, o)
	}
	other := 0
	for _, n := range s.plain {
		other += n
	}
	fmt.Printf(" %d expected to fail\n", other)
	if s.untraced {
		return 0
	}
	for _, list := range []struct {
		title string
		lines []string
	}{
		{"unsteady without help of ours", s.unsteady}, {"recorded wrongly", s.wrong},
		{"different with recording", s.different},
	} {
		fmt.Printf("%s: %d\n", list.title, len(list.lines))
		for _, l := range list.lines {
			fmt.Println("  " + strings.ReplaceAll(l, "\n", "\n    "))
		}
	}
	if len(s.different)+len(s.wrong) > 0 {
		return 1
	}
	return 0
}
