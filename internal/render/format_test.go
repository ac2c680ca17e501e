package render

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Number, 0, "0"}, {Number, 950, "950"}, {Number, 9999, "9999"}, {Number, 12345, "12.3k"},
		{Number, 999_499, "999k"}, {Number, 999_600, "1.00M"},
		{Number, 2.5, "2.50"}, {Number, 4e18, "4.00E"}, {Number, -12345, "-12.3k"}, {Number, math.NaN(), "-"},
		{Bytes, 0, "0 B"}, {Bytes, 1023, "1023 B"}, {Bytes, 1024, "1.0 KiB"}, {Bytes, 1.5, "1.50 B"},
		{Bytes, 1 << 20, "1.0 MiB"}, {Bytes, 1<<20 - 1, "1.0 MiB"},
		{Bytes, math.MaxInt64, "8.0 EiB"}, {Rate, 2048, "2.0 KiB/s"},
		{Nanos, 0, "0 ns"}, {Nanos, 999, "999 ns"}, {Nanos, 1000, "1.00 us"}, {Nanos, 12_345_678, "12.3 ms"},
		{Nanos, 999_600_000, "1.00 s"}, {Nanos, 61.5e9, "61.5 s"},
		{Nanos, 182e9, "3 min 2 s"}, {Nanos, 7261e9, "2 h 1 min"}, {Nanos, -1500, "-1.50 us"},
		{Share, 0.375, "37.5%"}, {Share, 0.0001, "<0.1%"}, {Share, 0, "0.0%"}, {Ratio, 0.98765, "0.988"},
		{Ratio, 12.5, "12.5"}, {Ratio, 9.996, "10.0"},
	} {
		if got := c.unit.Format(c.v); got != c.want {
			t.Errorf("unit %d, %g: %q, want %q", c.unit, c.v, got, c.want)
		}
	}
	for got, want := range map[string]string{
		Count(0): "0", Count(999): "999", Count(1000): "1,000", Count(12345678): "12,345,678",
		Count(math.MaxUint64): "18,446,744,073,709,551,615",
		ByteSize(3 << 19):     "1.5 MiB", Duration(850): "850 ns", Plural(1, "rank"): "1 rank",
		Plural(1024, "rank"): "1,024 ranks", Plural(2, "class"): "2 classes",
		Instant(1000023456): "1.000023456 s", Instant(2 * time.Second): "2 s", Instant(40_000): "40 us",
		Instant(0): "0 ns", Instant(720_939_316): "720.939316 ms", Percent(1): "100.0%",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Larger values never look smaller, and everything stays short.
func FuzzFormat(f *testing.F) {
	f.Add(1.0, uint8(1))
	f.Add(math.Inf(1), uint8(2))
	f.Add(-0.0, uint8(0))
	f.Add(5e-324, uint8(5))
	f.Fuzz(func(t *testing.T, v float64, unit uint8) {
		u := Unit(unit % 6)
		if s := u.Format(v); s == "" || len(s) > 340 || math.Abs(v) < 1e15 && len(s) > 24 {
			t.Errorf("unit %d, %g: %q", u, v, s)
		}
	})
}

// Ticks lie on the axis, in order, and tell values apart.
func TestTicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	for range 3000 {
		unit := Unit(rng.IntN(6))
		hi := math.Pow(10, rng.Float64()*15-1)
		if unit == Share {
			hi = rng.Float64()
		}
		lo := hi * math.Pow(10, -rng.Float64()*8)
		a := newAxis(Scale(rng.IntN(3)), unit, lo*float64(rng.IntN(2)), lo, hi)
		n := 2 + rng.IntN(8)
		ticks := a.ticks(n)
		if len(ticks) == 0 || len(ticks) > 2*n+2 {
			t.Fatalf("%+v: %d ticks for %d", a, len(ticks), n)
		}
		for i, k := range ticks {
			if k.at < 0 || k.at > 1 || math.IsNaN(k.at) || k.text == "" || len(k.text) > 16 {
				t.Fatalf("%+v: %+v", a, k)
			}
			if i > 0 && (k.at <= ticks[i-1].at || k.text == ticks[i-1].text) {
				t.Fatalf("%+v: %+v after %+v", a, k, ticks[i-1])
			}
		}
		ends := a.withEnds(n, 0.05)
		if ends[0].at != 0 || ends[len(ends)-1].at != 1 {
			t.Fatalf("%+v", ends)
		}
	}
	a := newAxis(Log, Bytes, 0, 64, 16<<20)
	var texts []string
	for _, k := range a.ticks(4) {
		texts = append(texts, k.text)
	}
	if got := strings.Join(texts, " "); got != "1 KiB 32 KiB 1 MiB" {
		t.Error(got)
	}
}

func TestScales(t *testing.T) {
	for _, c := range []struct {
		scale            Scale
		least, pos, most float64
		log              bool
		lo, hi           float64
	}{
		{Auto, 0, 1, 50, false, 0, 50}, {Auto, 0, 1, 500, true, 1, 500}, {Auto, -5, 1, 500, false, -5, 500},
		{Linear, 1, 1, 5000, false, 0, 5000}, {Log, 0, 8, 8, true, 0.8, 8}, {Auto, 0, 0, 0, false, 0, 1},
		{Log, 0, 0, 0, false, 0, 1},
	} {
		a := newAxis(c.scale, Number, c.least, c.pos, c.most)
		if a.log != c.log || math.Abs(a.lo-c.lo) > 1e-9 || a.hi != c.hi {
			t.Errorf("%+v: %+v", c, a)
		}
		if last := -1.0; true {
			for v := a.lo; v <= a.hi; v += (a.hi - a.lo) / 50 {
				if x := a.at(v); x < last || x > 1 {
					t.Errorf("%+v: %g at %g", a, v, x)
				} else {
					last = x
				}
			}
		}
	}
}

func TestTimeTicks(t *testing.T) {
	for _, c := range []struct {
		from, to time.Duration
		want     string
	}{
		{0, 1000 * time.Second, "0 s|200 s|400 s|600 s|800 s|1000 s / time"},
		{0, 4200 * time.Millisecond, "0 s|1 s|2 s|3 s|4 s / time"},
		{0, 900, "0 ns|200 ns|400 ns|600 ns|800 ns / time"},
		{12 * time.Second, 12*time.Second + 3, "0 ns|+1 ns|+2 ns|+3 ns / time since 12 s"},
		{1500 * time.Millisecond, 1600 * time.Millisecond, "1.50 s|1.52 s|1.54 s|1.56 s|1.58 s|1.60 s / time"},
	} {
		ticks, name := timeTicks(c.from, c.to, 5)
		var texts []string
		for _, k := range ticks {
			texts = append(texts, k.text)
		}
		if got := strings.Join(texts, "|") + " / " + name; got != c.want {
			t.Errorf("%v..%v: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

// lightness is L* of CIE 1976.
func lightness(r, g, b uint8) float64 {
	lin := func(x uint8) float64 {
		v := float64(x) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	y := 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// The colour map gets lighter evenly: that is what makes it uniform to the eye.
func TestViridis(t *testing.T) {
	const n = 100
	first, last := lightness(0x44, 0x01, 0x54), lightness(0xfd, 0xe7, 0x25)
	for i := range n + 1 {
		c := Viridis(float64(i) / n)
		want := first + (last-first)*float64(i)/n
		if got := lightness(c.R, c.G, c.B); math.Abs(got-want) > 2.5 {
			t.Errorf("%d: lightness %.1f, want about %.1f", i, got, want)
		}
	}
	if Viridis(-1) != viridis[0] || Viridis(2) != viridis[9] || Viridis(1) != viridis[9] {
		t.Error("the ends are wrong")
	}
}

// The choice among 256 colours is the best one.
func TestXterm(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	value := func(n int) (r, g, b int) {
		if n >= 232 {
			y := 8 + 10*(n-232)
			return y, y, y
		}
		level := func(l int) int { return [6]int{0, 95, 135, 175, 215, 255}[l] }
		n -= 16
		return level(n / 36), level(n / 6 % 6), level(n % 6)
	}
	for range 3000 {
		c := rgb(rng.Uint32() & 0xffffff)
		best := math.MaxInt
		for n := 16; n < 256; n++ {
			r, g, b := value(n)
			best = min(best, distance(c, r, g, b))
		}
		r, g, b := value(xterm(c))
		if got := distance(c, r, g, b); got > best {
			t.Fatalf("%v: %d is at distance %d, the best at %d", c, xterm(c), got, best)
		}
	}
}

func TestDetectTerminal(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	pipe := &strings.Builder{}
	for i, c := range []struct {
		env  func(string) string
		want Terminal
	}{
		{env(), Terminal{}},
		{env("COLUMNS", "120", "LINES", "50", "TERM", "xterm", "LANG", "C.UTF-8"), Terminal{Width: 120, Height: 50}},
		{env("COLUMNS", "many"), Terminal{}},
		{env("CLICOLOR_FORCE", "1", "TERM", "xterm", "LANG", "en_US.utf8"), Terminal{Colors: Colors256, Unicode: true}},
		{env("CLICOLOR_FORCE", "1", "TERM", "xterm", "COLORTERM", "truecolor", "LC_ALL", "C", "LANG", "en_US.utf8"),
			Terminal{Colors: TrueColors}},
		{env("CLICOLOR_FORCE", "1", "TERM", "xterm", "NO_COLOR", "1"), Terminal{}},
		{env("CLICOLOR_FORCE", "1", "TERM", "dumb"), Terminal{}},
		{env("COLORFGBG", "0;15"), Terminal{Light: true}}, {env("COLORFGBG", "15;default;0"), Terminal{}},
	} {
		if got := DetectTerminal(pipe, c.env); got != c.want {
			t.Errorf("%d: %+v, want %+v", i, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	tb := NewTable("name", ">calls", "where")
	tb.Row("MPI_Send", "1,200", "a.c:1")
	tb.Row("MPI_Wait", "7")
	tb.Row("µs", "12", "ü")
	var b strings.Builder
	if err := tb.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := "name      calls  where\nMPI_Send  1,200  a.c:1\nMPI_Wait      7\nµs           12  ü\n"
	if b.String() != want || tb.Len() != 3 {
		t.Errorf("%q", b.String())
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		width   int
		unicode bool
		want    string
	}{
		{[]float64{0, 1, 2, 4, 8}, 10, true, "▁▂▃▅█"}, {[]float64{0, 1, 2, 4, 8}, 10, false, "__.=#"},
		{[]float64{1, 3, 8, 8}, 2, true, "▃█"}, {[]float64{0, math.NaN(), 1}, 3, true, "▁ █"},
		{[]float64{0, 0}, 2, true, "▁▁"}, {nil, 5, true, ""},
	} {
		if got := Spark(c.values, c.width, c.unicode); got != c.want {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	var none *Progress
	none.Add(1)
	none.Show(1, 2)
	none.Say("nothing")
	none.Done()
	if NewProgress(&strings.Builder{}, Terminal{}, "reading", "calls", 10) != nil {
		t.Error("progress where nobody watches")
	}
	var b strings.Builder
	p := NewProgress(&b, Terminal{TTY: true, Width: 100}, "reading", "calls", 40_000)
	now := p.begin
	p.now = func() time.Time { return now }
	step := func(after time.Duration, n uint64) string {
		b.Reset()
		now = p.begin.Add(after)
		p.Add(n)
		return onTerminal(b.String())
	}
	if got := step(900*time.Millisecond, 5000); got != "" {
		t.Errorf("%q within a second", got)
	}
	if got, want := step(2*time.Second, 5000),
		"\x1b[G\x1b[Kreading [######..................]  25%  5000 calls/s  6.00 s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := step(2050*time.Millisecond, 1); got != "" {
		t.Errorf("%q too soon", got)
	}
	b.Reset()
	now = p.begin.Add(3 * time.Second)
	p.Show(7, 0) // comes late, and the total is not known
	if got, want := onTerminal(b.String()), "\x1b[G\x1b[Kreading  10.0k calls  3333 calls/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	if p.Say("looking for MPI ..."); onTerminal(b.String()) != "\x1b[G\x1b[Klooking for MPI ..." {
		t.Errorf("%q instead of what is being done", b.String())
	}
	b.Reset()
	p.Done()
	p.Say("late")
	if got := onTerminal(b.String()) + step(9*time.Second, 1); got != "\x1b[G\x1b[K" {
		t.Errorf("%q at the end", got)
	}
}

func TestStride(t *testing.T) {
	for _, c := range [][2]float64{{0, 1}, {1, 1}, {1.5, 2}, {3, 5}, {6, 10}, {11, 20}, {21, 50}, {900, 1000}} {
		if got := stride(c[0]); float64(got) != c[1] {
			t.Errorf("%g: %d", c[0], got)
		}
	}
	if got := fmt.Sprint(places(36, 10)); got != "[0 5 10 15 20 25 30 35]" {
		t.Error(got)
	}
}
