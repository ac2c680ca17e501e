package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
)

// verdict is what the runs of a program have shown.
type verdict struct {
	code, lines, equalLines, files, equalFiles int
	recorded, onlyMPI                          *recorded // the latter only with MPI
	seen                                       map[string]moved
	ahead                                      int64 // bytes that strace saw read, and that no recorded call asked for
	differences                                []string
}

// pause makes runs print different times, if they print any.
const pause = 2100 * time.Millisecond

// measure runs a program in all the ways that the options ask for.
func (b *bench) measure(p *programs.Program) (*verdict, error) {
	var plain [2]*outcome
	for i := range plain {
		time.Sleep(pause)
		var err error
		if plain[i], err = b.start(p); err != nil {
			return nil, err
		}
	}
	v := &verdict{code: plain[0].code, lines: len(plain[0].lines), files: len(plain[0].files)}
	if plain[1].code != v.code {
		return nil, fmt.Errorf("exit code %d, then %d, without recording:\n%s", v.code, plain[1].code,
			strings.Join(plain[1].lines, "\n"))
	}
	for i := range b.o.times {
		o, r, err := b.record(p, b.o.record)
		if err != nil {
			return nil, err
		}
		v.recorded = r
		for _, d := range v.against(plain, o) {
			v.differences = append(v.differences, fmt.Sprintf("%s, run %d recorded: %s", p.Name, i+1, d))
		}
	}
	var err error
	if b.mpi != nil {
		if _, v.onlyMPI, err = b.record(p, ""); err != nil {
			return nil, err
		}
	}
	if !b.o.strace {
		return v, nil
	}
	if v.seen, err = b.straced(p); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(v.seen)) {
		if plain[0].files[name] == plain[1].files[name] { // otherwise they may differ in size, too
			v.compareMoved(p.Name, name)
		}
	}
	return v, nil
}

// compareMoved compares what was read from and written to a file with what strace saw. More may be read than the
// program asked for: streams of C read ahead.
func (v *verdict) compareMoved(program, name string) {
	got, saw := v.recorded.moved[name], v.seen[name]
	if got.written != saw.written || got.read > saw.read {
		v.differences = append(v.differences, fmt.Sprintf("%s: of %s %v is recorded, strace saw %v", program, name, got, saw))
	} else if got.read != saw.read {
		v.ahead += saw.read - got.read
	}
}

// against says what of a recorded run is not as in both of the plain ones.
func (v *verdict) against(plain [2]*outcome, o *outcome) (differences []string) {
	say := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	if o.code != v.code {
		say("exit code %d instead of %d", o.code, v.code)
	}
	common, got := both(count(plain[0].lines, exact), count(plain[1].lines, exact)), count(o.lines, exact)
	v.equalLines = 0
	for line, n := range common {
		v.equalLines += n
		if got[line] < n {
			say("%d instead of %d times the line %q", got[line], n, line)
		}
	}
	a, b := count(plain[0].lines, shape), count(plain[1].lines, shape)
	if got := count(o.lines, shape); maps.Equal(a, b) && !maps.Equal(a, got) {
		for line := range union(a, got) {
			if a[line] != got[line] {
				say("%d instead of %d lines like %q", got[line], a[line], line)
			}
		}
	}
	v.equalFiles = 0
	for name, hash := range plain[0].files {
		other, ok := plain[1].files[name]
		if _, here := o.files[name]; ok && !here {
			say("no file %s", name)
		}
		if hash == other {
			v.equalFiles++
			if o.files[name] != hash {
				say("file %s is different", name)
			}
		}
	}
	slices.Sort(differences)
	return differences
}

var number = regexp.MustCompile(`[-+]?\d[\d.,:]*(?:[eE][-+]?\d+)?`)

func exact(line string) string { return line }

// shape is a line without its numbers, and the blanks that depend on how long they are.
func shape(line string) string {
	return strings.Join(strings.Fields(number.ReplaceAllString(line, "0")), " ")
}

// count counts lines that are alike.
func count(lines []string, as func(string) string) map[string]int {
	n := map[string]int{}
	for _, l := range lines {
		n[as(l)]++
	}
	return n
}

// both has what two runs have, as often as both have it.
func both(a, b map[string]int) map[string]int {
	common := map[string]int{}
	for line, n := range a {
		if m := min(n, b[line]); m > 0 {
			common[line] = m
		}
	}
	return common
}

func union(a, b map[string]int) map[string]int {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// row is the program's line of the table.
func (v *verdict) row(p *programs.Program) string {
	var events []string
	for _, kind := range slices.Sorted(maps.Keys(v.recorded.events)) {
		events = append(events, kind+" "+programs.Commas(int64(v.recorded.events[kind])))
	}
	moved := "not compared"
	if v.seen != nil {
		var read, written int64
		for _, m := range v.seen {
			read, written = read+m.read, written+m.written
		}
		moved = fmt.Sprintf("%s and %s in %d files", programs.Commas(read), programs.Commas(written), len(v.seen))
		if v.ahead > 0 {
			moved += fmt.Sprintf(" (%s read ahead)", programs.Commas(v.ahead))
		}
	}
	only := ""
	if v.onlyMPI != nil {
		only = fmt.Sprintf("%s, %s", programs.Commas(v.recorded.mpi), programs.Commas(v.onlyMPI.mpi))
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %s | %s | %s | %s | %s |", p.Name, p.Ranks, v.code, v.lines,
		v.equalLines, v.files, v.equalFiles, strings.Join(events, ", "), programs.Commas(v.recorded.bytes),
		programs.Commas(v.recorded.structure), only, moved)
}
