package collectives

import (
	"fmt"
	"math"
	"testing"
)

// combine puts elements together by an operation.
func (p *proc) combine(to, from, n int, op func(a, b float64) float64) {
	for i := range n {
		p.mem[to+i] = op(p.mem[to+i], p.mem[from+i])
	}
}

func allreduceDoubling(p *proc, op func(a, b float64) float64) {
	for mask := 1; mask < p.n; mask <<= 1 {
		p.swap(work, count, me(p)^mask, scratch, count, me(p)^mask)
		p.combine(work, scratch, count, op)
	}
}

func scanDoubling(p *proc, op func(a, b float64) float64) {
	for d := 1; d < p.n; d *= 2 {
		if me(p)+d < p.n {
			p.send(work, count, me(p)+d)
		}
		if me(p) >= d {
			p.recv(scratch, count, me(p)-d)
			p.combine(work, scratch, count, op)
		}
	}
}

func whole2(f func(a, b int64) int64) func(a, b float64) float64 {
	return func(a, b float64) float64 { return float64(f(int64(a), int64(b))) }
}

// operations are those of reductions. domain bounds data, so that products fit. The last is no operation of MPI: it
// commutes.
var operations = []struct {
	name   string
	domain int
	reals  bool
	of     func(a, b float64) float64
}{
	{"MPI_SUM", 1 << 20, true, func(a, b float64) float64 { return a + b }},
	{"MPI_PROD", 7, true, func(a, b float64) float64 { return a * b }},
	{"MPI_MIN", 1 << 20, true, math.Min},
	{"MPI_MAX", 1 << 20, true, math.Max},
	{"MPI_LAND", -2, false, whole2(func(a, b int64) int64 { return truth(a != 0 && b != 0) })},
	{"MPI_LOR", 2, false, whole2(func(a, b int64) int64 { return truth(a != 0 || b != 0) })},
	{"MPI_BAND", 1 << 20, false, whole2(func(a, b int64) int64 { return a & b })},
	{"MPI_BOR", 1 << 20, false, whole2(func(a, b int64) int64 { return a | b })},
	{"MPI_BXOR", 1 << 20, false, whole2(func(a, b int64) int64 { return a ^ b })},
	{"", 1 << 20, true, func(a, b float64) float64 { return math.Abs(a-b) + 1 }},
}

// domainOf fills with numbers below domain that differ from element to element in no simple way. Of a domain of -2 and
// 2 most are 1, and 0.
func (p *proc) domainOf(n, domain, step int) {
	for i := range n {
		h := uint64(int(p.rank)*7919+i*104729+step*15485863+1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
		switch v := float64(h >> 33 % uint64(max(domain, 1))); {
		case domain == -2:
			p.mem[i] = float64(truth(h>>33%4 != 0))
		case domain == 2:
			p.mem[i] = float64(truth(h>>33%4 == 0))
		case p.reals:
			p.mem[i] = v/7 + 0.1
		default:
			p.mem[i] = v + 1
		}
	}
}

func operationJob(run func(p *proc), n int, reals bool, domain int) []Message {
	return runJob(n, reals, true, func(p *proc) {
		for step := range 3 {
			p.domainOf(count, domain, step)
			run(p)
		}
	})
}

func oneOf(t *testing.T, name string, n int, ms []Message) *Finding {
	t.Helper()
	found, err := find(ms, map[int32]int{0: n}, func(int32) int32 { return 0 }, func([]*item) error { return nil })
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %+v", name, err, found)
	}
	return &found[0]
}

// TestOperations: samples tell the operation. Without them, an allreduce is proven by what processes make alike.
func TestOperations(t *testing.T) {
	for _, o := range operations {
		for _, reals := range []bool{false, true} {
			if reals && !o.reals {
				continue
			}
			for _, n := range ranksFor(o.domain) {
				for _, samples := range []bool{true, false} {
					name := fmt.Sprint(o.name, " reals ", reals, " ranks ", n, " samples ", samples)
					all := operationJob(func(p *proc) { allreduceDoubling(p, o.of) }, n, reals, o.domain)
					scan := operationJob(func(p *proc) { scanDoubling(p, o.of) }, n, reals, o.domain)
					if !samples {
						if o.domain < 3 { // results are often those of one process
							continue
						}
						drop(all)
						drop(scan)
					}
					want, grade := o.name, Proven
					linear := o.name == "MPI_SUM" || o.name == "MPI_BXOR"
					if !samples && !linear {
						want = ""
					}
					if want == "" && n < 8 { // what all have made together is in no message
						grade = Consistent
					}
					if f := oneOf(t, "allreduce "+name, n, all); f.Operation != "allreduce" || f.Grade != grade ||
						f.Op != want ||
						(want == "" && grade == Proven) != (len(f.Against) > 0) {
						t.Errorf("allreduce %s: %+v", name, *f)
					}
					if want == "" {
						grade = Consistent
					}
					if f := oneOf(t, "scan "+name, n, scan); f.Operation != "scan" || f.Grade != grade || f.Op != want {
						t.Errorf("scan %s: %+v", name, *f)
					}
				}
			}
		}
	}
}

// ranksFor are as many ranks as it takes to tell: of two numbers few samples differ.
func ranksFor(domain int) []int {
	if domain < 3 {
		return []int{8}
	}
	return []int{4, 16}
}

func drop(ms []Message) {
	for i := range ms {
		ms[i].Samples, ms[i].Sampled = nil, 0
	}
}

// TestElementwise: a program's own operation on few different numbers is proven by its samples.
func TestElementwise(t *testing.T) {
	f := oneOf(t, "scan", 16, operationJob(func(p *proc) {
		scanDoubling(p, func(a, b float64) float64 { return float64((int(a)*3 + int(b)*5 + 1) % 6) })
	}, 16, false, 4))
	if f.Operation != "scan" || f.Grade != Proven || f.Op != "" {
		t.Errorf("%+v", *f)
	}
}

// noOperations are exchanges of doubling that are no reduction.
var noOperations = map[string]func(p *proc, mask, step int){
	"the low one keeps the lesser": func(p *proc, mask, _ int) {
		op := math.Max
		if me(p)&mask == 0 {
			op = math.Min
		}
		p.combine(work, scratch, count, op)
	},
	"weighted": func(p *proc, _, _ int) {
		p.combine(work, scratch, count, func(a, b float64) float64 { return a + 2*b })
	},
	"maximum of neighbours": func(p *proc, mask, _ int) {
		for i := range count {
			p.mem[work+i] = max(p.mem[work+i], p.mem[scratch+(i+me(p)+mask)%count])
		}
	},
	"maximum and own data": func(p *proc, mask, step int) {
		p.combine(work, scratch, count, math.Max)
		p.mem[work+me(p)] += float64(step + mask)
	},
	"something of each": func(p *proc, _, step int) {
		for i := range count {
			if (i+me(p))%2 == 0 {
				p.mem[work+i] = p.mem[scratch+i]
			}
		}
	},
	"the first half": func(p *proc, _, _ int) {
		p.combine(work, scratch, count/2, math.Max)
	},
	"of what it was": func(p *proc, _, step int) {
		p.change(step)
	},
	"of constants": func(p *proc, _, _ int) {
		for i := range count {
			p.mem[work+i] = 5
		}
	},
}

// TestNoOperations: none of them is proven, neither with the same in all nor with different data.
func TestNoOperations(t *testing.T) {
	for name, change := range noOperations {
		for what, fill := range payloads {
			for _, samples := range []bool{true, false} {
				for _, n := range []int{4, 8} {
					ms := runJob(n, false, true, func(p *proc) {
						for step := range 3 {
							fill(p, step)
							for mask := 1; mask < p.n; mask <<= 1 {
								p.swap(work, count, me(p)^mask, scratch, count, me(p)^mask)
								change(p, mask, step)
							}
						}
					})
					if !samples {
						drop(ms)
					}
					for _, f := range Find(ms, map[int32]int{0: n}) {
						if f.Grade == Proven || f.Proven > 0 {
							t.Errorf("%s, %s, %d ranks, samples %v: %+v", name, what, n, samples, f)
						}
					}
				}
			}
		}
	}
}
