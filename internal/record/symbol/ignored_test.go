package symbol

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
)

const anySource, anyTag = -2, -1 // of MPICH

func irecvFrom(source, tag int, req uint64) rc {
	return rc{Func: "MPI_Irecv", Site: 6 | ring.WModule<<60, In: []any{heap(1, 0), 8, mpiInt, source, tag, world},
		Out: []any{req}}
}

// told is a call whose statuses the program ignored and the runtime recorded.
func told(name string, in, out []any) rc {
	return rc{Func: name, Flags: ring.FIgnored, In: in, Out: out}
}

// ignoredCases are calls with statuses that the program ignored: what precedes them, their columns,
// and whether the statuses are kept.
var ignoredCases = map[string]struct {
	before []rc
	call   rc
	want   string
	kept   bool
}{
	"Recv": {nil, told("MPI_Recv", []any{heap(1, 0), 8, mpiInt, anySource, 7, world}, []any{got}),
		"[3 7 32 0]", true},
	"Recv, any tag": {nil, told("MPI_Recv", []any{heap(1, 0), 8, mpiInt, 3, anyTag, world}, []any{got}),
		"[3 7 32 0]", true},
	"Sendrecv": {nil, told("MPI_Sendrecv", []any{heap(1, 0), 8, mpiInt, 1, 7, heap(2, 0), 8, mpiInt, anySource,
		7, world}, []any{got}), "[3 7 32 0]", true},
	"Iprobe": {nil, told("MPI_Iprobe", []any{anySource, 7, world}, []any{1, got}), "1 3 7 32 0]", true},
	"Mprobe": {nil, told("MPI_Mprobe", []any{anySource, 7, world}, []any{uint64(90), got}), "[3 7 32 0]",
		true},
	"Wait":          {[]rc{irecvFrom(anySource, 7, 20)}, told("MPI_Wait", []any{20}, []any{got}), "[3 7 32 0]", true},
	"Wait, any tag": {[]rc{irecvFrom(3, anyTag, 20)}, told("MPI_Wait", []any{20}, []any{got}), "[3 7 32 0]", true},
	"Wait, named":   {[]rc{irecvFrom(3, 7, 20)}, told("MPI_Wait", []any{20}, []any{got}), "[]", false},
	"Wait, send":    {[]rc{isend(1, 20)}, told("MPI_Wait", []any{20}, []any{junk}), "[]", false},
	"Wait, foreign": {nil, told("MPI_Wait", []any{77}, []any{got}), "[]", false},
	"Wait, cancelled": {[]rc{irecvFrom(anySource, 7, 20)}, told("MPI_Wait", []any{20}, []any{junk}),
		"[-2 -1 0 4294967296]", true},
	"Waitall": {[]rc{isend(1, 20), irecvFrom(anySource, 7, 21), irecvFrom(2, 7, 22)},
		told("MPI_Waitall", []any{4, []uint64{20, 21, nullReq, 22}}, []any{[]ring.Status{junk, got, junk, got}}),
		"[4 -2 -1 0 0 3 7 32 0 -2 -1 0 0 -2 -1 0 0]", true},
	"Waitall, none": {[]rc{isend(1, 20), irecvFrom(2, 7, 22)},
		told("MPI_Waitall", []any{2, []uint64{20, 22}}, []any{[]ring.Status{junk, got}}), "[]", false},
	"Waitany": {[]rc{isend(1, 20), irecvFrom(anySource, 7, 21)},
		told("MPI_Waitany", []any{2, []uint64{20, 21}}, []any{1, got}), "[1 3 7 32 0]", true},
	"Waitany, another": {[]rc{isend(1, 20), irecvFrom(anySource, 7, 21)},
		told("MPI_Waitany", []any{2, []uint64{20, 21}}, []any{0, junk}), "[0 -2 -1 0 0]", true},
	"Waitsome": {[]rc{isend(1, 20), irecvFrom(anySource, 7, 21)},
		told("MPI_Waitsome", []any{2, []uint64{20, 21}}, []any{2, []int64{1, 0}, []ring.Status{got, junk}}),
		"3 7 32 0 -2 -1 0 0]", true},
	"Test": {[]rc{irecvFrom(anySource, 7, 20)}, told("MPI_Test", []any{20}, []any{1, got}), "1 3 7 32 0]", true},
	"persistent": {[]rc{{Func: "MPI_Recv_init", In: []any{heap(1, 0), 8, mpiInt, anySource, 7, world},
		Out: []any{uint64(40)}}},
		told("MPI_Wait", []any{40}, []any{got}), "[3 7 32 0]", true},
	"Isendrecv": {[]rc{{Func: "MPI_Isendrecv", In: []any{heap(1, 0), 8, mpiInt, 1, 7, heap(2, 0), 8, mpiInt,
		anySource, 7, world}, Out: []any{uint64(20)}}},
		told("MPI_Wait", []any{20}, []any{got}), "[3 7 32 0]", true},
}

var (
	got  = ring.Status{Source: 3, Tag: 7, Bytes: 32}
	junk = ring.Status{Source: 100, Tag: -3, Bytes: 1 << 40, Cancelled: true}
)

// Statuses that the program ignored are kept where a receive took any source or any tag; other
// calls are recorded as if the runtime had not told them. Records come whole or in halves, refer to
// definitions or not, and the process goes on from a checkpoint in between.
func TestIgnoredStatuses(t *testing.T) {
	for name, c := range ignoredCases {
		for _, way := range []string{"whole", "halves", "restored"} {
			p, r := mpich(t)
			var repeats, control ringtest.Repeats
			q, plain := mpich(t) // is not told
			record := func(p *Process, s Sink, rep *ringtest.Repeats, c rc) {
				t.Helper()
				for _, rec := range rep.Records(ringtest.Record(c)) {
					if err := p.Record(0, rec, s); err != nil {
						t.Fatalf("%s, %s: %v", name, way, err)
					}
				}
			}
			for round := range 5 {
				for _, b := range c.before {
					record(p, r, &repeats, b)
					record(q, plain, &control, b)
				}
				if way == "restored" {
					journal := p.Journal()
					state, err := p.AppendState(nil)
					if err != nil {
						t.Fatal(err)
					}
					if round > 0 { // all journals so far are needed otherwise
						break
					}
					if p, err = RestoreProcess(state, journal); err != nil {
						t.Fatal(err)
					}
					r.p = p
				}
				if way == "halves" {
					whole := ringtest.Record(c.call)
					entry := c.call
					entry.Flags, entry.Out = ring.FEnter, nil
					begin := ringtest.Record(entry)
					begin[4] = whole[4] & (1<<32 - 1)
					exit := c.call
					exit.Flags |= ring.FExit
					if err := p.Begin(0, begin, r); err != nil {
						t.Fatal(err)
					}
					if err := p.End(0, ringtest.Record(exit), r); err != nil {
						t.Fatalf("%s, %s: %v", name, way, err)
					}
				} else {
					record(p, r, &repeats, c.call)
				}
				last := r.lines[len(r.lines)-1]
				if !strings.HasSuffix(last, c.want) {
					t.Errorf("%s, %s, round %d: %s, want %s", name, way, round, last, c.want)
				}
				s := p.Signature(r.sigs[len(r.sigs)-1])
				ignored := 0
				for i := range s.Slots {
					if s.Slots[i].Ignored {
						ignored++
					}
				}
				if (ignored == 1) != c.kept {
					t.Errorf("%s, %s: %d ignored slots in %v", name, way, ignored, s)
				}
				if c.kept {
					continue
				}
				not := c.call
				not.Flags, not.Out = 0, nil
				for _, v := range c.call.Out { // as recorded without
					switch v.(type) {
					case ring.Status, []ring.Status:
						v = nil
					}
					not.Out = append(not.Out, v)
				}
				record(q, plain, &control, not)
				if want := plain.lines[len(plain.lines)-1]; want != last {
					t.Errorf("%s, %s: %s, without the status %s", name, way, last, want)
				}
			}
			if way == "whole" && !c.kept && fmt.Sprint(p.sigs) != fmt.Sprint(q.sigs) {
				t.Errorf("%s: signatures %q, without the status %q", name, p.sigs, q.sigs)
			}
		}
	}
}

// A call site at which the program sometimes asks for the status has two signatures, and each has
// its columns.
func TestIgnoredAndNot(t *testing.T) {
	p, r := mpich(t)
	in := []any{heap(1, 0), 8, mpiInt, anySource, 7, world}
	for i := range 20 {
		s := ring.Status{Source: int32(i), Tag: 7, Bytes: 4}
		c := rc{Func: "MPI_Recv", In: in, Out: []any{s}}
		if i%3 == 0 {
			c.Flags = ring.FIgnored
		}
		feed(t, p, r, c)
		if want := fmt.Sprintf("[%d 7 4 0]", i); !strings.HasSuffix(r.lines[i], want) {
			t.Errorf("call %d: %s", i, r.lines[i])
		}
		if (r.sigs[i] == r.sigs[0]) != (i%3 == 0) {
			t.Errorf("call %d has signature %d, the first %d", i, r.sigs[i], r.sigs[0])
		}
	}
	if p.Signatures() != 2 {
		t.Errorf("%d signatures", p.Signatures())
	}
}

// A loop of wildcard receives takes the shortest way, also where the site of a call has callers in it.
func TestIgnoredBurst(t *testing.T) {
	for _, stack := range []uint16{0, ring.FStack} {
		p, r := mpich(t)
		var repeats ringtest.Repeats
		var words []uint64
		for i := range 100 {
			c := told("MPI_Recv", []any{heap(1, 0), 8, mpiInt, anySource, 7, world},
				[]any{ring.Status{Source: int32(i % 7), Tag: 7, Bytes: 4}})
			c.Start, c.End, c.Flags, c.Site = uint64(10*i+1), uint64(10*i+2), c.Flags|stack, 3
			for _, rec := range repeats.Records(ringtest.Record(c)) {
				if i < 10 {
					if err := p.Record(0, rec, r); err != nil {
						t.Fatal(err)
					}
				} else {
					words = append(words, rec...)
				}
			}
		}
		done := 0
		p.Burst(0, words, 1<<40, &done, r)
		if done != len(words) || len(r.lines) != 100 || !strings.HasSuffix(r.lines[99], "[1 7 4 0]") {
			t.Errorf("flags %d: %d of %d words, %d calls, the last %s", stack, done, len(words), len(r.lines),
				r.lines[len(r.lines)-1])
		}
	}
}
