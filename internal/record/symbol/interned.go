package symbol

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// interned is what a process numbers in the order of first occurrence. It only grows; what is new
// since the last checkpoint is in the journal.
type interned struct {
	sigs    []*archive.Signature
	sigIDs  map[string]uint32 // by encoding
	strs    []string
	strIDs  map[string]int64
	sites   [][]Frame
	siteIDs map[siteKey]uint32
	// siteWords are the words of the sites.
	siteWords []uint64
	trees     map[uint32]*archive.Tree // of sites that are trees of calls
	treeIDs   map[string]uint32        // sites by content

	journal []byte // see Journal
	encoded []byte // the signature that was numbered last
}

type siteKey struct {
	word  uint64
	stack bool
}

func newInterned() interned {
	return interned{sigIDs: map[string]uint32{}, strIDs: map[string]int64{}, siteIDs: map[siteKey]uint32{},
		trees: map[uint32]*archive.Tree{}, treeIDs: map[string]uint32{}}
}

// Sites are the call sites in order of first occurrence; a signature's site
// is the index plus one. A site has one frame or, with stacks, several, innermost first.
func (t *interned) Sites() [][]Frame { return t.sites }

// Signature is the signature of a number. It must not be changed.
func (t *interned) Signature(id uint32) *archive.Signature { return t.sigs[id] }

// Signatures is how many there are.
func (t *interned) Signatures() int { return len(t.sigs) }

// Strings is the table that string columns refer to.
func (t *interned) Strings() []string { return t.strs }

// number numbers a signature, and leaves its encoding in t.encoded. It keeps s, which must not be
// changed any more.
func (t *interned) number(s *archive.Signature) (id uint32, known bool) {
	t.encoded = s.Append(t.encoded[:0])
	id, known = t.sigIDs[string(t.encoded)]
	if !known {
		id = uint32(len(t.sigs))
		t.sigs = append(t.sigs, s)
		t.sigIDs[string(t.encoded)] = id
	}
	return id, known
}

func (t *interned) internString(s string) int64 {
	id, ok := t.strIDs[s]
	if !ok {
		id = int64(len(t.strs))
		t.strs = append(t.strs, s)
		t.strIDs[s] = id
		t.journalText(journalString, 0, s)
	}
	return id
}

// site numbers a call site, which is a word or names one of stacks: 0 unknown, else index + 1.
func (t *interned) site(word uint64, stack bool, stacks map[uint64][]uint64) uint32 {
	if word == 0 {
		return 0
	}
	k := siteKey{word, stack}
	id, ok := t.siteIDs[k]
	if !ok {
		words := []uint64{word}
		if stack {
			words = stacks[word]
		}
		frames := make([]Frame, 0, len(words))
		for _, w := range words {
			a := ring.ParseAddress(w)
			frames = append(frames, Frame{Module: a.ID, Offset: uint64(a.Off),
				Known: a.Class == ring.WModule || a.Class == ring.WFunction,
				Entry: a.Class == ring.WFunction})
		}
		t.sites = append(t.sites, frames)
		t.siteWords = append(t.siteWords, word)
		id = uint32(len(t.sites))
		t.siteIDs[k] = id
	}
	return id
}

// Journal returns what is new since the last call. It belongs to the caller.
func (t *interned) Journal() []byte {
	j := t.journal
	t.journal = nil
	return j
}

func (t *interned) journalText(kind byte, of int, s string) {
	t.journal = append(t.journal, kind)
	t.journal = binary.AppendUvarint(t.journal, uint64(of))
	t.journal = binary.AppendUvarint(t.journal, uint64(len(s)))
	t.journal = append(t.journal, s...)
}

func (t *interned) journalDemote(fam int, mask uint64) {
	t.journal = append(t.journal, journalDemote)
	t.journal = binary.AppendUvarint(t.journal, uint64(fam))
	t.journal = binary.AppendUvarint(t.journal, mask)
}

func (t *interned) journalDef(thread int, payload []uint64) {
	t.journal = append(t.journal, journalDef)
	t.journal = binary.AppendUvarint(t.journal, uint64(thread))
	t.journal = binary.AppendUvarint(t.journal, uint64(len(payload)))
	for _, w := range payload {
		t.journal = binary.AppendUvarint(t.journal, w)
	}
}
