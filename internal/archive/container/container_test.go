package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func build(t *testing.T, sections ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sections {
		if err := w.Add(uint32(i+1), i%2 == 1, 1, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(b []byte, max int64) (*Reader, error) {
	return Open(bytes.NewReader(b), int64(len(b)), max)
}

func TestRoundTrip(t *testing.T) {
	contents := [][]byte{[]byte("short"), bytes.Repeat([]byte("compressible "), 1000), {},
		bytes.Repeat([]byte{1, 2, 3}, 50), bytes.Repeat([]byte("long "), MaxSequence/5+1)}
	b := build(t, contents...)
	c, err := open(b, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Sections()) != len(contents) {
		t.Fatalf("%d sections, want %d", len(c.Sections()), len(contents))
	}
	stored := int64(0)
	for i, want := range contents {
		s := c.Sections()[i]
		if s.Type != uint32(i+1) || s.Optional != (i%2 == 1) || s.Raw != int64(len(want)) {
			t.Errorf("section %d: %+v", i, s)
		}
		got, err := c.Load(i)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("section %d: %v, %d bytes", i, err, len(got))
		}
		stored += s.Stored
	}
	for i, want := range []Codec{Plain, Sequence, Plain, Sequence, Zstd} {
		if got := c.Sections()[i].Codec; got != want {
			t.Errorf("section %d has codec %d, want %d", i, got, want)
		}
	}
	if stored+c.Overhead() != int64(len(b)) {
		t.Errorf("sections %d + overhead %d != %d", stored, c.Overhead(), len(b))
	}
}

// TestEveryByteIsProtected changes each byte of a file in each bit.
func TestEveryByteIsProtected(t *testing.T) {
	b := build(t, []byte("short"), bytes.Repeat([]byte("compressible "), 100))
	for i := range b {
		for bit := range 8 {
			d := bytes.Clone(b)
			d[i] ^= 1 << bit
			c, err := open(d, 1<<20)
			for k := 0; err == nil && k < len(c.Sections()); k++ {
				_, err = c.Load(k)
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("byte %d bit %d: %v, want *Error", i, bit, err)
			}
			if e.Hint == "" || e.Msg == "" {
				t.Errorf("byte %d bit %d: error without a message or hint: %+v", i, bit, e)
			}
		}
	}
	for n := range b {
		if _, err := open(b[:n], 1<<20); err == nil {
			t.Fatalf("cut at %d: no error", n)
		}
	}
}

// lying makes a file of one section whose index entry says what s says.
func lying(t *testing.T, s Section, stored []byte) []byte {
	t.Helper()
	b := append(header(Latest), stored...)
	index := AppendEntry(nil, &s)
	return append(append(b, index...), Trailer(Latest, index)...)
}

func TestLies(t *testing.T) {
	plain := []byte("0123456789")
	zeros := bytes.Repeat([]byte{0}, 100000)
	packed := pack(zeros, false)
	n := int64(len(packed))
	for _, test := range []struct {
		name   string
		s      Section
		stored []byte
		want   string
	}{
		{"stored too long", Section{Stored: 11, CRC: Checksum(plain)}, plain, "does not fit"},
		{"stored too short", Section{Stored: 9, CRC: Checksum(plain)}, plain, "but the index begins"},
		{"huge", Section{Stored: 1 << 62, CRC: Checksum(plain)}, plain, "does not fit"},
		{"checksum", Section{Stored: 10, CRC: 1}, plain, "wrong checksum"},
		{"unknown codec", Section{Stored: 10, Raw: 10, Codec: 9, CRC: Checksum(plain)}, plain, "unknown codec"},
		{"no zstd", Section{Stored: 10, Raw: 20, Codec: Zstd, CRC: Checksum(plain)}, plain, "cannot be decompressed"},
		{"raw too small", Section{Stored: n, Raw: 99999, Codec: Zstd, CRC: Checksum(packed)}, packed,
			"cannot be decompressed"},
		{"raw too large", Section{Stored: n, Raw: 100001, Codec: Zstd, CRC: Checksum(packed)}, packed,
			"cannot be decompressed"},
		{"raw impossible", Section{Stored: n, Raw: 1 << 29, Codec: Zstd, CRC: Checksum(packed)}, packed, "cannot hold"},
		{"raw too large for a sequence",
			Section{Stored: 10, Raw: MaxSequence + 1, Codec: Sequence, CRC: Checksum(plain)}, plain, "cannot hold"},
		{"raw above the limit", Section{Stored: n, Raw: 1 << 40, Codec: Zstd, CRC: Checksum(packed)}, packed, "limit"},
	} {
		c, err := open(lying(t, test.s, test.stored), 1<<30)
		if err == nil {
			_, err = c.Load(0)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestNewerVersion(t *testing.T) {
	b := build(t, []byte("x"))
	for version, want := range map[Version]string{Latest + 1: "unknown format version 4",
		V2: "format version 2 was never released", V1: "format version 1 was never released",
		0: "version 0 does not exist"} {
		b[len(Magic)] = byte(version)
		_, err := open(b, 1<<20)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// shrinking is a file that becomes shorter than it said.
type shrinking struct{ b []byte }

func (s shrinking) ReadAt(p []byte, off int64) (int, error) {
	if off > int64(len(s.b)) {
		return 0, io.EOF
	}
	return bytes.NewReader(s.b).ReadAt(p, off)
}

func TestShrinkingFile(t *testing.T) {
	b := build(t, []byte("0123456789"))
	c, err := open(b, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	c.r = shrinking{b[:HeaderSize+3]}
	if _, err = c.Load(0); err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Errorf("%v", err)
	}
}

func TestIndexEndsWithinEntry(t *testing.T) {
	b := build(t, []byte("0123456789"))
	end := len(b) - TrailerSize
	n := int(binary.LittleEndian.Uint32(b[end:]))
	full := bytes.Clone(b[end-n : end])
	for k := 1; k < n; k++ {
		d := append(bytes.Clone(b[:end-n]), full[:k]...)
		d = append(d, Trailer(Latest, full[:k])...)
		if _, err := open(d, 1<<20); err == nil {
			t.Errorf("index of %d bytes out of %d: no error", k, n)
		}
	}
}

// Encoders are used again: what they were given before, short or long, changes nothing of what they
// make, also where several write at the same time.
func TestEncodersUsedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := [][]byte{}
	for i := range 40 {
		b := make([]byte, r.IntN(300<<(i%12)))
		for j := range b {
			b[j] = byte(r.IntN(2 + i%7*40))
		}
		texts = append(texts, b)
	}
	fresh := make([][]byte, len(texts))
	for i, b := range texts {
		best, fast = encoders(zstd.SpeedBestCompression), encoders(zstd.SpeedFastest)
		fresh[i] = pack(b, true)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for k := range 3 * len(texts) {
				i := k * 7 % len(texts)
				if got := pack(texts[i], true); !bytes.Equal(got, fresh[i]) {
					t.Errorf("%d bytes: a fresh encoder makes %d of them, a used one %d, or others", len(texts[i]),
						len(fresh[i]), len(got))
				}
			}
		})
	}
	all.Wait()
}

// Sections of some length are compressed where they have something that repeats, be it rare, or bytes that are more
// frequent than others; what is random is left as it is.
func TestWhatIsWorthCompression(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(below int) []byte {
		b := make([]byte, 128<<10)
		for i := range b {
			b[i] = byte(r.IntN(below))
		}
		return b
	}
	rare := noise(256)
	for at := 4 << 10; at < len(rare); at += 4 << 10 {
		copy(rare[at:], rare[:100])
	}
	for _, c := range []struct {
		what string
		raw  []byte
		most int // of the section that remains, in percent
	}{
		{"noise", noise(256), 100},
		{"noise of half the values", noise(128), 88},
		{"a description every 4 KiB", rare, 98},
		{"text", bytes.Repeat([]byte("a text that repeats "), 5000), 1},
	} {
		packed := pack(c.raw, true)
		if c.most == 100 && packed != nil {
			t.Errorf("%s: compressed", c.what)
		}
		if c.most < 100 && (packed == nil || len(packed)*100 > c.most*len(c.raw)) {
			t.Errorf("%s: %d of %d bytes remain", c.what, len(packed), len(c.raw))
		}
	}
}
