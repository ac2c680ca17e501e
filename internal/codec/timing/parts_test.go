package timing

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/entropy/rans"
)

// TestGolomb spells the codes of small numbers, first bit first, and reads what it writes.
func TestGolomb(t *testing.T) {
	for v, want := range []string{"1", "010", "011", "00100", "00110", "00101", "00111", "0001000"} {
		w := byteio.NewBitWriter(nil, 0)
		appendGolomb(&w, uint64(v))
		r := byteio.BitReader{In: w.Flush()}
		got := ""
		for range want {
			got += fmt.Sprint(r.Read(1))
		}
		if got != want {
			t.Errorf("%d is %s, want %s", v, got, want)
		}
	}
	rng := rand.New(rand.NewSource(1))
	numbers := make([]uint64, 2000)
	w := byteio.NewBitWriter(nil, 0)
	for i := range numbers {
		numbers[i] = uint64(rng.Uint32()) >> rng.Intn(32)
		appendGolomb(&w, numbers[i])
	}
	p := open(nil, 0)
	r := &byteio.BitReader{In: w.Flush()}
	for i, want := range numbers {
		if got := golomb(r, p); got != want || p.Err != nil {
			t.Fatalf("number %d: %d, want %d: %v", i, got, want, p.Err)
		}
	}
	r = &byteio.BitReader{In: make([]byte, 3)}
	if golomb(r, p); p.Err == nil {
		t.Error("a number without an end")
	}
}

// TestTable: the frequencies of a table add up to a power of two, every class that occurs has one,
// and a reader finds the same.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for range 300 {
		want := table{k: uint(rng.Intn(maxPrecision + 1)), lo: uint(rng.Intn(100)),
			counts: make([]uint32, 1+rng.Intn(200))}
		for i := range want.counts {
			if rng.Intn(3) == 0 {
				want.counts[i] = rng.Uint32() >> (16 + rng.Intn(16))
			}
		}
		want.counts[rng.Intn(len(want.counts))] = 1
		w := byteio.NewBitWriter(nil, 0)
		want.append(&w)
		p := open(nil, 0)
		var got table
		got.read(&byteio.BitReader{In: w.Flush()}, p)
		if p.Err != nil {
			t.Fatal(p.Err)
		}
		if got.k != want.k || got.lo != want.lo || got.scale != want.scale || !slices.Equal(got.freqs, want.freqs) {
			t.Fatalf("read %+v, want %+v", got, want)
		}
		sum := 0
		for i, f := range want.freqs {
			if (f == 0) != (want.counts[i] == 0) {
				t.Fatalf("class %d of %d numbers has frequency %d", i, want.counts[i], f)
			}
			sum += int(f)
		}
		if sum != 1<<want.scale || want.scale > rans.MaxScale {
			t.Fatalf("frequencies add up to %d, 2^%d expected", sum, want.scale)
		}
	}
}

// TestLevels: a weight is stored with two significant bits.
func TestLevels(t *testing.T) {
	for _, c := range [][2]uint64{{1, 1}, {2, 2}, {3, 3}, {5, 4}, {7, 6}, {100, 96}, {1000, 768}} {
		if got := weightOf(levelOf(uint32(c[0]))); got != c[1] {
			t.Errorf("%d counts weigh %d, want %d", c[0], got, c[1])
		}
	}
}

// TestBins lists bins of 10 %. Coarse ones are as wide as the bound lets them: what stands for a
// number is within it. Of fine ones a neighbour will do as well.
func TestBins(t *testing.T) {
	show := func(b *bins, n int) string {
		var s []string
		for i := range uint64(n) {
			from, width := b.at(i)
			s = append(s, fmt.Sprintf("%d-%d:%d", from, from+width-1, b.middle(i)))
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		what string
		bins *bins
		want string
	}{
		{"10 %", newBins(100_000, 0, false), "0-0:0 1-1:1 2-2:2 3-3:3 4-4:4 5-5:5 6-6:6 7-7:7 8-8:8 9-9:9 10-10:10 " +
			"11-13:12 14-16:15 17-19:18"},
		{"3 ticks", newBins(0, 3, false), "0-3:0 4-10:7 11-17:14 18-24:21"},
		{"3 ticks, fine", newBins(0, 3, true), "0-1:0 2-4:3 5-7:6 8-10:9"},
		{"nothing", newBins(100, 0, false), "0-0:0 1-1:1 2-2:2 3-3:3"},
	} {
		if got := show(c.bins, strings.Count(c.want, " ")+1); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	rng := rand.New(rand.NewSource(4))
	for range 300 {
		b := Bound{PPM: uint32(rng.Intn(2) * (MinPPM + rng.Intn(MaxPPM-MinPPM))),
			NS: uint64(rng.Intn(2) * (1 + rng.Intn(100000)))}
		if b == (Bound{}) {
			continue
		}
		l := newLimits(b, Rate{1, 1})
		for range 300 {
			v := rng.Uint64() >> (2 + rng.Intn(62))
			i, m := l.coarse.find(v)
			from, width := l.coarse.at(i)
			if v < from || v-from >= width || m != l.coarse.middle(i) || magnitude(int64(m-v)) > l.allowed(v) {
				t.Fatalf("%v: %d is in bin %d, %d wide from %d, and stored as %d", b, v, i, width, from, m)
			}
			if i, m = l.fine.find(v); magnitude(int64(m-v)) > l.allowed(v) || m != l.fine.middle(i) {
				t.Fatalf("%v: %d is in fine bin %d and stored as %d", b, v, i, m)
			}
		}
	}
}

// TestDrift: errors of single numbers do not add up. Like calls, of which each is longer than what
// its bin stands for, begin and end where they did, within the bound of one of them.
func TestDrift(t *testing.T) {
	for _, text := range []string{"lossy:10%", "lossy:50ns", "lossy:10%,1us"} {
		m, err := ParseMode(text)
		if err != nil {
			t.Fatal(err)
		}
		p := &program{classes: []uint32{0}}
		now := uint64(1) << 40
		for i := range 5 * blockCalls {
			gap, duration := uint64(1049), uint64(2099+i%3)
			p.calls = append(p.calls, Span{now + gap, now + gap + duration})
			p.terms = append(p.terms, 0)
			now += gap + duration
		}
		got := decodeAll(t, p.open(t, p.encode(m)))
		far := uint64(0)
		for i := range got {
			far = max(far, magnitude(int64(got[i].Start-p.calls[i].Start)), magnitude(int64(got[i].End-p.calls[i].End)))
		}
		l := newLimits(m.Bound, Rate{1, 2})
		if most := l.allowed(2101); far > most {
			t.Errorf("%s: a time is %d ticks off, a number %d at most", text, far, most)
		}
	}
}

// TestExceptions: calls that no clock would give are kept apart from the others and do not disturb
// them.
func TestExceptions(t *testing.T) {
	gaps := []uint64{5, 6, ^uint64(0), 8, 9}
	durations := []uint64{50, 1 << 62, 70, 80, 1<<62 - 1}
	g, d := slices.Clone(gaps), slices.Clone(durations)
	dst := appendExceptions(nil, g, d)
	if want := []uint64{5, 0, 0, 8, 9}; !slices.Equal(g, want) {
		t.Errorf("gaps %v are left, want %v", g, want)
	}
	if want := []uint64{50, 0, 0, 80, 1<<62 - 1}; !slices.Equal(d, want) {
		t.Errorf("durations %v are left, want %v", d, want)
	}
	p := open(dst, 0)
	i := uint64(0)
	for range p.Count() {
		i += p.Uvarint()
		if gap, duration := uint64(p.Varint()), uint64(p.Varint()); gap != gaps[i] || duration != durations[i] {
			t.Errorf("call %d: %d and %d", i, gap, duration)
		}
		i++
	}
	if p.Err != nil || p.Left() != 0 || i != 3 {
		t.Errorf("%v, %d bytes left after call %d", p.Err, p.Left(), i)
	}
}

// TestContexts: a context is a class and the one before. The first call counts as if one of its
// class preceded it.
func TestContexts(t *testing.T) {
	var x contexts
	x.findContexts([]uint32{7, 8, 7, 8, 8, 100, 8})
	if want := []uint16{0, 1, 2, 1, 3, 4, 5}; !slices.Equal(x.ctx, want) {
		t.Errorf("contexts %v, want %v", x.ctx, want)
	}
	if want := []uint32{1, 2, 1, 1, 1, 1}; !slices.Equal(x.counts, want) || x.sets != 1 {
		t.Errorf("%v calls, %d sets, want %v and 1", x.counts, x.sets, want)
	}
	classes := make([]uint32, 4*minOwn)
	for i := range classes {
		classes[i] = uint32(i % 2)
	}
	x.findContexts(classes) // both ways between 0 and 1 are often enough, 0 after 0 is not
	if want := []uint32{0, buckets, 2 * buckets}; x.sets != 3 || !slices.Equal(x.setAt, want) {
		t.Errorf("%d sets at %v, want 3 at %v", x.sets, x.setAt, want)
	}
}

// TestSumErrors: sums over many numbers are those of one after the other, and those of two streams
// together.
func TestSumErrors(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for range 200 {
		n := 1 + rng.Intn(512)
		recorded, decoded, off := make([]uint64, n), make([]uint64, n), make([]uint64, n)
		var one, all, parts SeriesError
		width := rng.Intn(40)
		for i := range recorded {
			recorded[i] = rng.Uint64() >> 4
			off[i] = uint64(rng.Int63n(2<<width)) - 1<<width
			decoded[i] = recorded[i] + off[i]
			one.add(recorded[i], decoded[i])
		}
		all.addAll(recorded, decoded)
		parts.addErrors(off)
		parts.Peak = one.Peak
		for what, s := range map[string]SeriesError{"numbers": all, "errors": parts} {
			if math.Abs(s.Sum2-one.Sum2) > 1e-9*one.Sum2 {
				t.Fatalf("%s: squares %g, want %g", what, s.Sum2, one.Sum2)
			}
			if s.Sum2 = one.Sum2; s != one {
				t.Fatalf("%s: %+v, want %+v", what, s, one)
			}
		}
		both := Errors{Calls: 3, Gaps: one}
		both.Add(&Errors{Calls: 4, Gaps: one})
		if both.Calls != 7 || both.Gaps.Sum != 2*one.Sum || both.Gaps.Max != one.Max || both.Gaps.Peak != one.Peak {
			t.Fatalf("together %+v, of two times %+v", both, one)
		}
		var back Errors
		p := open(both.append(nil), 0)
		if back.read(p); p.Err != nil || back != both {
			t.Fatalf("read %+v, want %+v: %v", back, both, p.Err)
		}
	}
	e := SeriesError{Max: 2, Sum: 4, Sum2: 8, Peak: 200}
	if got := e.Mean(2); got != 2 {
		t.Errorf("mean %g", got)
	}
	if got := e.PSNR(2); got != 40 { // 20 log10(200 / 2)
		t.Errorf("%g dB", got)
	}
	if got := new(SeriesError).PSNR(2); !math.IsInf(got, 1) {
		t.Errorf("%g dB without errors", got)
	}
}

// TestCeiling: the greatest duration of a summary is rounded up by an eighth at most.
func TestCeiling(t *testing.T) {
	for _, c := range [][2]uint64{{0, 0}, {15, 15}, {17, 18}, {100, 104}, {1000, 1024}, {math.MaxUint64, 15 << 60}} {
		if got := ceiling(c[0]); got != c[1] {
			t.Errorf("%d is rounded to %d, want %d", c[0], got, c[1])
		}
	}
	rng := rand.New(rand.NewSource(6))
	for range 10000 {
		v := rng.Uint64() >> (1 + rng.Intn(63))
		up := ceiling(v)
		if up < v || up-v > v/8 || ceiling(up) != up || bits.Len64(up)-bits.TrailingZeros64(up|1<<63) > 5 {
			t.Fatalf("%d is rounded to %d", v, up)
		}
	}
}

// TestIndex: with several blocks, calls and times are found by reading a few summaries and one
// block.
func TestIndex(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	p := loopProgram(rng, 40*blockCalls, 3)
	in := p.encode(lossless)
	for range 5 {
		i := rng.Intn(len(p.calls))
		src := &counting{Source: Bytes(in)}
		r, err := Open(src, p)
		if err != nil {
			t.Fatal(err)
		}
		src.bytes = 0
		if got := r.SeekTime(p.calls[i].End); got != uint64(i) {
			t.Fatalf("call %d ends at %d, not call %d", i, p.calls[i].End, got)
		}
		if start, end := r.At(uint64(i)); start != p.calls[i].Start || end != p.calls[i].End {
			t.Fatalf("call %d is %d..%d, want %v", i, start, end, p.calls[i])
		}
		if src.bytes > len(in)/10 {
			t.Fatalf("%d of %d bytes are read to find a call", src.bytes, len(in))
		}
	}
}

// counting is a source that says how much of it was read.
type counting struct {
	Source
	bytes int
}

func (c *counting) Bytes(at int64, n int) ([]byte, error) {
	c.bytes += n
	return c.Source.Bytes(at, n)
}

// TestModeErrors: whoever mistypes a mode is told which modes there are.
func TestModeErrors(t *testing.T) {
	for s, want := range map[string]string{
		"lossy":             `timing mode "lossy": the error is missing, e.g. lossy:1%`,
		"zfp":               `timing mode "zfp": the error is missing, e.g. zfp:10us`,
		"zfp:10%":           `timing mode "zfp:10%": the error of zfp is a time, e.g. 10us`,
		"sz:1us":            `timing mode "sz:1us": the error of sz is relative, 0.1% to 100%`,
		"lossless:1%":       `timing mode "lossless:1%": lossless takes no bounds`,
		"lossy:0.001%":      `timing mode "lossy:0.001%": "0.001%" is no error; relative ones go from 0.01% to 100%, one of them`,
		"lossy:soon":        `timing mode "lossy:soon": "soon" is no error, which look like 1% or 100ns or both, as in 1%,1us`,
		"lossy:1%,k=3":      `timing mode "lossy:1%,k=3": k=3: only hist has parameters: k=1 to 8, m=1 to 1000000`,
		"lossy:1%;MPI_Wait": `timing mode "lossy:1%;MPI_Wait": "MPI_Wait" is no bound of a function, which look like MPI_Wait*=100ns`,
	} {
		if _, err := ParseMode(s); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", s, err, want)
		}
	}
	m, err := ParseMode("lossy:1%;MPI_Wait*=100ns;MPI_*=5%")
	if err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string]int{"MPI_Waitall": 1, "MPI_Send": 2, "PMPI_Send": 0} {
		if got := m.boundOf(function); got != want {
			t.Errorf("%s has bound %d, want %d", function, got, want)
		}
	}
}

// TestSource: what is not all there is an error, not a panic.
func TestSource(t *testing.T) {
	p := loopProgram(rand.New(rand.NewSource(8)), 3*blockCalls, 5)
	in := p.encode(lossless)
	for _, n := range []int{0, 1, 2, 10, len(in) / 2, len(in) - 1} {
		r, err := OpenBytes(in[:n], p)
		if err != nil {
			continue
		}
		if err := r.Check(); err == nil {
			t.Errorf("%d of %d bytes are enough", n, len(in))
		}
		if start, end := r.At(r.Len() - 1); r.Err() != nil && start|end != 0 {
			t.Errorf("%d bytes: the last call is %d..%d after %v", n, start, end, r.Err())
		}
	}
}
