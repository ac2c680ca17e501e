package collectives

import (
	"fmt"
	"slices"
	"testing"
)

const count = 24 // elements of a block

// An algorithm is one of those that programs write by hand. step is the number of the instance.
type handMade struct {
	name, operation string
	root            int // -1: it has none
	proven          bool
	power           bool // for a power of two of ranks
	run             func(p *proc, step int)
}

// without is what some are named on a power of two of ranks without contents: the messages are the same.
var without = map[string]string{"all-to-all Bruck": "allreduce"}

// provenFrom is from how many ranks on some send anything that proves what they do.
var provenFrom = map[string]int{"exscan by doubling of the data before": 5}

const (
	work    = 0    // data
	scratch = 2048 // what is received to be added
)

func reduceTree(p *proc, root, n int) {
	v := (int(p.rank) - root + p.n) % p.n
	for mask := 1; mask < p.n; mask <<= 1 {
		if v&mask != 0 {
			p.send(work, n, (v-mask+root)%p.n)
			return
		}
		if v+mask < p.n {
			p.recv(scratch, n, (v+mask+root)%p.n)
			p.add(work, scratch, n)
		}
	}
}

func bcastTree(p *proc, root, at, n int) {
	v, mask := (int(p.rank)-root+p.n)%p.n, 1
	for ; mask < p.n; mask <<= 1 {
		if v&mask != 0 {
			p.recv(at, n, (v-mask+root)%p.n)
			break
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if v+mask < p.n {
			p.send(at, n, (v+mask+root)%p.n)
		}
	}
}

func reduceScatterRing(p *proc) {
	right, left := (int(p.rank)+1)%p.n, (int(p.rank)+p.n-1)%p.n
	for k := range p.n - 1 {
		out, in := (int(p.rank)-k+p.n)%p.n, (int(p.rank)-k-1+p.n)%p.n
		p.swap(out*count, count, right, scratch, count, left)
		p.add(in*count, scratch, count)
	}
}

func allgatherRing(p *proc, mine int) {
	right, left := (int(p.rank)+1)%p.n, (int(p.rank)+p.n-1)%p.n
	for k := range p.n - 1 {
		p.swap((mine-k+2*p.n)%p.n*count, count, right, (mine-k-1+2*p.n)%p.n*count, count, left)
	}
}

var reductionAlgorithms = []handMade{
	{"reduce tree", "reduce", 0, false, false, func(p *proc, step int) { reduceTree(p, 0, count) }},
	{"reduce tree to 2", "reduce", 2, false, false, func(p *proc, step int) { reduceTree(p, 2, count) }},
	{"reduce ring", "reduce", 0, false, false, func(p *proc, step int) {
		if int(p.rank) < p.n-1 {
			p.recv(scratch, count, int(p.rank)+1)
			p.add(work, scratch, count)
		}
		if p.rank > 0 {
			p.send(work, count, int(p.rank)-1)
		}
	}},
	{"reduce pipelined", "reduce", 0, false, false, func(p *proc, step int) {
		for k := range 3 {
			if int(p.rank) < p.n-1 {
				p.recv(scratch, count/3, int(p.rank)+1)
				p.add(k*count/3, scratch, count/3)
			}
			if p.rank > 0 {
				p.send(k*count/3, count/3, int(p.rank)-1)
			}
		}
	}},
	{"reduce two-level", "reduce", 0, false, false, func(p *proc, step int) { // pairs, and then a tree of the even ones
		if p.rank%2 == 1 {
			p.send(work, count, int(p.rank)-1)
			return
		}
		if int(p.rank)+1 < p.n {
			p.recv(scratch, count, int(p.rank)+1)
			p.add(work, scratch, count)
		}
		if p.rank > 0 {
			p.send(work, count, 0)
			return
		}
		for q := 2; q < p.n; q += 2 {
			p.recv(scratch, count, q)
			p.add(work, scratch, count)
		}
	}},
	{"allreduce recursive doubling", "allreduce", -1, true, true, func(p *proc, step int) {
		for mask := 1; mask < p.n; mask <<= 1 {
			p.swap(work, count, int(p.rank)^mask, scratch, count, int(p.rank)^mask)
			p.add(work, scratch, count)
		}
	}},
	{"reduce-scatter halving", "reduce-scatter", -1, false, true, func(p *proc, step int) {
		low, high := 0, p.n
		for mask := p.n / 2; mask > 0; mask /= 2 {
			mid := (low + high) / 2
			keepLow := int(p.rank)&mask == 0
			from, to := mid, high
			if !keepLow {
				from, to = low, mid
			}
			n := (to - from) * count
			p.swap(from*count, n, int(p.rank)^mask, scratch, n, int(p.rank)^mask)
			if keepLow {
				high = mid
			} else {
				low = mid
			}
			p.add(low*count, scratch, n)
		}
	}},
	{"reduce-scatter ring", "reduce-scatter", -1, false, false, func(p *proc, step int) { reduceScatterRing(p) }},
	{"scan linear", "scan", -1, false, false, func(p *proc, step int) {
		if p.rank > 0 {
			p.recv(scratch, count, int(p.rank)-1)
			p.add(work, scratch, count)
		}
		if int(p.rank) < p.n-1 {
			p.send(work, count, int(p.rank)+1)
		}
	}},
	{"scan by doubling", "scan", -1, true, false, func(p *proc, step int) {
		for d := 1; d < p.n; d *= 2 {
			if int(p.rank)+d < p.n {
				p.send(work, count, int(p.rank)+d)
			}
			if int(p.rank) >= d {
				p.recv(scratch, count, int(p.rank)-d)
				p.add(work, scratch, count)
			}
		}
	}},
}

var composedAlgorithms = []handMade{
	{"allreduce by tree", "allreduce", -1, false, false, func(p *proc, step int) {
		reduceTree(p, 0, count)
		bcastTree(p, 0, work, count)
	}},
	{"allreduce ring", "allreduce", -1, false, false, func(p *proc, step int) {
		reduceScatterRing(p)
		allgatherRing(p, int(p.rank)+1)
	}},
	{"reduce linear and broadcast", "allreduce", -1, false, false, func(p *proc, step int) {
		if p.rank > 0 {
			p.send(work, count, 0)
			p.recv(work, count, 0)
			return
		}
		for q := 1; q < p.n; q++ {
			p.recv(scratch, count, q)
			p.add(work, scratch, count)
		}
		for q := 1; q < p.n; q++ {
			p.send(work, count, q)
		}
	}},
}

// blocksOf is the range of blocks that a process has in a binomial tree of which 0 is the root.
func blocksOf(rank, n int) (from, to int) {
	if rank == 0 {
		return 0, n
	}
	return rank, min(rank+rank&-rank, n)
}

func scatterTree(p *proc) {
	mask := 1
	for ; mask < p.n && int(p.rank)&mask == 0; mask <<= 1 {
	}
	if p.rank > 0 {
		from, to := blocksOf(int(p.rank), p.n)
		p.recv(work+from*count, (to-from)*count, int(p.rank)-mask)
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if q := int(p.rank) + mask; q < p.n {
			from, to := blocksOf(q, p.n)
			p.send(work+from*count, (to-from)*count, q)
		}
	}
}

func gatherTree(p *proc) {
	for mask := 1; mask < p.n; mask <<= 1 {
		if int(p.rank)&mask != 0 {
			from, to := blocksOf(int(p.rank), p.n)
			p.send(work+from*count, (to-from)*count, int(p.rank)-mask)
			return
		}
		if q := int(p.rank) + mask; q < p.n {
			from, to := blocksOf(q, p.n)
			p.recv(work+from*count, (to-from)*count, q)
		}
	}
}

// pack copies elements, as programs do before they send them from elsewhere.
func (p *proc) pack(to, from, n int) { copy(p.mem[to:to+n], p.mem[from:from+n]) }

var copyAlgorithms = []handMade{
	{"scatter tree", "scatter", 0, false, false, func(p *proc, step int) { scatterTree(p) }},
	{"gather tree", "gather", 0, false, false, func(p *proc, step int) { gatherTree(p) }},
	{"allgather doubling", "allgather", -1, true, true, func(p *proc, step int) {
		for mask := 1; mask < p.n; mask <<= 1 {
			mine, other := int(p.rank)&^(mask-1), (int(p.rank)^mask)&^(mask-1)
			p.swap(work+mine*count, mask*count, int(p.rank)^mask, work+other*count, mask*count, int(p.rank)^mask)
		}
	}},
	{"allgather Bruck", "allgather", -1, true, false, func(p *proc, step int) {
		p.pack(scratch, work+int(p.rank)*count, count)
		for have := 1; have < p.n; {
			n := min(have, p.n-have)
			p.swap(scratch, n*count, (int(p.rank)-have+p.n)%p.n, scratch+have*count, n*count, (int(p.rank)+have)%p.n)
			have += n
		}
	}},
	{"broadcast by scatter and allgather ring", "broadcast", 0, true, false, func(p *proc, step int) {
		scatterTree(p)
		allgatherRing(p, int(p.rank))
	}},
	{"allgather by gather and broadcast", "allgather", -1, false, false, func(p *proc, step int) {
		gatherTree(p)
		bcastTree(p, 0, work, p.n*count)
	}},
}

// TestAlgorithms: whatever hand-written algorithm, the operation is found, with its ranks, root and grade.
func TestAlgorithms(t *testing.T) {
	runs := 0
	for _, x := range slices.Concat(reductionAlgorithms, composedAlgorithms, copyAlgorithms, broadcastAlgorithms,
		exchangeAlgorithms, moreReductions) {
		for _, n := range []int{4, 7, 16} {
			if x.power && n&(n-1) != 0 {
				continue
			}
			for kind := range 3 { // integers, reals, without contents
				if n == 16 && kind > 0 {
					continue
				}
				runs++
				ms := runJob(n, kind == 1, kind != 2, func(p *proc) {
					for step := range 3 {
						p.fill(work, p.n*count, step)
						x.run(p, step)
					}
				})
				found, _ := find(ms, map[int32]int{0: n}, func(int32) int32 { return 0 },
					func([]*item) error { return nil })
				checkAlgorithm(t, &x, n, kind, found)
			}
		}
	}
	t.Logf("%d runs", runs)
}

func checkAlgorithm(t *testing.T, x *handMade, n, kind int, found []Finding) {
	t.Helper()
	name := fmt.Sprintf("%s, %d ranks, %s", x.name, n, []string{"integers", "reals", "no contents"}[kind])
	if len(found) != 1 {
		t.Errorf("%s: %d findings: %+v", name, len(found), found)
		return
	}
	f := &found[0]
	grade, roots := Consistent, "[]"
	if x.proven && kind < 2 && n >= provenFrom[x.name] {
		grade = Proven
	}
	if x.root >= 0 {
		roots = fmt.Sprint([]int{x.root})
	}
	operation := x.operation
	if kind == 2 && n&(n-1) == 0 && without[x.name] != "" {
		operation = without[x.name]
	}
	if f.Operation != operation || f.Grade != grade || fmt.Sprint(f.Roots) != roots || len(f.Sets) != 1 ||
		len(f.Sets[0]) != n ||
		f.Instances != 3 {
		t.Errorf("%s: %+v", name, *f)
	}
}
