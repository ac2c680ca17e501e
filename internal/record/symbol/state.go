package symbol

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// processState is what a checkpoint holds of a process. The cache is not part
// of it: it only makes things faster.
type processState struct {
	ABI     spec.ABI
	Predef  []predefState
	Info    map[string]string
	Rank    int
	Size    int
	World   bool
	Mods    map[uint32]Module
	Stacks  map[uint64][]uint64
	Clocks  []Clock
	Lost    uint64
	Ended   bool
	Final   bool
	Partial bool
	Sites   [][]Frame
	SiteIDs []siteState
	Trees   map[uint32]*archive.Tree
	Objs    []objects
	Live    []request
	Pools   []pool
	Shapes  map[string]int32
	Next    int64
	Threads map[int]threadState
}

type threadState struct {
	Open []openState
	Defs []byte // if they are not in the journal
}

type predefState struct {
	Class spec.Class
	Raw   uint64
	Index int
}

type siteState struct {
	Word  uint64
	Stack bool
	ID    uint32
}

// openState is a call in progress, as it was recorded.
type openState struct {
	Record []uint64 // head and entry part
	Reqs   []int64  // codes of its requests
	Raws   []uint64 // their handles
	Freed  []release
}

// AppendState appends the process's state to dst, but for what is in the journal. RestoreProcess
// continues from it and all of the journal so far.
func (p *Process) AppendState(dst []byte) ([]byte, error) {
	s := processState{
		ABI: p.abi, Info: p.info, Rank: p.rank, Size: p.size, World: p.world, Mods: p.mods, Stacks: p.stacks,
		Clocks: p.clocks, Lost: p.lost, Ended: p.ended, Final: p.final, Partial: p.part, Sites: p.sites, Trees: p.trees,
		Objs: p.objs[:], Live: p.reqs.live(), Pools: p.reqs.Pools, Shapes: p.reqs.shapes, Next: p.reqs.next,
		Threads: map[int]threadState{},
	}
	for k, i := range p.predef {
		s.Predef = append(s.Predef, predefState{k.class, k.raw, i})
	}
	for k, id := range p.siteIDs {
		s.SiteIDs = append(s.SiteIDs, siteState{k.word, k.stack, id})
	}
	for i, t := range p.threads {
		ts := threadState{}
		if t.redefined {
			ts.Defs = t.defs.Append(nil)
		}
		for _, c := range t.open[:t.n] {
			ts.Open = append(ts.Open, c.state())
		}
		s.Threads[i] = ts
	}
	w := bytes.NewBuffer(dst)
	if err := gob.NewEncoder(w).Encode(&s); err != nil {
		return dst, fmt.Errorf("checkpoint of a process: %w", err)
	}
	return w.Bytes(), nil
}

func (c *call) state() openState {
	rec := append([]uint64{uint64(c.plan.f.ID) | uint64(c.flags)<<16, c.start, 0, c.site, uint64(c.absent)}, c.body...)
	o := openState{Record: rec, Freed: c.freed}
	for _, r := range c.reqs {
		o.Reqs = append(o.Reqs, r.code)
		o.Raws = append(o.Raws, r.raw)
	}
	return o
}

// RestoreProcess makes the process that AppendState saved, given what Journal returned until then,
// in order.
func RestoreProcess(b, journal []byte) (*Process, error) {
	var s processState
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return nil, fmt.Errorf("checkpoint of a process: %w", err)
	}
	if len(s.Objs) > int(spec.NumClasses) {
		return nil, fmt.Errorf("checkpoint of a process: %d classes of objects", len(s.Objs))
	}
	p := NewProcess()
	p.useABI(s.ABI)
	p.rank, p.size, p.world, p.clocks = s.Rank, s.Size, s.World, s.Clocks
	p.lost, p.ended, p.final, p.part, p.sites = s.Lost, s.Ended, s.Final, s.Partial, s.Sites
	merge(p.info, s.Info)
	merge(p.mods, s.Mods)
	merge(p.stacks, s.Stacks)
	merge(p.reqs.shapes, s.Shapes)
	for _, d := range s.Predef {
		p.predef[predefKey{d.Class, d.Raw}] = d.Index
	}
	for id, t := range s.Trees {
		p.trees[id], p.treeIDs[treeKey(t)] = t, id
	}
	p.siteWords = make([]uint64, len(s.Sites))
	for _, d := range s.SiteIDs {
		if d.ID == 0 || int(d.ID) > len(s.Sites) {
			return nil, fmt.Errorf("checkpoint of a process: call site %d of %d", d.ID, len(s.Sites))
		}
		p.siteIDs[siteKey{d.Word, d.Stack}] = d.ID
		p.siteWords[d.ID-1] = d.Word
	}
	if err := p.replay(journal); err != nil {
		return nil, err
	}
	for i := range s.Objs {
		p.objs[i].Nums = s.Objs[i].Nums
		merge(p.objs[i].Live, s.Objs[i].Live)
	}
	p.reqs.Pools, p.reqs.next = s.Pools, s.Next
	for _, r := range s.Live {
		if int(r.Pool) >= len(s.Pools) {
			return nil, fmt.Errorf("checkpoint of a process: request in pool %d of %d", r.Pool, len(s.Pools))
		}
		p.reqs.link(r)
		p.reqs.made = max(p.reqs.made, r.Seq)
	}
	p.reqs.threaded = slices.ContainsFunc(s.Pools, func(x pool) bool { return x.Thread > 0 })
	return p, p.restoreThreads(s.Threads)
}

func merge[K comparable, V any](dst, src map[K]V) {
	for k, v := range src {
		dst[k] = v
	}
}

func (p *Process) restoreThreads(ts map[int]threadState) error {
	for i, s := range ts {
		t := p.thread(i)
		if s.Defs != nil {
			defs, _, err := ring.RestoreDefs(s.Defs)
			if err != nil {
				return fmt.Errorf("checkpoint of a process: %w", err)
			}
			t.defs, t.short, t.redefined = *defs, make([]short, defs.Len()), true
		}
		for _, o := range s.Open {
			c, err := p.restoreCall(o)
			if err != nil {
				return err
			}
			c.thread = t.number
			t.open = append(t.open, c)
			t.n++
		}
	}
	return nil
}

func (p *Process) restoreCall(o openState) (*call, error) {
	if len(o.Record) < 5 {
		return nil, fmt.Errorf("checkpoint of a process: call in progress cut off")
	}
	pl := p.planOf(spec.ID(o.Record[0]))
	if pl == nil {
		return nil, fmt.Errorf("checkpoint of a process: unknown function %d", uint16(o.Record[0]))
	}
	c := &call{plan: pl, flags: uint16(o.Record[0] >> 16), start: o.Record[1], site: o.Record[3],
		absent: uint32(o.Record[4]), body: o.Record[5:], restored: true}
	c.demoted = p.demotedAt(pl.f.ID, c.site)
	// Not looked up again: other calls may have ended some of them since.
	for k := range min(len(o.Reqs), len(o.Raws)) {
		c.reqs = append(c.reqs, requestUse{raw: o.Raws[k], code: o.Reqs[k], node: -1})
	}
	p.reqs.claim(c, 1)
	err := p.resolve(c)
	c.freed = o.Freed
	return c, err
}
