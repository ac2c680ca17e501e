package plan

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/resolve"
)

// List is what --functions asks for.
type List struct {
	all, main      bool
	callers        bool     // only what leads to MPI calls
	images         []string // patterns of file names of libraries
	names, without []string // patterns of functions
}

// ParseList reads "main", "all", "mpi-callers" (what leads to MPI calls), or a list of these, of libraries (libm.so*),
// of functions (solve_*, std::*) and, with a minus in front, of what is left out. A pattern is a library's if ".so" is
// in it. Functions are looked for in the program, and in the libraries that are named. Empty is nil.
func ParseList(text string) (*List, error) {
	if text == "" {
		return nil, nil
	}
	l := &List{}
	for _, item := range splitList(text) {
		pattern, minus := strings.CutPrefix(item, "-")
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return nil, fmt.Errorf("functions %q: %q is no pattern: use main, all, libm.so*, solve_*, -std::*", text,
				item)
		}
		switch {
		case minus:
			l.without = append(l.without, pattern)
		case pattern == "all":
			l.all = true
		case pattern == "main":
			l.main = true
		case pattern == "mpi-callers":
			l.callers = true
		case strings.Contains(pattern, ".so"):
			l.images = append(l.images, pattern)
		default:
			l.names = append(l.names, pattern)
		}
	}
	l.main = l.main || l.all || len(l.images) == 0
	return l, nil
}

// splitList splits at commas outside of parentheses and angles, which names of C++ functions have.
func splitList(text string) []string {
	var items []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '(', '<':
			depth++
		case ')', '>':
			depth--
		case ',':
			if depth <= 0 {
				items = append(items, text[from:i])
				from = i + 1
			}
		}
	}
	return append(items, text[from:])
}

// Libraries says that libraries are asked for, too.
func (l *List) Libraries() bool { return l.all || l.callers || len(l.images) > 0 }

// Program says that functions of the program are asked for.
func (l *List) Program() bool { return l.main || len(l.names) > 0 }

// Library says whether the library at path is asked for.
func (l *List) Library(path string) bool {
	name := filepath.Base(path)
	if neverLibrary(name) || matches(l.without, name) {
		return false
	}
	return l.all || l.callers && len(l.images) == 0 || matches(l.images, name)
}

// neverLibrary are libraries that see to what tracing needs itself: the dynamic linker, who unwinds stacks, and what
// checks every access of a program. Tabard's own is among them.
func neverLibrary(name string) bool {
	for _, p := range []string{
		"ld-linux*", "ld-*.so", "ld.so*", "libgcc_s.so*", "libunwind.so*", "libtabard*", "lib?san.so*", "lib??san.so*",
		"linux-vdso.so*", "libasan*", "_greenlet*",
	} {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}

// notAsked is why functions are left out that the list does not name.
const notAsked = "not asked for"

// Select refuses the functions of plans that are not asked for. The plans are the caller's, and those of one process.
func (l *List) Select(plans ...*Plan) error {
	if l.callers {
		if err := selectCallers(plans); err != nil {
			return err
		}
	}
	if len(l.names) == 0 && len(l.without) == 0 {
		return nil
	}
	for _, p := range plans {
		for i := range p.Functions {
			if f := &p.Functions[i]; f.Refused == "" && !l.asks(f) {
				f.Refused = notAsked
			}
		}
	}
	return nil
}

func (l *List) asks(f *Function) bool {
	asked := len(l.names) == 0
	for _, name := range f.Names {
		// Names of C++ functions without their arguments, too, and slashes that patterns take for directories are none.
		readable := strings.ReplaceAll(resolve.Readable(name), "/", "|")
		short, _, _ := strings.Cut(readable, "(")
		for _, n := range []string{name, readable, short} {
			if matches(l.without, n) {
				return false
			}
			asked = asked || matches(l.names, n)
		}
	}
	return asked
}
