package timing

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/timing/published"
)

// Transcode makes another mode of an encoding that is lossless. function names the function of each
// class, and may be nil if m has no bounds of functions; rate is that of the clock.
func Transcode(in []byte, walk Walker, m Mode, rate Rate, function func(class uint32) string) ([]byte, error) {
	r, err := OpenBytes(in, walk)
	if err != nil {
		return nil, err
	}
	if r.Mode().Kind != Lossless {
		return nil, fmt.Errorf("times stored as %s cannot be made another mode: only lossless ones can", r.Mode())
	}
	if r.n == 0 {
		return in, nil
	}
	if m.Kind == Off {
		return nil, errors.New("timing off: there is nothing to store")
	}
	if m.Kind == Published {
		return r.publish(m, rate, function)
	}
	b := New(m, func() Rate { return rate })
	if function != nil {
		for c := range classNumber(r.classes) {
			b.SetFunction(c, function(c))
		}
	}
	if err := r.Each(b.Append); err != nil {
		return nil, err
	}
	return b.Encode(nil, r.classes), nil
}

// classNumber is the greatest class plus one.
func classNumber(classes []uint32) uint32 {
	n := uint32(1)
	for _, c := range classes {
		n = max(n, c+1)
	}
	return n
}

// codec makes the published method with the bounds of a mode, in ticks.
func (c *coding) codec(ofRule []uint8) (*published.Codec, error) {
	m := &c.mode
	p := published.Params{Bound: c.value(m.Bound), K: m.K, M: m.M}
	for class, rule := range ofRule {
		if rule == 0 {
			continue
		}
		if p.Own == nil {
			p.Own = map[uint32]float64{}
		}
		p.Own[uint32(class)] = c.value(m.Rules[rule-1].Bound)
	}
	return published.New(m.Method, p)
}

func (c *coding) value(b Bound) float64 {
	if c.mode.absolute() {
		return float64(c.rate.ticks(b.NS))
	}
	return float64(b.PPM) / 1e6
}

// publish encodes all calls by a published method: durations, then gaps, with the exceptional calls
// apart.
func (r *Reader) publish(m Mode, rate Rate, function func(class uint32) string) ([]byte, error) {
	if r.n > maxWhole {
		return nil, fmt.Errorf("%s holds all calls of a thread in memory: at most %d, and there are %d", m, maxWhole,
			r.n)
	}
	c := newCoding(m, rate)
	var ofRule []uint8
	if len(m.Rules) > 0 && function != nil {
		for class := range classNumber(r.classes) {
			ofRule = append(ofRule, uint8(m.boundOf(function(class))))
		}
	}
	codec, err := c.codec(ofRule)
	if err != nil {
		return nil, err
	}
	n := int(r.n)
	gaps, durations := make([]uint64, n), make([]uint64, n)
	starts, classes := make([]uint64, n), make([]uint32, n)
	end := uint64(0)
	for i := range gaps {
		s, e := r.At(uint64(i))
		if i == 0 {
			end = s
		}
		starts[i], gaps[i], durations[i] = s, s-end, e-s
		end = e
	}
	if r.err != nil {
		return nil, r.err
	}
	for i := 0; i < n; i += blockCalls {
		cs, err := r.classesOf(uint64(i), min(blockCalls, n-i))
		if err != nil {
			return nil, err
		}
		copy(classes[i:], cs)
	}
	recorded := [2][]uint64{append([]uint64(nil), gaps...), append([]uint64(nil), durations...)}
	exceptions := appendExceptions(nil, gaps, durations)
	d := codec.Append(nil, durations, classes)
	g := codec.Append(nil, gaps, classes)

	body := byteio.AppendVarint(nil, int64(starts[0]))
	body = append(body, exceptions...)
	body = append(binary.AppendUvarint(body, uint64(len(d))), d...)
	body = append(body, g...)
	x := &Reader{n: r.n, coding: c, ofRule: ofRule, starts: make([]uint64, n), ends: make([]uint64, n)}
	if err := x.decodeWhole(body, 0, classes); err != nil {
		return nil, fmt.Errorf("times by %s: %w", m, err)
	}
	var errs Errors
	errs.Calls = r.n
	at := uint64(0)
	for i := range starts {
		if i > 0 {
			errs.Gaps.add(recorded[0][i], x.starts[i]-at)
		}
		at = x.ends[i]
		errs.Durations.add(recorded[1][i], x.ends[i]-x.starts[i])
		errs.Starts.add(0, x.starts[i]-starts[i])
		errs.Starts.Peak = max(errs.Starts.Peak, starts[i])
	}
	return append(errs.append(appendHead(nil, r.n, c, r.classes, ofRule)), body...), nil
}

// maxWhole is the greatest number of calls that a published method decodes, since it decodes all at
// once.
const maxWhole = 1 << 26

// loadWhole decodes what a published method encoded.
func (r *Reader) loadWhole() error {
	n := int(r.n)
	classes := make([]uint32, n)
	for i := 0; i < n; i += blockCalls {
		cs, err := r.classesOf(uint64(i), min(blockCalls, n-i))
		if err != nil {
			return err
		}
		copy(classes[i:], cs)
	}
	in, err := r.src.Bytes(r.blocks, int(r.src.Size()-r.blocks))
	if err != nil {
		return err
	}
	return r.decodeWhole(in, r.blocks, classes)
}

func (r *Reader) decodeWhole(in []byte, base int64, classes []uint32) error {
	codec, err := r.coding.codec(r.ofRule)
	if err != nil {
		return broken(base, err.Error())
	}
	p := open(in, base)
	first := uint64(p.Varint())
	exceptions := p.Count()
	from := p.Pos
	for range 3 * exceptions {
		p.Uvarint()
	}
	list := p.Part(from, p.Pos)
	d := p.Sized()
	if p.Err != nil {
		return p.Err
	}
	at := base + int64(p.Pos)
	if err := codec.Decode(d, r.ends, classes); err != nil {
		return broken(at-int64(len(d)), err.Error())
	}
	if err := codec.Decode(p.Bytes(uint64(p.Left())), r.starts, classes); err != nil {
		return broken(at, err.Error())
	}
	for i := uint64(0); exceptions > 0; exceptions-- {
		if i += list.Uvarint(); i >= uint64(len(classes)) {
			return broken(base, "exceptional call beyond the end")
		}
		r.starts[i], r.ends[i] = uint64(list.Varint()), uint64(list.Varint())
		i++
	}
	r.coding.times(first, nil, r.starts, r.ends, nil)
	return nil
}
