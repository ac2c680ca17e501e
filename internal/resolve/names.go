package resolve

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// clones are what compilers add to the name of a function that they split or copied: it is still the
// same function in the source. Functions inside of functions have numbers.
var clones = regexp.MustCompile(
	`(\.(constprop|isra|part|cold|lto_priv|localalias|llvm|clone|ltrans[0-9]*|[0-9]+))+$`)

// modules are the procedures of Fortran modules, as gfortran, Intel's compiler and LLVM's write them.
var modules = []*regexp.Regexp{
	regexp.MustCompile(`^__(.+)_MOD_(.+)$`),
	regexp.MustCompile(`^([a-z0-9_]+)_mp_([a-z0-9_]+)_$`),
	regexp.MustCompile(`^_QM([a-z0-9_]+)P([a-z0-9_]+)$`),
}

// Readable is the linker name of a function as people would write it.
func Readable(name string) string { return readable(name, false) }

// readable is a linker name as people would write it: C++ and Rust demangled, procedures of Fortran
// modules as module::procedure, and copies under the name of their original. Names of data keep what
// tells copies apart.
func readable(name string, data bool) string {
	if !data {
		name = clones.ReplaceAllString(name, "")
	}
	for _, m := range modules {
		if s := m.FindStringSubmatch(name); s != nil {
			return s[1] + "::" + s[2]
		}
	}
	if s, ok := strings.CutPrefix(name, "_QP"); ok {
		return s
	}
	return demangle.Filter(name, demangle.NoClones)
}

// cString is the text before the first zero byte.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
