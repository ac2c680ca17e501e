package proxy

import (
	"fmt"

	"tabard/internal/rankfn"
	"tabard/internal/rerun"
	"tabard/trace"
)

// Where the block for accesses by address is, and how many places there are for what the accesses of a program begin at.
const (
	remoteBlock  = 0x11000000000
	remoteFirst  = 1 << 20
	remotePlaces = 1 << 20
)

// far tells whether a call may use an address in another process, which windows that memory is attached to take for a displacement.
func (g *generator) far(c *class, t *terminal) bool {
	if rerun.Remote(&t.tm.Signature) < 0 && len(c.data.Params[t.id]) == 0 {
		return false
	}
	p := t.param("target_disp")
	if p == nil {
		return false
	}
	v := t.slot(p.Before)
	if v == nil || v.kind != trace.Hole && v.kind != trace.Int {
		return false
	}
	for i := range min(c.Ranks().Len(), mostRanks) {
		rank := c.Ranks().At(i)
		vals := []int64{v.n.at(rank)}
		if v.kind == trace.Hole {
			var err error
			vals, err = g.columnValues(c, t.id, v.at, 0, rank)
			g.fail(err)
		}
		if _, hi := bounds(vals); len(vals) > 0 && isAddress(hi) {
			return true
		}
		if _, same := v.n.constant(); same && v.kind == trace.Int {
			return false
		}
	}
	return false
}

// remoteDisplacement is a place in the block instead of each address.
func (k *call) remoteDisplacement(p *rerun.Param, v *value) string {
	if !k.g.remote {
		k.g.remote = true
		k.g.setup.WriteString("    make_remote();\n")
		k.g.note("addresses of other processes, in dynamic windows, are replaced by ones in a block that all have at the same address; it is not attached to the windows, which is enough between processes of one node; under Open MPI, which takes attached memory only, calls that use them are left out")
	}
	place := func(n int64) int64 {
		if n >= 1<<40 {
			return remoteBlock + remoteFirst + n%remotePlaces
		}
		return n
	}
	if v.kind == trace.Hole {
		return fmt.Sprintf("next(&%s)", k.g.column(k.c, k.t.id, v.at, 0, p.Name, place))
	}
	if n, ok := v.n.constant(); ok {
		return fmt.Sprintf("REMOTE + %d", place(n)-remoteBlock)
	}
	var places []int64
	for r := range k.c.Ranks().All() {
		places = append(places, place(v.n.at(r)))
	}
	return k.g.function(rankfn.Fit(k.c.ctx, k.c.Ranks(), places), k.c.Ranks(), nil, p.Name)
}

// remoteDefinitions are what calls that use addresses of other processes need.
var remoteDefinitions = fmt.Sprintf(`#define REMOTE %#xL /* a block that each process has there */
#ifdef OPEN_MPI
#define ACCESS(call) ((void)(0 && (call)))
#else
#define ACCESS(call) call
#endif
`, remoteBlock)

const remoteText = `/* What dynamic windows take for displacements are addresses in other processes: here those of a block that each process has. */
static void make_remote(void)
{
    void *at = (void *)(size_t)REMOTE;
    if (mmap(at, 1L << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == at) return;
    fprintf(stderr, "There is no memory at %p.\n", at);
    exit(1);
}
`
