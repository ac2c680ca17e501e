package doctor

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/functions/plan"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/spec"
)

// A source is what shows that a program makes events of a kind.
type source struct {
	events string
	// symbols are functions that the program, or a library of it, refers to; libraries are what it is linked with;
	// texts stand in the image of whoever has the interface compiled in.
	symbols, libraries *regexp.Regexp
	texts              map[string]string
	// imports is what a script in Python says that uses it; nil: none.
	imports *regexp.Regexp
	// but are libraries whose references do not count; nil: none.
	but *regexp.Regexp
}

// system are libraries that always refer to functions of files, and those of MPI, which has files of its own.
var system = regexp.MustCompile(`^(ld-|lib(c|m|gcc_s|stdc\+\+|pthread|dl|rt|util|mpi|mpich|open-rte|open-pal|pmix|` +
	`ucs|event|hwloc|udev|systemd|gomp|omp|iomp5|z|png16|expat)[.-])`)

// sources are all of them. Their patterns have hundreds of names: they are made when somebody asks.
func sources() []source {
	return []source{
		{events: "mpi", symbols: namesOf(func(f *spec.Func) bool { return f.API == "mpi" }),
			libraries: regexp.MustCompile(`^lib(mpi|mpich|mpi_cxx)\.so`), imports: importing("mpi4py")},
		{events: "regions",
			symbols: regexp.MustCompile(`^(tabard_begin|roctxRangePush\w*|cali_(begin|end)\w*|likwid_markerStartRegion)$`),
			texts: map[string]string{"NVTX": "NVTX_INJECTION64_PATH", "ITT": "INTEL_LIBITTNOTIFY64",
				"Kokkos Tools": "KOKKOS_TOOLS_LIBS"}},
		{events: "io", symbols: namesOf(func(f *spec.Func) bool { return f.Op == spec.OpFileOpenByName }), but: system},
		{events: "openmp", symbols: regexp.MustCompile(`^(GOMP_|__kmpc_)\w+$`),
			libraries: regexp.MustCompile(`^lib(g|i)?omp5?\.so`)},
		{events: "threads", symbols: namesOf(func(f *spec.Func) bool { return f.API == "threads" }), but: system},
		{events: "nccl", symbols: namesOf(func(f *spec.Func) bool { return f.API == "nccl" }),
			libraries: regexp.MustCompile(`^lib(nccl|rccl)\.so`)},
		{events: "cuda", symbols: regexp.MustCompile(`^(cu[A-Z]|cuda[A-Z])\w+$`),
			libraries: regexp.MustCompile(`^lib(cudart|cuda)\.so`),
			texts:     map[string]string{"the CUDA runtime": "libcuda.so.1"}},
		{events: "torch", symbols: regexp.MustCompile(`^_ZNK?4c10d12ProcessGroup\w+$`),
			libraries: regexp.MustCompile(`^libtorch(_cpu|_cuda|_python)?\.so`), imports: importing("torch")},
		{events: "python", symbols: regexp.MustCompile(`^(Py_BytesMain|Py_Main|Py_Initialize\w*)$`),
			libraries: regexp.MustCompile(`^libpython`)},
	}
}

// importing matches a line of Python that has a module loaded, or one inside of it.
func importing(module string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(from|import)[ \t]+` + module + `\b`)
}

// namesOf matches functions, their forms in Fortran, and those for large files.
func namesOf(which func(*spec.Func) bool) *regexp.Regexp {
	var names []string
	for _, f := range spec.Functions() {
		if which(f) && !f.Own() {
			names = append(names, regexp.QuoteMeta(f.Name))
		}
	}
	return regexp.MustCompile(`^(?i:` + strings.Join(names, "|") + `)_{0,2}(64)?$`)
}

// image is what an ELF file says of itself.
type image struct {
	path        string
	refers, has []string // dynamic symbols: undefined ones, and its own
	functions   int      // that have names
	static      bool
}

// maxText is how much of an image is searched for texts.
const maxText = 256 << 20

// Sources says which events a program can make, by what it and its libraries are linked with. Nothing of the program
// runs, nor does its dynamic linker. What is loaded later, such as modules of Python, is not seen, but for what a
// script itself imports.
func Sources(name string) ([]Check, error) {
	path, err := exec.LookPath(name)
	if filepath.Ext(name) == pythonScript { // it need not be executable
		path, err = name, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var checks []Check
	script := ""
	if by := interpreterOf(path); by != "" {
		script = path
		checks = append(checks, Check{Name: "program", Status: OK,
			Detail: fmt.Sprintf("%s is a script, which %s runs; this is about that", path, by)})
		if path, err = exec.LookPath(by); err != nil {
			return nil, fmt.Errorf("%s: %w", by, err)
		}
	}
	program, err := look(path)
	if err != nil && script != "" { // such as what chooses between several interpreters
		for _, s := range sources() {
			checks = append(checks, s.check(nil, script))
		}
		return append(checks, Check{"program", Warn, path + " is no program itself",
			"tabard doctor with the interpreter that runs in the end says more"}), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if program.static {
		return append(checks, Check{"program", Fail, path + " is linked statically: nothing of it can be recorded",
			"link it with shared libraries"}), nil
	}
	libraries, err := plan.Libraries(path, os.Environ())
	if err != nil {
		checks = append(checks, Check{"libraries", Warn, err.Error(),
			"what follows is about the program and the libraries that were found"})
	}
	images := []*image{program}
	for _, lib := range libraries {
		if i, err := look(lib); err == nil {
			images = append(images, i)
		}
	}
	for _, s := range sources() {
		checks = append(checks, s.check(images, script))
	}
	functions := Check{Name: "functions", Status: OK, Fix: "tabard record --functions",
		Detail: fmt.Sprintf("%d functions of %s have names", program.functions, path)}
	if program.functions == 0 {
		functions = Check{Name: "functions", Status: None, Detail: path + " has no names of functions: it was stripped"}
	}
	return append(checks, functions), nil
}

// check looks for one source; script is what the program runs, "" for none.
func (s *source) check(images []*image, script string) Check {
	c := Check{Name: s.events, Status: None}
	var found []string
	if line := importedBy(script, s.imports); line != "" {
		found = append(found, fmt.Sprintf("%s has %q", filepath.Base(script), line))
	}
	for i, image := range images {
		base := filepath.Base(image.path)
		if i > 0 && s.libraries != nil && s.libraries.MatchString(base) {
			found = append(found, "it is linked with "+image.path)
			continue
		}
		if s.but != nil && s.but.MatchString(base) {
			continue
		}
		if n := slices.IndexFunc(image.refers, s.symbols.MatchString); n >= 0 {
			found = append(found, fmt.Sprintf("%s calls %s", base, image.refers[n]))
		} else if i == 0 && s.events == "python" && slices.ContainsFunc(image.has, s.symbols.MatchString) {
			found = append(found, base+" is an interpreter")
		}
		for _, name := range image.containing(s.texts) {
			found = append(found, fmt.Sprintf("%s has %s", base, name))
		}
	}
	if len(found) == 0 {
		c.Detail = "not found"
		return c
	}
	c.Status, c.Detail = OK, strings.Join(found[:min(3, len(found))], ", ")
	kind, _ := spec.EventsNamed(s.events)
	if c.Fix = "tabard record --events=mpi," + s.events; spec.EventKinds[kind].Default {
		c.Fix = "" // recorded anyway
	}
	return c
}

// look reads the symbols of an image.
func look(path string) (*image, error) {
	f, err := safefile.OpenELF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	i := &image{path: path, static: !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool {
		return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC
	})}
	dynamic, _ := f.DynamicSymbols() // there need be none
	for _, s := range dynamic {
		if s.Section == elf.SHN_UNDEF {
			i.refers = append(i.refers, s.Name)
		} else {
			i.has = append(i.has, s.Name)
		}
	}
	all, _ := f.Symbols()
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			i.functions++
		}
	}
	return i, nil
}

// containing gives the names of the texts that stand in the image.
func (i *image) containing(texts map[string]string) (names []string) {
	if len(texts) == 0 {
		return nil
	}
	f, err := safefile.OpenELF(i.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.FileSize > maxText ||
			s.Flags&(elf.SHF_ALLOC|elf.SHF_EXECINSTR) != elf.SHF_ALLOC {
			continue
		}
		b, err := s.Data()
		if err != nil {
			continue
		}
		for name, text := range texts {
			if bytes.Contains(b, []byte(text)) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// pythonScript is how names of scripts in Python end, which need not say what runs them.
const pythonScript = ".py"

// importedBy is the line of a script that matches, "" if there is none.
func importedBy(script string, imports *regexp.Regexp) string {
	if script == "" || imports == nil {
		return ""
	}
	f, err := safefile.OpenInput(script)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxText)) // what can be read of it will do
	at := imports.FindIndex(text)
	if at == nil {
		return ""
	}
	line, _, _ := bytes.Cut(text[at[0]:], []byte("\n"))
	return string(bytes.TrimSpace(line))
}

// interpreterOf is what runs a script, "" if the file is none.
func interpreterOf(path string) string {
	f, err := safefile.OpenInput(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 4096)).ReadString('\n')
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if err != nil || !strings.HasPrefix(line, "#!") || len(words) == 0 {
		if filepath.Ext(path) == pythonScript {
			return "python3"
		}
		return ""
	}
	if filepath.Base(words[0]) == "env" && len(words) > 1 {
		return words[len(words)-1]
	}
	return words[0]
}
