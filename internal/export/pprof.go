package export

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// Fields of profile.proto, https://github.com/google/pprof/blob/main/proto/profile.proto.
const (
	pprofSampleType    = 1
	pprofSample        = 2
	pprofLocation      = 4
	pprofFunction      = 5
	pprofStrings       = 6
	pprofTime          = 9
	pprofDuration      = 10
	pprofComment       = 13
	pprofDefaultSample = 14

	valueType, valueUnit                        = 1, 2
	sampleLocations, sampleValues, sampleLabels = 1, 2, 3
	labelKey, labelText, labelNumber            = 1, 2, 3
	locationID, locationLine                    = 1, 4
	lineFunction, lineNumber                    = 1, 2
	functionID, functionName, functionFile      = 1, 2, 4
	functionSystemName                          = 3
)

// pprof is a profile in the format of `go tool pprof`.
type pprof struct {
	proto
	strings   map[string]uint64
	table     []string
	functions map[[2]string]uint64
	locations map[location]uint64
}

// location is a line of a function.
type location struct {
	function uint64
	line     int
}

// writePprof writes the profile of what is selected: a sample for each call site (and rank and communicator), whose
// stack ends in the function that is called. Its size depends on the program, not on how many calls it makes.
func writePprof(j *Job, w io.Writer) error {
	x := &pprof{strings: map[string]uint64{"": 0}, table: []string{""}, functions: map[[2]string]uint64{},
		locations: map[location]uint64{}}
	if j.Value == valueFunctions {
		if err := x.calls(j); err != nil {
			return err
		}
		return x.write(w)
	}
	p, err := j.profile()
	if err != nil {
		return err
	}
	for _, t := range sampleTypes(p) {
		x.pair(pprofSampleType, t[0], t[1])
	}
	for _, r := range p.Rows {
		x.sample(p, r)
	}
	x.end(j, p)
	return x.write(w)
}

func (x *pprof) write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(x.b); err != nil {
		return err
	}
	return z.Close()
}

// sampleTypes are what is known of each call site, and in which units.
func sampleTypes(p *profile.Profile) [][2]string {
	types := [][2]string{{"calls", "count"}, {"bytes", "bytes"}}
	if p.Timed {
		types = append(types, [2]string{"time", "nanoseconds"})
	}
	return types
}

func (x *pprof) text(s string) uint64 {
	id, ok := x.strings[s]
	if !ok {
		id = uint64(len(x.table))
		x.strings[s] = id
		x.table = append(x.table, s)
	}
	return id
}

func (x *pprof) pair(field int, name, unit string) {
	at := x.open(field)
	x.uint(valueType, x.text(name))
	x.uint(valueUnit, x.text(unit))
	x.close(at)
}

// location numbers a place in the code.
func (x *pprof) location(name, file string, line int) uint64 {
	f, ok := x.functions[[2]string{name, file}]
	if !ok {
		f = uint64(len(x.functions) + 1)
		x.functions[[2]string{name, file}] = f
		at := x.open(pprofFunction)
		x.uint(functionID, f)
		x.uint(functionName, x.text(name))
		x.uint(functionSystemName, x.text(name))
		x.uint(functionFile, x.text(file))
		x.close(at)
	}
	l, ok := x.locations[location{f, line}]
	if !ok {
		l = uint64(len(x.locations) + 1)
		x.locations[location{f, line}] = l
		at := x.open(pprofLocation)
		x.uint(locationID, l)
		in := x.open(locationLine)
		x.uint(lineFunction, f)
		x.set(lineNumber, int64(line))
		x.close(in)
		x.close(at)
	}
	return l
}

func (x *pprof) sample(p *profile.Profile, r *profile.Row) {
	stack := []uint64{x.location(r.Func.Name, "", 0)}
	for _, f := range frames(r.Site) {
		stack = append(stack, x.location(frameName(f), f.File, f.Line))
	}
	values := []uint64{r.Calls, uint64(r.Bytes)}
	if p.Timed {
		t := uint64(0)
		if r.Time != nil {
			t = uint64(r.Time.Total)
		}
		values = append(values, t)
	}
	at := x.open(pprofSample)
	x.packed(sampleLocations, stack...)
	x.packed(sampleValues, values...)
	if r.Rank >= 0 {
		x.label("rank", "", int64(r.Rank))
	}
	if r.Comm != nil {
		x.label("communicator", r.Comm.Name, 0)
	}
	x.close(at)
}

func (x *pprof) label(key, text string, number int64) {
	at := x.open(sampleLabels)
	x.uint(labelKey, x.text(key))
	if text != "" {
		x.uint(labelText, x.text(text))
	} else {
		x.uint(labelNumber, uint64(number))
	}
	x.close(at)
}

// end appends what belongs to the profile as a whole.
func (x *pprof) end(j *Job, p *profile.Profile) {
	x.set(pprofDuration, int64(p.Elapsed)/int64(max(p.Ranks, 1)))
	main := "calls"
	if p.Timed {
		main = "time"
	}
	x.about(j, main)
}

// about says what was recorded, and which type of samples matters most.
func (x *pprof) about(j *Job, main string) {
	meta := j.Archive.Meta()
	x.set(pprofTime, meta.Created.UnixNano())
	x.uint(pprofComment, x.text(strings.Join(meta.Command, " ")))
	x.uint(pprofDefaultSample, x.text(main))
	for _, s := range x.table {
		x.str(pprofStrings, s)
	}
}

// frames are the frames of a call site, innermost first; none if it is not known.
func frames(s *archive.Site) []archive.Frame {
	if s == nil {
		return nil
	}
	return s.Frames
}
