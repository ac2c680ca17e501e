package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An MPI is an installed MPI to check the table against.
type MPI struct {
	CC      string   // compiler command
	Headers []string // mpi.h first
	Library string   // soname prefix of the library that exports the functions
}

// Installed are the MPIs of the supported platform.
var Installed = []MPI{
	{"mpicc.openmpi", []string{"mpi.h", "mpi-ext.h"}, "libmpi.so"},
	{"mpicc.mpich", []string{"mpi.h"}, "libmpich.so"},
}

// Check compares the table with the installed MPIs.
func Check(api *API) error {
	var errs []error
	for _, m := range Installed {
		errs = append(errs, m.CheckPrototypes(api), m.CheckExports(api))
	}
	return errors.Join(errs...)
}

// prototype is the C type of a pointer to the function, with the types of
// the standard; alternatives replace the type of one parameter.
func (f *Func) prototype(param int, accepted string) string {
	var ps []string
	for i, p := range f.Params {
		t := p.Type
		if i == param {
			t = accepted
		}
		ps = append(ps, t)
	}
	if len(ps) == 0 {
		ps = []string{"void"}
	}
	return fmt.Sprintf("%s (*)(%s)", f.Ret, strings.Join(ps, ", "))
}

// prototypes lists all that a header may have.
func (f *Func) prototypes() []string {
	list := []string{f.prototype(-1, "")}
	for i, p := range f.Params {
		for _, t := range p.Accept {
			list = append(list, f.prototype(i, t))
		}
	}
	return list
}

// declared matches what looks like the declaration of a profiling function. A
// function of the API is one that has such a twin, which types and predefined callbacks lack.
var declared = regexp.MustCompile(`\bP(MPIX?_[A-Za-z0-9_]+)\s*\(`)

// CheckPrototypes compiles assertions that each declared function has the
// type that the table gives it, and looks for functions that the table lacks.
func (m *MPI) CheckPrototypes(api *API) error {
	dir, err := os.MkdirTemp("", "tabard-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var b bytes.Buffer
	for _, h := range m.Headers {
		fmt.Fprintf(&b, "#include <%s>\n", h)
	}
	src := filepath.Join(dir, "check.c")
	if err := os.WriteFile(src, b.Bytes(), 0o644); err != nil {
		return err
	}
	text, err := compile(m.CC, "-E", "-P", src)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", m.CC, err, text)
	}
	have := map[string]bool{}
	for _, w := range declared.FindAllSubmatch(text, -1) {
		have[string(w[1])] = true
	}
	n, unknown := 0, []string{}
	for name := range have {
		f := api.byName[name]
		if f == nil {
			if !api.excludes(name) {
				unknown = append(unknown, name)
			}
			continue
		}
		n++
		var alternatives []string
		for _, p := range f.prototypes() {
			alternatives = append(alternatives,
				fmt.Sprintf("__builtin_types_compatible_p(__typeof__(&%s), %s)", name, p))
		}
		fmt.Fprintf(&b, "#undef %s\n_Static_assert(%s, \"%s\");\n", name, strings.Join(alternatives, " || "), name)
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return fmt.Errorf("%s declares functions that the table lacks: %v", m.CC, unknown)
	}
	if n < 400 {
		return fmt.Errorf("%s: found only %d declarations of functions", m.CC, n)
	}
	if err := os.WriteFile(src, b.Bytes(), 0o644); err != nil {
		return err
	}
	if out, err := compile(m.CC, "-w", "-fsyntax-only", src); err != nil {
		return fmt.Errorf("%s: prototypes differ from the table:\n%s", m.CC, out)
	}
	return nil
}

func (api *API) excludes(name string) bool {
	return slices.ContainsFunc(api.Excluded, func(r *rawFunc) bool { return r.Name == name })
}

// Exports lists the functions that the MPI's library exports together with their profiling twins.
func (m *MPI) Exports() ([]string, error) {
	path, err := m.libraryPath()
	if err != nil {
		return nil, err
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	syms, err := f.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	functions := map[string]bool{}
	for _, s := range syms {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			functions[s.Name] = true
		}
	}
	var names []string
	for n := range functions {
		if strings.HasPrefix(n, "MPI") && functions["P"+n] {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names, nil
}

// libraryPath links a program and asks the loader which library it uses.
func (m *MPI) libraryPath() (string, error) {
	dir, err := os.MkdirTemp("", "tabard-link-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	src, exe := filepath.Join(dir, "link.c"), filepath.Join(dir, "link")
	text := "#include <mpi.h>\nint main(int c, char **v) { return MPI_Init(&c, &v); }\n"
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		return "", err
	}
	if out, err := compile(m.CC, "-o", exe, src); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", m.CC, err, out)
	}
	out, err := exec.Command("ldd", exe).Output()
	if err != nil {
		return "", fmt.Errorf("ldd: %w", err)
	}
	for _, l := range strings.Split(string(out), "\n") {
		if w := strings.Fields(l); len(w) > 2 && strings.HasPrefix(w[0], m.Library) {
			return w[2], nil
		}
	}
	return "", fmt.Errorf("%s: a program does not load %s:\n%s", m.CC, m.Library, out)
}

// CheckExports looks for exported functions that are neither in the table nor excluded with a
// reason.
func (m *MPI) CheckExports(api *API) error {
	names, err := m.Exports()
	if err != nil {
		return err
	}
	if len(names) < 400 {
		return fmt.Errorf("%s: the library exports only %d functions", m.CC, len(names))
	}
	var lacking []string
	for _, n := range names {
		if api.byName[n] == nil && !api.excludes(n) {
			lacking = append(lacking, n)
		}
	}
	if len(lacking) > 0 {
		return fmt.Errorf("%s: exported with a profiling twin, but not in the table: %v", m.CC, lacking)
	}
	return nil
}
