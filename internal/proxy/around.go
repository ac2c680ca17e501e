package proxy

import (
	"fmt"
	"strings"

	"tabard/internal/rankfn"
	"tabard/trace"
)

// page is what begins and ends of reserved memory are multiples of: no machine has larger pages by default.
const page = 1 << 16

// planReaches decides which blocks are allocated with reserved memory around them. A few more bytes behind a block are simply
// allocated with it.
func (g *generator) planReaches() {
	for _, s := range g.segmentList {
		if s.reach == nil && s.mem != trace.Heap && s.most-s.low > farAway {
			s.reach = &reach{}
		}
	}
	for _, x := range g.reaches {
		for _, calls := range x.byRank {
			for _, r := range calls {
				x.around = x.around || r.before > 0 || len(r.far) > 0 || r.behind > believable
			}
		}
		number := &x.t.slots[0]
		if n, ok := number.n.constant(); x.around && ok && number.kind == trace.Int {
			g.around[g.aroundKey(x.c, n)] = true
		} else if x.around {
			g.around[g.aroundKey(x.c, anySegment)] = true
		}
	}
	for _, s := range g.segmentList {
		if s.mem == trace.Heap && s.reach != nil && g.recorded[int64(s.number)] {
			g.around[[2]int64{eachClass, int64(s.number)}] = true
		}
	}
}

// anySegment stands for segments whose numbers are in columns, eachClass for all classes.
const anySegment, eachClass = -1, -1

// aroundKey is how around knows a segment. What one thread allocates others may free.
func (g *generator) aroundKey(c *class, number int64) [2]int64 {
	if g.several {
		return [2]int64{eachClass, number}
	}
	return [2]int64{int64(c.index), number}
}

// mayBeAround tells whether a block may have memory around it that is reserved. A number is negative if it is not known.
func (g *generator) mayBeAround(c *class, number int64) bool {
	for k := range g.around {
		if (k[0] == eachClass || k[0] == int64(c.index)) && (k[1] == anySegment || k[1] == number || number < 0) {
			return true
		}
	}
	return false
}

// allocation is the expression for a new block of memory; number is that for the number of its segment.
func (g *generator) allocation(c *class, t *terminal, number, bytes string) string {
	x := g.reaches[termKey{c.index, t.id}]
	all := g.reachOfSegment(t)
	if x == nil && all == nil {
		return fmt.Sprintf("memory(%s)", bytes)
	}
	if x == nil {
		x = &reaches{c: c, t: t}
	}
	behind := g.reachNumbers(x, all, 1, "behind", func(r *reach) int64 { return (r.behind + 63) &^ 63 })
	if !x.around && all == nil {
		return fmt.Sprintf("memory(%s + %s)", bytes, operand(behind))
	}
	before := g.reachNumbers(x, all, 0, "before", func(r *reach) int64 { return (r.before + 63) &^ 63 })
	far := g.farOf(x, all)
	return fmt.Sprintf("memory_around(%s, %s, %s, %s, %s)", number, bytes, before, behind, far)
}

// farOf is the expression for the places far away that datatypes use together with a block.
func (g *generator) farOf(x *reaches, all *reach) string {
	places := g.choose(x.c.Ranks(), "far", "const long *", func(rank int) string {
		var spans []span
		if all != nil {
			spans = append(spans, all.far...)
		}
		_, followed := x.calls[rank]
		for other, calls := range x.byRank {
			for _, r := range calls {
				if other == rank || !followed {
					spans = append(spans, r.far...)
				}
			}
		}
		return g.farPlaces(spans)
	})
	if all != nil || places == "NULL" {
		return places
	}
	some := g.reachNumbers(x, nil, 2, "has_far", func(r *reach) int64 { return int64(min(len(r.far), 1)) })
	if some == "1" {
		return places
	}
	return fmt.Sprintf("%s ? %s : NULL", operand(some), places)
}

// reachOfSegment is what calls use around the blocks with a number whose records they do not follow, nil for nothing.
func (g *generator) reachOfSegment(t *terminal) *reach {
	if n, ok := t.slots[0].n.constant(); ok && t.slots[0].kind == trace.Int {
		if s := g.segments[segmentKey{trace.Heap, uint32(n)}]; s != nil {
			return s.reach
		}
	}
	return nil
}

// reachNumbers is the expression for a number of the reach of each block.
func (g *generator) reachNumbers(x *reaches, all *reach, field int, hint string, of func(*reach) int64) string {
	least := int64(0)
	if all != nil {
		least = of(all)
	}
	most := least
	for _, calls := range x.byRank {
		for _, r := range calls {
			most = max(most, of(r))
		}
	}
	values := func(rank int) []int64 {
		n, ok := x.calls[rank]
		if !ok { // one of too many ranks to look at
			return []int64{most}
		}
		out := make([]int64, n)
		for k := range out {
			out[k] = least
			if r := x.at(rank, k); r != nil {
				out[k] = max(least, of(r))
			}
		}
		return out
	}
	var firsts []int64
	for rank := range x.c.Ranks().All() {
		vals := values(rank)
		first := least
		for i, v := range vals {
			if i == 0 {
				first = v
			}
			if v != first {
				name := g.columnOf(x.c, columnKey{x.c.index, x.t.id, reachSlot, field}, hint, values)
				return fmt.Sprintf("next(&%s)", name)
			}
		}
		firsts = append(firsts, first)
	}
	return g.function(rankfn.Fit(x.c.ctx, x.c.Ranks(), firsts), x.c.Ranks(), nil, hint)
}

// reachSlot is the number of a slot that stands for the reaches of blocks.
const reachSlot = -2

// farPlaces is a list of places that are far from a block: their number, then the begin and end of each.
func (g *generator) farPlaces(spans []span) string {
	if spans = joined(spans, farGap); len(spans) == 0 {
		return "NULL"
	}
	list := []int64{int64(len(spans))}
	for _, s := range spans {
		list = append(list, s.low&^(page-1), (s.high+page-1)&^(page-1))
	}
	return g.constants("far", list)
}

// allocationAtStart is the expression for a block that is there all the time, with what is around it.
func (g *generator) allocationAtStart(s *segment) string {
	return fmt.Sprintf("memory_around(-1, %s, %s, 0, %s)", g.segmentSize(s), literal((s.reach.before+63)&^63, nil), g.farPlaces(s.reach.far))
}

// release is the call that frees a block.
func (g *generator) release(c *class, t *terminal, number, block string) string {
	n, ok := t.slots[0].n.constant()
	if !ok || t.slots[0].kind != trace.Int {
		n = anySegment
	}
	if g.frees == "" {
		g.frees = "free"
		if g.swaps() {
			g.frees = "free_later"
		}
	}
	if g.mayBeAround(c, n) {
		return fmt.Sprintf("%s(%s, %s)", strings.Replace(g.frees, "free", "release", 1), number, block)
	}
	return fmt.Sprintf("%s(%s)", g.frees, block)
}

// declareAround declares what is known of blocks with memory around them.
func (g *generator) declareAround() string {
	return fmt.Sprintf("static struct around { char *block; long low, high; const long *far; } around[%d]; /* blocks with memory around them */\n\n", max(g.heaps, 1))
}

const aroundText = `static char *reserve(size_t at, size_t bytes)
{
    char *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (at == 0 || (size_t)p == at) return p;
    munmap(p, bytes);
    return NULL;
}

static void unreserve(const struct around *a, int n)
{
    munmap(a->block + a->low, a->high - a->low);
    for (int i = 0; i < n; i++) munmap((void *)((size_t)a->block + a->far[2 * i + 1]), a->far[2 * i + 2] - a->far[2 * i + 1]);
}

/* A block of memory that datatypes lead out of, to where other blocks were in the recorded program. There is memory here, too: before
 * and behind the block, and in far places, of which there are far[0], given by their begins and ends. What is not used of it takes none. */
static char *memory_around(long number, long bytes, long before, long behind, const long *far)
{
    const long page = 65536, low = -((before + page - 1) / page * page), high = (bytes + behind + page - 1) / page * page;
    const size_t first = (size_t)1 << 44, step = (size_t)1 << 32;
    static @size_t next;
    struct around a = {NULL, low, high, far};
    if (number >= 0 && before + behind == 0 && !far) return memory(bytes);
    for (int tries = 0; !a.block && tries < 4096; tries++) {
        size_t at = 0;
        if (far) { /* the lowest place first */
            at = first + next - (far[1] < low ? far[1] : low) + low;
            next = (next + step) % (first - step);
        }
        char *all = reserve(at, high - low);
        int n = 0;
        while (all && far && n < far[0] && reserve(at - low + far[2 * n + 1], far[2 * n + 2] - far[2 * n + 1])) n++;
        if (all) a.block = all - low;
        if (all && far && n < far[0]) {
            unreserve(&a, n);
            a.block = NULL;
        }
    }
    /* The block is a mapping of its own, as recorders see it. */
    if (!a.block || mmap(a.block, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
        fprintf(stderr, "There is no address space for %ld bytes and what is around them.\n", bytes);
        exit(1);
    }
    if (number >= 0) around[number] = a;
    return a.block;
}
`

const releaseText = `static void release(long number, char *block)
{
    struct around *a = &around[number];
    if (!block || a->block != block) {
        free(block);
        return;
    }
    unreserve(a, a->far ? (int)a->far[0] : 0);
    a->block = NULL;
}
`

const releaseLaterText = `static void release_later(long number, char *block)
{
    static @struct around late[64];
    static @int k;
    struct around *a = &around[number], *last = &late[k];
    if (!block || a->block != block) {
        free_later(block);
        return;
    }
    if (last->block) unreserve(last, last->far ? (int)last->far[0] : 0);
    *last = *a;
    k = (k + 1) % 64;
    a->block = NULL;
}
`
