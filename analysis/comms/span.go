package comms

// Span is the list of n processes from first on, the members of an MPI_COMM_WORLD. It takes no time
// and space that depends on n.
func Span(first, n int) *Members {
	if n <= 0 {
		return &Members{}
	}
	return &Members{blocks: []block{{start: int64(first), step: 1, count: int64(n), times: 1}}, ends: []int64{int64(n)}}
}
