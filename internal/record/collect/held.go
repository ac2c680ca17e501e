package collect

import (
	"os"

	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// takeHeld takes in what threads of a process that calls nothing any more have held back of their function calls.
func (p *process) takeHeld() {
	if p.heldTaken || p.dir == nil {
		return
	}
	p.heldTaken = true
	for _, c := range p.live() {
		f, err := p.dir.OpenFile(ring.FunctionsName(p.id, c.thread), os.O_RDONLY, 0)
		if err != nil {
			continue // it has none
		}
		recs, err := ring.HeldFunctions(f, p.lastTime())
		f.Close()
		for _, rec := range recs {
			if err == nil {
				err = p.syms.Record(c.thread, rec, p)
			}
		}
		if err != nil {
			p.complain("thread %d: function calls that it had not written yet: %v", c.thread, err)
		}
		p.changed = p.changed || len(recs) > 0
	}
}

// lastTime is when the last event returned, or if there was none, when the clock was read.
func (p *process) lastTime() uint64 {
	t := p.syms.Last()
	if clocks := p.syms.Clocks(); t == 0 && len(clocks) > 0 {
		t = clocks[len(clocks)-1].Ticks
	}
	return t
}
