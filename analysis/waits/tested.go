package waits

import (
	"time"

	"tabard/analysis/match"
	"tabard/analysis/ops"
)

// tested is the begin of the wait of a process that tested in vain before call done completed what it tested for, where the
// other process called at a time other: as long before the end of the wait, min(other, end of done), as the process was inside of
// these tests and done before other. With t_i and u_i the begins and ends of the calls that is
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
	r, err := f.reader(done.Stream)
	if err != nil {
		f.err = err
		return begin
	}
	inside := end - begin
	var begins, ends [256]time.Duration
	for from, left := tests.Call, tests.Calls; left > 0; {
		n := min(left, uint64(len(begins)))
		if err := r.Times(from, begins[:n], ends[:n]); err != nil {
			f.err = err
			return begin
		}
		for i, b := range begins[:n] {
			b := f.at(process, b)
			if b >= other {
				left = n
				break
			}
			inside += max(0, min(f.at(process, ends[i]), other)-b)
		}
		from, left = from+n, left-n
	}
	return end - inside
}

// reader reads times of a stream.
func (f *finder) reader(stream int32) (*ops.Reader, error) {
	r := f.readers[stream]
	if r == nil {
		var err error
		if r, err = f.p.Reader(f.a.Stream(int(stream))); err != nil {
			return nil, err
		}
		if f.readers == nil {
			f.readers = map[int32]*ops.Reader{}
		}
		f.readers[stream] = r
	}
	return r, nil
}
