// Package merge makes one archive of the streams of many processes. Streams of
// the same structure become a class, which is stored once, and what differs between the
// members of a class becomes a function of the rank.
//
// A Part is what one collector, or one file, has. Merging is associative and does not depend on the
// order: whatever the tree of merges, the same processes give the same bytes. That follows from
// what a Part is: its state depends on the set of its processes alone. Classes are found by a key
// that no process number enters, and functions of the union of two sets of ranks are what fitting
// the union would give (package rankfunc). Everything that needs an order (numbers of templates,
// call sites, columns) or a look at all classes (which values templates share, which rules are
// equal) is decided when the archive is written.
//
// Merging costs time and memory for the classes and for what is irregular, not for the ranks:
// where all members of a class agree on a formula, one more member is one evaluation of it.
//
// # Classes
//
// Streams are in one class if their grammars are equal but for trip counts, and their terminals
// are equal in function, call site, flags and kinds of values. Everything else is a function of
// the rank: values, trip counts, the numbers of simple columns, what is known of a process.
// Membership depends on these two alone, so a hash finds classes. Bodies of rules are coded
// relative to what precedes them: equal structure gives equal bytes, whatever the terminals stand
// for. A part adds ranks as a binary counter does: regular ones cost an evaluation of a formula,
// irregular ones are copied log n times.
package merge

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// A Part holds some of the processes of a run. It is not safe for concurrent use.
type Part struct {
	meta *archive.Meta
	// levels hold the processes: merging equals keeps the cost of irregular
	// values at n log n. levels[i] holds about 2^i of the processes that Add took.
	levels []*state
	env    *env

	members Members
	bundles *archive.Bundles
	gaps    []archive.Gap
}

// env is what all states of a part share.
type env struct {
	contexts map[int]*rankfunc.Context // by size of MPI_COMM_WORLD
	strings  map[string]string         // call sites
	// signatures are those of terminals, without call sites. known is what else is known of those
	// with call sites. Both are found by encoding. Equal ones are mostly the same one, which saves
	// comparing them.
	signatures map[string]*archive.Signature
	known      map[string]*known
	// hashed are the keys of sites that trees refer to, by hash.
	hashed map[string]string
	kept   int    // terminals that classes keep taken apart
	buf    []byte // for encodings
}

// New returns an empty Part.
func New() *Part {
	return &Part{env: &env{
		contexts: map[int]*rankfunc.Context{}, strings: map[string]string{},
		signatures: map[string]*archive.Signature{}, known: map[string]*known{}, hashed: map[string]string{},
	}}
}

func (e *env) context(size int) *rankfunc.Context {
	c := e.contexts[size]
	if c == nil {
		c = &rankfunc.Context{Size: size}
		e.contexts[size] = c
	}
	return c
}

// intern returns a string equal to b that all users share.
func (e *env) intern(b []byte) string {
	if s, ok := e.strings[string(b)]; ok {
		return s
	}
	if len(e.strings) >= maxKnown {
		clear(e.strings)
	}
	s := string(b)
	e.strings[s] = s
	return s
}

// maxKnown bounds the tables that save work for what is the same in many ranks.
const maxKnown = 1 << 14

// share returns a signature equal to s that users share. It may be s, which must not be changed any
// more.
func (e *env) share(s *archive.Signature) *archive.Signature {
	e.buf = s.Append(e.buf[:0])
	if t := e.signatures[string(e.buf)]; t != nil {
		return t
	}
	if len(e.signatures) >= maxKnown {
		clear(e.signatures)
	}
	e.signatures[string(e.buf)] = s
	return s
}

// known is what adding a rank needs of a signature.
type known struct {
	sig   *archive.Signature // without call site
	site  uint32
	kinds []byte
	specs []archive.ColumnSpec
}

// signature gives what is known of a signature, which most ranks of a class have in common.
func (e *env) signature(sig *archive.Signature) (*known, error) {
	e.buf = sig.Append(e.buf[:0])
	if k := e.known[string(e.buf)]; k != nil {
		return k, nil
	}
	f := spec.ByID(sig.Func)
	if f == nil || len(f.Slots) != len(sig.Slots) {
		return nil, fmt.Errorf("signature of unknown function %d, or with %d values", sig.Func, len(sig.Slots))
	}
	if len(e.known) >= maxKnown {
		clear(e.known)
	}
	k := &known{site: sig.Site, specs: sig.Columns(), kinds: archive.AppendKinds(nil, sig)}
	e.known[string(e.buf)] = k
	bare := *sig
	bare.Site = 0
	k.sig = e.share(&bare)
	return k, nil
}

// SetMeta adds what is known of the run. Where several differ, the earliest recording decides, so
// that the result does not depend on their order.
func (p *Part) SetMeta(m archive.Meta) { p.meta = mergeMeta(p.meta, &m) }

// Add adds a process with its streams; StreamData.Process is ignored. It keeps nothing that the
// arguments refer to but signatures, timing and columns. The error says what is wrong with them;
// then the part must not be used any more.
func (p *Part) Add(r archive.RankData, streams []archive.StreamData) error {
	s, err := p.env.single(&r, streams)
	if err != nil {
		return fmt.Errorf("rank %d: %w", r.Rank, err)
	}
	return p.push(0, s)
}

// push puts a state on a level and carries like a counter.
func (p *Part) push(level int, s *state) error {
	for ; ; level++ {
		for level >= len(p.levels) {
			p.levels = append(p.levels, nil)
		}
		if p.levels[level] == nil {
			p.levels[level] = s
			return nil
		}
		m, err := p.env.merge(p.levels[level], s)
		if err != nil {
			return err
		}
		p.levels[level], s = nil, m
	}
}

// whole merges all levels into one, which stays the only one.
func (p *Part) whole() (*state, error) {
	s := newState()
	for _, l := range p.levels {
		if l == nil {
			continue
		}
		var err error
		if s, err = p.env.merge(s, l); err != nil {
			return nil, err
		}
	}
	p.levels = []*state{s}
	// Further processes must not be merged with it one by one.
	for n := s.ranks(); n > 1; n /= 2 {
		p.levels = slices.Insert(p.levels, 0, nil)
	}
	return s, nil
}

// Ranks is the number of processes of p.
func (p *Part) Ranks() int {
	n := 0
	for _, l := range p.levels {
		if l != nil {
			n += l.ranks()
		}
	}
	return n
}

// Merge returns a part with the processes of a and b, which must not be used afterwards. It
// fails if a process is in both.
func Merge(a, b *Part) (*Part, error) {
	x, err := a.whole()
	if err != nil {
		return nil, err
	}
	y, err := b.whole()
	if err != nil {
		return nil, err
	}
	s, err := a.env.merge(x, y)
	if err != nil {
		return nil, err
	}
	maps.Copy(a.env.hashed, b.env.hashed)
	p := &Part{env: a.env, meta: a.meta, levels: []*state{s}, members: a.members}
	if p.members == nil {
		p.members = b.members
	}
	if b.meta != nil {
		p.meta = mergeMeta(p.meta, b.meta)
	}
	_, err = p.whole()
	return p, err
}

// Write writes the archive of all processes of p. The part stays as it is.
func (p *Part) Write(w io.Writer) error {
	c, err := p.Content()
	if err != nil {
		return err
	}
	p.gaps = c.Gaps()
	return c.WriteWith(w, p.bundles)
}

// Gaps is what the archive lacks that Write wrote.
func (p *Part) Gaps() []archive.Gap { return p.gaps }

// SetBundles makes Write use what was found when others like p were written with the same memo.
func (p *Part) SetBundles(b *archive.Bundles) { p.bundles = b }

// mergeMeta returns what is known of a run of which two parts know a (nil: nothing) and b.
func mergeMeta(a, b *archive.Meta) *archive.Meta {
	if a == nil {
		m := *b
		return &m
	}
	if compareMeta(b, a) < 0 {
		a, b = b, a
	}
	m := *a
	m.Partial = a.Partial || b.Partial
	m.Options = map[string]string{}
	for k, v := range a.Options {
		m.Options[k] = v
	}
	for k, v := range b.Options {
		if old, ok := m.Options[k]; !ok || lessOption(k, v, old) {
			m.Options[k] = v
		}
	}
	return &m
}

// lessOption tells which of two values of an option stays: sizes add no
// information but the greatest, of others any will do.
func lessOption(key, x, y string) bool {
	if strings.HasSuffix(key, "_bytes") {
		return len(x) > len(y) || len(x) == len(y) && x > y
	}
	return x < y
}

// compareMeta orders what is known of runs.
func compareMeta(a, b *archive.Meta) int {
	if c := a.Created.Compare(b.Created); c != 0 {
		return c
	}
	key := func(m *archive.Meta) string { return fmt.Sprintf("%q %q %q %d", m.Command, m.MPI, m.Tool, m.ABI) }
	return strings.Compare(key(a), key(b))
}
