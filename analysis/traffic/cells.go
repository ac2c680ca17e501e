package traffic

import (
	"iter"
	"slices"
	"sort"
)

// Pairs is how many cells the matrix has at most, for some kinds.
func (m *Matrix) Pairs(kinds ...Kind) uint64 {
	n := uint64(0)
	for _, k := range kinds {
		for i := range m.rows[k] {
			n += uint64(len(m.rows[k][i].cells))
		}
		for _, f := range m.fans[k] {
			for i := range f.sources {
				n += uint64(f.partners(&f.sources[i]))
			}
		}
	}
	return n
}

// Cells yields what processes send to one another, of some kinds together, by sender and
// receiver. It takes a time proportional to Pairs.
func (m *Matrix) Cells(kinds ...Kind) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		var dense []Volume
		for from := range int32(m.Processes) {
			fans := false
			for _, k := range kinds {
				for _, f := range m.fans[k] {
					fans = fans || f.source(from) != nil
				}
			}
			if !fans && len(kinds) == 1 {
				for _, c := range m.cells(kinds[0], from) {
					if !yield(c) {
						return
					}
				}
				continue
			}
			if dense == nil {
				dense = make([]Volume, m.Processes)
			}
			touched := m.row(from, kinds, dense)
			for _, to := range touched {
				v := dense[to]
				dense[to] = Volume{}
				if v.Messages > 0 && !yield(Cell{from, to, v}) {
					return
				}
			}
		}
	}
}

// cells is the part of a row that is kept cell by cell.
func (m *Matrix) cells(k Kind, from int32) []Cell {
	if int(from) >= len(m.rows[k]) {
		return nil
	}
	return m.rows[k][from].cells
}

// row sums up a row into dense, and lists what it touched, ascending.
func (m *Matrix) row(from int32, kinds []Kind, dense []Volume) (touched []int32) {
	add := func(to int32, v Volume) {
		if dense[to] == (Volume{}) {
			touched = append(touched, to)
		}
		dense[to].add(v)
	}
	for _, k := range kinds {
		for _, c := range m.cells(k, from) {
			add(c.To, c.Volume)
		}
		for _, f := range m.fans[k] {
			s := f.source(from)
			if s == nil {
				continue
			}
			first := 0
			if f.later {
				first = s.rank + 1
			}
			for i := first; i < f.group.Len(); i++ {
				if to := int32(f.group.At(i)); to != from {
					add(to, s.Volume)
				}
			}
		}
	}
	slices.Sort(touched)
	return touched
}

func (f *fan) source(from int32) *spoke {
	i := sort.Search(len(f.sources), func(i int) bool { return f.sources[i].from >= from })
	if i == len(f.sources) || f.sources[i].from != from {
		return nil
	}
	return &f.sources[i]
}

// Binned is the matrix summed up in squares: element i*bins+j is what the processes of bin i send
// to those of bin j, where process p is in bin p*bins/Processes. It takes a time proportional to
// processes, pairs that exchange messages and bins, and not to the pairs of collectives.
func (m *Matrix) Binned(bins int, kinds ...Kind) []Volume {
	out := make([]Volume, bins*bins)
	bin := func(p int32) int { return int(int64(p) * int64(bins) / int64(m.Processes)) }
	for _, k := range kinds {
		for i := range m.rows[k] {
			for _, c := range m.rows[k][i].cells {
				out[bin(c.From)*bins+bin(c.To)].add(c.Volume)
			}
		}
		for _, f := range m.fans[k] {
			f.bin(out, bins, bin)
		}
	}
	return out
}

func (f *fan) bin(out []Volume, bins int, bin func(int32) int) {
	members := make([]int, bins)
	if f.later {
		byRank := map[int]*spoke{}
		for i := range f.sources {
			byRank[f.sources[i].rank] = &f.sources[i]
		}
		for i := f.group.Len() - 1; i >= 0; i-- {
			if s := byRank[i]; s != nil {
				for j, n := range members {
					out[bin(s.from)*bins+j].add(s.times(n))
				}
			}
			members[bin(int32(f.group.At(i)))]++
		}
		return
	}
	for p := range f.group.All() {
		members[bin(int32(p))]++
	}
	sums := make([]Volume, bins)
	for i := range f.sources {
		s := &f.sources[i]
		b := bin(s.from)
		sums[b].add(s.Volume)
		if s.rank >= 0 { // not to itself
			out[b*bins+b].sub(s.Volume)
		}
	}
	for i, v := range sums {
		for j, n := range members {
			out[i*bins+j].add(v.times(n))
		}
	}
}

// Totals is what each process sends and receives, of some kinds together.
func (m *Matrix) Totals(kinds ...Kind) (sent, received []Volume) {
	sent, received = make([]Volume, m.Processes), make([]Volume, m.Processes)
	for _, k := range kinds {
		for i := range m.rows[k] {
			for _, c := range m.rows[k][i].cells {
				sent[c.From].add(c.Volume)
				received[c.To].add(c.Volume)
			}
		}
		for _, f := range m.fans[k] {
			f.totals(sent, received)
		}
	}
	return sent, received
}

func (f *fan) totals(sent, received []Volume) {
	var sum Volume // of the sources so far, in the order of ranks if that matters
	if f.later {
		byRank := map[int]*spoke{}
		for i := range f.sources {
			byRank[f.sources[i].rank] = &f.sources[i]
		}
		for i := range f.group.Len() {
			received[f.group.At(i)].add(sum)
			if s := byRank[i]; s != nil {
				sum.add(s.Volume)
			}
		}
	} else {
		for i := range f.sources {
			sum.add(f.sources[i].Volume)
		}
		for p := range f.group.All() {
			received[p].add(sum)
		}
	}
	for i := range f.sources {
		s := &f.sources[i]
		sent[s.from].add(s.times(f.partners(s)))
		if !f.later && s.rank >= 0 {
			received[s.from].sub(s.Volume)
		}
	}
}

// Total is all that is sent, of one kind.
func (m *Matrix) Total(k Kind) (v Volume) {
	for i := range m.rows[k] {
		for _, c := range m.rows[k][i].cells {
			v.add(c.Volume)
		}
	}
	for _, f := range m.fans[k] {
		for i := range f.sources {
			s := &f.sources[i]
			v.add(s.times(f.partners(s)))
		}
	}
	return v
}
