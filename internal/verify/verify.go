package verify

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// Log is the raw log of one thread.
type Log struct {
	// Name is for messages, e.g. the file's name.
	Name string
	// PID and Start tell processes apart: id and start time.
	PID    int
	Start  uint64
	Thread int
	// Run tells runs apart: when the recording was created, in Unix ns; 0 unknown.
	Run int64
	// Records yields the records; each is valid until the next is asked for.
	Records func() iter.Seq2[Record, error]
}

// Record is one record of a raw log.
type Record struct {
	ring.Record
	// Pending marks the entry part of a call that did not return.
	Pending bool
}

// Compare compares an archive with the raw logs of the same run. Logs of other
// runs may be among them: a log is of this run if it says so, or if its process is in the archive. The error is
// about input that cannot be read; differences are in the report. progress is called now
// and then with the number of calls compared so far; it may be nil.
func Compare(a *archive.Archive, logs []Log, progress func(calls uint64)) (*Report, error) {
	report := &Report{}
	streams := map[int]map[int]*archive.Stream{} // by process and thread
	for s := range a.Streams() {
		if streams[s.Process()] == nil {
			streams[s.Process()] = map[int]*archive.Stream{}
		}
		streams[s.Process()][s.Thread()] = s
	}
	used := map[int]bool{}
	for _, group := range byProcess(logs) {
		index := findProcess(a, group, used)
		if index < 0 && isForeign(a, group) {
			for _, l := range group {
				report.Ignored = append(report.Ignored, l.Name)
			}
			continue
		}
		if index < 0 {
			report.add(Difference{Rank: -1, What: "process",
				Raw: fmt.Sprintf("process %d (%s)", group[0].PID, group[0].Name), Archive: "none"})
			continue
		}
		used[index] = true
		if err := compareProcess(report, a.Rank(index), group, streams[index], progress); err != nil {
			return report, err
		}
	}
	for i, r := range a.Ranks() {
		if !used[i] && len(streams[i]) > 0 {
			report.add(Difference{Rank: r.Rank, What: "process", Raw: "none",
				Archive: fmt.Sprintf("process %d", r.PID)})
		}
	}
	return report, nil
}

// byProcess groups logs that belong to one process, in order.
func byProcess(logs []Log) [][]Log {
	var groups [][]Log
	at := map[[2]uint64]int{}
	for _, l := range logs {
		key := [2]uint64{uint64(l.PID), l.Start}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], l)
	}
	return groups
}

// isForeign reports whether logs are of another run, or of another node's part of this run.
func isForeign(a *archive.Archive, group []Log) bool {
	run := group[0].Run
	return run != 0 && !a.Meta().Created.IsZero() && run != a.Meta().Created.UnixNano()
}

// findProcess finds the process of the archive, not used yet, whose logs these are, -1 if none.
// Ids of processes are used again, also within a run: the first reading of the clocks decides.
func findProcess(a *archive.Archive, group []Log, used map[int]bool) int {
	clock, hasClock := firstClock(group)
	found := -1
	for i, r := range a.Ranks() {
		if r.PID != group[0].PID || used[i] {
			continue
		}
		if hasClock && slices.Contains(r.Clocks, clock) {
			return i
		}
		if found < 0 && !isForeign(a, group) {
			found = i
		}
	}
	return found
}

// opening is how many records of a log are searched for a reading of the clocks:
// a process begins with one.
const opening = 100

func firstClock(group []Log) (archive.Clock, bool) {
	for i := range group {
		n := 0
		for rec, err := range group[i].Records() {
			if n++; err != nil || n > opening {
				break
			}
			if w := rec.Payload(); rec.ID() == ring.RClock && len(w) >= metaWords[ring.RClock] {
				return archive.Clock{Ticks: w[0], RealNS: int64(w[1]), MonoNS: int64(w[2])}, true
			}
		}
	}
	return archive.Clock{}, false
}

func compareProcess(report *Report, data *archive.RankData, logs []Log, streams map[int]*archive.Stream,
	progress func(uint64)) error {
	p := newProcess(report, data)
	p.progress = progress
	report.Processes++
	for i := range logs {
		r := read(&logs[i])
		err := p.scan(r)
		r.stop()
		if err != nil {
			return fmt.Errorf("broken raw log: %s: %w", logs[i].Name, err)
		}
	}
	p.unordered = len(p.clocks) == 0 && len(logs) > 1
	seen := map[int]bool{}
	for i := range logs {
		l := &logs[i]
		report.Threads++
		seen[l.Thread] = true
		stop, err := p.addThread(l.Thread, read(l), streams[l.Thread])
		defer stop()
		if err != nil {
			return err
		}
	}
	p.compareRank()
	if err := p.run(); err != nil {
		return err
	}
	for id, s := range streams {
		if !seen[id] && s.Calls() > 0 {
			p.differ(&thread{id: id}, nil, "thread", "none", fmt.Sprintf("%d calls", s.Calls()))
		}
	}
	return nil
}

// reader pulls records out of a log.
type reader struct {
	next func() (Record, error, bool)
	stop func()
}

func read(l *Log) *reader {
	next, stop := iter.Pull2(l.Records())
	return &reader{next, stop}
}

// Next implements records.
func (r *reader) Next() (ring.Record, bool, error) {
	rec, err, ok := r.next()
	switch {
	case err != nil:
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, false, err
	case !ok:
		r.stop()
		return nil, false, io.EOF
	}
	return rec.Record, rec.Pending, nil
}
