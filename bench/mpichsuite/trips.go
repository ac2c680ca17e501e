package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/roundtrip"
)

// tripDirs are the folders whose recordings are run again by default.
const tripDirs = "pt2pt,coll,comm,datatype,group,topo,init,rma,io,attr"

// trip is the result of a line.
type trip struct {
	MPI, Dir, Line string
	// Plain is the outcome without recording.
	Plain  string
	Replay *roundtrip.Outcome `json:",omitempty"`
	Proxy  *roundtrip.Outcome `json:",omitempty"`
}

func (t *trip) outcome(w roundtrip.Way) *roundtrip.Outcome {
	if w == roundtrip.Proxy {
		return t.Proxy
	}
	return t.Replay
}

func (t *trip) set(w roundtrip.Way, o *roundtrip.Outcome) {
	if w == roundtrip.Proxy {
		t.Proxy = o
	} else {
		t.Replay = o
	}
}

// readTrips reads results. If a line has several, the last one counts for each way.
func readTrips(in io.Reader) (map[string]*trip, error) {
	all := map[string]*trip{}
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		t := &trip{}
		if err := json.Unmarshal(s.Bytes(), t); err != nil {
			return nil, err
		}
		key := t.MPI + " " + t.Line
		if old := all[key]; old != nil {
			for _, w := range []roundtrip.Way{roundtrip.Replay, roundtrip.Proxy} {
				if t.outcome(w) == nil {
					t.set(w, old.outcome(w))
				}
			}
		}
		all[key] = t
	}
	return all, s.Err()
}

// trips runs the lines of all folders and prints the results.
func (s *suite) trips() (int, error) {
	if s.results == "" {
		s.results = filepath.Join(s.build, "results.json")
		if err := os.RemoveAll(s.results); err != nil {
			return 0, err
		}
	}
	known := map[string]*trip{}
	if f, err := os.Open(s.results); err == nil {
		known, err = readTrips(f)
		f.Close()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.results, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	out, err := os.OpenFile(s.results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	begin := time.Now()
	var list []*trip
	for _, dir := range s.dirs {
		lines, err := readLines(s.root, dir)
		if err != nil {
			return 0, err
		}
		for i := range lines {
			l := &lines[i]
			if !s.run.MatchString(l.String()) || l.env || l.memory > s.memory || l.result != "" {
				continue
			}
			t := known[s.mpi.Name+" "+l.String()]
			if t == nil || !s.done(t) {
				if s.length > 0 && time.Since(begin) > s.length {
					if t != nil {
						list = append(list, t)
					}
					continue
				}
				if t, err = s.trip(l, t); err != nil {
					return 0, fmt.Errorf("%s: %w", l, err)
				}
				if t == nil {
					continue
				}
				if err := json.NewEncoder(out).Encode(t); err != nil {
					return 0, err
				}
			}
			list = append(list, t)
		}
	}
	s.printTrips(os.Stdout, list)
	return 0, nil
}

// done reports whether a result has everything that is asked for.
func (s *suite) done(t *trip) bool {
	if t.Plain != pass {
		return t.Plain != timeout || !s.retry
	}
	for _, w := range s.ways {
		if s.missing(t, w) {
			return false
		}
	}
	return true
}

// missing reports whether a line is to be run again in a way.
func (s *suite) missing(t *trip, w roundtrip.Way) bool {
	o := t.outcome(w)
	return o == nil || s.retry && !o.Equal
}

// trip runs one line in the ways that last, its last result, lacks. last may be nil. The result is
// nil if the program does not compile.
func (s *suite) trip(l *line, last *trip) (*trip, error) {
	path, ok, err := s.program(l)
	if err != nil || !ok {
		return nil, err
	}
	begin := time.Now()
	t := &trip{MPI: s.mpi.Name, Dir: l.dir, Line: l.String()}
	if t.Plain, err = s.outcome(l, path, false); err != nil || t.Plain != pass {
		fmt.Printf("%-8s %s\n", t.Plain, l)
		return t, err
	}
	dir, err := os.MkdirTemp(s.build, "trip-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &roundtrip.Runner{MPI: s.mpi, Tabard: s.tabard, Timeout: s.limit(l), Work: filepath.Dir(path)}
	_, failed, err := r.Record(dir, l.ranks, append([]string{path}, l.args...))
	if err != nil {
		return nil, err
	}
	for _, w := range s.ways {
		if last != nil && !s.missing(last, w) {
			t.set(w, last.outcome(w))
			continue
		}
		o := failed
		if o == nil {
			if o, err = r.Again(dir, l.ranks, w); err != nil {
				return nil, err
			}
		}
		t.set(w, o)
		fmt.Printf("%-8s %s: %s\n", w, l, o)
	}
	fmt.Printf("%8.1fs\n", time.Since(begin).Seconds())
	return t, nil
}

// printTrips prints a table by folder, and what is not equal.
func (s *suite) printTrips(w io.Writer, list []*trip) {
	fmt.Fprintf(w, "\n%s. Lines of MPICH's test suite that pass without recording; "+
		"how many are equal when they are run again from the recording.\n\n| folder | pass |", s.mpi.Name)
	for _, way := range s.ways {
		fmt.Fprintf(w, " %s |", way)
	}
	fmt.Fprint(w, "\n|---|---|")
	for range s.ways {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	passed := map[string]int{}
	equal := map[string]map[roundtrip.Way]int{}
	for _, t := range list {
		if t.Plain != pass {
			continue
		}
		for _, dir := range []string{t.Dir, ""} {
			passed[dir]++
			if equal[dir] == nil {
				equal[dir] = map[roundtrip.Way]int{}
			}
			for _, way := range s.ways {
				if o := t.outcome(way); o != nil && o.Equal {
					equal[dir][way]++
				}
			}
		}
	}
	for _, dir := range append(slices.Clone(s.dirs), "") {
		if passed[dir] == 0 {
			continue
		}
		name := dir
		if name == "" {
			name = "**all**"
		}
		fmt.Fprintf(w, "| %s | %d |", name, passed[dir])
		for _, way := range s.ways {
			fmt.Fprintf(w, " %d (%.1f %%) |", equal[dir][way], 100*float64(equal[dir][way])/float64(passed[dir]))
		}
		fmt.Fprintln(w)
	}
	for _, way := range s.ways {
		all, outcomes := 0, 0
		for _, t := range list {
			if o := t.outcome(way); t.Plain == pass && o != nil && o.Equal {
				all++
				if o.Outcomes {
					outcomes++
				}
			}
		}
		fmt.Fprintf(w, "\nWith the same outcomes of what the standard leaves open, %s: %d of %d\nNot equal, %s:\n", way,
			outcomes, all, way)
		for _, t := range list {
			if o := t.outcome(way); t.Plain == pass && o != nil && !o.Equal {
				fmt.Fprintf(w, "  %s: %s\n", t.Line, o)
			}
		}
	}
}
