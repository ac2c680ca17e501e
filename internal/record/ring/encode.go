package ring

// Values as words of a record, for those that write records without the runtime. takeArray reads them back.

// ArrayHead is the first word of an array of n elements, of so many bytes each.
func ArrayHead(kind, elem, n int) uint64 { return uint64(n) | uint64(kind)<<48 | uint64(elem)<<56 }

// AppendWords appends an array of handles, displacements or large integers.
func AppendWords[T ~int64 | ~uint64](w []uint64, vs []T) []uint64 {
	w = append(w, ArrayHead(APlain, 8, len(vs)))
	for _, v := range vs {
		w = append(w, uint64(v))
	}
	return w
}

// AppendInts appends an array of int.
func AppendInts[T ~int | ~int32](w []uint64, vs []T) []uint64 {
	w = append(w, ArrayHead(APlain, 4, len(vs)))
	for i, v := range vs {
		if i%2 == 0 {
			w = append(w, 0)
		}
		w[len(w)-1] |= uint64(uint32(v)) << (32 * (i % 2))
	}
	return w
}

// AppendString appends a string.
func AppendString(w []uint64, s string) []uint64 {
	w = append(w, ArrayHead(APlain, 1, len(s)))
	for i := range len(s) {
		if i%8 == 0 {
			w = append(w, 0)
		}
		w[len(w)-1] |= uint64(s[i]) << (8 * (i % 8))
	}
	return w
}

// AppendStrings appends a list of strings.
func AppendStrings(w []uint64, ss []string) []uint64 {
	w = append(w, ArrayHead(AList, 8, len(ss)))
	for _, s := range ss {
		w = AppendString(w, s)
	}
	return w
}

// Words are the words of a status.
func (s Status) Words() [3]uint64 {
	c := uint64(0)
	if s.Cancelled {
		c = 1
	}
	ends, fault := uint64(uint32(s.Source))|uint64(uint32(s.Tag))<<32, uint64(uint32(s.Error))|c<<32
	return [3]uint64{ends, fault, uint64(s.Bytes)}
}

// AppendStatuses appends an array of statuses.
func AppendStatuses(w []uint64, list []Status) []uint64 {
	w = append(w, ArrayHead(AStatus, 8, len(list)))
	for _, s := range list {
		words := s.Words()
		w = append(w, words[:]...)
	}
	return w
}
