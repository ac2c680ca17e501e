package render

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Series is a part of stacked bars, or a category of a timeline.
type Series struct {
	Name  string
	Color color.RGBA
	// Dark is the colour on a dark terminal; A=0: the same.
	Dark color.RGBA
	// Letter stands for the series where there are no colours.
	Letter byte
}

// on is the colour on a terminal.
func (s *Series) on(t *Terminal) color.RGBA {
	if s.Dark.A != 0 && !t.Light {
		return s.Dark
	}
	return s.Color
}

// Bar is one bar; with several series its values are stacked.
type Bar struct {
	Label  string
	Values []float64
	// Note is shown after the value, e.g. a number of calls.
	Note string
}

// Bars compares values. Histograms are bars in the order of their bins.
type Bars struct {
	Title, Note string
	// Axis says what the labels are, Value what the lengths are.
	Axis, Value string
	Unit        Unit
	Scale       Scale // Auto means Linear here; Log is for a single series only
	// Series are the parts of each bar; nil means one.
	Series []Series
	Bars   []Bar
	// Upright bars stand side by side in pictures, as those of a histogram do.
	Upright bool
}

// bars is Bars ready to be drawn.
type bars struct {
	*Bars
	series []Series
	sums   []float64
	axis   axis
}

func (b *Bars) prepare() *bars {
	p := &bars{Bars: b, series: b.Series}
	if len(p.series) == 0 {
		p.series = []Series{{Color: Blue, Letter: '#'}}
	}
	most, pos := 0.0, math.Inf(1)
	for _, bar := range b.Bars {
		sum := 0.0
		for _, v := range bar.Values {
			if length(v) {
				sum += v
			}
		}
		p.sums = append(p.sums, sum)
		most = max(most, sum)
		if sum > 0 {
			pos = min(pos, sum)
		}
	}
	if math.IsInf(pos, 1) {
		pos = 0
	}
	s := b.Scale
	if s != Log || len(p.series) > 1 {
		s = Linear
	}
	p.axis = newAxis(s, b.Unit, 0, pos, most)
	if p.axis.log { // the shortest bar must be visible
		p.axis.lo /= 2
	}
	return p
}

// length tells what has a length: no negative values, infinities and NaN.
func length(v float64) bool { return v > 0 && finite(v) }

// WriteText draws the bars for a terminal, one a line.
func (b *Bars) WriteText(w io.Writer, t Terminal) error {
	_, err := io.WriteString(w, b.prepare().text(&t))
	return err
}

func (b *bars) text(t *Terminal) string {
	p := &pen{colors: t.Colors}
	heading(p, b.Title, b.Note)
	if len(b.Bars.Bars) == 0 {
		p.text("(nothing)\n")
		return p.b.String()
	}
	labels, values, notes := 0, 0, 0
	for i, bar := range b.Bars.Bars {
		labels = max(labels, utf8.RuneCountInString(bar.Label))
		values = max(values, utf8.RuneCountInString(b.Unit.Format(b.sums[i])))
		notes = max(notes, utf8.RuneCountInString(bar.Note))
	}
	labels = min(labels, t.width()/3)
	width := max(8, min(100, t.width()-labels-values-notes-5))
	for i, bar := range b.Bars.Bars {
		p.text(padLeft(fit(bar.Label, labels), labels) + " ")
		n := b.line(p, t, i, width)
		p.set(nil, nil)
		p.text(strings.Repeat(" ", width-n) + " " + padLeft(b.Unit.Format(b.sums[i]), values))
		if bar.Note != "" {
			p.text("  " + padLeft(bar.Note, notes))
		}
		p.line()
	}
	b.textLegend(p, t, labels)
	return p.b.String()
}

// line draws one bar and returns how many characters it took.
func (b *bars) line(p *pen, t *Terminal, i, width int) int {
	n, sum := 0, 0.0
	for k, v := range b.Bars.Bars[i].Values {
		if !length(v) || k >= len(b.series) {
			continue
		}
		sum += v
		end := b.axis.at(sum) * float64(width)
		s := &b.series[k]
		col := s.on(t)
		p.set(&col, nil)
		if !t.Unicode || len(b.series) > 1 {
			ch := "█"
			if !t.Unicode || t.Colors == NoColors && len(b.series) > 1 {
				ch = string(rune(letterOf(s)))
			}
			m := int(math.Round(end)) - n
			p.text(strings.Repeat(ch, max(m, 0)))
			n += max(m, 0)
			continue
		}
		eighths := int(math.Round(end * 8))
		eighths = max(eighths, 1) // something is not nothing
		p.text(strings.Repeat("█", eighths/8))
		n += eighths / 8
		if r := eighths % 8; r > 0 {
			p.text(string([]rune("▏▎▍▌▋▊▉")[r-1]))
			n++
		}
	}
	return n
}

func (b *bars) textLegend(p *pen, t *Terminal, indent int) {
	var parts []string
	if b.Value != "" {
		s := b.Value
		if b.axis.log {
			s += " (log scale)"
		}
		parts = append(parts, s)
	}
	if b.Axis != "" {
		parts = append(parts, "by "+b.Axis)
	}
	if len(parts) > 0 {
		p.text(strings.Repeat(" ", indent+1) + strings.Join(parts, " ") + "\n")
	}
	if len(b.series) > 1 {
		seriesLegend(p, t, b.series, indent+1)
	}
}

// seriesLegend names series with their colours, or letters where there are
// none, on as many lines as it takes.
func seriesLegend(p *pen, t *Terminal, series []Series, indent int) {
	at := 0
	for i := range series {
		s := &series[i]
		n := utf8.RuneCountInString(s.Name) + 2
		switch {
		case at == 0:
			p.text(strings.Repeat(" ", indent))
			at = indent
		case at+2+n > t.width():
			p.text("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			p.text("  ")
			at += 2
		}
		at += n
		col := s.on(t)
		p.set(&col, nil)
		if p.colors == NoColors {
			p.text(fmt.Sprintf("%c", letterOf(s)))
		} else if t.Unicode {
			p.text("■")
		} else {
			p.text("#")
		}
		p.set(nil, nil)
		p.text(" " + s.Name)
	}
	p.line()
}

// letterOf is the letter of a series, # if it has none.
func letterOf(s *Series) byte {
	if s.Letter == 0 {
		return '#'
	}
	return s.Letter
}
