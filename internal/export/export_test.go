package export

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// A message in a message has the length of what it contains, however long that is.
func TestProtoLengths(t *testing.T) {
	for _, n := range []int{0, 1, 127 - 3, 127, 128, 300, 1 << 14, 1 << 21} {
		var p proto
		outer := p.open(1)
		p.str(2, strings.Repeat("x", n))
		p.close(outer)
		p.uint(3, 5)
		if p.b[0] != 1<<3|wireBytes {
			t.Fatalf("tag %x", p.b[0])
		}
		length, k := binary.Uvarint(p.b[1:])
		inner := p.b[1+k:][:length]
		m, l := binary.Uvarint(inner[1:])
		if int(m) != n || len(inner) != 1+l+n || strings.Trim(string(inner[1+l:]), "x") != "" {
			t.Errorf("%d bytes: inner message of %d with %d", n, length, m)
		}
		if rest := p.b[1+k+int(length):]; !slices.Equal(rest, []byte{3 << 3, 5}) {
			t.Errorf("%d bytes: followed by %x", n, rest)
		}
	}
}

// A table that no disk has room for is refused, however many calls a damaged file claims.
func TestTooManyRows(t *testing.T) {
	for _, c := range []struct {
		calls  uint64
		table  string
		force  bool
		refuse bool
	}{{1 << 30, "", false, false}, {1 << 40, "", false, true}, {math.MaxUint64, "messages", false, true},
		{math.MaxUint64, "sites", false, false}, {1 << 40, "calls", true, false}} {
		for _, format := range []string{"parquet", arrowName} {
			j := &Job{Options: Options{Table: c.table, Force: c.force}, Calls: c.calls, format: ByName(format)}
			if err := j.Check(); (err != nil) != c.refuse || j.Bytes() < 0 {
				t.Errorf("%s of %+v: %v, %d bytes", format, c, err, j.Bytes())
			}
		}
	}
}

// Notes come back with their calls, whether they went to the file or not.
func TestNotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{0, 10, 2*runNotes + 1} {
		var n notes
		want := map[note]bool{}
		for i := range count {
			x := note{rng.Int32N(3), rng.Uint64N(1 << 20), uint64(i),
				message{rng.Int32(), -1, rng.Int32(), rng.Int64()}}
			want[x] = true
			if err := n.add(x); err != nil {
				t.Fatal(err)
			}
		}
		keys := make([]note, 0, len(want))
		for x := range want {
			x.value, x.message = 0, message{}
			keys = append(keys, x)
		}
		slices.SortFunc(keys, note.compare)
		if err := n.rewind(); err != nil {
			t.Fatal(err)
		}
		keys = slices.Compact(keys)
		for i, k := range keys {
			if i%7 == 0 { // calls that nobody asks for are passed over
				continue
			}
			values, err := n.of(nil, k.stream, k.call)
			if err != nil || len(values) == 0 {
				t.Fatalf("%d notes, %v: %v %v", count, k, values, err)
			}
			for _, v := range values {
				if !want[v] {
					t.Fatalf("%d notes: %v was never added, or came twice", count, v)
				}
				delete(want, v)
			}
			if values, _ := n.of(nil, k.stream, k.call); len(values) > 0 {
				t.Fatalf("%v comes twice", k)
			}
		}
		for x := range want { // what is left is of the calls that were passed over
			if i, _ := slices.BinarySearchFunc(keys, note{stream: x.stream, call: x.call}, note.compare); i%7 != 0 {
				t.Fatalf("%d notes: %v is missing", count, x)
			}
		}
		n.close()
	}
}

// Bins have the mean over their time, and all together the integral.
func TestBinned(t *testing.T) {
	b := newBinned(2, 100, 100+maxBins*10)
	b.add(1, 105, 125, 8) // half of bin 0, all of bin 1, half of bin 2
	b.add(1, 90, 110, 1)  // begins before the first bin
	b.add(1, 100+maxBins*10-5, 100+maxBins*20, 2)
	got := map[time.Duration]float64{}
	b.each(1, func(at time.Duration, mean float64) { got[at] = mean })
	want := map[time.Duration]float64{100: 5, 110: 8, 120: 4, 130: 0, 100 + maxBins*10 - 10: 1}
	if len(got) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for at, mean := range want {
		if got[at] != mean {
			t.Errorf("at %d: %v, want %v", at, got[at], mean)
		}
	}
	b.each(0, func(at time.Duration, mean float64) {
		if mean != 0 {
			t.Errorf("row 0 has %v at %d", mean, at)
		}
	})
}

// lister writes down what a walker hands out.
type lister struct {
	t     *testing.T
	open  []*call
	text  []string
	at    time.Duration
	lanes map[int64]bool
}

func (l *lister) note(what string, at time.Duration) {
	if at < l.at {
		l.t.Errorf("%s at %d, after %d", what, at, l.at)
	}
	l.at = at
	l.text = append(l.text, what)
}

func (l *lister) begin(c *call) error {
	l.note("+"+c.Func.Name[4:], c.begin)
	l.open = append(l.open, c)
	return nil
}

func (l *lister) end(c *call) error {
	l.note("-"+c.Func.Name[4:], c.end)
	last := l.open[len(l.open)-1]
	if last.index != c.index {
		l.t.Errorf("%d ends inside %d", c.index, last.index)
	}
	l.open = l.open[:len(l.open)-1]
	return nil
}

func (l *lister) request(lane int64, op *calls.Op, at time.Duration) error {
	l.note("request", at)
	if l.lanes[lane] {
		l.t.Errorf("request %d is under way already", lane)
	}
	l.lanes[lane] = true
	return nil
}

func (l *lister) done(lane int64, at time.Duration) error {
	l.note("done", at)
	if !l.lanes[lane] {
		l.t.Errorf("request %d is not under way", lane)
	}
	delete(l.lanes, lane)
	return nil
}

// Calls of callbacks come inside of the calls that they were made in, whatever their depth.
func TestNestedCalls(t *testing.T) {
	l := &lister{t: t, lanes: map[int64]bool{}}
	w := &walker{to: l, part: &selection.Part{}, open: map[int64]*flight{}, at: -1 << 62}
	op := func(name string, nested bool) *calls.Op {
		o := &calls.Op{Func: function(t, name), Request: -1}
		if nested {
			o.Flags = archive.Nested
		}
		return o
	}
	for i, c := range []call{
		{Op: op("MPI_Comm_rank", false), begin: 0, end: 5},
		{Op: op("MPI_Type_size", true), begin: 12, end: 14},
		{Op: op("MPI_Comm_size", true), begin: 11, end: 20},
		{Op: op("MPI_Send", true), begin: 22, end: 23},
		{Op: op("MPI_Wait", false), begin: 10, end: 30},
		{Op: op("MPI_Recv", false), begin: 29, end: 28}, // times are within a bound only
	} {
		c.index, c.last = uint64(i), true
		if err := w.call(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	want := "+Comm_rank -Comm_rank +Wait +Comm_size +Type_size -Type_size -Comm_size +Send -Send -Wait +Recv -Recv"
	if got := strings.Join(l.text, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func function(t *testing.T, name string) *spec.Func {
	t.Helper()
	for _, f := range spec.Functions() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}

func TestKindsOfFiles(t *testing.T) {
	for _, c := range []struct {
		format, head string
		ours         bool
	}{
		{"folded", "main;solve;MPI_Send 12\nmain;MPI_Recv 3\n", true}, {"folded", "precious notes\n", false},
		{"chrome", chromeBegin + "\n", true}, {"chrome", `{"a": 1}`, false},
		{"pprof", "\x1f\x8b\x08", true}, {"pprof", "%PDF", false},
		{"perfetto", "\x0a\x85\x01\x92\x03\x02", true}, {"perfetto", "\x0a\x03abc", false},
	} {
		if got := ByName(c.format).Is([]byte(c.head)); got != c.ours {
			t.Errorf("%s: %q: %v", c.format, c.head, got)
		}
	}
}
