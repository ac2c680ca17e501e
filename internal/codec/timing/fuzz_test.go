package timing

import (
	"encoding/binary"
	"math/rand"
	"slices"
	"testing"
)

// seedModes are modes of all kinds.
var seedModes = []string{"lossless", "lossy:1%", "lossy:5%,1us", "lossy:100ns", "aggregate", "hist:10%", "zfp:10us"}

// read looks at an encoding in all ways, and reports whether it is good.
func read(t *testing.T, in []byte, w Walker) bool {
	r, err := OpenBytes(in, w)
	if err != nil {
		return false
	}
	if r.whole && r.Len() > 1<<16 {
		return false
	}
	for _, i := range []uint64{0, r.Len() / 2, r.Len() - 1, r.Len()} {
		r.At(i)
		if k := r.SeekTime(i << 20); k > r.Len() {
			t.Fatalf("SeekTime gives %d of %d", k, r.Len())
		}
		r.Profile(i/2, i)
	}
	for _, s := range r.Summaries(0, ^uint64(0), 100) {
		if s.To > r.Len() || s.From >= s.To {
			t.Fatalf("summary of the calls from %d to %d of %d", s.From, s.To, r.Len())
		}
	}
	if r.Blocks() > 1000 {
		return false
	}
	_, err = r.Aggregates()
	return r.Check() == nil && err == nil
}

// endless has three terminals in turn, as often as anyone wants.
type endless struct{}

func (endless) Terminals() int { return 3 }

func (endless) Walk(from uint64, dst []uint32) error {
	for i := range dst {
		dst[i] = uint32((from + uint64(i)) % 3)
	}
	return nil
}

func seeds(t testing.TB, add func(in []byte)) {
	rng := rand.New(rand.NewSource(1))
	for i := range 40 {
		p := loopProgram(rng, 1+rng.Intn(1000), 3)
		p.classes = []uint32{0, 1, uint32(i % 3)}
		m, err := ParseMode(seedModes[i%len(seedModes)])
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind != Published {
			add(p.encode(m))
			continue
		}
		out, err := Transcode(p.encode(lossless), p, m, Rate{1, 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		add(out)
	}
}

func FuzzOpen(f *testing.F) {
	seeds(f, func(in []byte) { f.Add(in) })
	f.Fuzz(func(t *testing.T, in []byte) { read(t, in, endless{}) })
}

func FuzzState(f *testing.F) {
	rng := rand.New(rand.NewSource(2))
	for _, text := range seedModes[:5] {
		m, _ := ParseMode(text)
		f.Add(stateOf(rng, m, 20))
	}
	f.Fuzz(restore)
}

// stateOf is the state after n calls.
func stateOf(rng *rand.Rand, m Mode, n int) []byte {
	p := loopProgram(rng, n, 3)
	b := New(m, nil)
	b.SetSink(func([]byte) {})
	p.append(b, 0, len(p.calls))
	return b.AppendState(nil)
}

// restore goes on from a state that may be anything.
func restore(t *testing.T, in []byte) {
	b, err := Restore(in, nil, func([]byte) {}, nil)
	if err != nil {
		return
	}
	n := b.Len()
	if b.Append(1, 2, 0); b.Len() != n+1 {
		t.Fatalf("%d calls, want %d", b.Len(), n+1)
	}
	b.AppendState(nil)
}

// TestDamagedState does so with states of many calls.
func TestDamagedState(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, text := range seedModes[:5] {
		m, _ := ParseMode(text)
		state := stateOf(rng, m, 30000)
		restore(t, state)
		for range 30 {
			restore(t, damage(rng, slices.Clone(state)))
		}
	}
}

// FuzzCalls makes calls of its input and checks that they come back: exactly, and within a bound.
func FuzzCalls(f *testing.F) {
	rng := rand.New(rand.NewSource(3))
	for range 20 {
		in := make([]byte, rng.Intn(200))
		for i := range in {
			in[i] = byte(rng.Intn(1 << rng.Intn(9)))
		}
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		way := 0
		if len(in) > 0 {
			way = int(in[0])
		}
		in = in[:min(len(in), 40*6)]
		exact := &program{classes: []uint32{0, 1, 0}}
		ordered := &program{classes: exact.classes}
		now := uint64(1) << 50
		for i := 0; len(in) >= 6; i++ {
			gap, length := uint64(binary.LittleEndian.Uint16(in)), uint64(binary.LittleEndian.Uint32(in[2:]))
			exact.calls = append(exact.calls, Span{gap << (length % 64), length << (gap % 64)})
			start := now + gap<<(length%10)
			if now = start + length; gap%7 == 0 {
				start -= min(gap*3, 1000) // inside it was another call
			}
			ordered.calls = append(ordered.calls, Span{start, now})
			exact.terms, ordered.terms = append(exact.terms, uint32(i%3)), append(ordered.terms, uint32(i%3))
			in = in[6:]
		}
		// One way for each input: the fuzzer changes the first byte, too.
		if way %= 6; way < 2 {
			p := []*program{exact, ordered}[way]
			r := p.open(t, p.encode(lossless))
			if got := decodeAll(t, r); !slices.Equal(got, p.calls) {
				t.Fatal("calls differ")
			}
			return
		}
		m, _ := ParseMode([]string{"lossy:1%", "lossy:100%", "lossy:77ns", "lossy:3%,1us"}[way-2])
		r := ordered.open(t, ordered.encode(m))
		got := decodeAll(t, r)
		checkLoss(t, m, ordered, r, got)
		if inOrder(ordered.calls) && !inOrder(got) {
			t.Fatal("calls are not in order")
		}
	})
}

func TestDamagedInput(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	good, all := 0, 0
	seeds(t, func(in []byte) {
		for range 50 {
			if all++; read(t, damage(rng, slices.Clone(in)), endless{}) {
				good++
			}
		}
	})
	if good == 0 || good == all {
		t.Errorf("%d of %d damaged encodings can be read: nothing was tested", good, all)
	}
}

// damage changes enc somewhere.
func damage(rng *rand.Rand, enc []byte) []byte {
	for range 1 + rng.Intn(3) {
		i, j := rng.Intn(len(enc)), rng.Intn(len(enc))
		switch rng.Intn(4) {
		case 0:
			enc[i] ^= 1 << rng.Intn(8)
		case 1:
			enc[i] = byte(rng.Int())
		case 2:
			enc = append(enc[:max(1, i):i+1], enc[j:]...)
		case 3:
			copy(enc[i:], enc[j:])
		}
	}
	return enc
}
