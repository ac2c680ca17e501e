package collect

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
)

// Offline compresses the calls of a process whose records do not come from shared memory. It records without
// segments, checkpoints and other processes.
type Offline struct{ p *process }

// NewOffline returns a process that has made no call yet. With timing, the
// records' time stamps are kept.
func NewOffline(timing bool) *Offline {
	p := newProcess(ring.ProcessID{}, timing)
	p.chain(0)
	return &Offline{p}
}

// Record takes in the next record, which is not kept.
func (o *Offline) Record(rec ring.Record) error { return o.RecordOf(0, rec) }

// RecordOf takes in the next record of a thread. What handles mean follows from the order of these calls.
func (o *Offline) RecordOf(thread int, rec ring.Record) error {
	o.p.chain(thread)
	return o.p.syms.Record(thread, rec, o.p)
}

// Data gives what an archive needs of the process, whose calls end here; those that have not
// returned are unfinished. where names places in the code: function, file and line of a frame, as
// far as known. Host, end and process id are up to the caller where the records do not tell.
func (o *Offline) Data(
	where func(m symbol.Module, offset uint64) archive.Frame,
) (archive.RankData, []archive.StreamData, error) {
	p := o.p
	p.syms.Finish(p)
	ended, _ := p.syms.Ended()
	d := archive.RankData{Rank: -1, Host: p.syms.Info()["host"], Info: map[string]string{},
		LostCalls: p.syms.Lost() + p.misfits(), Modules: modules(p.syms)}
	if rank, size, ok := p.syms.Rank(); ok {
		d.Rank, d.Size = rank, size
	}
	d.Complete = ended && d.LostCalls == 0
	for k, v := range p.syms.Info() {
		d.Info[k] = v
	}
	for _, k := range p.syms.Clocks() {
		d.Clocks = append(d.Clocks, archive.Clock{Ticks: k.Ticks, RealNS: int64(k.RealNS), MonoNS: int64(k.MonoNS)})
	}
	o.sites(&d, where)
	var streams []archive.StreamData
	for _, c := range p.live() {
		s, err := c.s.data(c.thread, func() {})
		if err != nil {
			return d, nil, fmt.Errorf("thread %d: %w", c.thread, err)
		}
		streams = append(streams, s)
	}
	return d, streams, nil
}

// sites fills in the call sites. Static data stays without names.
func (o *Offline) sites(d *archive.RankData, where func(symbol.Module, uint64) archive.Frame) {
	mods := o.p.syms.Modules()
	for _, site := range o.p.syms.Sites() {
		var s archive.Site
		for _, f := range site {
			fr := archive.Frame{Module: -1, Offset: f.Offset}
			if m, ok := mods[f.Module]; f.Known && ok {
				fr = where(m, f.Offset)
				fr.Module, fr.Offset = int(f.Module), f.Offset
			}
			s.Frames = append(s.Frames, fr)
		}
		d.Sites = append(d.Sites, s)
	}
}
