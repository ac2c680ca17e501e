package waits

import (
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
)

// tested is the begin of the wait of a process that tested in vain before call done completed what
// it tested for, where the other process called at a time other: as long before the end of the
// wait, min(other, end of done), as the process was inside of these tests and done before other.
// With t_i and u_i the begins and ends of the calls that is
//
//	end - sum of max(0, min(u_i, other) - t_i)
//
// What the process did between tests is its own.
func (f *finder) tested(process int32, done *match.Ref, tests *match.Tests, other time.Duration) time.Duration {
	end := min(other, f.at(process, done.End))
	begin := min(end, f.at(process, done.Begin))
	if other <= f.at(process, tests.Begin) {
		return begin // there is no wait
	}
	inside, err := f.inTests(process, done.Stream, tests, other)
	if err != nil {
		f.err = err
		return begin
	}
	return begin - inside
}

// marks are some of the tests that were looked at last, at equal distances. They are kept because
// all messages that one call completes ask for the same tests.
type marks struct {
	stream int32
	first  uint64 // the first test's call
	calls  uint64
	each   uint64
	// Of each mark, the begin of that test and the time inside of those before.
	begins, inside []time.Duration
}

// maxMarks is about how many marks there are at most.
const maxMarks = 1 << 12

// inTests is how long a process was inside of tests before a time.
func (f *finder) inTests(process, stream int32, tests *match.Tests, until time.Duration) (time.Duration, error) {
	r, err := f.reader(stream)
	if err != nil {
		return 0, err
	}
	const part = 256
	m := &f.marks
	if m.stream != stream || m.first != tests.Call || m.calls != tests.Calls {
		*m = marks{stream, tests.Call, tests.Calls, (tests.Calls/maxMarks/part + 1) * part, m.begins[:0], m.inside[:0]}
	}
	var inside, whole time.Duration // before until, and of these tests
	from := uint64(0)
	if n, _ := slices.BinarySearch(m.begins, until); n > 0 {
		inside, from = m.inside[n-1], uint64(n-1)*m.each
		whole = inside
	}
	var begins, ends [part]time.Duration
	for ; from < tests.Calls; from += part {
		n := min(tests.Calls-from, part)
		if err := r.Times(tests.Call+from, begins[:n], ends[:n]); err != nil {
			return 0, err
		}
		for i, b := range begins[:n] {
			b, e := f.at(process, b), f.at(process, ends[i])
			if b >= until {
				return inside, nil
			}
			if at := from + uint64(i); at%m.each == 0 && at/m.each == uint64(len(m.begins)) {
				m.begins, m.inside = append(m.begins, b), append(m.inside, whole)
			}
			inside += max(0, min(e, until)-b)
			whole += max(0, e-b)
		}
	}
	return inside, nil
}

// reader reads times of a stream.
func (f *finder) reader(stream int32) (*calls.Reader, error) {
	r := f.readers[stream]
	if r == nil {
		var err error
		if r, err = f.p.Reader(f.a.Stream(int(stream))); err != nil {
			return nil, err
		}
		if f.readers == nil {
			f.readers = map[int32]*calls.Reader{}
		}
		f.readers[stream] = r
	}
	return r, nil
}
