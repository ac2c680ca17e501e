package rerun

import "tabard/spec"

// textLimits are the constants that say how long the strings can be that functions return into room
// whose size is not passed.
var textLimits = map[string]string{
	"MPI_Comm_get_name": "MPI_MAX_OBJECT_NAME", "MPI_Type_get_name": "MPI_MAX_OBJECT_NAME", "MPI_Win_get_name": "MPI_MAX_OBJECT_NAME",
	"MPI_Error_string": "MPI_MAX_ERROR_STRING", "MPI_Get_processor_name": "MPI_MAX_PROCESSOR_NAME",
	"MPI_Get_library_version": "MPI_MAX_LIBRARY_VERSION_STRING", "MPI_File_get_view": "MPI_MAX_DATAREP_STRING",
	"MPI_Info_get_nthkey": "MPI_MAX_INFO_KEY", "MPI_Open_port": "MPI_MAX_PORT_NAME", "MPI_Lookup_name": "MPI_MAX_PORT_NAME",
}

// leastText is enough for any such string, whatever the MPI.
const leastText = 8192

// TextLimit names the constant that bounds the length of a string that p returns, empty if its room is
// passed as a parameter (p.LenCap).
func (f *Func) TextLimit(p *Param) string {
	if p.Role != TextOut || p.LenCap >= 0 {
		return ""
	}
	return textLimits[f.Name]
}

// maxRoom bounds the room for results, in bytes: nobody passes more than what an int counts.
const maxRoom = 1 << 33

// Room is how many bytes a result takes that the call writes to p: for scalars, arrays, strings and
// pointers; for statuses and handles it is their number. value gives what integer parameters are before the call, those that are pointers too;
// it is false for those that are not known.
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
