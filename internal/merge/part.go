// Package merge makes one archive of the streams of many processes. Streams of
// the same structure become a class, which is stored once, and what differs between the
// members of a class becomes a function of the rank.
//
// A Part is what one collector, or one file, has. Merging is associative and does not depend on
// the order: whatever the tree of merges, the same processes give the same bytes. That
// follows from what a Part is: its state depends on the set of its processes alone. Classes are
// found by a key that no process number enters, and functions of the union of two
// sets of ranks are what fitting the union would give (package rankfn).
// Everything that needs an order (numbers of templates, call sites, columns) or a look at all
// classes (which values templates share, which rules are equal) is decided when the archive is written.
//
// Merging costs time and memory for the classes and for what is irregular, not for the ranks:
// where all members of a class agree on a formula, one more member is one evaluation of it.
package merge

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tabard/internal/rankfn"
	"tabard/trace"
)

// A Part holds some of the processes of a run. It is not safe for concurrent use.
type Part struct {
	meta *trace.Meta
	// levels hold the processes: merging equals keeps the cost of irregular
	// values at n log n. levels[i] holds about 2^i of the processes that Add took.
	levels []*state
	env    *env

	members Members
	bundles *trace.Bundles
}

// env is what all states of a part share.
type env struct {
	contexts map[int]*rankfn.Context // by size of MPI_COMM_WORLD
	strings  map[string]string       // call sites and signatures
	known    map[string]*known       // by encoded signature
	kept     int                     // terminals that classes keep as they were parsed
}

// New returns an empty Part.
func New() *Part {
	return &Part{env: &env{contexts: map[int]*rankfn.Context{}, strings: map[string]string{}, known: map[string]*known{}}}
}

func (e *env) context(size int) *rankfn.Context {
	c := e.contexts[size]
	if c == nil {
		c = &rankfn.Context{Size: size}
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

// known is what adding a rank needs of a signature.
type known struct {
	sig   *trace.Signature
	site  uint32
	bare  string // the encoded signature without site
	kinds []byte
	specs []trace.ColumnSpec
}

// signature parses an encoded signature, which most ranks of a class share.
func (e *env) signature(b []byte) (*known, error) {
	if k := e.known[string(b)]; k != nil {
		return k, nil
	}
	sig, err := trace.ParseSignature(b)
	if err != nil {
		return nil, err
	}
	k := &known{sig: sig, site: sig.Site, specs: sig.Columns(), kinds: trace.AppendKinds(nil, sig)}
	sig.Site = 0
	k.bare = string(sig.Append(nil))
	if len(e.known) >= maxKnown {
		clear(e.known)
	}
	e.known[string(b)] = k
	return k, nil
}

// SetMeta adds what is known of the run. Where several differ, the result does not depend on
// their order: the earliest recording decides.
func (p *Part) SetMeta(m trace.Meta) { p.meta = mergeMeta(p.meta, &m) }

// Add adds a process with its streams; StreamData.Process is ignored. It keeps
// nothing that the arguments refer to but timing and columns. The error says what is wrong with them;
// then the part must not be used any more.
func (p *Part) Add(r trace.RankData, streams []trace.StreamData) error {
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
	return c.WriteWith(w, p.bundles)
}

// SetBundles makes Write use what was found when others like p were written with the same memo.
func (p *Part) SetBundles(b *trace.Bundles) { p.bundles = b }

// mergeMeta returns what is known of a run of which two parts know a (nil: nothing) and b.
func mergeMeta(a, b *trace.Meta) *trace.Meta {
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
func compareMeta(a, b *trace.Meta) int {
	if c := a.Created.Compare(b.Created); c != 0 {
		return c
	}
	key := func(m *trace.Meta) string { return fmt.Sprintf("%q %q %q %d", m.Command, m.MPI, m.Tool, m.ABI) }
	return strings.Compare(key(a), key(b))
}
