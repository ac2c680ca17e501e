package cgen

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/memory"
)

// Where the block for accesses by address is, and how many places there are for what the accesses
// of a program begin at.
const (
	remoteBlock  = 0x11000000000
	remoteFirst  = 1 << 20
	remotePlaces = 1 << 20
)

// usesRemote tells whether a call may use an address in another process, which windows that memory
// is attached to take for a displacement.
func (g *generator) usesRemote(c *class, t *terminal) bool {
	if program.Remote(&t.tm.Signature) < 0 && len(c.data.Params[t.id]) == 0 {
		return false
	}
	p := t.Param("target_disp")
	if p == nil {
		return false
	}
	v := t.slot(p.Before)
	if v == nil || v.kind != archive.Hole && v.kind != archive.Int {
		return false
	}
	for i := range min(c.Ranks().Len(), memory.MostRanks) {
		rank := c.Ranks().At(i)
		vals := []int64{v.n.at(rank)}
		if v.kind == archive.Hole {
			var err error
			vals, err = c.Values(program.Column{Terminal: t.id, Slot: v.at, Field: 0, Rank: rank})
			g.fail(err)
		}
		if _, hi := memory.Bounds(vals); len(vals) > 0 && program.IsAddress(hi) {
			return true
		}
		if _, same := v.n.constant(); same && v.kind == archive.Int {
			return false
		}
	}
	return false
}

// remoteNote says what becomes of addresses in other processes.
const remoteNote = "addresses of other processes, in dynamic windows, are replaced by ones in a block that all have " +
	"at the same address; it is not attached to the windows, which is enough between processes of one node; under " +
	"Open MPI, which takes attached memory only, calls that use them are left out"

// remoteDisplacement is a place in the block instead of each address.
func (k *oneCall) remoteDisplacement(p *program.Param, v *value) *cc.Expr {
	if !k.g.remote {
		k.g.remote = true
		k.g.setup = append(k.g.setup, cc.Do(cc.Call("make_remote")))
		k.g.note(remoteNote)
	}
	place := func(n int64) int64 {
		if n >= 1<<40 {
			return remoteBlock + remoteFirst + n%remotePlaces
		}
		return n
	}
	if v.kind == archive.Hole {
		return k.read(v.at, 0, p.Name, place)
	}
	if n, ok := v.n.constant(); ok {
		return cc.Infix(cc.Name("REMOTE"), "+", plainInt(place(n)-remoteBlock))
	}
	return k.fit(p.Name, func(r int) int64 { return place(v.n.at(r)) })
}

// remoteDefinitions are what calls that use addresses of other processes need.
var remoteDefinitions = fmt.Sprintf(`#define REMOTE %#xL /* a block that each process has there */
#ifdef OPEN_MPI
#define ACCESS(call) ((void)(0 && (call)))
#else
#define ACCESS(call) call
#endif
`, remoteBlock)
