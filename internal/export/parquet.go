package export

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/arrow"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Tables are the tables that a recording is exported to, one a file.
var Tables = []string{"calls", "messages", "steps", "ranks", "sites", "communicators", "marks"}

// mostRows is how many calls become rows without --force. A file of a kilobyte can claim more than any disk has room
// for.
const mostRows = 1 << 32

// checkTable is the error for a table that has a row for each of too many calls.
func checkTable(j *Job) error {
	if j.Calls <= mostRows || !slices.Contains([]string{"", "calls", "messages", "marks"}, j.Table) {
		return nil
	}
	return fmt.Errorf("%s calls would be some %s: choose a part with --time, --steps, --rank or --classes, "+
		"or write all with --force", render.Count(j.Calls), render.ByteSize(j.Bytes()))
}

// groupRows is how many rows a row group has at most: they are in memory until it is written.
const groupRows = 1 << 17

// callRow is a call. What is not known, or does not apply, is null. Times are nanoseconds since the start of the
// recording. docs/export-tables.md says what the columns are.
type callRow struct {
	World      int32  `parquet:"world,dict"`
	Rank       int32  `parquet:"rank,dict"`
	Thread     int32  `parquet:"thread,dict"`
	Call       int64  `parquet:"call,delta"`
	Function   string `parquet:"function,dict"`
	Site       string `parquet:"site,dict"`
	Start      int64  `parquet:"start_ns,delta"` // -1 without times
	Duration   int64  `parquet:"duration_ns,delta"`
	Partner    *int32 `parquet:"partner,optional,dict"`
	Tag        *int32 `parquet:"tag,optional,dict"`
	Bytes      *int64 `parquet:"bytes,optional,dict"`
	Received   *int64 `parquet:"received_bytes,optional,dict"`
	Root       *int32 `parquet:"root,optional,dict"`
	Comm       *int32 `parquet:"communicator,optional,dict"`
	Nested     bool   `parquet:"nested"`
	Unfinished bool   `parquet:"unfinished"`
}

// messageRow is a message: partners are processes, as tabard info numbers them.
type messageRow struct {
	Source      int32  `parquet:"source,dict"`
	Destination int32  `parquet:"destination,dict"`
	Tag         int32  `parquet:"tag,dict"`
	Bytes       *int64 `parquet:"bytes,optional,dict"`
	Comm        *int32 `parquet:"communicator,optional,dict"`
	SendCall    int64  `parquet:"send_call,delta"`
	SendStart   *int64 `parquet:"send_start_ns,optional"`
	SendEnd     *int64 `parquet:"send_end_ns,optional"`
	PostCall    int64  `parquet:"receive_call,delta"`
	PostStart   *int64 `parquet:"receive_start_ns,optional"`
	DoneCall    *int64 `parquet:"completion_call,optional"`
	DoneEnd     *int64 `parquet:"completion_end_ns,optional"`
	Guessed     bool   `parquet:"guessed"`
}

// stepRow is a time step of a thread: calls from first to last.
type stepRow struct {
	World  int32  `parquet:"world"`
	Rank   int32  `parquet:"rank,dict"`
	Thread int32  `parquet:"thread,dict"`
	Step   int64  `parquet:"step,delta"`
	First  int64  `parquet:"first_call,delta"`
	Last   int64  `parquet:"last_call,delta"`
	Start  *int64 `parquet:"start_ns,optional"`
	End    *int64 `parquet:"end_ns,optional"`
}

// rankRow is a process.
type rankRow struct {
	Process  int32  `parquet:"process"`
	World    int32  `parquet:"world"`
	Rank     int32  `parquet:"rank"`
	Host     string `parquet:"host,dict"`
	PID      int64  `parquet:"pid"`
	Complete bool   `parquet:"complete"`
	End      string `parquet:"end,dict"`
}

// siteRow is a frame of a call site; depth 0 is the innermost.
type siteRow struct {
	Site     string `parquet:"site,dict"`
	Depth    int32  `parquet:"depth"`
	Function string `parquet:"function"`
	File     string `parquet:"file,dict"`
	Line     int32  `parquet:"line"`
	Module   string `parquet:"module,dict"`
}

// commRow is a communicator with its members.
type commRow struct {
	Comm    int32  `parquet:"communicator"`
	Name    string `parquet:"name"`
	How     string `parquet:"how,dict"`
	Size    int32  `parquet:"size"`
	Members string `parquet:"members"`
}

// markRow is a mark, or a value that the program gave.
type markRow struct {
	World  int32    `parquet:"world,dict"`
	Rank   int32    `parquet:"rank,dict"`
	Thread int32    `parquet:"thread,dict"`
	Event  int64    `parquet:"event,delta"`
	Name   string   `parquet:"name,dict"`
	At     *int64   `parquet:"at_ns,optional"`
	Value  *float64 `parquet:"value,optional"`
}

// table writes rows of a table as they come.
type table[T any] struct {
	w interface {
		Write([]T) (int, error)
		Close() error
	}
	flushes func() error // ends a row group; nil: the writer does it itself
	rows    []T
	n       int
}

// newTable begins a table in the format of the job.
func newTable[T any](j *Job, w io.Writer) *table[T] {
	if j.format.Name == arrowName {
		return &table[T]{w: arrow.NewWriter[T](w, "parquet")}
	}
	p := parquet.NewGenericWriter[T](w, parquet.Compression(&zstd.Codec{Level: zstd.SpeedBetterCompression}),
		parquet.CreatedBy("tabard", "1", "export"))
	return &table[T]{w: p, flushes: p.Flush}
}

func (t *table[T]) add(row *T) error {
	if t.rows = append(t.rows, *row); len(t.rows) < 1024 {
		return nil
	}
	return t.flush()
}

// flush hands the rows on, and ends a row group now and then.
func (t *table[T]) flush() error {
	if _, err := t.w.Write(t.rows); err != nil {
		return err
	}
	t.n += len(t.rows)
	clear(t.rows)
	t.rows = t.rows[:0]
	if t.n < groupRows || t.flushes == nil {
		return nil
	}
	t.n = 0
	return t.flushes()
}

func (t *table[T]) close() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.w.Close()
}

// writeTable writes one table, in Parquet or Arrow.
func writeTable(j *Job, w io.Writer) error {
	switch j.Table {
	case "messages":
		return writeMessages(j, w)
	case "steps":
		return writeSteps(j, w)
	case "ranks":
		return writeRanks(j, w)
	case "sites":
		return writeSites(j, w)
	case "communicators":
		return writeComms(j, w)
	case "marks":
		return writeMarks(j, w)
	}
	return writeCalls(j, w)
}

// parts are the selected parts in the order of streams.
func (j *Job) parts() (parts []*selection.Part, err error) {
	for p, err := range j.sel.Parts() {
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b *selection.Part) int { return a.Stream.Index() - b.Stream.Index() })
	return parts, nil
}

func some[T any](v T) *T { return &v }

// known is a number that is not negative, else nil.
func known[T int32 | int64](v T) *T {
	if v < 0 {
		return nil
	}
	return &v
}

// room is where the numbers of many rows are, as an allocation for each would take longer than all else about them.
type room[T int32 | int64] []T

// known is a number that is not negative, else nil.
func (r *room[T]) known(v T) *T {
	if v < 0 {
		return nil
	}
	if len(*r) == cap(*r) {
		*r = make([]T, 0, 4096)
	}
	*r = append(*r, v)
	return &(*r)[len(*r)-1]
}

// describer fills in what calls do to messages.
type describer struct {
	short room[int32]
	long  room[int64]
}

// selected are the parts that are selected, and what their calls mean.
func (j *Job) selected() ([]*selection.Part, *calls.Program, error) {
	parts, err := j.parts()
	if err != nil {
		return nil, nil, err
	}
	p, err := calls.Open(j.Archive)
	return parts, p, err
}

func writeCalls(j *Job, w io.Writer) error {
	parts, p, err := j.selected()
	if err != nil {
		return err
	}
	progress := j.meter("writing", "calls")
	defer progress.Done()
	t, done := newTable[callRow](j, w), uint64(0)
	for _, part := range parts {
		if err := callsOf(p, part, t); err != nil {
			return err
		}
		done += part.Range.Len()
		progress.Show(done, max(done, j.Calls))
	}
	return t.close()
}

// callsOf adds the selected calls of a stream.
func callsOf(p *calls.Program, part *selection.Part, t *table[callRow]) error {
	s := part.Stream
	r, err := p.Reader(s)
	if err != nil {
		return err
	}
	sites, err := siteTexts(s)
	if err != nil {
		return err
	}
	silent, err := silentTerminals(s)
	if err != nil {
		return err
	}
	rank := s.Rank()
	inits := map[int64]*calls.Op{} // persistent requests
	var begin, end [1]time.Duration
	var d describer
	for {
		op, err := r.Next()
		if err != nil {
			return err
		}
		if op == nil || op.Call >= part.Range.To {
			return nil
		}
		if op.Request >= 0 && op.Persistent && op.Kind != calls.Start {
			inits[op.Request] = clone(op)
		}
		from, to := max(op.Call, part.Range.From), min(op.Call+op.Calls, part.Range.To)
		if !op.Func.Call() || from >= to || !part.Selects(op.Terminal, from) {
			continue
		}
		row := callRow{Start: -1, World: int32(rank.World), Rank: int32(rank.Rank), Thread: int32(s.Thread()),
			Function: op.Func.Name, Site: sites[op.Terminal], Nested: op.Flags&archive.Nested != 0,
			Unfinished: op.Flags&archive.Unfinished != 0}
		switch {
		case op.Kind == calls.Start:
			d.start(&row, op, inits)
		case silent[op.Terminal]:
			d.call(&row, op)
			row.Bytes = d.long.known(op.Recv.Bytes)
		default:
			d.call(&row, op)
		}
		for ; from < to; from++ {
			row.Call = int64(from)
			if op.Timed {
				if begin[0], end[0] = op.Begin, op.End; op.Calls > 1 {
					if err := r.Times(from, begin[:], end[:]); err != nil {
						return err
					}
				}
				row.Start, row.Duration = int64(begin[0]), int64(end[0]-begin[0])
			}
			if err := t.add(&row); err != nil {
				return err
			}
		}
	}
}

// silentTerminals are those of calls that combine with nothing: what they fetch is all that they move.
func silentTerminals(s *archive.Stream) (map[uint32]bool, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	out := map[uint32]bool{}
	nothing, _ := spec.PredefinedByName(mpi.NoOp)
	for t, sig := range sigs {
		f := spec.ByID(sig.Func)
		if i := f.Slot(spec.RoleOperator); f.Op == spec.OpAccumulate && i >= 0 &&
			sig.Slots[i].Kind == archive.Ref && sig.Slots[i].N == archive.PredefinedRef(nothing) {
			out[uint32(t)] = true
		}
	}
	return out, nil
}

// start fills in what the start of persistent requests sends.
func (d *describer) start(row *callRow, op *calls.Op, inits map[int64]*calls.Op) {
	for _, r := range op.Requests {
		init := inits[r]
		if init == nil || op.Void {
			continue
		}
		row.Comm = d.short.known(init.Comm)
		n := int64(0)
		switch {
		case init.Kind == calls.SendInit && init.Send.Peer != calls.ProcNull:
			n = init.Send.Bytes
		case init.Kind == calls.CollectiveInit:
			n = collectiveBytes(init)
		}
		if row.Bytes == nil {
			row.Bytes = d.long.known(0)
		}
		*row.Bytes += max(n, 0)
	}
}

// call fills in what a call does to messages. Sizes are those that the profile has where a call has one.
func (d *describer) call(row *callRow, op *calls.Op) {
	row.Comm = d.short.known(op.Comm)
	if op.Void { // it failed: nothing was moved
		return
	}
	side := &op.Send
	switch op.Kind {
	case calls.Send, calls.Put, calls.Write:
		row.Bytes = d.long.known(op.Send.Bytes)
	case calls.Accumulate:
		row.Bytes = d.long.known(op.Send.Bytes)
		if row.Bytes != nil && op.Recv.Bytes > 0 { // what was there before
			*row.Bytes += op.Recv.Bytes
		}
	case calls.Get, calls.Read:
		side, row.Bytes = &op.Recv, d.long.known(op.Recv.Bytes)
	case calls.Recv, calls.Mrecv:
		side, row.Received = &op.Recv, d.long.known(op.Recv.Bytes)
	case calls.SendRecv:
		row.Bytes, row.Received = d.long.known(op.Send.Bytes), d.long.known(op.Recv.Bytes)
	case calls.Collective:
		row.Root, row.Bytes = d.short.known(op.Root), d.long.known(collectiveBytes(op))
		row.Received = d.long.known(op.Recv.Bytes)
		return
	case calls.RecvInit, calls.Probe, calls.Mprobe:
		side = &op.Recv
	case calls.SendInit:
	default:
		return
	}
	if row.Partner = d.short.known(side.Peer); row.Partner != nil {
		row.Tag = d.short.known(side.Tag)
	}
	if op.Send.Peer == calls.ProcNull && side == &op.Send || op.Recv.Peer == calls.ProcNull && side == &op.Recv {
		row.Bytes = nil // nothing is moved
	}
	if op.Recv.Peer == calls.ProcNull {
		row.Received = nil
	}
}

// collectiveBytes is what a process gives to others in a collective, as the profile counts it: what goes to several
// of them once, nothing that it gives to itself.
func collectiveBytes(op *calls.Op) int64 {
	sent, f := op.Send.Bytes, op.Func
	if f.Op == spec.OpRead { // of a file
		return op.Recv.Bytes
	}
	if f.Op != spec.OpCollective || sent <= 0 {
		return sent
	}
	size, inter, own := int64(0), false, int32(-1)
	if p := op.Peers(); p != nil {
		inter = p.Comm().Inter
		if g := p.Group(); g != nil {
			size = int64(g.Len())
			if r := p.Rank(); r >= 0 && !inter {
				own = p.At(int32(r))
			}
		}
	}
	parts := f.Vector == spec.VectorNone && f.Data == spec.DataParts
	switch {
	case f.Flow == spec.FlowToRoot && own >= 0 && op.Root == own:
		return 0
	case f.Data == spec.DataReducedParts && f.Vector == spec.VectorNone:
		return op.Recv.Bytes
	case f.Data == spec.DataReducedParts && inter:
		return calls.UnknownBytes
	case parts && (f.Flow == spec.FlowToAll || f.Flow == spec.FlowFromRoot):
		if size == 0 {
			return calls.UnknownBytes
		}
		return sent / size
	}
	return sent
}

// siteTexts are the call sites of a stream's terminals, empty if not known.
func siteTexts(s *archive.Stream) ([]string, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(sigs))
	for t, sig := range sigs {
		if site := s.Site(sig); site != nil {
			texts[t] = site.String()
		}
	}
	return texts, nil
}

func writeMessages(j *Job, w io.Writer) error {
	p, err := calls.Open(j.Archive)
	if err != nil {
		return err
	}
	progress := j.meter("matching messages", "events")
	defer progress.Done()
	chosen := j.sel.Chooser()
	has := func(r *match.Ref) bool { return chosen(int(r.Stream), r.Terminal, r.Call) }
	at := func(r *match.Ref, t time.Duration) *int64 {
		if !r.Known() || !r.Timed {
			return nil
		}
		return some(int64(t))
	}
	t := newTable[messageRow](j, w)
	_, err = match.RunProgram(p, match.Options{Progress: progress.Show, Message: func(m *match.Message) error {
		send, post, done := &m.Send.Post, &m.Recv.Post, &m.Recv.Done
		if !has(send) && (j.Partition > 0 || !has(post)) {
			return nil // of tables in parts, a message is in the part of its sender
		}
		row := messageRow{Source: m.Send.Process, Destination: m.Recv.Process, Tag: m.Tag, Bytes: known(m.Bytes),
			Comm: known(m.Comm), SendCall: int64(send.Call), SendStart: at(send, send.Begin),
			SendEnd:  at(send, send.End),
			PostCall: int64(post.Call), PostStart: at(post, post.Begin), DoneEnd: at(done, done.End),
			Guessed: m.Guessed}
		if done.Known() {
			row.DoneCall = some(int64(done.Call))
		}
		return t.add(&row)
	}})
	if err != nil {
		return err
	}
	return t.close()
}

func writeSteps(j *Job, w io.Writer) error {
	parts, err := j.parts()
	if err != nil {
		return err
	}
	steps, err := selection.FindSteps(j.Archive, j.sel.Selection.StepLoop)
	if err != nil {
		return err
	}
	t := newTable[stepRow](j, w)
	for _, p := range parts {
		of, err := steps.Of(p.Stream)
		if err != nil {
			return err
		}
		if of == nil {
			continue
		}
		times, err := p.Stream.Timing()
		if err != nil {
			return err
		}
		at, rank := p.Stream.TickTime(), p.Stream.Rank()
		for k := range of.Len() {
			r, err := of.Span(k, k)
			if err != nil {
				return err
			}
			if r.From < p.Range.From || r.To > p.Range.To || r.Len() == 0 {
				continue
			}
			row := stepRow{World: int32(rank.World), Rank: int32(rank.Rank), Thread: int32(p.Stream.Thread()),
				Step: int64(k), First: int64(r.From), Last: int64(r.To - 1)}
			if times != nil {
				begin, _ := times.At(r.From)
				_, end := times.At(r.To - 1)
				row.Start, row.End = some(int64(at(begin))), some(int64(at(end)))
			}
			if err := t.add(&row); err != nil {
				return err
			}
		}
	}
	return t.close()
}

func writeRanks(j *Job, w io.Writer) error {
	t := newTable[rankRow](j, w)
	for i, r := range j.Archive.Ranks() {
		if !j.sel.Selection.Rank(r.Rank) {
			continue
		}
		if err := t.add(&rankRow{int32(i), int32(r.World), int32(r.Rank), r.Host, int64(r.PID), r.Complete,
			r.End}); err != nil {
			return err
		}
	}
	return t.close()
}

func writeSites(j *Job, w io.Writer) error {
	t, seen := newTable[siteRow](j, w), map[string]bool{}
	for u, err := range j.sel.Units() {
		if err != nil {
			return err
		}
		sigs, err := u.Part.Stream.Signatures()
		if err != nil {
			return err
		}
		for _, sig := range sigs {
			site := u.Part.Stream.Site(sig)
			if site == nil || seen[site.String()] {
				continue
			}
			seen[site.String()] = true
			for depth, f := range site.Frames {
				if err := t.add(&siteRow{site.String(), int32(depth), f.Func, f.File, int32(f.Line),
					f.Image}); err != nil {
					return err
				}
			}
		}
	}
	return t.close()
}

func writeComms(j *Job, w io.Writer) error {
	p, err := calls.Open(j.Archive)
	if err != nil {
		return err
	}
	t := newTable[commRow](j, w)
	for _, c := range p.Comms.Comms {
		if err := t.add(&commRow{int32(c.ID), c.Name, c.How, int32(c.Size()), p.Comms.Text(c.Members, 0)}); err != nil {
			return err
		}
	}
	return t.close()
}

// writeMarks writes marks and values.
func writeMarks(j *Job, w io.Writer) error {
	parts, err := j.parts()
	if err != nil {
		return err
	}
	t := newTable[markRow](j, w)
	for _, part := range parts {
		if err := marksOf(part, t); err != nil {
			return err
		}
	}
	return t.close()
}

// marksOf adds the marks and values in the selected part of a stream. It reads no other calls.
func marksOf(part *selection.Part, t *table[markRow]) error {
	s := part.Stream
	sigs, err := s.Signatures()
	if err != nil {
		return err
	}
	points, rank := newPoints(s), s.Rank()
	isPoint := func(t uint32) bool {
		f := spec.ByID(sigs[t].Func)
		return f.Shape == spec.ShapePoint && f.API == "regions"
	}
	for c, err := range s.IterOnly(isPoint) {
		if err != nil {
			return err
		}
		if c.Index >= part.Range.To {
			return nil
		}
		m, err := points.next(c.Terminal, c.Func)
		if err != nil {
			return err
		}
		if m == nil || c.Index < part.Range.From {
			continue
		}
		if in, _ := part.Inside(c.Index); !in {
			continue
		}
		row := markRow{World: int32(rank.World), Rank: int32(rank.Rank), Thread: int32(s.Thread()),
			Event: int64(c.Index), Name: m.name}
		if c.Timed {
			row.At = some(int64(c.Start))
		}
		if m.valued {
			row.Value = some(m.value)
		}
		if err := t.add(&row); err != nil {
			return err
		}
	}
	return nil
}
