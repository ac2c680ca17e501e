package trace

// ValidateStreams is Validate stream by stream.
func ValidateStreams(a *Archive) error { return validateStreams(a) }

// Answering counts the classes that validation by class does not need to look at stream by stream.
func Answering(a *Archive) (n int) {
	for _, c := range a.classes {
		if l, err := c.open(); err == nil && c.head.Ranks.Len() > 1 && l.answers() {
			n++
		}
	}
	return n
}
