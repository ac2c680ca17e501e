package timing

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// someLayouts are layouts of two sets besides that of rare contexts, with one to three tables each.
func someLayouts() layouts {
	l := layouts{keys: []uint64{7, 3 << 32}, size: 5000, age: 2}
	l.gaps = layout{ofSet: []uint32{0, 1, 3, 4}, tables: []shape{{63, 0, 0, 1}, {5, 3, 10, 20}, {63, 3, 100, 200},
		{63, maxPrecision, 1 << 11, maxRange}}}
	l.durations = layout{ofSet: []uint32{0, 0, 1, 4}, tables: []shape{{63, 1, 2, 3}, {1, 1, 1, 1}, {2, 2, 2, 2},
		{3, 3, 3, 3}}}
	return l
}

// TestLayoutsState: layouts are read as they were written. Those that no block will use again are not kept.
func TestLayoutsState(t *testing.T) {
	l := someLayouts()
	var back layouts
	p := open(l.append(nil), 0)
	back.read(p)
	if p.Err != nil || p.Left() > 0 {
		t.Fatalf("%v, %d bytes left", p.Err, p.Left())
	}
	if !slices.Equal(back.keys, l.keys) || back.size != l.size || back.age != l.age {
		t.Errorf("read %+v, want %+v", back, l)
	}
	for i, want := range []layout{l.gaps, l.durations} {
		got := []layout{back.gaps, back.durations}[i]
		if !slices.Equal(got.ofSet, want.ofSet) || !slices.Equal(got.tables, want.tables) {
			t.Errorf("series %d: read %+v, want %+v", i, got, want)
		}
	}
	for _, age := range []int{0, longestUse} {
		l.age = age
		p := open(l.append(nil), 0)
		back = layouts{}
		if back.read(p); p.Err != nil || p.Left() > 0 || back.usable() || back.keys != nil {
			t.Errorf("age %d: read %+v, %v", age, back, p.Err)
		}
	}
	if (*layouts)(nil).usable() {
		t.Error("no layouts are usable")
	}
}

// TestBrokenLayouts breaks one number of a table each.
func TestBrokenLayouts(t *testing.T) {
	good := shape{limit: 63, k: 2, lo: 5, n: 6}
	for what, tables := range map[string][]shape{
		"fine":                             {good},
		"broken table: limit":              {{buckets, 2, 5, 6}},
		"broken table: limits descend":     {{9, 2, 5, 6}, {8, 2, 5, 6}},
		"broken table: the same limit":     {{9, 2, 5, 6}, {9, 2, 5, 6}},
		"broken table: precision":          {{63, maxPrecision + 1, 5, 6}},
		"broken table: class":              {{63, 2, 1<<17 + 1, 6}},
		"broken table: no classes":         {{63, 2, 5, 0}},
		"broken table: too many":           {{63, 2, 5, maxRange + 1}},
		"table out of range: all too high": {{63, 0, 64, 1}},
	} {
		l := layouts{size: 1, age: 1}
		l.gaps = layout{ofSet: []uint32{0, uint32(len(tables))}, tables: tables}
		l.durations = layout{ofSet: []uint32{0, 1}, tables: []shape{good}}
		var back layouts
		p := open(l.append(nil), 0)
		back.read(p)
		want, _, _ := strings.Cut(what, ":")
		if what == "fine" {
			if p.Err != nil {
				t.Error(p.Err)
			}
		} else if p.Err == nil || !strings.Contains(p.Err.Error(), want) {
			t.Errorf("%s: error %v", what, p.Err)
		}
	}
}

// TestUseOfLayouts: layouts are used until blocks grow by more than a 32nd, 32 times at most, and then planned anew.
func TestUseOfLayouts(t *testing.T) {
	var l layouts
	if l.usable() {
		t.Error("layouts that were never planned are usable")
	}
	l.used(3200, true)
	l.used(3300, false) // 3200 / 32 more is allowed
	l.used(100, false)
	if !l.usable() || l.size != 3200 {
		t.Errorf("after blocks of like size: %+v", l)
	}
	l.used(3301, false)
	if l.usable() {
		t.Errorf("after a larger block: %+v", l)
	}
	l.used(9000, true)
	uses := 1
	for ; l.usable(); uses++ {
		l.used(9000, false)
	}
	if uses != longestUse {
		t.Errorf("%d blocks have the same layouts, want %d", uses, longestUse)
	}
}

// TestMatchLayouts: contexts find their tables in any order; one without is a reason to plan.
func TestMatchLayouts(t *testing.T) {
	often := func(classes ...uint32) *contexts { // each a run of its own, so a context with itself
		var all []uint32
		for _, c := range classes {
			all = append(all, slices.Repeat([]uint32{c}, minOwn+1)...)
		}
		x := &contexts{}
		x.findContexts(all)
		return x
	}
	var l layouts
	l.note(often(4, 5, 6))
	if len(l.keys) != 3 {
		t.Fatalf("contexts %v", l.keys)
	}
	for _, c := range []struct {
		classes []uint32
		want    []uint32 // sets; set 0, of the rare ones, is that of the rare ones
		ok      bool
	}{
		{[]uint32{4, 5, 6}, []uint32{0, 1, 2, 3}, true},
		{[]uint32{6, 4, 5}, []uint32{0, 3, 1, 2}, true},
		{[]uint32{5}, []uint32{0, 2}, true},
		{[]uint32{4, 7}, nil, false},
	} {
		got, ok := l.match(nil, often(c.classes...))
		if ok != c.ok || ok && !slices.Equal(got, c.want) {
			t.Errorf("%v: sets %v, %t, want %v", c.classes, got, ok, c.want)
		}
	}
}

// TestStatesAnyTime: when and how often a state is taken leaves no trace, also if each call is a piece of its own.
func TestStatesAnyTime(t *testing.T) {
	rng := rand.New(rand.NewSource(31))
	for range 10 {
		p := anyProgram(rng, 1+rng.Intn(300))
		if p.classes == nil {
			continue
		}
		b := NewLossless()
		for i := range p.calls {
			p.append(b, i, i+1)
			if rng.Intn(3) > 0 {
				continue
			}
			state := b.AppendState(nil)
			if again := b.AppendState(nil); !bytes.Equal(again, state) {
				t.Fatalf("the state after %d calls is another one the second time", i+1)
			}
			back, err := Restore(state, nil, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if again := back.AppendState(nil); !bytes.Equal(again, state) {
				t.Fatalf("the state of what was restored after %d calls differs", i+1)
			}
			if rng.Intn(2) == 0 {
				b = back
			}
		}
		if !bytes.Equal(b.Encode(nil, p.classes), p.encode(lossless)) {
			t.Fatal("taking states changes the encoding")
		}
	}
}

// TestRestoreRefuses: what is no state, or not with these blocks, is an error.
func TestRestoreRefuses(t *testing.T) {
	p := loopProgram(rand.New(rand.NewSource(32)), blockCalls+20, 3)
	b := NewLossless()
	p.fill(b)
	state, blocks := b.AppendState(nil), b.Sealed()
	if b.SealedBlocks() != 1 || b.SealedBytes() != int64(len(blocks)) {
		t.Fatalf("%d blocks, %d bytes", b.SealedBlocks(), b.SealedBytes())
	}
	if _, err := Restore(state, nil, nil, blocks); err != nil {
		t.Fatal(err)
	}
	empty := NewLossless().AppendState(nil)
	// An empty builder's state ends with how many calls are in no block.
	calls := func(n uint64, piece ...byte) []byte {
		return append(binary.AppendUvarint(slices.Clone(empty[:len(empty)-1]), n), piece...)
	}
	zfp, err := ParseMode("zfp:10us")
	if err != nil {
		t.Fatal(err)
	}
	published := (&coding{mode: zfp, rate: Rate{1, 1}}).append(nil)
	for what, c := range map[string]struct {
		state, blocks []byte
		want          string
	}{
		"a byte more":       {append(slices.Clone(state), 0), blocks, "bytes after the state"},
		"blocks cut off":    {state, blocks[1:], "blocks of another size"},
		"no blocks":         {state, nil, "blocks of another size"},
		"a whole block":     {calls(blockCalls), nil, "too many calls outside blocks"},
		"an empty piece":    {calls(3, 0, 0, 0, 0), nil, "broken classes"},
		"a piece too large": {calls(3, 4, 0, 0, 0), nil, "broken classes"},
		"published method":  {published, nil, errState.Error()},
	} {
		if _, err := Restore(c.state, nil, nil, c.blocks); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", what, err, c.want)
		}
	}
	for n := range state {
		if _, err := Restore(state[:n], nil, nil, blocks); err == nil {
			t.Fatalf("%d of %d bytes of the state are enough", n, len(state))
		}
	}
}

// TestSinks: blocks go to the sink that is set, also those that were complete before; encoding without them is a
// mistake of the caller.
func TestSinks(t *testing.T) {
	p := loopProgram(rand.New(rand.NewSource(33)), 2*blockCalls+1, 3)
	b := NewLossless()
	p.append(b, 0, blockCalls+5)
	var spool bytes.Buffer
	b.SetSink(func(block []byte) { spool.Write(block) })
	if spool.Len() == 0 || b.Sealed() != nil {
		t.Errorf("%d bytes are in the spool, %d are kept", spool.Len(), len(b.Sealed()))
	}
	p.append(b, blockCalls+5, len(p.calls))
	if int64(spool.Len()) != b.SealedBytes() || b.SealedBlocks() != 2 {
		t.Errorf("%d bytes of %d blocks, %d in the spool", b.SealedBytes(), b.SealedBlocks(), spool.Len())
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("blocks that are in a sink were encoded")
			}
		}()
		b.Encode(nil, p.classes)
	}()
	got, err := b.EncodeSpooled(nil, p.classes, bytes.NewReader(spool.Bytes()))
	if err != nil || !bytes.Equal(got, p.encode(lossless)) {
		t.Errorf("another encoding, error %v", err)
	}
	if _, err = b.EncodeSpooled(nil, p.classes, strings.NewReader("")); err == nil ||
		!strings.Contains(err.Error(), io.EOF.Error()) {
		t.Errorf("an empty spool: %v", err)
	}
}

// TestTicks: a bound in nanoseconds is at least a tick, and never more than a number can be.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		rate     Rate
		ns, want uint64
	}{
		{Rate{1, 1}, 0, 0}, {Rate{1, 1}, 7, 7}, {Rate{NS: 1, Ticks: 2}, 7, 14}, {Rate{NS: 2, Ticks: 1}, 7, 3},
		{Rate{NS: 1000, Ticks: 1}, 7, 1}, {Rate{NS: 1, Ticks: 1 << 40}, 1 << 40, maxValue},
		{Rate{NS: 1, Ticks: 1}, math.MaxUint64, maxValue},
	} {
		if got := c.rate.ticks(c.ns); got != c.want {
			t.Errorf("%d ns are %d ticks of %+v, want %d", c.ns, got, c.rate, c.want)
		}
	}
}

// TestSeekUnordered: calls inside of others end before those that began earlier. The first that ends at a time or later
// is what going through all of them finds, at each time at which the answer may change.
func TestSeekUnordered(t *testing.T) {
	rng := rand.New(rand.NewSource(34))
	for _, n := range []int{1, seekStep - 1, seekStep, seekStep + 1, 500, 3*blockCalls - 1} {
		p := nestedProgram(rng, n)
		r := p.open(t, p.encode(lossless))
		if n == 1 {
			p.calls = p.calls[:1]
		}
		// Going through all once: the answer for t is the first call with an end of t or more.
		tops := make([]uint64, n)
		top := uint64(0)
		for i, c := range p.calls {
			top = max(top, c.End)
			tops[i] = top
		}
		for i := 0; i < n; i += 1 + n/200 {
			for _, at := range []uint64{p.calls[i].End - 1, p.calls[i].End, p.calls[i].End + 1, tops[i], tops[i] + 1} {
				want, _ := slices.BinarySearchFunc(tops, at, func(top, at uint64) int {
					if top < at {
						return -1
					}
					return 1
				})
				if got := r.SeekTime(at); got != uint64(want) {
					t.Fatalf("%d calls: the first to end at %d or later is %d, not %d", n, at, want, got)
				}
			}
		}
		if got := r.SeekTime(0); got != 0 {
			t.Fatalf("%d calls: none ends before 0, but the first after that is %d", n, got)
		}
	}
}

// TestSpans: spans in a row and a range give the same calls, whatever they begin with; behind the end there is none.
func TestSpans(t *testing.T) {
	p := loopProgram(rand.New(rand.NewSource(35)), 2*blockCalls+100, 4)
	r := p.open(t, p.encode(lossless))
	for _, from := range []uint64{0, 1, blockCalls - 1, blockCalls, 2*blockCalls + 99} {
		i := from
		for i < r.Len() {
			starts, ends := r.Span(i)
			if len(starts) == 0 || len(starts) != len(ends) {
				t.Fatalf("%d starts and %d ends from call %d on", len(starts), len(ends), i)
			}
			for k := range starts {
				if (Span{starts[k], ends[k]}) != p.calls[i] {
					t.Fatalf("call %d is %d-%d, want %v", i, starts[k], ends[k], p.calls[i])
				}
				i++
			}
		}
		if i != r.Len() {
			t.Fatalf("spans end with call %d", i)
		}
	}
	if starts, ends := r.Span(r.Len()); starts != nil || ends != nil {
		t.Error("calls behind the last one")
	}
	next := uint64(blockCalls - 2)
	for i, c := range r.Range(next, blockCalls+2) {
		if i != next || c != p.calls[i] {
			t.Fatalf("call %d is %v, want %v of call %d", i, c, p.calls[next], next)
		}
		if next++; next == blockCalls+1 {
			break // who has seen enough
		}
	}
	if next != blockCalls+1 {
		t.Errorf("the range ended before call %d", next)
	}
}

// TestDistribution: each number is in one bin, which is at most 4 % wide; negative ones count as 0 there, but not in
// sum and mean.
func TestDistribution(t *testing.T) {
	rng := rand.New(rand.NewSource(36))
	for range 50 {
		var d Distribution
		vals := make([]int64, 1+rng.Intn(200))
		sum := int64(0)
		for i := range vals {
			vals[i] = rng.Int63()>>(2+rng.Intn(60)) - 5
			sum += vals[i]
			d.add(vals[i])
		}
		if d.Count != uint64(len(vals)) || d.Sum != sum || d.Min != slices.Min(vals) || d.Max != slices.Max(vals) {
			t.Fatalf("%+v of %v", d, vals)
		}
		total := uint64(0)
		d.Bins(func(from, to, n uint64) {
			want := uint64(0)
			for _, v := range vals {
				if v := uint64(max(v, 0)); from <= v && v < to {
					want++
				}
			}
			if n != want || n == 0 || to-from > 1 && 25*(to-from) > from+25 {
				t.Fatalf("%d numbers from %d up to %d, want %d", n, from, to, want)
			}
			total += n
		})
		if total != d.Count {
			t.Fatalf("%d numbers are in bins, of %d", total, d.Count)
		}
		var back Distribution
		p := open(d.append(nil), 0)
		if back.read(p); p.Err != nil || p.Left() > 0 || back.Sum != d.Sum || back.Max != d.Max ||
			back.Mean() != d.Mean() {
			t.Fatalf("read %+v, want %+v: %v", back, d, p.Err)
		}
	}
	if m := new(Distribution).Mean(); m != 0 {
		t.Errorf("the mean of nothing is %g", m)
	}
}

// TestBrokenDistribution: bins must add up to the count.
func TestBrokenDistribution(t *testing.T) {
	encode := func(count uint64, binsAndCounts ...uint64) []byte {
		b := binary.AppendUvarint(nil, count)
		b = byteio.AppendVarint(byteio.AppendVarint(b, 10), 1)
		b = binary.AppendUvarint(binary.AppendUvarint(b, 4), uint64(len(binsAndCounts)/2))
		for _, v := range binsAndCounts {
			b = binary.AppendUvarint(b, v)
		}
		return b
	}
	for what, in := range map[string][]byte{
		"":                                {3, 20, 2, 4, 2, 1, 2, 0, 1},
		"sketch of other numbers":         encode(3, 1, 2),
		"sketch of other numbers: none":   encode(0),
		"sketch out of range":             encode(3, 1, 4),
		"sketch out of range: back":       encode(3, 5, 1, 1<<64-3, 2),
		"sketch out of range: empty bin":  encode(3, 1, 0, 0, 3),
		"sketch out of range: bins' ends": encode(3, maxSketchBins, 3),
	} {
		var d Distribution
		p := open(in, 0)
		d.read(p)
		if want, _, _ := strings.Cut(what, ":"); (p.Err == nil) != (what == "") ||
			p.Err != nil && !strings.Contains(p.Err.Error(), want) {
			t.Errorf("%q: error %v", what, p.Err)
		}
	}
}

// TestAggregatesOfNone: what was never called has no durations, and aggregates have no single calls.
func TestAggregatesOfNone(t *testing.T) {
	m, err := ParseMode("aggregate")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{calls: []Span{{10, 30}, {35, 40}, {20, 60}}, terms: []uint32{0, 1, 1}, classes: []uint32{0, 1}}
	r := p.open(t, p.encode(m))
	a, _ := r.Aggregates()
	if d := a.Durations(9); d.Count != 0 {
		t.Errorf("durations of a class without calls: %+v", d)
	}
	if g := a.Gaps(Pair{1, 0}); g.Count != 0 {
		t.Errorf("gaps of a pair that never was: %+v", g)
	}
	if g := a.Gaps(Pair{1, 1}); g.Count != 1 || g.Sum != -20 { // the third call begins before the second one ends
		t.Errorf("gaps %+v", g)
	}
	if starts, _ := r.Span(0); starts != nil || r.Blocks() != 0 || r.SeekTime(0) != r.Len() {
		t.Error("aggregates have single calls")
	}
	for range r.Range(0, 3) {
		t.Error("aggregates have single calls")
	}
}
