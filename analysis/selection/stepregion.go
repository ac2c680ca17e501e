package selection

import (
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// What makes a region the time step, if nobody says so.
const (
	fewSteps  = 5    // it is entered at least as often
	ofAll     = 0.25 // of the calls it has at least this part if its name says that it is a step
	ofLoop    = 0.75 // and this part of those of the time-step loop if each iteration enters it once
	mostNames = 256  // names that are looked at
)

// stepNames are what programs call a time step, without what is no letter.
var stepNames = []string{"step", "timestep", "timestepping", "iteration", "iter", "timeiteration", "cycle", "timecycle",
	"mainiteration", "trainstep", "trainingstep"}

func isStepName(name string) bool {
	letters := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			return c
		}
		return -1
	}, strings.ToLower(name))
	return slices.Contains(stepNames, letters)
}

// regionSteps is time steps that are the regions of a path.
type regionSteps struct {
	r  *Resolved
	of map[*inside]*entries // what does not depend on the stream
}

// stepsNamed is the time steps that are the regions of a path.
func stepsNamed(a *archive.Archive, text string) (*StepIndex, error) {
	path, err := (&Within{text}).path(a)
	if err != nil {
		return nil, err
	}
	return &StepIndex{Region: text, regions: newRegionSteps(a, path)}, nil
}

func newRegionSteps(a *archive.Archive, path []string) *regionSteps {
	return &regionSteps{r: &Resolved{Archive: a, Selection: All, path: path, insides: map[insideKey]*inside{}},
		of: map[*inside]*entries{}}
}

// stream is the time steps of a stream, nil if it has none.
func (x *regionSteps) stream(s *archive.Stream) (*StreamSteps, error) {
	of, _ := s.Whole()
	n, err := x.r.insideOf(of)
	if err != nil {
		return nil, err
	}
	e := x.of[n]
	if e == nil {
		if e, err = x.r.entries(s); err != nil {
			return nil, err
		}
		x.of[n] = e
	}
	if e.begins.Len() == 0 {
		return nil, nil
	}
	own := *e
	own.stream, own.whole = s, of
	return &StreamSteps{stream: s, regions: &own}, nil
}

// span is the calls from step from to step to.
func (e *entries) span(from, to uint64) (Range, error) {
	return e.calls(Range{e.events(from).From, e.events(to).To})
}

// clearStep is the region that is the time step beyond doubt, "" if there is none: it is called a step, or each
// iteration of the time-step loop enters it once, and most of what the loop does is in it. The main threads of most
// ranks are asked.
func clearStep(a *archive.Archive, x *StepIndex) (string, error) {
	var most *archive.Class
	for _, c := range a.Classes() {
		if c.Thread() == 0 && (most == nil || c.Ranks().Len() > most.Ranks().Len()) {
			most = c
		}
	}
	if most == nil {
		return "", nil
	}
	s := most.Stream(most.Ranks().Min())
	loop, err := x.Of(s)
	if err != nil {
		return "", err
	}
	counts, names, err := openCounts(s)
	if err != nil {
		return "", err
	}
	best, share := "", 0.0
	for _, name := range names {
		n := counts[name]
		named := isStepName(name)
		if n < fewSteps || !named && (loop == nil || n != loop.Len()) {
			continue
		}
		steps, err := newRegionSteps(a, []string{name}).stream(s)
		if err != nil {
			return "", err
		}
		if steps == nil || steps.Len() != n {
			continue // it is in itself
		}
		has, err := steps.covers(loop, named)
		if err != nil {
			return "", err
		}
		if has > share {
			best, share = name, has
		}
	}
	return best, nil
}

// covers is which part of the stream's calls are in steps, 0 if that is too little.
func (s *StreamSteps) covers(loop *StreamSteps, named bool) (float64, error) {
	in, all := float64(s.regions.in()), float64(max(1, s.regions.kept.Len()))
	if named && in >= ofAll*all {
		return in / all, nil
	}
	if loop == nil {
		return 0, nil
	}
	r, err := loop.Span(0, loop.Len()-1)
	if err != nil || in < ofLoop*float64(r.Len()) {
		return 0, err
	}
	return in / all, nil
}

// openCounts is how often a stream begins what has a name, with the names in the order of its terminals.
func openCounts(s *archive.Stream) (map[string]uint64, []string, error) {
	of, _ := s.Whole()
	sigs, err := of.Signatures()
	if err != nil {
		return nil, nil, err
	}
	occ, err := of.Occurrences()
	if err != nil {
		return nil, nil, err
	}
	counts := map[string]uint64{}
	var names []string
	for t, sig := range sigs {
		name, opens := OpenName(of, sig)
		if !opens || name == ManyNames || t >= len(occ) || spec.ByID(sig.Func).Own() {
			continue
		}
		if counts[name] == 0 && len(names) < mostNames {
			names = append(names, name)
		}
		counts[name] += occ[t]
	}
	return counts, names, nil
}

// FindSteps finds the time steps of an archive: those that are named, or regions that are steps beyond doubt, or the
// iterations of the time-step loop.
func FindSteps(a *archive.Archive, named loops.StepLoop) (*StepIndex, error) {
	if name := named.Region(); name != "" {
		return stepsNamed(a, name)
	}
	classes, err := loops.Of(a, loops.Options{Timing: StepTiming, StepLoop: named})
	if err != nil {
		return nil, err
	}
	x := stepsOf(classes)
	if named != (loops.StepLoop{}) {
		return x, nil
	}
	region, err := clearStep(a, x)
	if err != nil || region == "" {
		return x, err
	}
	return stepsNamed(a, region)
}
