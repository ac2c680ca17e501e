package render

import (
	"image/color"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Colors says which colours a terminal shows.
type Colors uint8

// Colours of terminals.
const (
	NoColors   Colors = iota
	Colors256         // the xterm palette
	TrueColors        // 24 bits
)

// Terminal is what text is drawn for. The zero value is a pipe: 80 columns of
// plain ASCII.
type Terminal struct {
	// Width and Height are in characters; 0 means 80 and 24.
	Width, Height int
	Colors        Colors
	// Unicode allows block characters and dashes.
	Unicode bool
	// Light says that the background is light.
	Light bool
	// TTY says that somebody watches: progress may be shown.
	TTY bool
}

// DetectTerminal finds out what w can show from the window and the
// environment: COLUMNS and LINES override the size; NO_COLOR, TERM=dumb and
// anything but a terminal mean no colours, unless CLICOLOR_FORCE is set (for
// less -R, say); the locale decides about Unicode.
func DetectTerminal(w io.Writer, getenv func(string) string) Terminal {
	var t Terminal
	if f, ok := w.(*os.File); ok {
		// Fails for all that is not a terminal.
		if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil {
			t.TTY, t.Width, t.Height = true, int(size.Col), int(size.Row)
		}
	}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		t.Width = n
	}
	if n, err := strconv.Atoi(getenv("LINES")); err == nil && n > 0 {
		t.Height = n
	}
	force := getenv("CLICOLOR_FORCE") != "" && getenv("CLICOLOR_FORCE") != "0"
	t.Unicode = (t.TTY || force) && utf8Locale(getenv)
	if (t.TTY || force) && getenv("NO_COLOR") == "" {
		t.Colors = colorsOf(getenv)
	}
	// "15;0" or "0;default;15": the last is the background.
	if bg := getenv("COLORFGBG"); bg != "" {
		n, err := strconv.Atoi(bg[strings.LastIndexByte(bg, ';')+1:])
		t.Light = err == nil && (n == 7 || n > 8)
	}
	return t
}

func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

func colorsOf(getenv func(string) string) Colors {
	term := getenv("TERM")
	switch c := getenv("COLORTERM"); {
	case term == "dumb" || term == "":
		return NoColors
	case c == "truecolor" || c == "24bit":
		return TrueColors
	}
	return Colors256
}

// width is the number of columns that are used.
func (t *Terminal) width() int {
	if t.Width <= 0 {
		return 80
	}
	return max(t.Width, 40)
}

// Columns is the number of characters in a line that a chart uses.
func (t *Terminal) Columns() int { return t.width() }

// Lines is how many lines the body of a chart may have: what fits, but not so
// few that scrolling would be better.
func (t *Terminal) Lines() int {
	if !t.TTY {
		return max(40, t.Height-8)
	}
	return max(32, t.Height-8)
}

// pen writes coloured characters and changes colours only where it must.
type pen struct {
	b      strings.Builder
	colors Colors
	fg, bg color.RGBA // A is 0: the terminal's own
}

// set chooses the colours of what follows; nil is the terminal's own.
func (p *pen) set(fg, bg *color.RGBA) {
	var f, b color.RGBA
	if fg != nil {
		f = *fg
	}
	if bg != nil {
		b = *bg
	}
	if p.colors == NoColors || f == p.fg && b == p.bg {
		return
	}
	var codes []string
	if f.A == 0 && p.fg.A != 0 || b.A == 0 && p.bg.A != 0 {
		codes = append(codes, "0")
		p.fg, p.bg = color.RGBA{}, color.RGBA{}
	}
	if f != p.fg {
		codes = append(codes, p.code(38, f))
	}
	if b != p.bg {
		codes = append(codes, p.code(48, b))
	}
	p.fg, p.bg = f, b
	p.b.WriteString(control("[" + strings.Join(codes, ";") + "m"))
}

func (p *pen) code(kind int, c color.RGBA) string {
	s := strconv.Itoa(kind)
	if p.colors == TrueColors {
		return s + ";2;" + strconv.Itoa(int(c.R)) + ";" + strconv.Itoa(int(c.G)) + ";" + strconv.Itoa(int(c.B))
	}
	return s + ";5;" + strconv.Itoa(xterm(c))
}

func (p *pen) text(s string) { p.b.WriteString(s) }

// line ends a line in the terminal's own colours.
func (p *pen) line() {
	p.set(nil, nil)
	p.b.WriteByte('\n')
}
