package render

import (
	"fmt"
	"image/color"
	"strings"
	"time"
	"unicode/utf8"
)

// Band is a stretch of time with a name, above the rows of a timeline.
type Band struct {
	Level      int // bands of level 0 are uppermost
	Start, End time.Duration
	Label      string
}

// bandLevels is how many levels of bands there are.
func (tl *Timeline) bandLevels() (n int) {
	for i := range tl.Bands {
		n = max(n, tl.Bands[i].Level+1)
	}
	return n
}

// bandSpan is where a band is in a width.
func (tl *Timeline) bandSpan(b *Band, width float64) (from, to float64) {
	window := float64(tl.End - tl.Start)
	from = max(0, float64(b.Start-tl.Start)/window) * width
	return from, min(1, float64(b.End-tl.Start)/window) * width
}

// bands draws the bands, a line for each level: [name---].
func (g *timeGrid) bands() {
	lines := make([][]rune, g.tl.bandLevels())
	for i := range lines {
		lines[i] = []rune(strings.Repeat(" ", g.width))
	}
	for i := range g.tl.Bands {
		b := &g.tl.Bands[i]
		from, to := g.tl.bandSpan(b, float64(g.width))
		x0, x1 := min(int(from+.5), g.width-1), min(int(to+.5), g.width)
		line := lines[b.Level]
		if x1-x0 < 2 {
			line[x0] = '|'
			continue
		}
		for x := x0; x < x1; x++ {
			line[x] = '-'
		}
		line[x0], line[x1-1] = '[', ']'
		if n := x1 - x0 - 2; n >= 2 && b.Label != "" {
			copy(line[x0+1:], []rune(fit(b.Label, n)))
		}
	}
	if len(lines) > 0 {
		g.p.text(g.tl.BandTitle + "\n")
	}
	for _, line := range lines {
		g.p.text(strings.TrimRight(strings.Repeat(" ", g.left)+string(line), " ") + "\n")
	}
}

// Points of bands in pictures.
const (
	bandHigh  = 15
	bandTitle = 16
)

// bandRoom is the points that bands take.
func (tl *Timeline) bandRoom() float64 {
	if n := tl.bandLevels(); n > 0 {
		return float64(n*bandHigh + bandTitle + 4)
	}
	return 0
}

// bandColors are those of bands that follow one another.
var bandColors = [2]color.RGBA{PaleBlue, Grey}

// bands draws the bands above the body.
func (l *timeLayout) bands(c canvas) {
	tl := l.tl
	if len(tl.Bands) == 0 {
		return
	}
	top := l.body.y - tl.bandRoom()
	c.text(l.body.x, top+bandTitle-5, tl.BandTitle, tickStyle)
	st := style{size: 10, align: middle}
	count := make([]int, tl.bandLevels())
	for i := range tl.Bands {
		b := &tl.Bands[i]
		from, to := tl.bandSpan(b, l.body.w)
		col := bandColors[count[b.Level]%2]
		count[b.Level]++
		w, y := max(to-from, 0.5), top+bandTitle+float64(b.Level*bandHigh)
		c.rect(l.body.x+from, y, w, bandHigh-2, col)
		if s := bandText(b.Label, w-6, st); s != "" {
			c.text(l.body.x+from+w/2, y+bandHigh-5, s, st.in(contrast(col)))
		}
	}
}

// bandText is a label as far as it fits, "" if little does.
func bandText(s string, width float64, st style) string {
	s = OneLine(s)
	if textWidth(s, st) <= width {
		return s
	}
	for n := utf8.RuneCountInString(s); n > 2; n-- {
		cut := fit(s, n)
		if textWidth(cut, st) <= width {
			return cut
		}
	}
	return ""
}

// BandLabel is the label of a band that stands for several regions.
func BandLabel(name string, times uint64) string {
	switch {
	case times == 1:
		return name
	case name == "":
		return fmt.Sprintf("(%d)", times)
	}
	return fmt.Sprintf("%s x%d", name, times)
}
