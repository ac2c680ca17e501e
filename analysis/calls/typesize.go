package calls

import (
	"math/bits"
	"sync"

	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// predefinedSize is the size of the datatype with an index in spec.Predefineds, UnknownBytes for
// other objects.
func predefinedSize(index int64) int64 {
	if index < 0 || index >= int64(len(spec.Predefineds)) || spec.Predefineds[index].Size < 0 {
		return UnknownBytes
	}
	return int64(spec.Predefineds[index].Size)
}

// times is a*b, UnknownBytes if either is not known or the product is out of range.
func times(a, b int64) int64 {
	if a < 0 || b < 0 {
		return UnknownBytes
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || int64(lo) < 0 {
		return UnknownBytes
	}
	return int64(lo)
}

// plus is a+b likewise.
func plus(a, b int64) int64 {
	if a < 0 || b < 0 || a+b < 0 {
		return UnknownBytes
	}
	return a + b
}

func sum(vs []int64) int64 {
	total := int64(0)
	for _, v := range vs {
		total = plus(total, v)
	}
	return total
}

func product(vs []int64) int64 {
	total := int64(1)
	for _, v := range vs {
		total = times(total, v)
	}
	return total
}

// maker is a function that makes a datatype.
type maker struct {
	op  spec.Operation
	out int // slot of the datatype
	// Slots of what its size follows from, -1 for none.
	old, old2, olds, count, length, lengths, sizes, dists, dargs, psizes, rank, p, r, size int
}

// makers are these functions by id.
var makers = sync.OnceValue(func() map[spec.ID]*maker {
	m := map[spec.ID]*maker{}
	for _, f := range spec.Functions() {
		in := func(names ...string) int {
			for _, name := range names {
				if i := f.In(name); i >= 0 {
					return i
				}
			}
			return -1
		}
		for i := range f.Slots {
			s := &f.Slots[i]
			if !s.Out || s.Class != spec.Type || s.Array || s.Param < 0 || f.Op == spec.OpTypeCommit {
				continue
			}
			m[f.ID] = &maker{op: f.Op, out: i, old: in("oldtype", "type", "value_type"), old2: in("index_type"),
				olds: in("array_of_types"), count: in("count"), length: in("blocklength"),
				lengths: in("array_of_blocklengths"), sizes: in("array_of_subsizes", "array_of_gsizes"),
				dists: in("array_of_distribs"), dargs: in("array_of_dargs"), psizes: in("array_of_psizes"),
				rank: in("rank"), p: in("p"), r: in("r"), size: in("size")}
		}
	}
	return m
})

// made is the parameters of a call of a maker.
type made struct {
	old, old2, count, length, rank, p, r, size int64 // sizes for old; -1 unknown
	olds, lengths                              []int64
	sizes, dists, dargs, psizes                []int64
}

// sizeOf is the size of the datatype that a call makes (MPI 4.0, chapter 5).
func (m *maker) sizeOf(abi spec.ABI, v *made) int64 {
	switch m.op {
	case spec.OpTypeContiguous:
		return times(v.count, v.old)
	case spec.OpTypeBlocks:
		return times(times(v.count, v.length), v.old)
	case spec.OpTypeIndexed:
		return times(sum(v.lengths), v.old)
	case spec.OpTypeStruct:
		if len(v.lengths) != len(v.olds) {
			return UnknownBytes
		}
		total := int64(0)
		for i, n := range v.lengths {
			total = plus(total, times(n, v.olds[i]))
		}
		return total
	case spec.OpTypeSubarray:
		return times(product(v.sizes), v.old)
	case spec.OpTypeDarray:
		return times(v.darray(abi), v.old)
	case spec.OpTypeSame:
		return v.old
	case spec.OpTypePair:
		return plus(v.old, v.old2)
	case spec.OpTypeMatch:
		return v.size
	case spec.OpTypeReal:
		return realSize(v.p, v.r)
	case spec.OpTypeComplex:
		return times(2, realSize(v.p, v.r))
	case spec.OpTypeInteger:
		for _, k := range [][2]int64{{2, 1}, {4, 2}, {9, 4}, {18, 8}} {
			if v.r >= 0 && v.r <= k[0] {
				return k[1]
			}
		}
	}
	return UnknownBytes
}

// realSize is the size of a Fortran real with p decimal digits and a decimal exponent range of r.
// MPI_UNDEFINED, which is negative, asks for nothing.
func realSize(p, r int64) int64 {
	switch {
	case p <= 6 && r <= 37:
		return 4
	case p <= 15 && r <= 307:
		return 8
	case p <= 33 && r <= 4931:
		return 16
	}
	return UnknownBytes
}

// darray is the number of elements of a distributed array that a rank has (MPI 4.0, 5.1.4).
func (v *made) darray(abi spec.ABI) int64 {
	n := len(v.sizes)
	if len(v.dists) != n || len(v.dargs) != n || len(v.psizes) != n || v.rank < 0 {
		return UnknownBytes
	}
	block, _ := abi.Const(mpi.DistributeBlock)
	cyclic, _ := abi.Const(mpi.DistributeCyclic)
	standard, _ := abi.Const(mpi.DistributeDfltDarg)
	total, rank := int64(1), v.rank
	for d := n - 1; d >= 0; d-- { // processes are in row-major order
		g, p, arg := v.sizes[d], v.psizes[d], v.dargs[d]
		if p < 1 || g < 0 {
			return UnknownBytes
		}
		at := rank % p
		rank /= p
		switch v.dists[d] {
		case block:
			if arg == standard {
				arg = (g + p - 1) / p
			}
			if arg < 0 {
				return UnknownBytes
			}
			total = times(total, min(arg, max(0, g-min(times(at, arg), g))))
		case cyclic:
			if arg == standard {
				arg = 1
			}
			if arg < 1 || arg > 1<<40 || p > 1<<20 {
				return UnknownBytes
			}
			round := arg * p
			total = times(total, g/round*arg+min(arg, max(0, g%round-at*arg)))
		default: // not distributed
			total = times(total, g)
		}
	}
	return total
}
