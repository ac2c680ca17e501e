package render

import (
	"strings"
	"unicode/utf8"
)

// leastWrapped is the least width that lines are wrapped to.
const leastWrapped = 30

// Write implements io.Writer. Lines that are wider than the page are wrapped between words, those that follow indented
// (see hang). Lines with colours are charts, which have their width, and commands stay whole to be copied. Flush writes
// the last line if it has no end.
func (p *Page) Write(b []byte) (int, error) {
	if p.Wide || p.Width < leastWrapped {
		return p.Writer.Write(b)
	}
	var out strings.Builder
	for line := range strings.Lines(string(append(p.held, b...))) {
		text, whole := strings.CutSuffix(line, "\n")
		switch {
		case !whole:
			p.held = []byte(text)
			continue
		case p.wraps(text):
			wrap(&out, text, p.Width)
		default:
			out.WriteString(line)
		}
		p.held = nil
	}
	if _, err := p.Writer.Write([]byte(out.String())); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what is left of the last line.
func (p *Page) Flush() error {
	held := p.held
	p.held = nil
	if len(held) == 0 {
		return nil
	}
	_, err := p.Writer.Write(held)
	return err
}

func (p *Page) wraps(line string) bool {
	return utf8.RuneCountInString(line) > p.Width && !strings.Contains(line, "\x1b") &&
		!(line[0] == ' ' && strings.HasPrefix(strings.TrimLeft(line, " "), "tabard "))
}

// wrap writes a line as several ones.
func wrap(out *strings.Builder, line string, width int) {
	indent := hang(line, width)
	for utf8.RuneCountInString(line) > width {
		cut := byteAt(line, width)
		at := strings.LastIndexByte(line[:cut+1], ' ')
		if at <= len(line)-len(strings.TrimLeft(line, " ")) {
			if at = strings.IndexByte(line[cut:], ' '); at < 0 { // a long word
				break
			}
			at += cut
		}
		out.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
	}
	if strings.TrimLeft(line, " ") != "" {
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// hang is how far the lines that follow the first one of a wrapped line are indented: to the text of an item in a list,
// which two spaces tell; else by two more, but for sentences.
func hang(line string, width int) int {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if at := strings.Index(text, "  "); at > 0 && indent > 0 {
		for at < len(text) && text[at] == ' ' {
			at++
		}
		if n := indent + utf8.RuneCountInString(text[:at]); n <= width/2 {
			return n
		}
	}
	if indent > 0 || line[0] < 'A' || line[0] > 'Z' {
		indent += 2
	}
	return min(indent, width/2)
}

// byteAt is where the character at a place begins, as a byte.
func byteAt(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
