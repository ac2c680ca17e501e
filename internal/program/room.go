package program

import "github.com/tabard-hpc/tabard/spec"

// leastText is enough for any such string, whatever the MPI.
const leastText = 8192

// TextLimit names the constant that bounds the length of a string that p returns, empty if its room
// is passed as a parameter (p.LenCap).
func (f *Func) TextLimit(p *Param) string {
	if p.Role != TextOut || p.LenCap >= 0 {
		return ""
	}
	return p.LenMax
}

// maxRoom bounds the room for results, in bytes: nobody passes more than what an int counts.
const maxRoom = 1 << 33

// Room is the size of a result that the call writes to p: in bytes for scalars, arrays, strings and
// pointers, and their number for statuses and handles. value gives integer parameters as they are
// before the call, also those passed by pointer. It is false for those that are not known.
func (f *Func) Room(p *Param, value func(param int) (int64, bool)) int64 {
	number := func(i int8) int64 {
		if i < 0 {
			return 0
		}
		n, _ := value(int(i))
		return min(max(n, 0), maxRoom)
	}
	switch p.Role {
	case TextOut:
		return max(number(p.LenCap)+1, leastText)
	case NumberOut, NumberIO, DisplacementOut, BufferOut, BufferNew:
		return 8
	case StatusOut, ObjectNew:
		return 1
	}
	n := int64(0)
	switch p.Len {
	case spec.LenParam:
		n = number(p.LenArg)
	case spec.LenParam3:
		n = 3 * number(p.LenArg)
	case spec.LenOut:
		n = number(p.LenCap)
	}
	switch p.Role {
	case NumbersOut, DisplacementsOut:
		return min(n*int64(p.Bits/8), maxRoom)
	}
	return n
}
