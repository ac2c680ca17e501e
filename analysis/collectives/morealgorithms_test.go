package collectives

func me(p *proc) int { return int(p.rank) }

// ring passes work on from the root, in pieces, by steps of so many ranks.
func bcastRing(p *proc, root, by, pieces int) {
	v := ((me(p)-root)*by%p.n + p.n*p.n) % p.n // by is 1 or -1
	for k := range pieces {
		if v > 0 {
			p.recv(k*count/pieces, count/pieces, (me(p)-by+p.n)%p.n)
		}
		if v < p.n-1 {
			p.send(k*count/pieces, count/pieces, (me(p)+by+p.n)%p.n)
		}
	}
}

func linear(p *proc, root, at, n int) {
	if me(p) != root {
		p.recv(at, n, root)
		return
	}
	for q := range p.n {
		if q != root {
			p.send(at, n, q)
		}
	}
}

func gatherLinear(p *proc, root, block int) {
	if me(p) != root {
		p.send(me(p)*count, block, root)
		return
	}
	for q := range p.n {
		if q != root {
			p.recv(q*count, block, q)
		}
	}
}

func scatterLinear(p *proc, root int) {
	if me(p) != root {
		p.recv(me(p)*count, count, root)
		return
	}
	for q := range p.n {
		if q != root {
			p.send(q*count, count, q)
		}
	}
}

var broadcastAlgorithms = []handMade{
	{"broadcast linear", "broadcast", 1, true, false, func(p *proc, step int) { linear(p, 1, work, count) }},
	{"broadcast linear in segments", "broadcast", 0, true, false, func(p *proc, step int) {
		for q := 1; q < p.n && p.rank == 0; q++ {
			for k := range 2 {
				p.send(k*count/2, count/2, q)
			}
		}
		for k := 0; k < 2 && p.rank > 0; k++ {
			p.recv(k*count/2, count/2, 0)
		}
	}},
	{"broadcast tree", "broadcast", 0, true, false, func(p *proc, step int) { bcastTree(p, 0, work, count) }},
	{"broadcast tree from 2", "broadcast", 2, true, false, func(p *proc, step int) { bcastTree(p, 2, work, count) }},
	{"broadcast ring", "broadcast", 1, true, false, func(p *proc, step int) { bcastRing(p, 1, 1, 1) }},
	{"broadcast ring to the left", "broadcast", 3, true, false, func(p *proc, step int) { bcastRing(p, 3, -1, 1) }},
	{"broadcast pipelined", "broadcast", 0, true, false, func(p *proc, step int) { bcastRing(p, 0, 1, 4) }},
	{"broadcast binary tree", "broadcast", 0, true, false, func(p *proc, step int) {
		if p.rank > 0 {
			p.recv(work, count, (me(p)-1)/2)
		}
		for q := 2*me(p) + 1; q <= 2*me(p)+2 && q < p.n; q++ {
			p.send(work, count, q)
		}
	}},
	{"broadcast hypercube", "broadcast", 0, true, true, func(p *proc, step int) {
		for mask := p.n / 2; mask > 0; mask /= 2 {
			if me(p)%(2*mask) == 0 {
				p.send(work, count, me(p)+mask)
			} else if me(p)%(2*mask) == mask {
				p.recv(work, count, me(p)-mask)
			}
		}
	}},
	{"broadcast two-level", "broadcast", 0, true, false, func(p *proc, step int) { // to even ones, and from these
		switch {
		case p.rank == 0:
			for q := 2; q < p.n; q += 2 {
				p.send(work, count, q)
			}
		case p.rank%2 == 0:
			p.recv(work, count, 0)
		default:
			p.recv(work, count, me(p)-1)
		}
		if p.rank%2 == 0 && me(p)+1 < p.n {
			p.send(work, count, me(p)+1)
		}
	}},
	{"broadcast two rings", "broadcast", 0, true, false, func(p *proc, step int) {
		half := p.n / 2
		switch {
		case p.rank == 0:
			p.send(work, count, 1)
			p.send(work, count, half+1)
		case me(p) == 1 || me(p) == half+1:
			p.recv(work, count, 0)
		default:
			p.recv(work, count, me(p)-1)
		}
		if p.rank > 0 && me(p) != half && me(p) != p.n-1 {
			p.send(work, count, me(p)+1)
		}
	}},
	{"broadcast amid noise", "broadcast", 0, true, false, func(p *proc, step int) {
		p.fill(1000, 5, 100*step+7)
		bcastTree(p, 0, work, count)
		if p.rank == 1 {
			p.send(1000, 5, 2)
		} else if p.rank == 2 {
			p.recv(1100, 5, 1)
		}
	}},
}

var exchangeAlgorithms = []handMade{
	{"allgather ring", "allgather", -1, true, false, func(p *proc, step int) { allgatherRing(p, me(p)) }},
	{"allgather linear", "allgather", -1, true, false, func(p *proc, step int) {
		for q := range p.n {
			if q != me(p) {
				p.send(me(p)*count, count, q)
			}
		}
		for q := range p.n {
			if q != me(p) {
				p.recv(q*count, count, q)
			}
		}
	}},
	{"scatter linear", "scatter", 0, false, false, func(p *proc, step int) { scatterLinear(p, 0) }},
	{"scatter linear from 2", "scatter", 2, false, false, func(p *proc, step int) { scatterLinear(p, 2) }},
	{"gather linear", "gather", 0, false, false, func(p *proc, step int) { gatherLinear(p, 0, count) }},
	{"gather linear to 1", "gather", 1, false, false, func(p *proc, step int) { gatherLinear(p, 1, count) }},
	{"scatter ring", "scatter", 0, false, false, func(p *proc, step int) { // each keeps the first block
		n := p.n - me(p)
		if p.rank > 0 {
			p.recv(me(p)*count, n*count, me(p)-1)
		}
		if n > 1 {
			p.send((me(p)+1)*count, (n-1)*count, me(p)+1)
		}
	}},
	{"gather ring", "gather", 0, false, false, func(p *proc, step int) {
		n := p.n - me(p)
		if n > 1 {
			p.recv((me(p)+1)*count, (n-1)*count, me(p)+1)
		}
		if p.rank > 0 {
			p.send(me(p)*count, n*count, me(p)-1)
		}
	}},
	{"all-to-all linear", "all-to-all", -1, false, false, func(p *proc, step int) {
		for q := range p.n {
			if q != me(p) {
				p.send(q*count, count, q)
			}
		}
		for q := range p.n {
			if q != me(p) {
				p.recv(scratch+q*count, count, q)
			}
		}
	}},
	{"all-to-all shifted", "all-to-all", -1, false, false, func(p *proc, step int) {
		for k := 1; k < p.n; k++ {
			to, from := (me(p)+k)%p.n, (me(p)-k+p.n)%p.n
			p.swap(to*count, count, to, scratch+from*count, count, from)
		}
	}},
	{"all-to-all pairwise", "all-to-all", -1, false, true, func(p *proc, step int) {
		for k := 1; k < p.n; k++ {
			q := me(p) ^ k
			p.swap(q*count, count, q, scratch+q*count, count, q)
		}
	}},
	{"all-to-all Bruck", "all-to-all", -1, false, false, func(p *proc, step int) {
		for i := range p.n { // what goes to the i-th next
			p.pack(scratch+i*count, work+(me(p)+i)%p.n*count, count)
		}
		const out, in = scratch + 500, scratch + 1000
		for d := 1; d < p.n; d *= 2 {
			n := 0
			for i := range p.n {
				if i&d != 0 {
					p.pack(out+n, scratch+i*count, count)
					n += count
				}
			}
			p.swap(out, n, (me(p)+d)%p.n, in, n, (me(p)-d+p.n)%p.n)
			n = 0
			for i := range p.n {
				if i&d != 0 {
					p.pack(scratch+i*count, in+n, count)
					n += count
				}
			}
		}
	}},
	{"barrier by dissemination", "barrier", -1, false, false, func(p *proc, step int) {
		for k := 1; k < p.n; k *= 2 {
			p.swap(0, 0, (me(p)+k)%p.n, 0, 0, (me(p)-k+p.n)%p.n)
		}
	}},
	{"barrier linear", "barrier", -1, false, false, func(p *proc, step int) {
		gatherLinear(p, 0, 0)
		linear(p, 0, 0, 0)
	}},
	{"barrier tree", "barrier", -1, false, false, func(p *proc, step int) {
		reduceTree(p, 0, 0)
		bcastTree(p, 0, 0, 0)
	}},
}

var moreReductions = []handMade{
	{"reduce linear", "reduce", 1, false, false, func(p *proc, step int) {
		if p.rank != 1 {
			p.send(work, count, 1)
			return
		}
		for q := range p.n {
			if q != 1 {
				p.recv(scratch, count, q)
				p.add(work, scratch, count)
			}
		}
	}},
	{"reduce binary tree", "reduce", 0, false, false, func(p *proc, step int) {
		for q := 2*me(p) + 1; q <= 2*me(p)+2 && q < p.n; q++ {
			p.recv(scratch, count, q)
			p.add(work, scratch, count)
		}
		if p.rank > 0 {
			p.send(work, count, (me(p)-1)/2)
		}
	}},
	{"allreduce by two rings", "allreduce", -1, false, false, func(p *proc, step int) {
		if me(p) < p.n-1 {
			p.recv(scratch, count, me(p)+1)
			p.add(work, scratch, count)
		}
		if p.rank > 0 {
			p.send(work, count, me(p)-1)
		}
		bcastRing(p, 0, 1, 1)
	}},
	{"reduce-scatter by reduce and scatter", "reduce-scatter", -1, false, false, func(p *proc, step int) {
		reduceTree(p, 0, p.n*count)
		scatterLinear(p, 0)
	}},
	{"reduce-scatter pairwise", "reduce-scatter", -1, false, false, func(p *proc, step int) {
		for k := 1; k < p.n; k++ {
			to, from := (me(p)+k)%p.n, (me(p)-k+p.n)%p.n
			p.swap(to*count, count, to, scratch, count, from)
			p.add(me(p)*count, scratch, count)
		}
	}},
	{"scan by all before", "scan", -1, false, false, func(p *proc, step int) {
		for q := me(p) + 1; q < p.n; q++ {
			p.send(work, count, q)
		}
		for q := range me(p) {
			p.recv(scratch, count, q)
			p.add(work, scratch, count)
		}
	}},
	{"exscan by doubling of the data before", "exscan", -1, true, false, func(p *proc, step int) {
		const before = 1000
		if me(p)+1 < p.n {
			p.send(work, count, me(p)+1)
		}
		if p.rank > 0 {
			p.recv(before, count, me(p)-1)
		}
		for d := 1; d < p.n-1; d *= 2 {
			if p.rank > 0 && me(p)+d < p.n {
				p.send(before, count, me(p)+d)
			}
			if me(p)-d > 0 {
				p.recv(scratch, count, me(p)-d)
				p.add(before, scratch, count)
			}
		}
	}},
	{"allreduce by dissemination", "allreduce", -1, true, true, func(p *proc, step int) {
		for d := 1; d < p.n; d *= 2 {
			p.swap(work, count, (me(p)+d)%p.n, scratch, count, (me(p)-d+p.n)%p.n)
			p.add(work, scratch, count)
		}
	}},
	{"allgather by linear gather and broadcast", "allgather", -1, false, false, func(p *proc, step int) {
		gatherLinear(p, 0, count)
		linear(p, 0, 0, p.n*count)
	}},
}
