package synthetic

import (
	"errors"
	"math"
	"slices"
)

// irregular are programs with changing peers, sizes, tags and orders.
func irregular() []*Program {
	return []*Program{
		{Name: "amr", About: "peers, sizes and tags change at each regridding", Body: amr},
		{Name: "master-worker", About: "rank 0 hands out tasks to whoever is ready, by wildcard receives", Fits: two,
			Body: masterWorker},
		{Name: "polls", About: "Test, Iprobe, Testsome and Waitsome with wildcards and random delays", Fits: two,
			Body: polls},
	}
}

func two(p Params) error {
	if p.Ranks < 2 {
		return errors.New("it needs two ranks")
	}
	return nil
}

// What the random numbers that ranks share are used for.
const (
	keyPartner = iota + 1
	keyPresent
	keySize
	keyTag
	keyTasks
	keyTask
	keyResult
	keyDegree
)

// permutation is a bijection on 0..n-1 that all ranks can evaluate: a Feistel network on the
// next power of four, walked until it is back in range (Black and Rogaway, Ciphers with
// arbitrary finite domains, CT-RSA 2002).
type permutation struct {
	n    int
	half uint
	keys [4]uint64
}

func (r *Rank) permutation(n int, keys ...uint64) permutation {
	p := permutation{n: n, half: 1}
	for 1<<(2*p.half) < n {
		p.half++
	}
	h := mix(r.Seed, keys...)
	for i := range p.keys {
		h = mix(h, uint64(i))
		p.keys[i] = h
	}
	return p
}

func (p *permutation) walk(x int, back bool) int {
	mask := uint64(1)<<p.half - 1
	for {
		a, b := uint64(x)>>p.half, uint64(x)&mask
		for i := range p.keys {
			if back {
				a, b = b^mix(p.keys[len(p.keys)-1-i], a)&mask, a
			} else {
				a, b = b, a^mix(p.keys[i], b)&mask
			}
		}
		if x = int(a<<p.half | b); x < p.n {
			return x
		}
	}
}

// partner pairs the ranks up at random; it is the caller itself for at most one of them.
func (r *Rank) partner(keys ...uint64) int {
	p := r.permutation(r.Ranks, keys...)
	at := p.walk(r.Rank, false) ^ 1
	if at >= r.Ranks {
		return r.Rank
	}
	return p.walk(at, true)
}

// matchingBits is the information in a random pairing, for each rank.
func matchingBits(n int) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v / math.Ln2 }
	m := float64(n / 2)
	return (lg(float64(n)) - lg(m) - m) / float64(n)
}

// amr exchanges with random partners. Every 8 steps the mesh is rebuilt: then the partners and the
// amounts of data change. Tags change with every step.
func amr(r *Rank) {
	const regrid, slots, sizes = 8, 6, 500
	in, out := r.Malloc(8*slots*sizes), r.Malloc(8*slots*sizes)
	type edge struct{ slot, peer, send, recv int }
	var edges []edge
	var qs []*Request
	pairing := matchingBits(r.Ranks)
	for step := range r.Steps {
		e := uint64(step / regrid)
		if step%regrid == 0 {
			edges = edges[:0]
			for s := range slots {
				peer := r.partner(keyPartner, e, uint64(s))
				lo, hi := uint64(min(r.Rank, peer)), uint64(max(r.Rank, peer))
				r.Know(pairing + 0.5*binaryEntropy(0.75))
				if peer == r.Rank || r.Shared(4, keyPresent, e, uint64(s), lo, hi) == 0 {
					continue
				}
				size := func(from, to int) int {
					return 1 + r.Shared(sizes, keySize, e, uint64(s), uint64(from), uint64(to))
				}
				r.Know(math.Log2(sizes)) // two messages, each known at two ends
				edges = append(edges, edge{s, peer, size(r.Rank, peer), size(peer, r.Rank)})
			}
			r.Allreduce(14, r.Stack(-64), Data{r.Stack(-56), 1, r.Int}, r.World)
		}
		tag := r.Shared(1000, keyTag, uint64(step))
		r.Know(math.Log2(1000) / float64(r.Ranks)) // the same for all
		qs = qs[:0]
		for _, x := range edges {
			qs = append(qs, r.Irecv(18, Data{r.At(in, 8*sizes*x.slot), x.recv, r.Double}, x.peer, tag+x.slot, r.World,
				r.From(x.peer, tag+x.slot, 8*x.recv)))
		}
		for _, x := range edges {
			qs = append(qs, r.Isend(21, Data{r.At(out, 8*sizes*x.slot), x.send, r.Double}, x.peer, tag+x.slot, r.World))
		}
		r.Waitall(23, qs, true)
	}
}

func binaryEntropy(p float64) float64 { return -p*math.Log2(p) - (1-p)*math.Log2(1-p) }

const (
	tagTask, tagStop, tagResult = 1, 2, 3
	longestResult               = 200
)

// tasks is how many tasks a worker gets.
func (r *Rank) tasks(worker int) int {
	return r.Steps + r.Shared(r.Steps+1, keyTasks, uint64(worker))
}

func masterWorker(r *Rank) {
	const n = 16
	buf := r.Malloc(8 * longestResult)
	result := func(w, k int) int { return 1 + r.Shared(longestResult, keyResult, uint64(w), uint64(k)) }
	if r.Rank == 0 {
		master(r, buf, n, result)
		return
	}
	for k := range r.tasks(r.Rank) {
		r.Recv(31, Data{r.At(buf, 0), n, r.Double}, 0, r.lib.anyTag, r.World, r.From(0, tagTask, 8*n), false)
		r.busy = uint64(r.Shared(10_000, keyTask, uint64(r.Rank), uint64(k)))
		r.Know(math.Log2(longestResult) / 2)
		r.Send(33, Data{r.At(buf, 0), result(r.Rank, k), r.Double}, 0, tagResult, r.World)
	}
	r.Recv(31, Data{r.At(buf, 0), n, r.Double}, 0, r.lib.anyTag, r.World, r.From(0, tagStop, 0), false)
}

// master gives each worker a task, then the next one to whoever returns a result.
func master(r *Rank, buf *Buffer, n int, result func(w, k int) int) {
	done := make([]int, r.Ranks)
	var at []int // workers at work
	hand := func(line, w int) bool {
		if done[w] == r.tasks(w) {
			r.Send(line+1, Data{r.At(buf, 0), 0, r.Double}, w, tagStop, r.World)
			return false
		}
		r.Send(line, Data{r.At(buf, 0), n, r.Double}, w, tagTask, r.World)
		return true
	}
	for w := 1; w < r.Ranks; w++ {
		r.Know(math.Log2(float64(r.Steps + 1)))
		if hand(12, w) {
			at = append(at, w)
		}
	}
	for len(at) > 0 {
		i := r.Choose(len(at))
		w := at[i]
		size := 8 * result(w, done[w])
		r.Know(math.Log2(longestResult) / 2)
		r.Recv(18, Data{r.At(buf, 0), longestResult, r.Double}, r.lib.anySource, r.lib.anyTag, r.World,
			r.From(w, tagResult, size), false)
		done[w]++
		if !hand(21, w) {
			at[i] = at[len(at)-1]
			at = at[:len(at)-1]
		}
	}
}

// polls exchanges with a few partners in each step. Their messages arrive in any order and after
// any time. A barrier keeps the steps apart.
func polls(r *Rank) {
	const slots = 4
	b := r.Malloc(1 << 16)
	at := func(i int) Address { return r.At(b, 1024*i) }
	type link struct{ to, from, bytes int }
	links := make([]link, slots)
	for s := range links {
		by := 1 + s%(r.Ranks-1)
		links[s] = link{(r.Rank + by) % r.Ranks, (r.Rank - by + r.Ranks) % r.Ranks, 0}
	}
	var sends, recvs []*Request
	for step := range r.Steps {
		sends, recvs = sends[:0], recvs[:0]
		size := func(from, s int) int { return 1 + r.Shared(100, keySize, uint64(step), uint64(from), uint64(s)) }
		for s := range links {
			links[s].bytes = 8 * size(links[s].from, s)
			r.Know(math.Log2(100))
		}
		// Wildcards: which message meets which receive depends on their arrival.
		for _, s := range r.order(slots) {
			l := links[s]
			recvs = append(recvs, r.Irecv(12, Data{at(len(recvs)), 128, r.Double}, r.lib.anySource, 30, r.World,
				r.From(l.from, 30, l.bytes)))
		}
		for s, l := range links {
			sends = append(sends, r.Isend(15, Data{at(slots + s), size(r.Rank, s), r.Double}, l.to, 30, r.World))
		}
		r.arrivals(recvs, step%2 == 0)
		r.Waitall(27, sends, true)
		r.handshake(links[0].to, links[0].from, at(2*slots), step)
		r.Barrier(39, r.World)
	}
}

// order is a random order in which messages arrive. Messages from one sender to one receiver with
// the same tag would have to stay in order; with few ranks there is only one such message.
func (r *Rank) order(n int) []int {
	is := make([]int, n)
	for i := range is {
		is[i] = i
	}
	if r.Ranks <= n {
		return is
	}
	for i := n - 1; i > 0; i-- {
		k := r.Choose(i + 1)
		is[i], is[k] = is[k], is[i]
	}
	return is
}

// arrivals completes receives as their messages come.
func (r *Rank) arrivals(qs []*Request, wait bool) {
	left := make([]int, len(qs))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		if !wait {
			for range r.Geometric(5) {
				r.Testsome(21, qs, nil)
			}
		}
		n := 1 + r.Choose(len(left))
		var which []int
		for range n {
			k := r.Choose(len(left))
			which = append(which, left[k])
			left = append(left[:k], left[k+1:]...)
		}
		slices.Sort(which)
		r.Know(-math.Log2(factorial(n))) // only the set counts
		if wait {
			r.Waitsome(24, qs, which)
		} else {
			r.Testsome(21, qs, which)
		}
	}
}

func factorial(n int) float64 {
	f := 1.0
	for i := 2; i <= n; i++ {
		f *= float64(i)
	}
	return f
}

// handshake sends one message and probes for one, whose request it then tests.
func (r *Rank) handshake(to, from int, at Address, step int) {
	q := r.Isend(30, Data{at, 1000, r.Double}, to, 31, r.World)
	for range r.Geometric(8) {
		r.Iprobe(31, r.lib.anySource, 31, r.World, false, Status{})
	}
	got := r.From(from, 31, 8000)
	r.Iprobe(31, r.lib.anySource, 31, r.World, true, got)
	at.Off += 8000
	r.Recv(33, Data{at, 1000, r.Double}, from, 31, r.World, got, true)
	for range r.Geometric(3) {
		r.Test(35, q, false)
	}
	r.Test(35, q, true)
}
