package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Unit says what the numbers of a chart or of a column of a table are.
type Unit uint8

// Units.
const (
	Number Unit = iota // how many of something
	Bytes              // bytes, shown in powers of 1024
	Nanos              // nanoseconds, shown as ns, us, ms, s, min or h
	Share              // a part of 1, shown in per cent
	Rate               // bytes per second
	Ratio              // a plain quotient, shown with three digits
)

// Format renders a value for people in three or four digits: "1.25M",
// "4.0 KiB", "12.3 ms", "37.5%".
func (u Unit) Format(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	switch u {
	case Bytes:
		return sizeText(v)
	case Rate:
		return sizeText(v) + "/s"
	case Nanos:
		return nanosText(v)
	case Share:
		return Percent(v)
	case Ratio:
		return significant(v, 3)
	}
	return shortText(v)
}

// Count renders a number with separators between thousands.
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ByteSize renders a size: "12 B", "3.4 MiB".
func ByteSize(n int64) string { return sizeText(float64(n)) }

// Duration renders a time: "850 ns", "12.3 ms", "4.56 s", "3 min 2 s".
func Duration(d time.Duration) string { return nanosText(float64(d)) }

// Percent renders a part of 1: "37.5%", "<0.1%".
func Percent(share float64) string {
	switch p := 100 * share; {
	case math.IsNaN(p):
		return "-"
	case p > 0 && p < 0.05:
		return "<0.1%"
	default:
		return fmt.Sprintf("%.1f%%", p)
	}
}

// Plural renders a count and a noun: "1 rank", "1,024 ranks".
func Plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "ch") {
		return Count(n) + " " + noun + "es"
	}
	return Count(n) + " " + noun + "s"
}

// sizeText renders bytes.
func sizeText(v float64) string {
	const units = "KMGTPE"
	if math.Abs(v) < 1024 {
		if v == math.Trunc(v) {
			return fmt.Sprintf("%.0f B", v)
		}
		return significant(v, 3) + " B"
	}
	u := 0
	for v /= 1024; math.Abs(v) >= 1023.95 && u < len(units)-1; u++ {
		v /= 1024
	}
	return fmt.Sprintf("%.1f %ciB", v, units[u])
}

// shortText renders a number with a suffix for thousands: "950", "12.3k", "4.00G".
func shortText(v float64) string {
	const suffixes = "kMGTPE"
	if a := math.Abs(v); a < 10_000 {
		if v == math.Trunc(v) {
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return significant(v, 3)
	}
	u := 0
	for v /= 1000; math.Abs(v) >= 999.5 && u < len(suffixes)-1; u++ {
		v /= 1000
	}
	return significant(v, 3) + suffixes[u:u+1]
}

// nanosText renders nanoseconds.
func nanosText(v float64) string {
	a := math.Abs(v)
	switch {
	case a < 999.5:
		if v == math.Trunc(v) {
			return fmt.Sprintf("%.0f ns", v)
		}
		return significant(v, 3) + " ns"
	case a < 999.5e3:
		return significant(v/1e3, 3) + " us"
	case a < 999.5e6:
		return significant(v/1e6, 3) + " ms"
	case a < 119.95e9:
		return significant(v/1e9, 3) + " s"
	case a < 7200e9:
		s := int64(math.Round(v / 1e9))
		return fmt.Sprintf("%d min %d s", s/60, abs(s%60))
	}
	m := int64(math.Round(v / 60e9))
	return fmt.Sprintf("%d h %d min", m/60, abs(m%60))
}

func abs(n int64) int64 { return max(n, -n) }

// significant renders v with at least n digits, without an exponent for
// numbers of ordinary size.
func significant(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	// The exponent after rounding: 9.996 has one digit before the point, 10.0 two.
	sci := strconv.FormatFloat(v, 'e', n-1, 64)
	e, err := strconv.Atoi(sci[strings.LastIndexByte(sci, 'e')+1:])
	if err != nil || e < -6 || e > 15 { // infinite, or not of ordinary size
		return strconv.FormatFloat(v, 'g', n, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, n-1-e), 64)
}
