package archivetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/container"
)

// File is an archive taken apart into sections, to be changed and put together
// again with checksums and lengths that are right.
type File struct {
	Sections []Section
}

// Section is a section in the clear.
type Section struct {
	Type     uint32
	Optional bool
	Version  uint32
	Raw      []byte
}

// Split takes an archive apart.
func Split(b []byte) (*File, error) {
	c, err := container.Open(bytes.NewReader(b), int64(len(b)), 1<<40)
	if err != nil {
		return nil, err
	}
	f := &File{}
	for i, s := range c.Sections() {
		raw, err := c.Load(i)
		if err != nil {
			return nil, err
		}
		f.Sections = append(f.Sections, Section{s.Type, s.Optional, s.Version, raw})
	}
	return f, nil
}

// Bytes puts the archive together, without compression.
func (f *File) Bytes() []byte {
	var out bytes.Buffer
	w, err := container.NewWriter(&out)
	if err != nil {
		panic(err) // of the encoder's fixed options
	}
	for _, s := range f.Sections {
		w.AddStored(container.Section{Type: s.Type, Optional: s.Optional, Version: s.Version}, s.Raw)
	}
	w.Close() // a bytes.Buffer does not fail
	return out.Bytes()
}

func (f *File) clone() *File {
	return &File{Sections: append([]Section(nil), f.Sections...)}
}

// Damager makes broken archives out of sound ones.
type Damager struct {
	rng   *rand.Rand
	whole [][]byte
	split []*File
	texts []string // of the archives, as far as Lie made them
}

// NewDamager returns a Damager of the given archives; equal seeds give equal damage.
func NewDamager(seed uint64, archives ...[]byte) (*Damager, error) {
	return DamagerOf(rand.New(rand.NewPCG(seed, 1)), archives...)
}

// DamagerOf returns a Damager of the given archives that does what rng chooses.
func DamagerOf(rng *rand.Rand, archives ...[]byte) (*Damager, error) {
	d := &Damager{rng: rng, whole: archives, texts: make([]string, len(archives))}
	for _, b := range archives {
		f, err := Split(b)
		if err != nil {
			return nil, err
		}
		d.split = append(d.split, f)
	}
	return d, nil
}

// With returns a Damager of the same archives that does what rng chooses: to take them apart again would take longer
// than to damage them.
func (d *Damager) With(rng *rand.Rand) *Damager {
	again := *d
	again.rng = rng
	return &again
}

// Next makes a damaged archive and says what was done to it.
func (d *Damager) Next() (b []byte, what string) {
	k := d.rng.IntN(len(d.whole))
	switch d.rng.IntN(12) {
	case 0:
		b = bytes.Clone(d.whole[k])
		d.flip(b)
		return b, fmt.Sprintf("archive %d: bits flipped", k)
	case 1:
		n := d.rng.IntN(len(d.whole[k]))
		return d.whole[k][:n:n], fmt.Sprintf("archive %d: cut at %d", k, n)
	case 2:
		return d.lie(d.whole[k]), fmt.Sprintf("archive %d: index changed, checksum right", k)
	case 3:
		return d.splice(k)
	}
	return d.change(k)
}

func (d *Damager) flip(b []byte) {
	for range 1 + d.rng.IntN(4) {
		b[d.rng.IntN(len(b))] ^= 1 << d.rng.IntN(8)
	}
}

// lie changes the index and gives it the right checksum.
func (d *Damager) lie(whole []byte) []byte {
	b := bytes.Clone(whole)
	end := len(b) - container.TrailerSize
	n := int(binary.LittleEndian.Uint32(b[end:]))
	index := b[end-n : end]
	if d.rng.IntN(2) == 0 {
		d.flip(index)
	} else {
		index = d.edit(index)
	}
	b = append(b[:end-n:end-n], index...)
	return append(b, container.Trailer(container.Latest, index)...)
}

// splice mixes sections of two archives.
func (d *Damager) splice(k int) ([]byte, string) {
	f, other := d.split[k].clone(), d.split[d.rng.IntN(len(d.split))]
	i := d.rng.IntN(len(f.Sections))
	s := other.Sections[d.rng.IntN(len(other.Sections))]
	how := "replaced"
	switch d.rng.IntN(4) {
	case 0:
		f.Sections = append(f.Sections, s)
		how = "added"
	case 1:
		f.Sections = append(f.Sections[:i:i], f.Sections[i+1:]...)
		how = "removed"
	case 2:
		j := d.rng.IntN(len(f.Sections))
		f.Sections[i], f.Sections[j] = f.Sections[j], f.Sections[i]
		how = "exchanged"
	default:
		f.Sections[i] = s
	}
	return f.Bytes(), fmt.Sprintf("archive %d: section %d %s", k, i, how)
}

// change edits the content of a section and gives it the right checksum, so
// that the damage reaches the code behind the checksums.
func (d *Damager) change(k int) ([]byte, string) {
	f := d.split[k].clone()
	i := d.rng.IntN(len(f.Sections))
	s := &f.Sections[i]
	if len(s.Raw) == 0 {
		return f.Bytes(), fmt.Sprintf("archive %d: nothing done", k)
	}
	s.Raw = d.edit(s.Raw)
	return f.Bytes(), fmt.Sprintf("archive %d: section %d (type %d) edited", k, i, s.Type)
}

// edit makes a changed copy of content.
func (d *Damager) edit(b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + d.rng.IntN(2) {
		if len(b) == 0 {
			return b
		}
		at := d.rng.IntN(len(b))
		switch d.rng.IntN(6) {
		case 0:
			b[at] ^= 1 << d.rng.IntN(8)
		case 1:
			b[at] = byte(d.rng.Uint32())
		case 2: // a huge number
			huge := binary.AppendUvarint(nil, d.rng.Uint64()>>d.rng.IntN(64))
			b = append(b[:at:at], append(huge, b[at+1:]...)...)
		case 3:
			n := min(1+d.rng.IntN(8), len(b)-at)
			b = append(b[:at:at], b[at+n:]...)
		case 4: // repeat some bytes
			n := min(1+d.rng.IntN(16), len(b)-at)
			b = append(b[:at+n:at+n], b[at:]...)
		default: // a small change of a number
			b[at] += byte(1 + d.rng.IntN(2)*254)
		}
	}
	return b
}

var number = regexp.MustCompile(`\d+`)

// Lie makes an archive that is sound as a file, but some of what it says is made up: numbers, names,
// and calls that are missing, out of order or there twice.
func (d *Damager) Lie() (b []byte, what string) {
	for range 20 {
		k := d.rng.IntN(len(d.whole))
		if d.texts[k] == "" {
			a, err := archive.OpenReader(bytes.NewReader(d.whole[k]), int64(len(d.whole[k])))
			var text strings.Builder
			if err == nil {
				err = archive.WriteText(&text, a)
			}
			if err != nil {
				continue // times that only their own reader has
			}
			d.texts[k] = text.String()
		}
		text := d.texts[k]
		for range 1 + d.rng.IntN(4) {
			text = d.editText(text)
		}
		var out bytes.Buffer
		if archive.ParseText(&out, strings.NewReader(text)) == nil {
			return out.Bytes(), fmt.Sprintf("archive %d: text edited", k)
		}
	}
	return d.Next()
}

// editText changes a number of a text, or a line of it.
func (d *Damager) editText(text string) string {
	if d.rng.IntN(3) > 0 {
		all := number.FindAllStringIndex(text, -1)
		if len(all) == 0 {
			return text
		}
		at, from := all[d.rng.IntN(len(all))], all[d.rng.IntN(len(all))]
		n := text[from[0]:from[1]] // another number of the same text
		switch d.rng.IntN(6) {
		case 0:
			n = "0"
		case 1:
			n = "-" + n
		case 2:
			n = fmt.Sprint(d.rng.Uint64() >> d.rng.IntN(64))
		case 3:
			n = fmt.Sprint(d.rng.IntN(16))
		}
		return text[:at[0]] + n + text[at[1]:]
	}
	lines := strings.Split(text, "\n")
	i, j := d.rng.IntN(len(lines)), d.rng.IntN(len(lines))
	switch d.rng.IntN(4) {
	case 0:
		lines[i], lines[j] = lines[j], lines[i]
	case 1:
		lines = slices.Delete(lines, i, i+1)
	case 2:
		lines = slices.Insert(lines, i, lines[i])
	default:
		lines = slices.Insert(lines, i, lines[j])
	}
	return strings.Join(lines, "\n")
}

// maxStreams is how many streams of an archive ReadAll reads.
const maxStreams = 64

// ReadAll reads everything of an archive, at most maxCalls calls of each
// stream, in all the ways that the reader offers. It returns the first error.
func ReadAll(a *archive.Archive, maxCalls uint64) error {
	var first error
	note := func(err error) bool {
		if first == nil {
			first = err
		}
		return err == nil
	}
	streams := 0
	for s := range a.Streams() {
		// A damaged file may claim any number of them.
		if streams++; streams > maxStreams {
			break
		}
		_, err := s.Counts()
		note(err)
		_, err = s.Signatures()
		note(err)
		_, err = s.Grammar()
		note(err)
		n := uint64(0)
		for c, err := range s.Iter(0) {
			if !note(err) {
				break
			}
			if n < 16 {
				_ = c.Format()
				_, err := c.MarshalJSON()
				note(err)
			}
			if n++; n >= maxCalls {
				break
			}
		}
		for _, i := range []uint64{0, s.Calls() / 2, s.Calls() - 1} {
			if i < s.Calls() {
				c, err := s.CallAt(i)
				if note(err) {
					_ = c.String()
				}
			}
		}
	}
	for p := range min(a.NumRanks(), maxStreams) {
		_ = a.Rank(p)
	}
	for _, c := range a.Classes() {
		_, err := c.Data()
		note(err)
	}
	note(archive.Validate(a))
	return first
}
