package waits

import (
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Wait is one wait, as Options.Each gets it.
type Wait struct {
	Kind Kind
	// Stream and Call are the call that waited, Func its function; LateStream and LateCall are the call that came late,
	// and LateFunc and LateSite (nil if unknown) say which that is.
	Stream, LateStream int
	Call, LateCall     uint64
	Func, LateFunc     *spec.Func
	LateSite           *archive.Site
	// Begin and End are corrected times. The late call began at End, unless the waiting one returned before.
	Begin, End time.Duration
}

// each hands over the selected waits that were kept, by stream and call.
func (f *finder) each() {
	if f.opts.Each == nil {
		return
	}
	for _, i := range f.sorted {
		w := &f.waits[i]
		if !w.selected {
			continue
		}
		x := Wait{Kind: w.kind, Stream: int(w.stream), LateStream: int(w.lateStream), Call: w.call,
			LateCall: w.lateCall,
			Begin:    w.begin, End: w.end}
		x.Func, _ = f.called(w.stream, w.term)
		x.LateFunc, x.LateSite = f.called(w.lateStream, w.lateTerm)
		f.opts.Each(&x)
	}
}

// called is the function and call site of a terminal.
func (f *finder) called(stream int32, term uint32) (*spec.Func, *archive.Site) {
	c := f.a.Stream(int(stream)).Class()
	t, err := c.Template(term)
	if err != nil { // then reading its calls would have failed
		return spec.ByID(0), nil
	}
	return spec.ByID(t.Func), c.Site(t)
}
