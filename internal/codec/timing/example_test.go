package timing_test

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// three is a stream of three calls of two functions, in ticks of a nanosecond.
func three(mode string) []byte {
	m, err := timing.ParseMode(mode)
	if err != nil {
		panic(err)
	}
	b := timing.New(m, func() timing.Rate { return timing.Rate{NS: 1, Ticks: 1} })
	b.Append(1000, 1105, 0)
	b.Append(1200, 1210, 1)
	b.Append(2000, 2107, 0)
	return b.Encode(nil, []uint32{0, 1})
}

// terminals tells a reader which call is which: terminal 0, 1, 0.
type terminals struct{}

func (terminals) Terminals() int { return 2 }

func (terminals) Walk(from uint64, dst []uint32) error {
	copy(dst, []uint32{0, 1, 0}[from:])
	return nil
}

func read(in []byte) *timing.Reader {
	r, err := timing.OpenBytes(in, terminals{})
	if err != nil {
		panic(err)
	}
	return r
}

func ExampleReader_Range() {
	for _, mode := range []string{"lossless", "lossy:10%"} {
		r := read(three(mode))
		fmt.Print(mode, ":")
		for _, s := range r.Range(0, 1<<63) {
			fmt.Printf(" %d..%d", s.Start, s.End)
		}
		e := r.Errors()
		fmt.Printf("; durations are at most %d off\n", e.Durations.Max)
	}
	// Output:
	// lossless: 1000..1105 1200..1210 2000..2107; durations are at most 0 off
	// lossy:10%: 1000..1104 1208..1218 1990..2094; durations are at most 3 off
}

func ExampleReader_SeekTime() {
	r := read(three("lossless"))
	for _, t := range []uint64{0, 1105, 1106, 1500, 9999} {
		fmt.Printf("the first call that ends at %d or later: %d\n", t, r.SeekTime(t))
	}
	// Output:
	// the first call that ends at 0 or later: 0
	// the first call that ends at 1105 or later: 0
	// the first call that ends at 1106 or later: 1
	// the first call that ends at 1500 or later: 2
	// the first call that ends at 9999 or later: 3
}

// Sums are exact, the greatest duration is rounded up by an eighth at most.
func ExampleReader_Profile() {
	for _, s := range read(three("lossless")).Profile(0, 3) {
		fmt.Printf("class %d: %d calls, %d ticks, none above %d\n", s.Class, s.Calls, s.Sum, s.Max)
	}
	// Output:
	// class 0: 2 calls, 212 ticks, none above 112
	// class 1: 1 calls, 10 ticks, none above 10
}

func ExampleReader_Aggregates() {
	a, err := read(three("aggregate")).Aggregates()
	if err != nil {
		panic(err)
	}
	d := a.Durations(0)
	fmt.Printf("class 0: %d calls, %d ticks, %d to %d\n", d.Count, d.Sum, d.Min, d.Max)
	for _, p := range a.Pairs() {
		d := a.Gaps(p)
		fmt.Printf("from %d to %d: %d ticks\n", p.Before, p.Class, d.Sum)
	}
	// Output:
	// class 0: 2 calls, 212 ticks, 105 to 107
	// from 0 to 1: 95 ticks
	// from 1 to 0: 790 ticks
}

func ExampleTranscode() {
	m, _ := timing.ParseMode("hist:10%")
	out, err := timing.Transcode(three("lossless"), terminals{}, m, timing.Rate{NS: 1, Ticks: 1}, nil)
	if err != nil {
		panic(err)
	}
	start, end := read(out).At(2)
	fmt.Printf("call 2: %d..%d\n", start, end)
	_, err = timing.Transcode(out, terminals{}, m, timing.Rate{}, nil)
	fmt.Println(err)
	// Output:
	// call 2: 2004..2111
	// times stored as hist:10% cannot be made another mode: only lossless ones can
}

// What an encoding of three calls is made of.
func Example_bytes() {
	in := three("lossless")
	for _, part := range []struct {
		bytes int
		what  string
	}{
		{1, "calls"},
		{1, "bytes of the mode: none, so lossless"},
		{2, "terminals that have a class; two in a row have new classes"},
		{1, "binary logarithm of the calls of a block"},
		{3, "bytes of the start of the first call, and it: 1000 in zigzag form"},
		{1, "exceptional calls"},
		{1, "method of the block: varints"},
		{1, "duration of the first call"},
		{2, "gap and duration of the second"},
		{3, "and of the third"},
	} {
		fmt.Printf("%-10s %s\n", fmt.Sprint(in[:part.bytes]), part.what)
		in = in[part.bytes:]
	}
	// Output:
	// [3]        calls
	// [0]        bytes of the mode: none, so lossless
	// [2 2]      terminals that have a class; two in a row have new classes
	// [14]       binary logarithm of the calls of a block
	// [2 208 15] bytes of the start of the first call, and it: 1000 in zigzag form
	// [0]        exceptional calls
	// [0]        method of the block: varints
	// [105]      duration of the first call
	// [95 10]    gap and duration of the second
	// [150 6 107] and of the third
}
