// Package archivetest makes small archives, sound and broken ones, for tests.
//
// Archives are described in a few lines:
//
//	abi openmpi               also: mpi, tool, command, option name value, partial, notiming
//	rank 0 of 2 on node1      begins a process, with its first thread; "world 1" may follow
//	clock 1000 5000 3000      ticks, real and monotonic ns; "fact NAME VALUE" is one of RankData.Info
//	MPI_Init()
//	loop 10
//	  MPI_Irecv(source=1, tag=0, comm=MPI_COMM_WORLD) @ halo.c:41 [exchange] ; request=request#0
//	  poll 3 MPI_Test(request=request#0) ; flag=0
//	  MPI_Wait(request=request#0) ; request=MPI_REQUEST_NULL ; status=?{source=1 tag=0 bytes=32}
//	end
//	5000+20 MPI_Finalize()    begin and duration in ticks
//	thread 1                  begins a further thread
//	rank 1 of 2 on node1
//	running                   a snapshot found it at work; also: killed 9, lost 2
//
// A call is written as archive.Call.Format gives it. Parameters that are left out
// are absent. "?" before a value puts the value into a column. Calls without a
// time begin 100 ticks after the one before and take 10. "poll n" is a run of
// n unsuccessful polls, "ret n" at the end of a line a return code that is an
// error, "nested" and "unfinished" flags.
package archivetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/spec"
)

// Bytes makes the archive that desc describes.
func Bytes(t testing.TB, desc string) []byte {
	t.Helper()
	b, err := Build(desc)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Descriptions are those of the txtar files that match a pattern: what follows the line "-- desc --" in them, up to the
// next file.
func Descriptions(t testing.TB, pattern string) (descs []string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, desc, _ := strings.Cut(string(text), "-- desc --\n")
		desc, _, _ = strings.Cut(desc, "\n-- ")
		descs = append(descs, desc)
	}
	return descs
}

// Archive makes and opens the archive that desc describes.
func Archive(t testing.TB, desc string, opts ...archive.Option) *archive.Archive {
	t.Helper()
	return Open(t, Bytes(t, desc), opts...)
}

// InMemory makes the archive that desc describes, without a file: much faster than Archive.
func InMemory(t testing.TB, desc string, opts ...archive.Option) *archive.Archive {
	t.Helper()
	p, err := Part(desc)
	if err != nil {
		t.Fatal(err)
	}
	return OfPart(t, p, opts...)
}

// OfPart makes an archive of a part, without a file.
func OfPart(t testing.TB, p *merge.Part, opts ...archive.Option) *archive.Archive {
	t.Helper()
	c, err := p.Content()
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Archive(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Open opens an archive that is in memory.
func Open(t testing.TB, b []byte, opts ...archive.Option) *archive.Archive {
	t.Helper()
	a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Build makes the archive that desc describes.
func Build(desc string) ([]byte, error) {
	b, err := Part(desc)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err = b.Write(&buf)
	return buf.Bytes(), err
}

// Part makes a part of an archive that holds what desc describes.
func Part(desc string) (*merge.Part, error) {
	p := &parser{lines: strings.Split(desc, "\n"), timed: true}
	p.meta.Created = time.Unix(1700000000, 0)
	if _, err := p.block(0); err != nil {
		return nil, err
	}
	return p.build()
}

// Rank gives the only process that desc describes, as merge.Part takes it.
func Rank(desc string) (*archive.RankData, []archive.StreamData, error) {
	p := &parser{lines: strings.Split(desc, "\n"), timed: true}
	if _, err := p.block(0); err != nil {
		return nil, nil, err
	}
	if len(p.procs) != 1 {
		return nil, nil, fmt.Errorf("%d ranks are described", len(p.procs))
	}
	return &p.procs[0].data, p.procs[0].streams(p.timed), nil
}

// parser reads a description.
type parser struct {
	lines []string
	at    int
	meta  archive.Meta
	timed bool
	procs []*process
}

type process struct {
	data    archive.RankData
	sites   map[string]uint32
	threads []*Stream
	now     uint64
	known   map[string]*Call // lines that were parsed before, without times
}

// block runs lines up to "end" (depth > 0) or the end of the description.
func (p *parser) block(depth int) (next int, err error) {
	for p.at < len(p.lines) {
		line := strings.TrimSpace(p.lines[p.at])
		p.at++
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case word == "end" && depth > 0:
			return p.at, nil
		case word == "loop":
			err = p.loop(rest, depth)
		default:
			err = p.line(word, strings.TrimSpace(rest), line)
		}
		if err != nil {
			return 0, fmt.Errorf("%q: %w", line, err)
		}
	}
	if depth > 0 {
		return 0, fmt.Errorf("a loop without an end")
	}
	return p.at, nil
}

func (p *parser) loop(count string, depth int) error {
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 {
		return fmt.Errorf("bad number of iterations %q", count)
	}
	start, next := p.at, 0
	for range n {
		p.at = start
		if next, err = p.block(depth + 1); err != nil {
			return err
		}
	}
	p.at = next
	return nil
}

func (p *parser) line(word, rest, line string) error {
	switch word {
	case "abi":
		for a := spec.UnknownABI; a < spec.NumABIs; a++ {
			if a.String() == rest {
				p.meta.ABI = a
				return nil
			}
		}
		return fmt.Errorf("unknown ABI %q", rest)
	case "mpi":
		p.meta.MPI = rest
	case "tool":
		p.meta.Tool = rest
	case "command":
		p.meta.Command = strings.Fields(rest)
	case "option":
		name, val, _ := strings.Cut(rest, " ")
		if p.meta.Options == nil {
			p.meta.Options = map[string]string{}
		}
		p.meta.Options[name] = val
	case "partial":
		p.meta.Partial = true
	case "notiming":
		p.timed = false
	case "rank":
		return p.rank(rest)
	default:
		if len(p.procs) == 0 {
			return fmt.Errorf("expected a rank first")
		}
		return p.procs[len(p.procs)-1].line(p, word, rest, line)
	}
	return nil
}

func (p *parser) rank(text string) error {
	f := strings.Fields(text)
	world := 0
	if len(f) == 7 && f[5] == "world" {
		var err error
		if world, err = strconv.Atoi(f[6]); err != nil {
			return fmt.Errorf("bad world %q", f[6])
		}
		f = f[:5]
	}
	if len(f) != 5 || f[1] != "of" || f[3] != "on" {
		return fmt.Errorf("expected: rank R of SIZE on HOST [world W]")
	}
	r, err1 := strconv.Atoi(f[0])
	n, err2 := strconv.Atoi(f[2])
	if err1 != nil || err2 != nil {
		return fmt.Errorf("bad rank or size")
	}
	p.procs = append(p.procs, &process{sites: map[string]uint32{}, known: map[string]*Call{},
		threads: []*Stream{NewStream()},
		data: archive.RankData{
			World:    world,
			Rank:     r,
			Size:     n,
			Host:     f[4],
			PID:      1000 + r,
			Complete: true,
			End:      "exited",
		}})
	return nil
}

func (pr *process) line(p *parser, word, rest, line string) error {
	switch word {
	case "thread":
		n, err := strconv.Atoi(rest)
		if err != nil || n != len(pr.threads) {
			return fmt.Errorf("expected thread %d", len(pr.threads))
		}
		pr.threads = append(pr.threads, NewStream())
		return nil
	case "clock":
		var c archive.Clock
		if _, err := fmt.Sscan(rest, &c.Ticks, &c.RealNS, &c.MonoNS); err != nil {
			return err
		}
		pr.data.Clocks = append(pr.data.Clocks, c)
		return nil
	case "module":
		pr.data.Modules = append(pr.data.Modules, archive.Module{Path: rest})
		return nil
	case "fact":
		key, value, _ := strings.Cut(rest, " ")
		if pr.data.Info == nil {
			pr.data.Info = map[string]string{}
		}
		pr.data.Info[key] = value
		return nil
	case "killed":
		pr.data.Complete, pr.data.End = false, "killed by signal "+rest
		return nil
	case "end":
		pr.data.End = rest
		return nil
	case "running":
		pr.data.Complete, pr.data.End = false, archive.Running
		return nil
	case "lost":
		n, err := strconv.ParseUint(rest, 10, 64)
		pr.data.LostCalls = n
		return err
	}
	c, err := pr.call(p.meta.ABI, line)
	if err != nil {
		return err
	}
	return pr.add(c)
}

// call parses "[start+duration] [poll n] MPI_X(...) ...". The call is valid until the next one.
func (pr *process) call(abi spec.ABI, line string) (c *Call, err error) {
	begin, text := "", line
	if line[0] >= '0' && line[0] <= '9' {
		begin, text, _ = strings.Cut(line, " ")
	}
	c, ok := pr.known[text]
	if !ok {
		if c, err = pr.parse(abi, text); err != nil {
			return nil, err
		}
		pr.known[text] = c
	}
	c.Start, c.End = pr.now+100, pr.now+110
	if begin != "" {
		start, length, _ := strings.Cut(begin, "+")
		s, err1 := strconv.ParseUint(start, 10, 64)
		d, err2 := strconv.ParseUint(length, 10, 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%q is no time", begin)
		}
		c.Start, c.End = s, s+d
	}
	if c.Sig.Flags&archive.Unfinished != 0 {
		c.End = c.Start
	}
	return c, nil
}

// parse parses a call without its times.
func (pr *process) parse(abi spec.ABI, line string) (*Call, error) {
	c := &Call{Run: 1}
	head, _, ok := strings.Cut(line, "(")
	if !ok {
		return nil, fmt.Errorf("not understood")
	}
	words := strings.Fields(head)
	if len(words) == 3 && words[0] == "poll" {
		n, err := strconv.ParseUint(words[1], 10, 32)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("bad number of polls %q", words[1])
		}
		c.Run, c.Sig.Flags = n, archive.Polls
		words = words[2:]
	}
	if len(words) != 1 {
		return nil, fmt.Errorf("%q is not understood", head)
	}
	name := words[0]
	f := spec.ByName(name)
	if f == nil {
		return nil, fmt.Errorf("unknown function %q", name)
	}
	c.Sig.Func, c.Sig.Slots = f.ID, make([]archive.Value, len(f.Slots))
	c.Holes = make([]archive.Value, len(f.Slots))
	rest, err := c.assignments(abi, f, line[strings.Index(line, "(")+1:], false)
	if err != nil {
		return nil, err
	}
	if rest, ok = strings.CutPrefix(rest, ")"); !ok {
		return nil, fmt.Errorf("expected \")\" at %q", rest)
	}
	site, rest, _ := strings.Cut(rest, " ; ")
	if site = strings.TrimSpace(site); site != "" {
		if site, ok = strings.CutPrefix(site, "@ "); !ok {
			return nil, fmt.Errorf("expected a call site at %q", site)
		}
		c.Sig.Site = pr.site(site)
	}
	rest, err = c.assignments(abi, f, rest, true)
	if err == nil && rest != "" {
		err = fmt.Errorf("not understood: %q", rest)
	}
	return c, err
}

// assignments parses "name=value, ..." or, on return, "name=value ; ...".
func (c *Call) assignments(abi spec.ABI, f *spec.Func, text string, out bool) (string, error) {
	for {
		text = strings.TrimLeft(text, " ,;")
		name, rest, ok := strings.Cut(text, "=")
		if word, _, _ := strings.Cut(text, " "); !ok || out && word == "nested" || word == "unfinished" ||
			word == "ret" {
			return c.tail(text, out)
		}
		if strings.HasPrefix(text, ")") {
			return text, nil
		}
		i := slotIndex(f, name, out)
		if i < 0 {
			return "", fmt.Errorf("%s has no %q here", f.Name, name)
		}
		rest, hole := strings.CutPrefix(rest, "?")
		v, rest, err := archive.ParseValue(abi, f, &f.Slots[i], rest)
		if err != nil {
			return "", err
		}
		if c.Sig.Slots[i] = v; hole || v.Ignored { // ignored statuses are always in columns
			c.Holes[i], c.Sig.Slots[i] = v, archive.Value{Kind: archive.Hole, Ignored: v.Ignored}
		}
		text = rest
	}
}

// tail parses what follows the results.
func (c *Call) tail(text string, out bool) (string, error) {
	if !out {
		return text, nil
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' })
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "nested":
			c.Sig.Flags |= archive.Nested
		case "unfinished":
			c.Sig.Flags |= archive.Unfinished
		case "ret":
			if i++; i == len(words) {
				return "", fmt.Errorf("a return code is missing")
			}
			n, err := strconv.ParseInt(words[i], 10, 32)
			if err != nil {
				return "", err
			}
			c.Sig.Ret, c.Sig.Flags = int32(n), c.Sig.Flags|archive.Failed
		default:
			return "", fmt.Errorf("not understood: %q", words[i])
		}
	}
	return "", nil
}

func slotIndex(f *spec.Func, name string, out bool) int {
	for i := range f.Slots {
		if f.Slots[i].Out == out && archive.SlotName(f, &f.Slots[i]) == name {
			return i
		}
	}
	return -1
}

// site numbers a call site "file:line [func] < ...".
func (pr *process) site(text string) uint32 {
	if n, ok := pr.sites[text]; ok {
		return n
	}
	var s archive.Site
	for _, part := range strings.Split(text, " < ") {
		f := archive.Frame{Module: -1}
		place, fn, _ := strings.Cut(part, "[")
		f.Func = strings.TrimSuffix(fn, "]")
		var line string
		f.File, line, _ = strings.Cut(strings.TrimSpace(place), ":")
		f.Line, _ = strconv.Atoi(line)
		s.Frames = append(s.Frames, f)
	}
	pr.data.Sites = append(pr.data.Sites, s)
	n := uint32(len(pr.data.Sites))
	pr.sites[text] = n
	return n
}

func (pr *process) add(c *Call) error {
	pr.now = c.Start + 100*(c.Run-1)
	return pr.threads[len(pr.threads)-1].Add(c)
}

func (p *parser) build() (*merge.Part, error) {
	part := merge.New()
	part.SetMeta(p.meta)
	for _, pr := range p.procs {
		if err := part.Add(pr.data, pr.streams(p.timed)); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// streams encodes the threads that made calls.
func (pr *process) streams(timed bool) (streams []archive.StreamData) {
	for i, s := range pr.threads {
		if i == 0 || s.Calls() > 0 {
			streams = append(streams, s.Data(i, timed))
		}
	}
	return streams
}
