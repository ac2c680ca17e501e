package render

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Cleaner writes text that may hold anything: names of functions and files, command lines, what libraries say of
// themselves. Characters that a terminal obeys or hides (escapes, control characters, those that change the direction
// of text, what is no UTF-8) come out as Go writes them in strings, such as \x1b and \u202e; line feeds and tabs are
// layout and stay. All that commands print goes through one. Escapes of this package pass it, as they carry a secret.
type Cleaner struct {
	w    io.Writer
	json bool

	mu   sync.Mutex
	rest []byte // of a character, or an escape, of which the end has not come
	out  []byte
}

// NewCleaner cleans text on its way to w.
func NewCleaner(w io.Writer) *Cleaner { return &Cleaner{w: w} }

// NewJSONCleaner cleans JSON on its way to w: there characters are written as JSON does.
func NewJSONCleaner(w io.Writer) *Cleaner { return &Cleaner{w: w, json: true} }

// secret tells escapes of this package from those in a recording that somebody else made.
var secret = func() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x", b)
}()

// control is a control sequence for a terminal that a Cleaner lets pass.
func control(sequence string) string { return "\x1b" + secret + sequence }

// Paint puts text between the escapes of a colour (parameters of SGR), and those that end it.
func Paint(codes, text string) string { return control("["+codes+"m") + text + control("[0m") }

// Write implements io.Writer. All of b counts as written unless there is an error.
func (c *Cleaner) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := b
	if len(c.rest) > 0 {
		text = append(c.rest, b...)
		c.rest = nil
	}
	text, tail := whole(text)
	c.rest = bytes.Clone(tail)
	if err := c.put(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what was held back since its end could have come.
func (c *Cleaner) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	rest := c.rest
	c.rest = nil
	return c.put(rest)
}

func (c *Cleaner) put(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	c.out = c.append(c.out[:0], text)
	_, err := c.w.Write(c.out)
	return err
}

// whole cuts off what may be the begin of a character, or of an escape of ours.
func whole(b []byte) (now, later []byte) {
	if i := bytes.LastIndexByte(b, '\x1b'); i >= 0 && len(b)-i-1 < len(secret) &&
		strings.HasPrefix(secret, string(b[i+1:])) {
		return b[:i], b[i:]
	}
	for i := len(b) - 1; i >= 0 && len(b)-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if b[i] >= utf8.RuneSelf && !utf8.FullRune(b[i:]) {
				return b[:i], b[i:]
			}
			break
		}
	}
	return b, nil
}

func (c *Cleaner) append(to, b []byte) []byte {
	for len(b) > 0 {
		n := plainPrefix(b)
		to, b = append(to, b[:n]...), b[n:]
		if len(b) == 0 {
			break
		}
		if b[0] == '\x1b' && bytes.HasPrefix(b[1:], []byte(secret)) {
			to, b = append(to, '\x1b'), b[1+len(secret):]
			continue
		}
		r, size := utf8.DecodeRune(b)
		switch {
		case shown(r, size) || r == '\n' || r == '\t':
			to = append(to, b[:size]...)
		case c.json:
			to = appendJSON(to, r)
		default:
			to = appendEscaped(to, r, b[:size])
		}
		b = b[size:]
	}
	return to
}

// plainPrefix is the length of what is plain ASCII text at the begin.
func plainPrefix(b []byte) int {
	for i, c := range b {
		if (c < ' ' || c > '~') && c != '\n' {
			return i
		}
	}
	return len(b)
}

// shown tells whether a character stands for itself. Variation selectors and joiners are marks without a shape of their
// own, but they do nothing to the text around.
func shown(r rune, size int) bool {
	return (r != utf8.RuneError || size > 1) && unicode.IsGraphic(r)
}

func appendEscaped(to []byte, r rune, b []byte) []byte {
	switch {
	case r == '\n':
		return append(to, `\n`...)
	case r == '\t':
		return append(to, `\t`...)
	case r == '\r':
		return append(to, `\r`...)
	case r == utf8.RuneError && len(b) == 1 || r < utf8.RuneSelf:
		return fmt.Appendf(to, `\x%02x`, b[0])
	case r > 0xffff:
		return fmt.Appendf(to, `\U%08x`, r)
	}
	return fmt.Appendf(to, `\u%04x`, r)
}

// appendJSON appends a character that is in a string of JSON, where encoding/json leaves no other.
func appendJSON(to []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(to, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(to, `\u%04x`, r)
}

// OneLine is text in which nothing is obeyed by a terminal and nothing begins a new line: as a Cleaner writes it, with
// line feeds and tabs escaped, too.
func OneLine(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsGraphic(r) })
	if i < 0 {
		return s
	}
	var to []byte
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if shown(r, size) {
			to = append(to, s[:size]...)
		} else {
			to = appendEscaped(to, r, []byte(s[:size]))
		}
		s = s[size:]
	}
	return string(to)
}

// Printf is fmt.Fprintf for lines of text: what the arguments hold stays on its line, see OneLine, and is shortened on
// a page. Line feeds that are meant stand in the format.
func Printf(w io.Writer, format string, args ...any) (int, error) {
	p := PageOf(w)
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = p.brief(OneLine(a))
		case error:
			args[i] = p.brief(OneLine(a.Error()))
		case fmt.Stringer:
			args[i] = p.brief(OneLine(a.String()))
		}
	}
	return fmt.Fprintf(w, format, args...)
}
