package export

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/spec"
)

// Names in an archive of OTF2. Many readers look for just these.
const (
	otf2Anchor      = "traces.otf2"
	otf2Definitions = "traces.def"
	otf2Locations   = "traces"
	// mostLocations is how many locations are written without --force: each has two files.
	mostLocations = 4096
	// mostMembers is how many members all groups may have together: OTF2 lists each, and definitions are kept in memory.
	mostMembers = 1 << 25
)

var otf2Name = regexp.MustCompile(`^(traces\.(otf2|def)|[0-9]+\.(evt|def))$`)

// otf2Archive writes an archive of OTF2: a process for each process, in it a location for each thread.
type otf2Archive struct {
	*timeline
	defs *otf2.Definitions
	out  *safefile.OutputDir

	functions map[spec.ID]uint32 // regions
	names     map[string]uint32  // attributes
	site      uint32             // the attribute
	windows   map[[2]int32]uint32
	files     otf2Files
	first     uint64
	last      uint64
	events    map[uint64]uint64 // by location
	defined   map[int]bool      // processes
	// pathless counts messages and collectives that were left out, as it is not known who is in their communicator.
	pathless uint64
}

// checkOTF2 is the error for what would be too many files, or too many bytes.
func checkOTF2(j *Job) error {
	n := 0
	for p, err := range j.sel.Parts() {
		if err != nil {
			return err
		}
		if p.Stream.Timed() {
			n++
		}
	}
	if n > mostLocations {
		return fmt.Errorf("OTF2 has two files for each thread: %s files in one directory are too much for most parallel "+
			"file systems; choose a part with --rank or --classes, or write all with --force",
			render.Count(uint64(2*n)))
	}
	return nil
}

// writeOTF2 writes an archive.
func writeOTF2(j *Job, out *safefile.OutputDir) error {
	if room := out.Room(); !j.Force && uint64(j.Bytes()) > room {
		return fmt.Errorf("the archive would be some %s, and there is room for %s: choose a part with --time, --steps, "+
			"--rank or --classes, or try all the same with --force", render.ByteSize(j.Bytes()),
			render.ByteSize(int64(room)))
	}
	t, err := openStreams(j)
	if err != nil {
		return err
	}
	defer t.arrows.close()
	x := &otf2Archive{timeline: t, defs: otf2.NewDefinitions(), out: out, functions: map[spec.ID]uint32{},
		names: map[string]uint32{}, windows: map[[2]int32]uint32{}, first: otf2.Undefined64,
		events:  map[uint64]uint64{},
		defined: map[int]bool{}}
	if n := x.listed(); n > mostMembers {
		return fmt.Errorf("OTF2 lists every member of every group, which are %s here, and at most %s are written: "+
			"choose another format", render.Count(n), render.Count(mostMembers))
	}
	x.defs.MPI()
	x.site = x.defs.Attribute(otf2.SiteAttribute, true)
	if err := x.receives(); err != nil {
		return err
	}
	if err := x.noteFiles(); err != nil {
		return err
	}
	if err := t.arrows.rewind(); err != nil {
		return err
	}
	if err := t.streams(x.stream); err != nil {
		return err
	}
	if x.pathless > 0 {
		j.note("%s messages and collectives are left out: it is not known who is in their communicators",
			render.Count(x.pathless))
	}
	return x.finish()
}

// receives notes for each receive which message it gets: at the call that posts it, and if another thread completes it,
// there, too.
func (x *otf2Archive) receives() error {
	chosen := x.sel.Chooser()
	has := func(r *match.Ref) bool { return r.Known() && chosen(int(r.Stream), r.Terminal, r.Call) }
	progress := x.meter("matching messages", "events")
	defer progress.Done()
	_, err := match.RunProgram(x.program, match.Options{Progress: progress.Show, Message: func(m *match.Message) error {
		post, done := &m.Recv.Post, &m.Recv.Done
		if !has(post) && !has(done) {
			return nil
		}
		x.messages++
		about := message{m.Send.Process, m.Comm, m.Tag, m.Bytes}
		elsewhere := done.Known() && done.Stream != post.Stream
		if elsewhere {
			if err := x.arrows.add(note{done.Stream, done.Call, 2*x.messages + 1, about}); err != nil {
				return err
			}
		}
		return x.arrows.add(note{post.Stream, post.Call, 2 * x.messages, about})
	}})
	return err
}

// otf2Location is the number of the location of a stream: threads of a process lie 2^32 apart.
func otf2Location(process, thread int) uint64 { return uint64(thread)<<32 | uint64(process) }

// stream begins the file of a location.
func (x *otf2Archive) stream(p *selection.Part) (sink, func() error, error) {
	id := otf2Location(p.Stream.Process(), p.Stream.Thread())
	f, err := x.location(id)
	if err != nil {
		return nil, nil, err
	}
	s := &otf2Stream{otf2Archive: x, stream: p.Stream,
		ev: otf2.NewEvents(f), points: newPoints(p.Stream), terms: map[uint32]*otf2Term{},
		lanes: map[int64]*otf2Request{},
		inits: map[int64]*calls.Op{}, ranks: map[int64]uint32{}, remote: map[uint32]*[2]uint64{},
		split: map[uint32]otf2Operation{}}
	return s, func() error {
		err := s.finish()
		x.events[id] = s.ev.Count
		if s.ev.Count > 0 {
			x.first, x.last = min(x.first, s.ev.First), max(x.last, s.ev.Last)
		}
		if e := f.Close(); err == nil {
			err = e
		}
		return err
	}, nil
}

// location makes the two files of a location, and returns that of its events.
func (x *otf2Archive) location(id uint64) (*os.File, error) {
	if err := createFile(x.out.CreateSub, fmt.Sprintf("%d.def", id), otf2.WriteEmpty); err != nil {
		return nil, err
	}
	return x.out.CreateSub(fmt.Sprintf("%d.evt", id))
}

// createFile writes a file of a directory.
func createFile(create func(string) (*os.File, error), name string, write func(io.Writer) error) error {
	f, err := create(name)
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// finish writes what the locations have in common.
func (x *otf2Archive) finish() error {
	meta := x.Archive.Meta()
	x.first = min(x.first, x.last)
	x.defs.Clock(x.first, x.last, uint64(max(meta.Created.UnixNano(), 0)))
	n, err := x.processes()
	if err != nil {
		return err
	}
	x.comms()
	windows := make([][2]int32, len(x.windows))
	for of, id := range x.windows {
		windows[id] = of
	}
	for id, of := range windows { // readers want them in order
		name := fmt.Sprintf("window %d on %s", of[1], x.program.Comms.Comms[of[0]].Name)
		x.defs.Window(uint32(id), name, uint32(of[0]))
	}
	x.files.define(x.defs, rootNode)
	if err := createFile(x.out.Create, otf2Definitions, x.defs.Write); err != nil {
		return err
	}
	a := &otf2.Anchor{Locations: n, Machine: "machine", Creator: otf2.Creator + meta.Tool,
		Description: strings.Join(meta.Command, " ")}
	return createFile(x.out.Create, otf2Anchor, func(w io.Writer) error { return x.defs.WriteAnchor(w, a) })
}

// ticks is a time as OTF2 has it.
func ticks(t time.Duration) uint64 { return uint64(max(t, 0)) }
