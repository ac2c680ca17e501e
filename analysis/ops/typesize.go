package ops

import (
	"math/bits"
	"strings"
	"sync"

	"tabard/spec"
)

// predefinedSizes are the sizes of predefined datatypes in bytes, on the platforms that are supported
// (64-bit Linux, LP64, with Fortran's default kinds): what MPI_Type_size gives. Sizes of the
// pairs are without the gaps (MPI 4.0, 6.9.4).
var predefinedSizes = map[string]int64{
	"MPI_CHAR": 1, "MPI_SIGNED_CHAR": 1, "MPI_UNSIGNED_CHAR": 1, "MPI_BYTE": 1, "MPI_PACKED": 1, "MPI_WCHAR": 4,
	"MPI_SHORT": 2, "MPI_UNSIGNED_SHORT": 2, "MPI_INT": 4, "MPI_UNSIGNED": 4, "MPI_LONG": 8, "MPI_UNSIGNED_LONG": 8,
	"MPI_LONG_LONG_INT": 8, "MPI_LONG_LONG": 8, "MPI_UNSIGNED_LONG_LONG": 8, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_LONG_DOUBLE": 16,
	"MPI_INT8_T": 1, "MPI_INT16_T": 2, "MPI_INT32_T": 4, "MPI_INT64_T": 8, "MPI_UINT8_T": 1, "MPI_UINT16_T": 2, "MPI_UINT32_T": 4, "MPI_UINT64_T": 8,
	"MPI_AINT": 8, "MPI_COUNT": 8, "MPI_OFFSET": 8, "MPI_C_BOOL": 1, "MPI_C_COMPLEX": 8, "MPI_C_FLOAT_COMPLEX": 8, "MPI_C_DOUBLE_COMPLEX": 16,
	"MPI_C_LONG_DOUBLE_COMPLEX": 32, "MPI_FLOAT_INT": 8, "MPI_DOUBLE_INT": 12, "MPI_LONG_INT": 12, "MPI_SHORT_INT": 6, "MPI_2INT": 8,
	"MPI_LONG_DOUBLE_INT": 20, "MPI_LB": 0, "MPI_UB": 0,
	"MPI_INTEGER": 4, "MPI_REAL": 4, "MPI_DOUBLE_PRECISION": 8, "MPI_COMPLEX": 8, "MPI_DOUBLE_COMPLEX": 16, "MPI_LOGICAL": 4, "MPI_CHARACTER": 1,
	"MPI_2COMPLEX": 16, "MPI_2DOUBLE_COMPLEX": 32, "MPI_2DOUBLE_PRECISION": 16, "MPI_2INTEGER": 8, "MPI_2REAL": 8,
	"MPI_COMPLEX4": 4, "MPI_COMPLEX8": 8, "MPI_COMPLEX16": 16, "MPI_COMPLEX32": 32,
	"MPI_CXX_BOOL": 1, "MPI_CXX_COMPLEX": 8, "MPI_CXX_FLOAT_COMPLEX": 8, "MPI_CXX_DOUBLE_COMPLEX": 16, "MPI_CXX_LONG_DOUBLE_COMPLEX": 32,
	"MPI_INTEGER1": 1, "MPI_INTEGER2": 2, "MPI_INTEGER4": 4, "MPI_INTEGER8": 8, "MPI_INTEGER16": 16,
	"MPI_LOGICAL1": 1, "MPI_LOGICAL2": 2, "MPI_LOGICAL4": 4, "MPI_LOGICAL8": 8, "MPI_LOGICAL16": 16,
	"MPI_REAL2": 2, "MPI_REAL4": 4, "MPI_REAL8": 8, "MPI_REAL16": 16, "MPIX_C_FLOAT16": 2,
}

// sizesByIndex are predefinedSizes by index in spec.Predefineds, -1 for others.
var sizesByIndex = sync.OnceValue(func() []int64 {
	sizes := make([]int64, len(spec.Predefineds))
	for i, p := range spec.Predefineds {
		sizes[i] = UnknownBytes
		if s, ok := predefinedSizes[p.Name]; ok {
			sizes[i] = s
		}
	}
	return sizes
})

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
	name string // without "_c"
	out  int    // slot of the datatype
	// Slots of what its size follows from, -1 for none.
	old, old2, olds, count, length, lengths, sizes, dists, dargs, psizes, rank, p, r, size int
}

// makers are these functions by id.
var makers = sync.OnceValue(func() map[spec.ID]*maker {
	m := map[spec.ID]*maker{}
	for _, f := range spec.Functions() {
		for i := range f.Slots {
			s := &f.Slots[i]
			if !s.Out || s.Class != spec.Type || s.Array || s.Param < 0 || f.Name == "MPI_Type_commit" {
				continue
			}
			a := &action{f: f}
			m[f.ID] = &maker{name: strings.TrimSuffix(f.Name, "_c"), out: i, old: a.in("oldtype", "type", "value_type"), old2: a.in("index_type"),
				olds: a.in("array_of_types"), count: a.in("count"), length: a.in("blocklength"), lengths: a.in("array_of_blocklengths"),
				sizes: a.in("array_of_subsizes", "array_of_gsizes"), dists: a.in("array_of_distribs"), dargs: a.in("array_of_dargs"),
				psizes: a.in("array_of_psizes"), rank: a.in("rank"), p: a.in("p"), r: a.in("r"), size: a.in("size")}
		}
	}
	return m
})

// made is what a call of a maker was given.
type made struct {
	old, old2, count, length, rank, p, r, size int64 // sizes for old; -1 unknown
	olds, lengths                              []int64
	sizes, dists, dargs, psizes                []int64
}

// sizeOf is the size of the datatype that a call makes (MPI 4.0, chapter 5).
func (m *maker) sizeOf(abi spec.ABI, v *made) int64 {
	switch m.name {
	case "MPI_Type_contiguous":
		return times(v.count, v.old)
	case "MPI_Type_vector", "MPI_Type_create_hvector", "MPI_Type_hvector", "MPI_Type_create_indexed_block", "MPI_Type_create_hindexed_block":
		return times(times(v.count, v.length), v.old)
	case "MPI_Type_indexed", "MPI_Type_create_hindexed", "MPI_Type_hindexed":
		return times(sum(v.lengths), v.old)
	case "MPI_Type_create_struct", "MPI_Type_struct":
		if len(v.lengths) != len(v.olds) {
			return UnknownBytes
		}
		total := int64(0)
		for i, n := range v.lengths {
			total = plus(total, times(n, v.olds[i]))
		}
		return total
	case "MPI_Type_create_subarray":
		return times(product(v.sizes), v.old)
	case "MPI_Type_create_darray":
		return times(v.darray(abi), v.old)
	case "MPI_Type_dup", "MPI_Type_create_resized":
		return v.old
	case "MPI_Type_get_value_index":
		return plus(v.old, v.old2)
	case "MPI_Type_match_size":
		return v.size
	case "MPI_Type_create_f90_real":
		return realSize(v.p, v.r)
	case "MPI_Type_create_f90_complex":
		return times(2, realSize(v.p, v.r))
	case "MPI_Type_create_f90_integer":
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
	block, _ := abi.Const("MPI_DISTRIBUTE_BLOCK")
	cyclic, _ := abi.Const("MPI_DISTRIBUTE_CYCLIC")
	standard, _ := abi.Const("MPI_DISTRIBUTE_DFLT_DARG")
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
