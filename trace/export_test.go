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

// SetBundleValues makes bundles end after fewer numbers, until the function that it returns is called.
func SetBundleValues(n int) (restore func()) {
	old := bundleValues
	bundleValues = n
	return func() { bundleValues = old }
}

// BreakPlainColumns makes reading of columns fail that are in no bundle, where bundles refer to them.
func BreakPlainColumns(a *Archive, err error) {
	a.joint.plain = func(int) ([]byte, error) { return nil, err }
}

// BundleWork is how many numbers bundles may still look at.
func BundleWork(a *Archive) uint64 { return a.joint.left }
