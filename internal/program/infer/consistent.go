package infer

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// What a job of another size would do has to fit together. A formula that holds for all that was
// recorded may be wrong for other sizes. But if it is, then seldom does each message still have
// both ends, and each collective all members.

// maxChecked bounds the calls, of all ranks and each once, of a job that is looked at as a whole.
// Larger jobs are represented by smaller ones of the same program.
const maxChecked = 400_000

// maxMatched bounds the calls of a job that are matched one by one, as loops that repeat are not: a recording without
// order that has more of them is no model of a job of another size.
const maxMatched = 1 << 25

// problemsOf lists what does not fit together in a job.
func problemsOf(a *archive.Archive) ([]consistency.Problem, error) {
	return consistency.With(a, consistency.Options{Ordered: consistency.MaxOrdered, Most: maxMatched})
}

// archiveOf opens what At made, to be read once.
func archiveOf(c *archive.Content) (*archive.Archive, error) {
	var b bytes.Buffer
	if err := c.WriteApart(&b); err != nil {
		return nil, err
	}
	return archive.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
}

// effort is how much there is to look at in an archive.
func effort(c *archive.Content) int64 {
	n := int64(0)
	for _, k := range c.Classes {
		n += int64(len(k.Terminals)+8) * int64(k.Ranks.Len())
	}
	return n
}

// unfit lists what does not fit together in the job of a size, whose archive is c, unless the
// recordings have the same misfit. It also returns the number of its calls.
func (m *Model) unfit(c *archive.Content, ranks int) ([]Obstacle, uint64, error) {
	a, err := archiveOf(c)
	if err != nil {
		return nil, 0, err
	}
	calls := uint64(0)
	for s := range a.Streams() {
		calls += s.Calls()
	}
	list, err := problemsOf(a)
	if err != nil || len(list) == 0 {
		return nil, calls, err
	}
	known, err := m.misfits()
	if err != nil {
		return nil, calls, err
	}
	var out []Obstacle
	for i := range list {
		p := &list[i]
		if known[p.Key()] {
			continue
		}
		out = append(out, Obstacle{Func: p.Func, Site: p.Site, Param: p.Param, Ranks: p.Processes,
			circle: p.Kind == consistency.Circle,
			Reason: fmt.Sprintf("with %d ranks calls would not fit together: %s", ranks, p.Text)})
	}
	return out, calls, nil
}

// misfits are what does not fit together in the recordings themselves: messages that nobody
// receives, say.
func (m *Model) misfits() (map[[4]string]bool, error) {
	if m.known != nil {
		return m.known, nil
	}
	m.known = map[[4]string]bool{}
	for _, c := range m.recordings {
		a, err := archiveOf(c)
		if err != nil {
			return nil, err
		}
		list, err := problemsOf(a)
		if err != nil {
			return nil, err
		}
		for i := range list {
			m.known[list[i].Key()] = true
		}
	}
	return m.known, nil
}

// Check looks at whether the calls of a job of some size fit together, given its archive: see
// package consistency. Of jobs that are too large for that a smaller one is looked at; the result
// is the size that was, 0 if none could be. The error is an *Obstacles if they do not fit.
func (m *Model) Check(c *archive.Content, ranks int) (int, error) {
	for size, e := ranks, effort(c); ; {
		if e <= maxChecked {
			list, calls, err := m.unfit(c, size)
			if err == nil && len(list) == 0 && calls > consistency.MaxOrdered {
				list, err = m.ordered(size, int(uint64(size)*consistency.MaxOrdered/calls))
			}
			if err == nil && len(list) > 0 {
				err = &Obstacles{List: list}
			}
			return size, err
		}
		size = int(int64(size) * maxChecked / (e + e/8))
		if c = m.smaller(&size); c == nil {
			return 0, nil
		}
		e = effort(c)
	}
}

// maxOrdered is how many jobs are tried for one that fits together but for circles.
const maxOrdered = 16

// ordered looks for circles of waits in a job that is small enough for that, of up to most ranks. Programs may
// be for certain numbers of ranks only. So sizes that divide that of the job come first, and those at which
// calls do not fit together are passed over.
func (m *Model) ordered(size, most int) ([]Obstacle, error) {
	tries := 0
	for _, divides := range []bool{true, false} {
		for n := most; n > 1 && tries < maxOrdered; n-- {
			if (size%n == 0) != divides {
				continue
			}
			c, err := m.At(n)
			if err != nil {
				continue
			}
			tries++
			list, _, err := m.unfit(c, n)
			if err != nil || !slices.ContainsFunc(list, func(o Obstacle) bool { return !o.circle }) {
				return list, err
			}
		}
	}
	return nil, nil
}

// smaller is the archive of a job of the size, or of the next smaller one that is possible.
func (m *Model) smaller(size *int) *archive.Content {
	for tries := 0; *size > 0 && tries < 64; tries++ {
		if c, err := m.At(*size); err == nil {
			return c
		}
		*size--
	}
	return nil
}

// trials are sizes that a model is tried with whose size is not known yet: odd and even ones, and
// some with more factors.
func (m *Model) trials() []int {
	p := slices.Max(m.Sizes)
	return []int{p + 1, p + 2, 2 * p, 4 * p}
}

// tried checks a model that is for any size. It has to fit together at one of the sizes at least.
// The others are noted: some programs work for powers of two only.
func (m *Model) tried() error {
	var bad error
	var sizes []int
	good := false
	for _, n := range m.trials() {
		c, err := m.At(n)
		if err != nil {
			continue // it says so itself
		}
		if _, err := m.Check(c, n); err != nil {
			if bad == nil {
				bad = err
			}
			sizes = append(sizes, n)
			continue
		}
		good = true
	}
	if bad != nil && !good {
		return bad
	}
	for _, n := range sizes {
		m.assume(fmt.Sprintf("it is not for any number of ranks: with %d of them calls do not fit together", n))
	}
	return nil
}
