package render

import (
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Page is what text is written to that is to be read by people: tables fit its width, names are shortened, see
// ShortNames, and lines are wrapped, unless Wide is set. Writers that pass text on to a page should tell so, see
// PageOf.
type Page struct {
	io.Writer
	// Width is in characters, 0 for no limit.
	Width int
	Wide  bool
	held  []byte // of a line whose end has not come
}

// Page makes it a page.
func (p *Page) Page() *Page { return p }

// PageOf is the page that a writer writes to, nil if that is not known: then nothing is shortened.
func PageOf(w io.Writer) *Page {
	if p, ok := w.(interface{ Page() *Page }); ok {
		return p.Page()
	}
	return nil
}

// brief shortens names on a page that is not wide.
func (p *Page) brief(s string) string {
	if p == nil || p.Wide {
		return s
	}
	return ShortNames(s)
}

// ShortNames is a text in which the names of functions in call sites, "solve.cc:41 [name] < main.cc:7 [name]", are
// without what C++ and Rust add to them: arguments are "(..)" if there are any, and so are those of templates, "<..>".
// What is not in brackets behind a space stays as it is.
func ShortNames(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, " [")
		if i < 0 {
			break
		}
		end := closing(s[i+1:])
		if end < 0 {
			break
		}
		b.WriteString(s[:i+2])
		b.WriteString(shortName(s[i+2 : i+1+end]))
		b.WriteByte(']')
		s = s[i+2+end:]
	}
	if b.Len() == 0 {
		return s
	}
	return b.String() + s
}

// What KernelName leaves out: namespaces, the types of arguments where a name goes on behind them, numbers of lambdas.
var (
	innerArguments = regexp.MustCompile(`\([^()]*\)( const)?::`)
	lambdas        = regexp.MustCompile(`\{lambda\([^{}]*\)#[0-9]+\}`)
	namespaces     = regexp.MustCompile(`(?:[A-Za-z_][A-Za-z_0-9]*|\(anonymous namespace\))::`)
)

// maxKernelName is how many characters the short name of a kernel has at most.
const maxKernelName = 72

// KernelName is the name of a kernel of a GPU, which often is 300 characters long, for a page: without the type of the
// result, arguments and namespaces. The arguments of templates, which tell kernels of one name apart, stay.
func KernelName(w io.Writer, s string) string {
	if p := PageOf(w); p == nil || p.Wide {
		return s
	}
	return ShortKernel(s)
}

// ShortKernel is KernelName for what is no page of text.
func ShortKernel(s string) string {
	s = strings.TrimPrefix(s, "void ")
	if i := argumentsAt(s); i > 0 {
		s = s[:i]
	}
	s = lambdas.ReplaceAllString(s, "{lambda}")
	s = namespaces.ReplaceAllString(s, "")
	s = innerArguments.ReplaceAllString(s, "::")
	return fit(s, maxKernelName)
}

// argumentsAt is where the arguments of a function begin, at the end of its name; -1 if there are none.
func argumentsAt(s string) int {
	depth := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '<' && attached(s[:i], c):
			depth++
		case c == '>' && depth > 0 && s[i-1] != '-':
			depth--
		case c == '(' && depth == 0 && attached(s[:i], c):
			if i+closing(s[i:]) == len(s)-1 {
				return i
			}
		}
	}
	return -1
}

// closing is where the bracket that a text begins with is closed, -1 if it is not. Angle brackets do not count, as
// there are operators of that name.
func closing(s string) int {
	var open []byte
	for i := range len(s) {
		switch c := s[i]; c {
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			if len(open) == 0 || closer(open[len(open)-1]) != c {
				return -1
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i
			}
		}
	}
	return -1
}

func closer(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	case '<':
		return '>'
	}
	return '}'
}

// shortName is the name of a function without arguments and those of templates.
func shortName(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if (c == '(' || c == '<') && attached(s[:i], c) {
			n := -1
			if c == '(' {
				n = closing(s[i:])
			} else {
				n = closingAngle(s[i:])
			}
			if n > 1 {
				b.WriteByte(c)
				b.WriteString("..")
				b.WriteByte(closer(c))
				i += n + 1
				continue
			}
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

// attached tells whether an opening bracket behind s begins a list of arguments: behind a name, an operator's, or the
// arguments of a template, not where it is an operator itself, or a place as "(anonymous namespace)".
func attached(s string, open byte) bool {
	name := s[strings.LastIndexFunc(s, func(r rune) bool { return !isName(r) })+1:]
	last, _ := utf8.DecodeLastRuneInString(s)
	if name == "operator" { // operator(), operator<
		return false
	}
	if open == '<' {
		return name != ""
	}
	// f(, f<int>(, operator<(, operator()(
	return name != "" || last == '>' || last == ')' || strings.HasSuffix(strings.TrimRight(s, "<=>!+-*/%&|^~[]"),
		"operator")
}

func isName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// closingAngle is where the angle bracket that a text begins with is closed, -1 if it is not. An arrow closes none.
func closingAngle(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '<':
			depth++
		case '>':
			if i > 0 && s[i-1] == '-' {
				continue
			}
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// cutNames cuts a text to a width. Of a chain of call sites, the names of functions go first, as lines tell more, from
// the inside out; then the outermost call sites; then the function that is called.
func cutNames(s string, width int) string {
	long := func(s string) bool { return utf8.RuneCountInString(s) > width }
	if !long(s) {
		return s
	}
	frames := strings.Split(s, " < ")
	for i, f := range frames {
		if at := strings.Index(f, " ["); at > 0 && strings.HasSuffix(f, "]") {
			if frames[i] = f[:at]; !long(strings.Join(frames, " < ")) {
				return strings.Join(frames, " < ")
			}
		}
	}
	for n := len(frames) - 1; n > 0; n-- {
		if s := strings.Join(frames[:n], " < ") + " < ~"; !long(s) {
			return s
		}
	}
	if len(frames) > 1 && !long(frames[0]) {
		return frames[0]
	}
	if fn, site, ok := strings.Cut(frames[0], " @ "); ok && !long(site) {
		if room := width - utf8.RuneCountInString(" @ "+site); room >= leastName {
			return fit(fn, room) + " @ " + site
		}
		return site
	}
	return fit(strings.Join(frames, " < "), width)
}

// leastName is how much of the name of a function must stay for it to tell anything.
const leastName = 6
