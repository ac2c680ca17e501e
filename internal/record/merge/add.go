package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// simpleColumn is the greatest number of numbers that a column is made of if it becomes functions
// of the rank. Others are stored as they are.
const simpleColumn = 12

// single returns the state with one process.
func (e *env) single(r *archive.RankData, streams []archive.StreamData) (*state, error) {
	g, id, err := e.singleGroup(r)
	if err != nil {
		return nil, err
	}
	s := newState()
	s.groups[g.groupKey] = g
	sites, err := e.siteKeys(r.Sites, r.Modules)
	if err != nil {
		return nil, err
	}
	for i := range streams {
		d := &streams[i]
		c, key, err := e.singleClass(g, id, sites, d)
		if err == nil && s.classes[key] != nil {
			err = errors.New("the thread is there twice")
		}
		if err != nil {
			return nil, fmt.Errorf("thread %d: %w", d.Thread, err)
		}
		s.classes[key] = c
	}
	return s, nil
}

func (e *env) singleGroup(r *archive.RankData) (*group, int, error) {
	id := r.Rank
	g := &group{groupKey: groupKey{world: r.World, size: r.Size}}
	if r.Rank < 0 {
		id = r.PID
		g.unranked, g.host = true, r.Host
	}
	if id < 0 || id >= archive.MaxProcesses && !g.unranked || id > rankfunc.MaxRank || r.Size < 0 ||
		r.Size > math.MaxInt32 ||
		r.World < 0 ||
		r.World > math.MaxInt32 {
		return nil, 0, fmt.Errorf("world %d, size %d, process %d: out of range", r.World, r.Size, r.PID)
	}
	g.ranks = rankfunc.Range(id, id+1)
	if !g.unranked {
		g.hosts = choose(r.Host, r.Host, g.ranks)
	}
	g.ends = choose(r.End, r.End, g.ranks)
	g.info = map[string]choices[archive.InfoValue]{}
	for k, v := range r.Info {
		x := archive.InfoValue{Present: true, Text: v}
		g.info[k] = choose(infoKey(&x), x, g.ranks)
	}
	modules := slices.Clone(r.Modules)
	for i := range modules {
		modules[i].Base = 0
	}
	g.modules = choose(moduleKey(modules), modules, g.ranks)
	g.pid, g.lost = number{n: int64(r.PID)}, number{n: int64(r.LostCalls)}
	if r.Complete {
		g.complete.n = 1
	}
	clocks := slices.Clone(r.Clocks)
	slices.SortStableFunc(clocks, func(x, y archive.Clock) int { return cmp.Compare(x.Ticks, y.Ticks) })
	facts := [][]int64{archive.AppendClocks(nil, clocks), archive.AppendBases(nil, r.Modules)}
	for _, f := range facts {
		if len(f) > archive.MaxFacts {
			return nil, 0, errors.New("too many clock readings or modules")
		}
	}
	g.clocks, g.bases = constantVec(
		e.context(g.size),
		g.ranks,
		facts[0],
	), constantVec(
		e.context(g.size),
		g.ranks,
		facts[1],
	)
	return g, id, nil
}

func appendModule(dst []byte, m *archive.Module) []byte {
	return binary.AppendUvarint(byteio.AppendSized(byteio.AppendSized(dst, m.Path), m.BuildID), m.Size)
}

// moduleKey tells lists of modules apart.
func moduleKey(ms []archive.Module) string {
	var b []byte
	for i := range ms {
		b = appendModule(b, &ms[i])
	}
	return string(b)
}

// appendSite appends the key of a call site, which says all about it without numbers that
// mean something in one process only.
func appendSite(dst []byte, s *archive.Site, modules []archive.Module) ([]byte, error) {
	dst = binary.AppendUvarint(dst, uint64(len(s.Frames)))
	for i := range s.Frames {
		f := &s.Frames[i]
		switch {
		case f.Module < 0:
			dst = append(dst, 0)
		case f.Module < len(modules):
			dst = appendModule(append(dst, 1), &modules[f.Module])
		default:
			return nil, fmt.Errorf("module %d of %d", f.Module, len(modules))
		}
		dst = binary.AppendUvarint(dst, f.Offset)
		dst = byteio.AppendSized(byteio.AppendSized(dst, f.Func), f.File)
		dst = binary.AppendVarint(dst, int64(f.Line))
	}
	return dst, nil
}

// siteFrame is a frame with its module.
type siteFrame struct {
	archive.Frame // Module is -1, or 0: module
	module        archive.Module
}

// parseSite is the reverse of appendSite.
func parseSite(key string) []siteFrame {
	r := byteio.Reader{In: []byte(key)}
	text := func() string { return string(r.Sized()) }
	frames := make([]siteFrame, r.Count())
	for i := range frames {
		f := &frames[i]
		f.Frame.Module = int(r.Uvarint()) - 1
		if f.Frame.Module >= 0 {
			f.module.Path, f.module.BuildID, f.module.Size = text(), text(), r.Uvarint()
		}
		f.Offset = r.Uvarint()
		f.Func, f.File = text(), text()
		f.Line = int(r.Varint())
	}
	return frames
}

func (e *env) singleClass(g *group, id int, sites []string, d *archive.StreamData) (*class, classKey, error) {
	var key classKey
	if err := checkStream(d); err != nil {
		return nil, key, err
	}
	c := &class{group: g.groupKey, thread: d.Thread, ranks: g.ranks}
	var order []uint32
	c.g, order = archive.CanonicalGrammar(d.Grammar)
	counts := c.g.Occurrences()
	known := make([]*known, 0, len(order))
	c.terms = make([]term, 0, len(order))
	for i, t := range order {
		if int(t) >= len(d.Signatures) {
			return nil, key, fmt.Errorf("terminal %d has no signature", t)
		}
		k, err := e.signature(d.Signatures[t])
		if err != nil {
			return nil, key, fmt.Errorf("terminal %d: %w", t, err)
		}
		site := ""
		if k.site != 0 {
			if int(k.site) > len(sites) {
				return nil, key, fmt.Errorf("terminal %d: call site %d of %d", t, k.site, len(sites))
			}
			site = sites[k.site-1]
		}
		c.terms = append(c.terms, term{site: site, sig: k.sig})
		known = append(known, k)
		c.polls = c.polls || k.sig.Flags&archive.Polls != 0
		specs := k.specs
		var cols [][]byte
		if int(t) < len(d.Columns) {
			cols = d.Columns[t]
		}
		if len(cols) != len(specs) {
			return nil, key, fmt.Errorf("terminal %d has %d columns, its signature needs %d", t, len(cols), len(specs))
		}
		for n := range specs {
			v, ck := columnOf(cols[n], counts[i], specs[n].Array && specs[n].Field >= 0)
			if isClock(k.sig.Func) && specs[n].Slot >= 0 {
				v, ck = columnValue{blob: append([]byte{}, cols[n]...), clock: true}, "clock "+hashKey(cols[n])
			}
			c.columns = append(c.columns, choose(ck, v, c.ranks))
			if needsStrings(k.sig, &specs[n]) && c.strings == nil {
				c.strings = choose(stringsKey(d.Strings), d.Strings, c.ranks)
			}
		}
	}
	if c.polls {
		c.calls = number{n: int64(d.Calls)}
	} else if n, err := c.g.Len(); err != nil || n != d.Calls {
		return nil, key, fmt.Errorf("%d calls, but the grammar has %d: %v", d.Calls, n, err)
	}
	c.timing = choose(hashKey(d.Timing), d.Timing, c.ranks)
	return c, c.keyOf(func(t int) []byte { return known[t].kinds }), nil
}

func checkStream(d *archive.StreamData) error {
	switch {
	case d.Thread < 0 || d.Thread > math.MaxInt32:
		return fmt.Errorf("thread %d is out of range", d.Thread)
	case d.Grammar == nil:
		return errors.New("no grammar")
	case len(d.Columns) > len(d.Signatures):
		return fmt.Errorf("columns of %d terminals, but only %d signatures", len(d.Columns), len(d.Signatures))
	}
	return d.Grammar.Validate(len(d.Signatures))
}

// needsStrings tells whether a column holds numbers of strings.
func needsStrings(sig *archive.Signature, c *archive.ColumnSpec) bool {
	if c.Slot < 0 || c.Field < 0 {
		return false
	}
	switch spec.ByID(sig.Func).Slots[c.Slot].Codec {
	case spec.String, spec.StringArray, spec.StringArray2:
		return true
	}
	return false
}

func stringsKey(list []string) string {
	var b []byte
	for _, s := range list {
		b = byteio.AppendSized(b, s)
	}
	return string(b)
}

// hashKey stands for content that may be large; nil is none.
func hashKey(b []byte) string {
	if b == nil {
		return ""
	}
	h := sha256.Sum256(b)
	return string(h[:16])
}

// isClock reports whether a function returns the time. The time belongs with the time stamps and
// not with the structure: like them it differs in every run.
func isClock(id spec.ID) bool { return spec.ByID(id).Op == spec.OpWallTime }

// columnOf takes a column apart if it is simple. n is how often its terminal occurs, which is its
// length unless it is sized.
func columnOf(b []byte, n uint64, sized bool) (v columnValue, key string) {
	segs, ok := column.Segments(b, simpleColumn)
	total := uint64(0)
	for i := range segs {
		total += segs[i].N
	}
	if !ok || !sized && total != n {
		if b == nil {
			b = []byte{}
		}
		return columnValue{blob: b}, blobKey(b)
	}
	for i := range segs {
		g := &segs[i]
		v.shape = append(v.shape, archive.SegmentShape{Kind: g.Kind, Values: len(g.Values)})
		add := func(x int64) { v.numbers = append(v.numbers, number{n: x}) }
		if i < len(segs)-1 {
			add(int64(g.N))
		}
		switch g.Kind {
		case column.Constant:
			add(g.Base)
		case column.Affine:
			add(g.Base)
			add(g.Step)
		case column.Ramps:
			add(int64(g.Period))
			add(g.Base)
			add(g.Step)
			add(g.Move)
		case column.Periodic:
			add(g.Step)
		}
		for _, x := range g.Values {
			add(x)
		}
		if i == len(segs)-1 && sized {
			add(int64(g.N))
		}
	}
	return v, shapeKey(v.shape)
}

// blobKey and shapeKey tell columns apart.
func blobKey(b []byte) string { return "blob " + hashKey(b) }

func shapeKey(shape []archive.SegmentShape) string {
	k := []byte("shape ")
	for i := range shape {
		k = binary.AppendUvarint(append(k, byte(shape[i].Kind)), uint64(shape[i].Values))
	}
	return string(k)
}

// keyOf hashes what makes the class; kinds gives the kinds of a terminal's values.
func (c *class) keyOf(kinds func(t int) []byte) (key classKey) {
	unranked := uint64(0)
	if c.group.unranked {
		unranked = 1
	}
	var b []byte
	for _, v := range []uint64{
		uint64(c.group.world), uint64(c.group.size), unranked,
		uint64(c.thread), uint64(c.g.Tail), uint64(len(c.g.Rules)),
	} {
		b = binary.AppendUvarint(b, v)
	}
	b = byteio.AppendSized(b, c.group.host)
	for _, body := range c.g.Rules {
		b = binary.AppendUvarint(b, uint64(len(body)))
		for _, s := range body {
			b = binary.AppendUvarint(b, uint64(s.ID))
		}
	}
	for t := range c.terms {
		b = byteio.AppendSized(b, c.terms[t].site)
		b = append(b, kinds(t)...)
	}
	h := sha256.Sum256(b)
	copy(key[:], h[:])
	return key
}
