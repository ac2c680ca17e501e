package grammar

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"
)

// FuzzBuilder reads its input as a program: a byte is a terminal, a run, a
// repetition of the latest terminals, or an interruption by Restore.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte("abcabcabd"))
	f.Add([]byte{1, 2, 0xc3, 3, 0xd2, 0xff, 2, 0xe9, 1})
	f.Fuzz(func(t *testing.T, program []byte) {
		var in []uint32
		b := NewBuilder()
		for _, op := range program {
			from := len(in)
			switch {
			case op < 0xc0:
				in = append(in, uint32(op&31))
			case op < 0xf0 && len(in) > 0 && len(in) < 1<<12:
				n := min(1+int(op&15), len(in))
				in = append(in, slices.Repeat(in[len(in)-n:], 1+int(op>>4&3))...)
			case op < 0xf8 && len(in) > 0:
				for range int(op & 7) {
					in = append(in, in[len(in)-1])
				}
				b.AppendRun(in[len(in)-1], uint64(len(in)-from))
				continue
			case op >= 0xf8:
				g, rest, err := Parse(b.Grammar().Append(nil))
				if err != nil || len(rest) > 0 {
					t.Fatal(err, rest)
				}
				if b, err = Restore(g); err != nil {
					t.Fatal(err)
				}
			}
			for _, s := range in[from:] {
				b.Append(s)
			}
		}
		if g, w := b.Grammar(), check(t, in); !equal(g, w) {
			t.Fatalf("input %v\nby the program %v\nby appends     %v", in, g, w)
		}
	})
}

// exercise uses g in all ways that must be safe after Parse.
func exercise(t *testing.T, g *Grammar) {
	if err := g.Validate(-1); err != nil {
		t.Fatal("parsed, but not valid:", err)
	}
	n, err := g.Len()
	if err != nil {
		t.Fatal(err)
	}
	again, rest, err := Parse(g.Append(nil))
	if err != nil || len(rest) > 0 || !equal(again, g) {
		t.Fatalf("%v does not survive encoding: %v, rest %x, %v", g, err, rest, again)
	}
	for _, body := range g.Rules {
		for _, s := range body {
			if !s.IsRule() && s.ID > 1<<16 {
				return // counts by terminal would take the memory of so many
			}
		}
	}
	x, err := NewIndex(g)
	if err != nil {
		t.Fatal(err)
	}
	total := uint64(0)
	for _, k := range x.Occurrences() {
		total += k
	}
	if total != n {
		t.Fatalf("%d occurrences, length %d", total, n)
	}
	c := x.NewCursor()
	for _, i := range []uint64{0, n / 3, n / 2, n - 1, n} {
		c.Seek(i)
		if c.Next(); i < n {
			total := uint64(0)
			for _, k := range x.CountBefore(i) {
				total += k
			}
			if total != i {
				t.Fatalf("%d occurrences before position %d", total, i)
			}
		}
	}
	if b, err := Restore(g); err == nil {
		if got := b.Grammar(); !equal(got, g) {
			t.Fatalf("restored %v as %v", g, got)
		}
		for i := range 20 {
			b.Append(uint32(i % 3))
		}
		if b.Len() != n+20 {
			t.Fatalf("length %d, want %d", b.Len(), n+20)
		}
	}
}

func FuzzParse(f *testing.F) {
	rng := rand.New(rand.NewSource(1))
	for range 20 {
		f.Add(build(inputs(rng, 60)).Grammar().Append(nil))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		g, rest, err := Parse(in)
		if err != nil {
			return
		}
		if !bytes.HasSuffix(in, rest) {
			t.Fatal("the rest is no end of the input")
		}
		exercise(t, g)
	})
}

// TestDamagedInput parses damaged encodings; nothing may panic or be wrong silently.
func TestDamagedInput(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	valid := 0
	for range 20000 {
		enc := build(inputs(rng, 80)).Grammar().Append(nil)
		for range 1 + rng.Intn(3) {
			switch i := rng.Intn(len(enc)); rng.Intn(4) {
			case 0:
				enc[i] ^= 1 << rng.Intn(8)
			case 1:
				enc[i] = byte(rng.Int())
			case 2:
				enc = append(enc[:i:i], enc[min(len(enc), i+1+rng.Intn(5)):]...)
				enc = append(enc, 0)
			case 3:
				j := rng.Intn(len(enc))
				enc = append(enc[:i:i], enc[j:]...)
				enc = append(enc, 0)
			}
		}
		if g, _, err := Parse(enc); err == nil {
			valid++
			exercise(t, g)
		}
	}
	if valid == 0 {
		t.Error("no damaged input could be parsed: nothing was tested")
	}
}
