package timing

// fewBins is how many of the first bins have what they stand for in one table.
const fewBins = 2048

// times turns decoded numbers of a block into starts and ends.
func (c *coding) times(first uint64, splits []split, starts, ends []uint64, boundOf func(i int) uint8) {
	ends = ends[:len(starts)]
	switch len(splits) {
	case 0:
	case 1:
		splits[0].times(starts, ends)
	default:
		for i, gap := range starts {
			if duration := ends[i]; !exceptional(gap, duration) {
				s := &splits[boundOf(i)]
				starts[i], ends[i] = s.middle(gap), s.middle(duration)
			}
		}
	}
	starts[0] = 0
	end := first
	for i, gap := range starts {
		gap += end
		end = gap + ends[i]
		starts[i], ends[i] = gap, end
	}
}

// times puts what bins stand for into their places.
func (s *split) times(gaps, durations []uint64) {
	var table [fewBins]uint64
	few := table[:min(len(table), len(gaps)/8)]
	for i := range few {
		few[i] = s.middle(uint64(i))
	}
	durations = durations[:len(gaps)]
	for i, gap := range gaps {
		duration := durations[i]
		switch {
		case gap < uint64(len(few)) && duration < uint64(len(few)):
			gaps[i], durations[i] = few[gap], few[duration]
		case !exceptional(gap, duration):
			gaps[i], durations[i] = s.middle(gap), s.middle(duration)
		}
	}
}
