package collectives

import (
	"fmt"
	"testing"
)

// lookAlikes send what is no collective.
var lookAlikes = map[string]func(p *proc, step int){
	"halo": func(p *proc, _ int) {
		left, right := (me(p)+p.n-1)%p.n, (me(p)+1)%p.n
		p.swap(0, count, left, scratch, count, right)
		p.swap(count, count, right, scratch+count, count, left)
	},
	"halo, the same to both": func(p *proc, _ int) {
		left, right := (me(p)+p.n-1)%p.n, (me(p)+1)%p.n
		p.swap(0, count, left, scratch, count, right)
		p.swap(0, count, right, scratch+count, count, left)
	},
	"halo without ends": func(p *proc, _ int) {
		for _, d := range []int{-1, 1} {
			if to := me(p) + d; to >= 0 && to < p.n {
				p.send((1+d)*count, count, to)
			}
			if from := me(p) - d; from >= 0 && from < p.n {
				p.recv(scratch, count, from)
			}
		}
	},
	"halo of two ranks": func(p *proc, _ int) {
		for d := 1; d <= 2; d++ {
			p.swap(0, count, (me(p)+d)%p.n, scratch, count, (me(p)+p.n-d)%p.n)
		}
	},
	"wavefront": func(p *proc, step int) {
		if p.rank > 0 {
			p.recv(0, count, me(p)-1)
			p.change(step)
		}
		if me(p) < p.n-1 {
			p.send(0, count, me(p)+1)
		}
	},
	"two sweeps": func(p *proc, step int) {
		if p.rank > 0 {
			p.recv(0, count, me(p)-1)
			p.change(step)
			p.send(0, count, me(p)-1)
		}
		if me(p) < p.n-1 {
			p.send(0, count, me(p)+1)
			p.recv(0, count, me(p)+1)
			p.change(step)
		}
	},
	"pairs": func(p *proc, _ int) {
		if q := me(p) ^ 1; q < p.n {
			p.swap(0, count, q, scratch, count, q)
		}
	},
	"transpose of blocks": func(p *proc, _ int) {
		if q := p.n - 1 - me(p); q != me(p) {
			p.swap(0, count, q, scratch, count, q)
		}
	},
	"queue": func(p *proc, _ int) {
		if p.rank == 0 {
			for k := range 2 * (p.n - 1) {
				p.recv(scratch, 4, 1+k%(p.n-1))
				p.send(k%3*count, count, 1+k%(p.n-1))
			}
			return
		}
		for range 2 {
			p.send(0, 4, 0)
			p.recv(0, count, 0)
		}
	},
	"some to one": func(p *proc, _ int) {
		if me(p) > p.n/2 {
			p.send(0, count*(1+me(p)%2), 0)
		}
		for q := p.n/2 + 1; q < p.n && p.rank == 0; q++ {
			p.recv(scratch, count*(1+q%2), q)
		}
	},
	"half a doubling": func(p *proc, step int) {
		for mask := 1; mask < 4; mask <<= 1 {
			if q := me(p) ^ mask; q < p.n {
				p.swap(0, count, q, scratch, count, q)
				p.change(step)
			}
		}
	},
}

// change computes something that is no sum.
func (p *proc) change(step int) {
	for i := range count {
		p.mem[i] = float64(int(p.mem[i]*3+float64(i+step))%99991 + 5)
	}
}

var payloads = map[string]func(p *proc, step int){
	"own data":           func(p *proc, step int) { p.fill(0, 4*count, step) },
	"the same each time": func(p *proc, _ int) { p.fill(0, 4*count, 0) },
	"equal everywhere": func(p *proc, _ int) {
		for i := range 4 * count {
			p.mem[i] = float64(i + 1)
		}
	},
	"nothing but zeros": func(p *proc, _ int) { clear(p.mem[:4*count]) },
}

// TestLookAlikes: what only looks like a collective is never proven.
func TestLookAlikes(t *testing.T) {
	n := 0
	for name, run := range lookAlikes {
		for what, fill := range payloads {
			n++
			for _, ranks := range []int{4, 7} {
				ms := runJob(ranks, false, true, func(p *proc) {
					for step := range 3 {
						fill(p, step)
						run(p, step)
					}
				})
				for _, f := range Find(ms, map[int32]int{0: ranks}) {
					if f.Grade == Proven || f.Proven > 0 {
						t.Errorf("%s, %s, %d ranks: %s", name, what, ranks, fmt.Sprintf("%+v", f))
					}
				}
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d look-alikes", n)
	}
}
