package timing

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"
)

// A program is the calls of a stream with their terminals.
type program struct {
	calls   []Span
	terms   []uint32
	classes []uint32 // of terminals
}

func (p *program) Terminals() int { return len(p.classes) }

func (p *program) Walk(from uint64, dst []uint32) error {
	copy(dst, p.terms[from:])
	return nil
}

func (p *program) class(i int) uint32 { return p.classes[p.terms[i]] }

func (p *program) append(b *Builder, from, to int) {
	for i := from; i < to; i++ {
		b.Append(p.calls[i].Start, p.calls[i].End, p.class(i))
	}
}

// loopProgram is n calls of a loop whose calls have different costs, with noise and
// some outliers, in ticks of 0.5 ns.
func loopProgram(rng *rand.Rand, n, body int) *program {
	p := &program{}
	cost := make([]float64, 2*body)
	for i := range cost {
		cost[i] = math.Exp(rng.Float64()*8 + 5)
	}
	for range body {
		p.classes = append(p.classes, uint32(rng.Intn(len(p.classes)+1)))
	}
	noisy := func(c float64) uint64 {
		v := c * math.Exp(0.08*rng.NormFloat64())
		if rng.Intn(200) == 0 {
			v *= 1 + 20*rng.Float64()
		}
		return uint64(v) / 2 * 2
	}
	now := uint64(1) << 50
	for i := range n {
		now += noisy(cost[2*(i%body)])
		end := now + noisy(cost[2*(i%body)+1])
		p.calls = append(p.calls, Span{now, end})
		p.terms = append(p.terms, uint32(i%body))
		now = end
	}
	return p
}

// nestedProgram has calls inside calls: the inner call comes first.
func nestedProgram(rng *rand.Rand, n int) *program {
	p := &program{classes: []uint32{0, 1}}
	now := uint64(1) << 40
	for range n {
		length := uint64(rng.Intn(100000)) + 2
		a := uint64(rng.Int63n(int64(length)))
		b := a + uint64(rng.Int63n(int64(length-a)))
		p.calls = append(p.calls, Span{now + a, now + b}, Span{now, now + length})
		p.terms = append(p.terms, 0, 1)
		now += length + uint64(rng.Intn(1000))
	}
	p.calls, p.terms = p.calls[:n], p.terms[:n]
	return p
}

// anyProgram is calls of several kinds, some of which no clock would give.
func anyProgram(rng *rand.Rand, n int) *program {
	switch rng.Intn(6) {
	case 0:
		return loopProgram(rng, n, 1+rng.Intn(20))
	case 1:
		return nestedProgram(rng, n)
	case 2: // anything
		p := &program{classes: make([]uint32, 100)}
		for i := range p.classes {
			p.classes[i] = uint32(rng.Intn(200))
		}
		for range n {
			p.calls = append(p.calls, Span{rng.Uint64() >> rng.Intn(64), rng.Uint64() >> rng.Intn(64)})
			p.terms = append(p.terms, uint32(rng.Intn(100)))
		}
		return p
	case 3: // a stopped clock
		return &program{calls: make([]Span, n), terms: make([]uint32, n), classes: []uint32{3}}
	case 4: // one class, not told
		p := loopProgram(rng, n, 1+rng.Intn(5))
		p.classes, p.terms = nil, nil
		return p
	}
	p := loopProgram(rng, n, 3000) // rare classes
	return p
}

func (p *program) encode(m Mode) []byte {
	b := New(m, func() Rate { return Rate{1, 2} })
	p.fill(b)
	return b.Encode(nil, p.classes)
}

func (p *program) fill(b *Builder) {
	for i, c := range p.calls {
		class := uint32(0)
		if p.classes != nil {
			class = p.class(i)
		}
		b.Append(c.Start, c.End, class)
	}
}

func (p *program) open(t testing.TB, in []byte) *Reader {
	t.Helper()
	var w Walker
	if p.classes != nil {
		w = p
	}
	r, err := OpenBytes(in, w)
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != uint64(len(p.calls)) {
		t.Fatalf("%d calls, want %d", r.Len(), len(p.calls))
	}
	return r
}

func decodeAll(t testing.TB, r *Reader) []Span {
	t.Helper()
	var got []Span
	for i, s := range r.Range(0, math.MaxUint64) {
		if i != uint64(len(got)) {
			t.Fatalf("call %d comes after %d calls", i, len(got))
		}
		got = append(got, s)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return got
}

var lossless = Mode{Kind: Lossless}

// checkAccess checks random access, summaries and profiles against calls as they are decoded.
func checkAccess(t *testing.T, rng *rand.Rand, p *program, r *Reader, calls []Span) {
	t.Helper()
	for range min(30, len(calls)) {
		i := rng.Intn(len(calls))
		if start, end := r.At(uint64(i)); start != calls[i].Start || end != calls[i].End {
			t.Fatalf("call %d: %d-%d, want %v", i, start, end, calls[i])
		}
		time := calls[i].End + uint64(rng.Intn(3)-1)
		want := slices.IndexFunc(calls, func(s Span) bool { return s.End >= time })
		if want < 0 {
			want = len(calls)
		}
		if got := r.SeekTime(time); got != uint64(want) {
			t.Fatalf("SeekTime(%d) = %d, want %d", time, got, want)
		}
	}
	for k := range r.Blocks() {
		from, to, start, latest := r.Block(k)
		end := uint64(0)
		for _, c := range calls[from:to] {
			end = max(end, c.End)
		}
		if start != calls[from].Start || latest != end {
			t.Fatalf("block %d: %d-%d, want %d-%d", k, start, latest, calls[from].Start, end)
		}
	}
	if s, e := r.At(r.Len()); s|e != 0 {
		t.Fatal("call behind the end")
	}
	for range 5 {
		from := uint64(rng.Intn(len(calls) + 1))
		to := from + uint64(rng.Intn(len(calls)+1-int(from)))
		checkProfile(t, p, calls[from:to], int(from), r.Profile(from, to))
		most := 1 + rng.Intn(40)
		sums := r.Summaries(0, math.MaxUint64, most)
		at := uint64(0)
		for _, s := range sums {
			if s.From != at {
				t.Fatalf("summaries from %d, want %d", s.From, at)
			}
			at = s.To
			checkProfile(t, p, calls[s.From:s.To], int(s.From), s.Classes)
		}
		latest := slices.ContainsFunc(calls, func(c Span) bool { return c.Start == math.MaxUint64 })
		if at != uint64(len(calls)) && !latest {
			t.Fatalf("summaries up to %d, want %d", at, len(calls))
		}
		if len(sums) > max(most, fanout) {
			t.Fatalf("%d summaries, at most %d asked for", len(sums), most)
		}
	}
}

func checkProfile(t *testing.T, p *program, calls []Span, from int, got []ClassSummary) {
	t.Helper()
	want := map[uint32]ClassSummary{}
	for i, c := range calls {
		class := uint32(0)
		if p.classes != nil {
			class = p.class(from + i)
		}
		s := want[class]
		s.Class = class
		s.Calls++
		s.Sum += c.End - c.Start
		s.Max = max(s.Max, c.End-c.Start)
		want[class] = s
	}
	if len(got) != len(want) {
		t.Fatalf("%d classes, want %d", len(got), len(want))
	}
	for _, g := range got {
		w := want[g.Class]
		if g.Max < w.Max && w.Max < 1<<63 || g.Max-w.Max > w.Max/8 && w.Max < 1<<60 {
			t.Fatalf("class %d: greatest %d, want %d", g.Class, g.Max, w.Max)
		}
		if g.Max = w.Max; g != w {
			t.Fatalf("class %d: %+v, want %+v", g.Class, g, w)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for i := range 150 {
		n := rng.Intn(1 << (1 + rng.Intn(16)))
		if i < 3 {
			n = i * blockCalls // full blocks only
		}
		p := anyProgram(rng, n)
		r := p.open(t, p.encode(lossless))
		if got := decodeAll(t, r); !slices.Equal(got, p.calls) {
			t.Fatal("calls differ")
		}
		checkAccess(t, rng, p, r, p.calls)
	}
}

// TestManyBlocks has a pyramid of several levels.
func TestManyBlocks(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	p := loopProgram(rng, 290*blockCalls+17, 4)
	r := p.open(t, p.encode(lossless))
	if len(r.levels) != 3 {
		t.Fatalf("%d levels", len(r.levels))
	}
	checkAccess(t, rng, p, r, p.calls)
	if got := decodeAll(t, r); !slices.Equal(got, p.calls) {
		t.Fatal("calls differ")
	}
}

// TestRestores interrupts builders in all ways, with and without a spool.
func TestRestores(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 25 {
		p := anyProgram(rng, rng.Intn(80000))
		if p.classes == nil {
			continue
		}
		for _, text := range []string{"lossless", "lossy:2%,100us", "aggregate"} {
			m, _ := ParseMode(text)
			rate := func() Rate { return Rate{1, 2} }
			want := p.encode(m)
			b := New(m, rate)
			var spool bytes.Buffer
			sink := func(block []byte) { spool.Write(block) }
			for at := 0; ; {
				next := min(len(p.calls), at+rng.Intn(20000))
				p.append(b, at, next)
				if at = next; at == len(p.calls) {
					break
				}
				if rng.Intn(3) == 0 {
					b.SetSink(sink)
				}
				state := b.AppendState(nil)
				var err error
				if b.sink != nil {
					b, err = Restore(state, rate, sink, nil)
				} else {
					b, err = Restore(state, rate, nil, b.blocks)
				}
				if err != nil {
					t.Fatal(err)
				}
				if b.Len() != uint64(at) {
					t.Fatalf("restored %d calls, want %d", b.Len(), at)
				}
			}
			b.SetSink(sink)
			if b.SealedBytes() != int64(spool.Len()) {
				t.Fatalf("%d bytes are in the spool, want %d", spool.Len(), b.SealedBytes())
			}
			enc, err := b.EncodeSpooled(nil, p.classes, bytes.NewReader(spool.Bytes()))
			if err != nil || !bytes.Equal(enc, want) {
				t.Fatalf("%s: restoring changed the encoding: %v", m, err)
			}
			if n := spool.Len(); n > 0 {
				if _, err := b.EncodeSpooled(nil, p.classes, bytes.NewReader(spool.Bytes()[:n-1])); err == nil {
					t.Fatal("encoded with a short spool")
				}
			}
		}
	}
}

// inOrder tells whether calls return in order, and not before they begin.
func inOrder(calls []Span) bool {
	for i, c := range calls {
		if c.End < c.Start || i > 0 && c.End < calls[i-1].End {
			return false
		}
	}
	return true
}

// checkLoss checks that all durations and gaps are within the bound of m, starts within the
// greatest bound of a number up to the end of the block, that returns stay in order, and the stated
// errors. Ticks are 0.5 ns.
func checkLoss(t testing.TB, m Mode, p *program, r *Reader, got []Span) {
	t.Helper()
	var errs Errors
	errs.Calls = uint64(len(got))
	most := uint64(0)
	allowed := func(v uint64, b Bound) uint64 {
		a := uint64(math.MaxUint64)
		if b.PPM != 0 {
			a = uint64(float64(v) * float64(b.PPM) / 1e6)
		}
		if b.NS != 0 {
			a = min(a, 2*b.NS)
		}
		return a
	}
	for i := range got {
		if i%blockCalls == 0 {
			for k := i; k < min(i+blockCalls, len(got)); k++ {
				for _, v := range []uint64{p.calls[k].End - p.calls[k].Start,
					p.calls[k].Start - p.calls[max(k-1, 0)].End} {
					if int64(v) > 0 {
						most = max(most, allowed(v, m.Bound))
					}
				}
			}
		}
		x, y := p.calls[i], got[i]
		limit := func(what string, v, w uint64) {
			a := allowed(v, m.Bound)
			if int64(v) < 0 {
				a = 0
			}
			if magnitude(int64(v-w)) > a {
				t.Fatalf("%s, call %d: %s %d stored as %d, bound %d", m, i, what, v, w, a)
			}
		}
		limit("duration", x.End-x.Start, y.End-y.Start)
		errs.Durations.add(x.End-x.Start, y.End-y.Start)
		if i > 0 {
			limit("gap", x.Start-p.calls[i-1].End, y.Start-got[i-1].End)
			errs.Gaps.add(x.Start-p.calls[i-1].End, y.Start-got[i-1].End)
		}
		if d := magnitude(int64(y.Start - x.Start)); d > most {
			t.Fatalf("%s, call %d: start is %d ticks off, at most %d expected", m, i, d, most)
		}
		errs.Starts.add(0, y.Start-x.Start)
		errs.Starts.Peak = max(errs.Starts.Peak, x.Start)
	}
	stated := r.Errors()
	for i, e := range errs.series() {
		// The order in which squares were added is not stated.
		if s := stated.series()[i]; math.Abs(s.Sum2-e.Sum2) <= 1e-12*e.Sum2 {
			s.Sum2 = e.Sum2
		}
	}
	if stated != errs {
		t.Fatalf("%s: stated errors %+v, want %+v", m, r.Errors(), errs)
	}
}

func TestLossy(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for range 30 {
		n := 1 + rng.Intn(50000)
		p := loopProgram(rng, n, 1+rng.Intn(20))
		if rng.Intn(2) == 0 {
			p = nestedProgram(rng, n)
		}
		if !inOrder(p.calls) {
			t.Fatal("the program is not in order")
		}
		for _, text := range []string{"lossy:1%", "lossy:10%", "lossy:0.01%", "lossy:100%", "lossy:100ns",
			"lossy:1%,1us", "lossy:1%,100ns", "lossy:30%,5us"} {
			m, err := ParseMode(text)
			if err != nil {
				t.Fatal(err)
			}
			r := p.open(t, p.encode(m))
			got := decodeAll(t, r)
			checkLoss(t, m, p, r, got)
			if !inOrder(got) {
				t.Fatalf("%s: calls are not in order", m)
			}
			if n < 5000 {
				checkAccess(t, rng, p, r, got)
			}
		}
	}
}

// TestBoundsOfFunctions has a bound of its own for one class.
func TestBoundsOfFunctions(t *testing.T) {
	rng := rand.New(rand.NewSource(9))
	m, err := ParseMode("lossy:20%;MPI_W*=10ns")
	if err != nil {
		t.Fatal(err)
	}
	p := loopProgram(rng, 40000, 5)
	p.classes = []uint32{0, 1, 2, 3, 4}
	b := New(m, func() Rate { return Rate{1, 2} })
	names := []string{"MPI_Send", "MPI_Wait", "MPI_Recv", "MPI_Waitall", "MPI_Bcast"}
	for c, name := range names {
		b.SetFunction(uint32(c), name)
	}
	p.fill(b)
	r := p.open(t, b.Encode(nil, p.classes))
	worst := make([]uint64, 5)
	for i, c := range decodeAll(t, r) {
		d := magnitude(int64(c.End - c.Start - (p.calls[i].End - p.calls[i].Start)))
		worst[p.class(i)] = max(worst[p.class(i)], d)
	}
	for c, w := range worst {
		if tight := c == 1 || c == 3; tight != (w <= 20) {
			t.Errorf("%s: durations are up to %d ticks off", names[c], w)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *program
		mode string
		size int
	}{
		{"none", &program{}, "lossless", 1},
		{"one", &program{calls: []Span{{1 << 50, 1<<50 + 1000}}, terms: []uint32{0}, classes: []uint32{0}},
			"lossless", 48},
		// The cost of such calls in a loop. The durations and gaps have noise of 8 %: 2.8 bytes a
		// call of entropy if the loop is known; zstd -19 needs 4.06 bytes for 32-bit numbers.
		{"loop of ten calls", loopProgram(rand.New(rand.NewSource(1)), 1<<17, 10), "lossless", (1 << 17) * 29 / 10},
		{"loop of ten calls", loopProgram(rand.New(rand.NewSource(1)), 1<<17, 10), "lossy:1%", (1 << 17) * 14 / 10},
		{"loop of ten calls", loopProgram(rand.New(rand.NewSource(1)), 1<<17, 10), "lossy:10%", (1 << 17) * 7 / 10},
		{"stopped clock", &program{calls: make([]Span, 100_000), terms: make([]uint32, 100_000),
			classes: []uint32{0}}, "lossless", 7*40 + 40},
	} {
		m, err := ParseMode(c.mode)
		if err != nil {
			t.Fatal(err)
		}
		n := len(c.p.encode(m))
		t.Logf("%s, %s: %d bytes, %.3f a call", c.name, c.mode, n, float64(n)/float64(max(1, len(c.p.calls))))
		if n > c.size {
			t.Errorf("%s, %s: %d bytes, at most %d expected", c.name, c.mode, n, c.size)
		}
	}
}

func TestModes(t *testing.T) {
	for _, s := range []string{"off", "lossless", "aggregate", "lossy:1%", "lossy:0.25%", "lossy:100ns",
		"lossy:1%,1us", "lossy:1%;MPI_Wait*=100ns",
		"lossy:1%,1ms;MPI_Wait*=100ns;MPI_[IR]*=2%,1us", "cfg:10%", "hist:10%", "hist:10%,k=4", "hist:10%,k=8,m=200",
		"sz:10%", "sz-clustered:1%", "zfp:10us", "zfp-clustered:1.5us"} {
		m, err := ParseMode(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
		} else if m.String() != s {
			t.Errorf("%s is written %s", s, m)
		}
	}
	for _, s := range []string{"", "on", "lossy", "lossy:", "lossy:0%", "lossy:200%", "lossy:-1%", "lossy:1%,2%",
		"lossy:1us,2us", "lossy:x", "lossy:1%,k=3", "lossless:1%",
		"aggregate;MPI_Send=1%", "lossy:1%;MPI_Send", "lossy:1%;=1%", "lossy:1%;[=1%", "lossy:1%;a=", "cfg:10us",
		"zfp:10%", "zfp:1us,1%", "hist:10%,k=9", "hist:10%,q=1", "sz:0.01%", "lossy:1%;", "lossless;"} {
		if m, err := ParseMode(s); err == nil {
			t.Errorf("%q is accepted as %+v", s, m)
		}
	}
}

func TestTranscode(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for _, p := range []*program{loopProgram(rng, 30000, 7), nestedProgram(rng, 3000), loopProgram(rng, 1, 1),
		loopProgram(rng, 0, 1)} {
		in := p.encode(lossless)
		for _, text := range []string{"lossless", "lossy:1%", "aggregate", "cfg:10%", "hist:10%,k=4", "sz:10%",
			"zfp:10us", "sz-clustered:10%", "zfp-clustered:10us", "cfg:10%;MPI_Wait=1%"} {
			m, err := ParseMode(text)
			if err != nil {
				t.Fatal(err)
			}
			out, err := Transcode(in, p, m, Rate{1, 2}, func(uint32) string { return "MPI_Wait" })
			if err != nil {
				t.Fatalf("%s: %v", m, err)
			}
			r := p.open(t, out)
			if len(p.calls) > 0 && r.Mode().String() != text {
				t.Fatalf("%s became %s", text, r.Mode())
			}
			if m.Kind == Aggregate {
				continue
			}
			got := decodeAll(t, r)
			if !inOrder(got) {
				t.Errorf("%s: calls are not in order", m)
			}
			if m.Kind == Lossless && !slices.Equal(got, p.calls) || m.Kind == Lossy && !bytes.Equal(out, p.encode(m)) {
				t.Errorf("%s: differs", m)
			}
			if len(got) > 0 {
				checkAccess(t, rng, p, r, got)
			}
		}
		if _, err := Transcode(p.encode(Mode{Kind: Lossy, Bound: Bound{PPM: 10000}}), p, lossless, Rate{},
			nil); err == nil && len(p.calls) > 0 {
			t.Error("lossy times were made lossless")
		}
	}
}

func TestBrokenInput(t *testing.T) {
	p := loopProgram(rand.New(rand.NewSource(5)), 20000, 7)
	good := p.encode(lossless)
	for name, in := range map[string][]byte{
		"empty":              {},
		"bytes after":        {0, 0},
		"nothing follows":    {1},
		"unknown mode":       append([]byte{1, 5}, "lossy"...),
		"cut in the head":    good[:9],
		"cut in the pyramid": good[:20],
	} {
		if _, err := OpenBytes(in, p); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	for _, in := range [][]byte{good[:len(good)-1], append(good[:len(good):len(good)], 1)} {
		r, err := OpenBytes(in, p)
		if err == nil {
			err = r.Check()
		}
		if err == nil {
			t.Errorf("%d bytes instead of %d are accepted", len(in), len(good))
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Encode without the blocks that are in a sink")
		}
	}()
	b := NewLossless()
	for range blockCalls {
		b.Append(0, 0, 0)
	}
	b.SetSink(func([]byte) {})
	b.Encode(nil, nil)
}

func TestAggregates(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	p := loopProgram(rng, 30000, 6)
	m := Mode{Kind: Aggregate}
	stored, err := p.open(t, p.encode(m)).Aggregates()
	if err != nil {
		t.Fatal(err)
	}
	made, err := p.open(t, p.encode(lossless)).Aggregates()
	if err != nil {
		t.Fatal(err)
	}
	durations, gaps := map[uint32][]int64{}, map[Pair][]int64{}
	for i, c := range p.calls {
		durations[p.class(i)] = append(durations[p.class(i)], int64(c.End-c.Start))
		if i > 0 {
			pair := Pair{p.class(i - 1), p.class(i)}
			gaps[pair] = append(gaps[pair], int64(c.Start-p.calls[i-1].End))
		}
	}
	check := func(name string, d Distribution, want []int64) {
		t.Helper()
		slices.Sort(want)
		sum := int64(0)
		for _, v := range want {
			sum += v
		}
		if d.Count != uint64(len(want)) || d.Sum != sum || d.Min != want[0] || d.Max != want[len(want)-1] {
			t.Fatalf("%s: %+v", name, d)
		}
		// The ranges hold the numbers in order, and are at most 4 % of them wide.
		d.Bins(func(from, to, n uint64) {
			for _, v := range want[:n] {
				if v := uint64(max(v, 0)); v < from || v >= to || float64(to-from) > max(1, 0.04*float64(from)) {
					t.Fatalf("%s: %d is in %d..%d", name, v, from, to)
				}
			}
			want = want[n:]
		})
		if len(want) > 0 {
			t.Fatalf("%s: %d numbers in no range", name, len(want))
		}
	}
	for _, a := range []*Aggregates{stored, made} {
		if len(a.Classes()) != len(durations) || len(a.Pairs()) != len(gaps) {
			t.Fatal("classes or pairs differ")
		}
		for c, want := range durations {
			d := a.Durations(c)
			check(fmt.Sprint("class ", c), d, want)
		}
		for pair, want := range gaps {
			check(fmt.Sprint(pair), a.Gaps(pair), want)
		}
	}
}
