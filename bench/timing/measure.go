package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// row is what was measured of a mode on a program.
type row struct {
	mode                   mode
	durations, gaps, whole int64 // bytes
	// The errors of decoded times, in nanoseconds once scaled. exact is set if there are none.
	durationErrors, gapErrors, startErrors valueErrors
	decoded                                bool
	encodeTime, decodeTime                 time.Duration // of processor, for 2 values a call
	values                                 int64
}

// result is all of a program.
type result struct {
	program   program
	calls     int64
	nsPerTick float64
	rows      []row
}

// measure puts the times of a program through all modes.
func (b *bench) measure(p program, all []*times) (*result, error) {
	if len(all) == 0 {
		return nil, errors.New("the recording has no calls")
	}
	res := &result{program: p, nsPerTick: all[0].nsPerTick}
	for _, t := range all {
		res.calls += int64(t.calls())
	}
	for _, m := range modes() {
		if !b.modes.MatchString(m.name + " " + m.bound) {
			continue
		}
		r, err := measureMode(m, all)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.name, m.bound, err)
		}
		res.rows = append(res.rows, r)
	}
	res.rows = append(res.rows, row{mode: mode{name: "raw"}, durations: 8 * res.calls, gaps: 8 * res.calls,
		whole: 16 * res.calls})
	if !b.modes.MatchString(zstdName) {
		return res, nil
	}
	r, err := measureZstd(all)
	res.rows = append(res.rows, r)
	return res, err
}

// leastTime is the least time for which a mode is measured.
const leastTime = 100 * time.Millisecond

func measureMode(m mode, all []*times) (row, error) {
	r := row{mode: m}
	for round := 0; round == 0 || r.encodeTime < leastTime && round < 20; round++ {
		for _, t := range all {
			c, err := m.new(t)
			if err != nil {
				return r, err
			}
			took, err := processor(c.encode)
			if err != nil {
				return r, err
			}
			r.encodeTime += took
			var durations, gaps, starts []uint64
			took, err = processor(func() (err error) {
				durations, gaps, starts, err = c.decode()
				return err
			})
			if err != nil {
				return r, err
			}
			r.decodeTime += took
			r.values += 2 * int64(t.calls())
			if round > 0 {
				continue
			}
			if err := r.add(c, t, durations, gaps, starts); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// add adds the sizes and errors of a stream.
func (r *row) add(c coder, t *times, durations, gaps, starts []uint64) error {
	d, g, whole, err := c.size()
	if err != nil {
		return err
	}
	r.durations, r.gaps, r.whole = r.durations+int64(d), r.gaps+int64(g), r.whole+int64(whole)
	if starts == nil {
		return nil
	}
	r.decoded = true
	end := starts[0]
	var ofDurations, ofGaps, ofStarts valueErrors
	for i := range starts {
		ofDurations.Add(t.durations[i], durations[i])
		ofGaps.Add(t.gaps[i], gaps[i])
		ofStarts.Add(t.starts[i], starts[i])
		if !c.within(t.durations[i], durations[i]) || !c.within(t.gaps[i], gaps[i]) {
			return fmt.Errorf("call %d is decoded to what its bound does not allow", i)
		}
		if t.backs[i] == 0 && starts[i] < end {
			return fmt.Errorf("call %d begins before the one before has ended", i)
		}
		end = starts[i] + durations[i]
	}
	if d, s, ok := c.stated(); ok && (d != ofDurations.MaxAbs || s != ofStarts.MaxAbs) {
		return fmt.Errorf("the greatest errors are said to be %d and %d ticks, and are %d and %d", d, s,
			ofDurations.MaxAbs, ofStarts.MaxAbs)
	}
	r.durationErrors.Merge(&ofDurations)
	r.gapErrors.Merge(&ofGaps)
	r.startErrors.Merge(&ofStarts)
	return nil
}

// processor returns the CPU time that f takes in this thread.
func processor(f func() error) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() (time.Duration, error) {
		var u unix.Rusage
		err := unix.Getrusage(unix.RUSAGE_THREAD, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
	}
	before, err := used()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := used()
	return after - before, err
}

const zstdName = "zstd -19 of deltas"

// measureZstd compresses the times of all streams together by zstd -19, in the forms that take
// least.
func measureZstd(all []*times) (row, error) {
	r := row{mode: mode{name: zstdName}}
	var err error
	if r.durations, err = leastZstd(all, func(t *times) []uint64 { return t.durations }); err != nil {
		return r, err
	}
	r.gaps, err = leastZstd(all, func(t *times) []uint64 { return t.gaps })
	r.whole = r.durations + r.gaps
	for _, t := range all {
		r.whole += int64(t.apart())
	}
	return r, err
}

// leastZstd tries differences from the value before, as words and as variable-length numbers.
func leastZstd(all []*times, values func(t *times) []uint64) (int64, error) {
	var words, short []byte
	for _, t := range all {
		before := uint64(0)
		for _, v := range values(t) {
			d := int64(v - before)
			words = binary.LittleEndian.AppendUint64(words, uint64(d))
			short = binary.AppendVarint(short, d)
			before = v
		}
	}
	least := int64(0)
	for i, plain := range [][]byte{words, short} {
		c := exec.Command("zstd", "-19", "-c", "-q")
		c.Stdin = bytes.NewReader(plain)
		out, err := c.Output()
		if err != nil {
			return 0, fmt.Errorf("zstd: %w", err)
		}
		if n := int64(len(out)); i == 0 || n < least {
			least = n
		}
	}
	return least, nil
}
