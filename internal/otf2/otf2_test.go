package otf2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// testReader reads what the package writes, as far as the tests need it.
type testReader struct {
	t *testing.T
	b []byte
}

func (r *testReader) take(n int) []byte {
	r.t.Helper()
	if n > len(r.b) {
		r.t.Fatalf("%d bytes wanted, %d left", n, len(r.b))
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *testReader) u8() uint8 { return r.take(1)[0] }

func (r *testReader) u64() uint64 {
	n := r.u8()
	if n == 0xff {
		return Undefined64
	}
	var b [8]byte
	copy(b[:], r.take(int(n)))
	return binary.LittleEndian.Uint64(b[:])
}

// event is a record of events: enter and leave only.
type event struct {
	time   uint64
	kind   uint8
	region uint64
}

// events reads a file of chunks.
func events(t *testing.T, b []byte) (list []event) {
	for at := 0; at < len(b); at += EventChunk {
		r := &testReader{t, b[at:min(at+EventChunk, len(b))]}
		if h := r.take(2); h[0] != chunkHeader || h[1] != littleEndian {
			t.Fatalf("chunk at %d begins with %x", at, h)
		}
		first, last := binary.LittleEndian.Uint64(r.take(8)), binary.LittleEndian.Uint64(r.take(8))
		if first != uint64(len(list)+1) {
			t.Fatalf("chunk at %d begins with event %d, not %d", at, first, len(list)+1)
		}
		now, stamped := uint64(0), false
		for more := true; more; {
			switch kind := r.u8(); kind {
			case timeStamp:
				now, stamped = binary.LittleEndian.Uint64(r.take(8)), true
			case attributeList:
				r.take(int(r.u8()))
			case evEnter, evLeave:
				if !stamped {
					t.Fatalf("no time in chunk at %d", at)
				}
				list = append(list, event{now, kind, r.u64()})
			case endOfChunk:
				if bytes.Trim(r.b, "\x00") != nil {
					t.Fatalf("something behind the end of the chunk at %d", at)
				}
				more = false
			case endOfFile:
				if r.u8() != endOfBuffer || len(r.b) > 0 || at+EventChunk < len(b) {
					t.Fatal("something behind the end of the file")
				}
				more = false
			default:
				t.Fatalf("record %d", kind)
			}
		}
		if last != uint64(len(list)) {
			t.Fatalf("chunk at %d ends with event %d, not %d", at, last, len(list))
		}
	}
	return list
}

// What is written comes back, however many chunks it takes. Times that fall are those before.
func TestEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 1000, 200000} {
		var file bytes.Buffer
		e := NewEvents(&file)
		var want []event
		now := uint64(0)
		for range n {
			at := now + rng.Uint64N(3)
			if rng.IntN(100) == 0 {
				at = now / 2
			}
			now = max(now, at)
			region := rng.Uint64N(1 << rng.Uint64N(32))
			x := event{now, evEnter, region}
			var err error
			if rng.IntN(2) == 0 {
				err = e.Enter(at, uint32(region), Attribute{ID: 1, Value: rng.Uint64()},
					Attribute{Source: true, Value: 300})
			} else {
				x.kind = evLeave
				err = e.Leave(at, uint32(region))
			}
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, x)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if e.Count != uint64(n) {
			t.Errorf("%d events, not %d", e.Count, n)
		}
		if got := events(t, file.Bytes()); !slices.Equal(got, want) {
			t.Errorf("%d events: others come back", n)
		}
	}
}

// Numbers take the bytes that they need.
func TestNumbers(t *testing.T) {
	for _, v := range []uint64{0, 1, 255, 256, 1<<32 - 1, 1 << 32, 1<<64 - 2, Undefined64} {
		var r record
		r.u64(v)
		back := testReader{t, r.b}
		if got := back.u64(); got != v || len(back.b) > 0 {
			t.Errorf("%x: %x", v, r.b)
		}
	}
	var r record
	r.u32(Undefined)
	if !bytes.Equal(r.b, []byte{0xff}) {
		t.Errorf("undefined: %x", r.b)
	}
}

// Definitions fit into chunks that readers take, or there is an error.
func TestLargeDefinitions(t *testing.T) {
	for _, c := range []struct{ members, chunk int }{{10, usualChunk}, {1 << 20, usualChunk}, {1 << 21, mostChunk},
		{1 << 23, 0}} {
		d := NewDefinitions()
		d.Group(0, "", CommLocations, c.members, func(i int) uint64 { return uint64(i) })
		d.String(strings.Repeat("x", 300))
		var file bytes.Buffer
		err := d.Write(&file)
		if size, _ := d.chunk(); size != c.chunk || (err == nil) != (c.chunk > 0) {
			t.Errorf("%d members: chunks of %d bytes, %v", c.members, size, err)
		}
		if err == nil && c.chunk > 0 && !bytes.HasSuffix(file.Bytes(), []byte{endOfFile, endOfBuffer}) {
			t.Errorf("%d members: no end", c.members)
		}
	}
}

// An anchor tells whose it is.
func TestAnchor(t *testing.T) {
	var file bytes.Buffer
	if err := NewDefinitions().WriteAnchor(&file, &Anchor{Creator: "tabard 1.0"}); err != nil {
		t.Fatal(err)
	}
	if !IsAnchor(file.Bytes(), "tabard ") || IsAnchor(file.Bytes(), "eztrace") ||
		IsAnchor([]byte("tabard "), "tabard ") {
		t.Errorf("%x", file.Bytes())
	}
}

// What an event says is its own: values of a metric are not those of the event behind it.
func TestValuesOfTheEvent(t *testing.T) {
	var file bytes.Buffer
	e := NewEvents(&file)
	if err := errors.Join(e.Metric(1, 0, 2.5), e.CollectiveBegin(2), e.Close()); err != nil {
		t.Fatal(err)
	}
	a := &Archive{Defined: Defined{Metrics: map[uint32]MetricClass{0: {Members: []uint32{0}}},
		MetricMembers: map[uint32]MetricMember{0: {Name: "error", factor: 1}}}}
	r := &EventReader{reader: *newReader(io.NopCloser(&file), "a.evt", EventChunk), local: &local{}, a: a}
	for _, want := range []int{1, 0} {
		if x, err := r.Next(); err != nil || x == nil || len(x.Metrics) != want || x.Strict {
			t.Fatalf("%+v, %v: not %d values", x, err, want)
		}
	}
}
