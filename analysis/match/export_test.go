package match

import "github.com/tabard-hpc/tabard/analysis/calls"

// RunPlainly is RunProgram without what makes loops fast.
func RunPlainly(p *calls.Program, o Options) (*Summary, error) {
	r := newRunner(p, o)
	r.plain = true
	return r.run()
}

// RunCounted is RunProgram, and how many events were not matched one by one.
func RunCounted(p *calls.Program, o Options) (*Summary, uint64, error) {
	r := newRunner(p, o)
	sum, err := r.run()
	return sum, r.repeated, err
}

// ShortLoops lets loops of few iterations be matched by repetition until it is called again.
func ShortLoops() (restore func()) {
	repeats, events := minRepeats, minEvents
	minRepeats, minEvents = 1, 2
	return func() { minRepeats, minEvents = repeats, events }
}
