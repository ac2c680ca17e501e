package plainmatch

import (
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// size is the size of a datatype.
func (p *refProc) size(ref int64) int64 {
	if ref&1 != 0 {
		return refSizes[spec.Predefineds[ref>>1].Name]
	}
	if n, ok := p.types[ref]; ok {
		return n
	}
	return -1
}

var refSizes = map[string]int64{"MPI_INT": 4, "MPI_DOUBLE": 8, "MPI_CHAR": 1, "MPI_BYTE": 1, "MPI_FLOAT": 4,
	"MPI_LONG": 8, "MPI_SHORT": 2, "MPI_UNSIGNED": 4, "MPI_UNSIGNED_LONG": 8,
	"MPI_PACKED": 1, "MPI_INTEGER": 4, "MPI_DOUBLE_PRECISION": 8, "MPI_REAL": 4, "MPI_CHARACTER": 1, "MPI_LONG_LONG": 8,
	"MPI_LONG_LONG_INT": 8, "MPI_2INT": 8,
	"MPI_INT32_T": 4, "MPI_INT64_T": 8, "MPI_UINT64_T": 8, "MPI_UINT8_T": 1, "MPI_SIGNED_CHAR": 1,
	"MPI_UNSIGNED_CHAR": 1, "MPI_DOUBLE_INT": 12, "MPI_FLOAT_INT": 8, "MPI_LONG_INT": 12, "MPI_SHORT_INT": 6,
	"MPI_COUNT": 8, "MPI_AINT": 8, "MPI_LOGICAL": 4}

// makeType replays a call that makes a datatype.
func (p *refProc) makeType(c refCall, name string) {
	v, ok := c.res("newtype")
	if !ok || c.Flags&(archive.Failed|archive.Unfinished) != 0 {
		return
	}
	old := p.size(c.num("oldtype"))
	n := int64(-1)
	add := func(list []int64) (t int64) {
		for _, x := range list {
			t += x
		}
		return t
	}
	switch lengths, _ := c.arg("array_of_blocklengths"); {
	case strings.HasSuffix(name, "contiguous"):
		n = c.num("count") * old
	case strings.HasSuffix(name, "vector") || strings.HasSuffix(name, "indexed_block"):
		n = c.num("count") * c.num("blocklength") * old
	case strings.HasSuffix(name, "indexed"):
		n = add(lengths.Ints) * old
	case strings.HasSuffix(name, "struct"):
		types, _ := c.arg("array_of_types")
		n = 0
		for i, k := range lengths.Ints {
			s := p.size(types.List[i].N)
			if s < 0 {
				n = -1
				break
			}
			n += k * s
		}
	case strings.HasSuffix(name, "subarray"):
		sub, _ := c.arg("array_of_subsizes")
		n = old
		for _, k := range sub.Ints {
			n *= k
		}
	case strings.HasSuffix(name, "dup") || strings.HasSuffix(name, "resized"):
		n = old
	default:
		delete(p.types, v.N)
		return
	}
	if p.types[v.N] = n; old < 0 && !strings.HasSuffix(name, "struct") {
		p.types[v.N] = -1
	}
}
