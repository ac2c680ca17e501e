package replay

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/record/launch"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/spec"
)

// Library is an MPI library that makes the calls.
type Library struct {
	Path string
	ABI  spec.ABI
	// functions are those that it exports.
	functions map[string]bool
}

// Has tells whether the library has a function.
func (l *Library) Has(name string) bool { return l.functions[name] }

// libraryNames are the files that MPI libraries have, by their binary interface.
var libraryNames = map[spec.ABI][]string{
	spec.OpenMPI: {"libmpi.so.40", "libmpi.so.80", "libmpi.so"},
	spec.MPICH:   {"libmpich.so.12", "libmpi.so.12", "libmpich.so", "libmpi.so"},
	spec.MPI5:    {"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"},
}

// OpenLibrary looks at a library: which MPI it is, and what it has.
func OpenLibrary(path string) (*Library, error) {
	path, err := filepath.Abs(path) // a mere name would be looked for elsewhere by the dynamic linker
	if err != nil {
		return nil, err
	}
	f, err := safefile.OpenELF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Machine != launch.Machine() || f.Class != elf.ELFCLASS64 {
		return nil, fmt.Errorf("%s is for another machine (%v, %v)", path, f.Machine, f.Class)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l := &Library{Path: path, functions: map[string]bool{}}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF {
			continue
		}
		switch {
		case strings.HasPrefix(s.Name, "MPI"):
			l.functions[s.Name] = true
			if strings.HasPrefix(s.Name, "MPII_Version_") || strings.HasPrefix(s.Name, "MPIR_Version_") {
				l.ABI = spec.MPICH
			}
		case s.Name == "ompi_mpi_comm_world":
			l.ABI = spec.OpenMPI
		}
	}
	if !l.functions["MPI_Init"] {
		return nil, fmt.Errorf("%s is no MPI library: it has no MPI_Init", path)
	}
	names, _ := f.DynString(elf.DT_SONAME)
	switch {
	case slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "libmpi_abi.") }):
		l.ABI = spec.MPI5
	case l.ABI == spec.UnknownABI && slices.ContainsFunc(names, func(n string) bool {
		return n == "libmpi.so.12" ||
			strings.HasPrefix(n, "libmpich.")
	}):
		l.ABI = spec.MPICH // its relatives
	case l.ABI == spec.UnknownABI:
		return nil, fmt.Errorf("%s is an MPI library of unknown kind", path)
	}
	return l, nil
}

// FindLibrary finds the MPI library of the launcher that started this process. Without a launcher
// it prefers that of the recording.
func FindLibrary(p launch.Place, recorded spec.ABI) (*Library, error) {
	kinds := []spec.ABI{spec.OpenMPI, spec.MPICH, spec.MPI5}
	base := filepath.Base(p.Launcher)
	switch {
	case p.OpenMPI || strings.HasPrefix(base, "orte") || strings.HasPrefix(base, "prte"):
		kinds = []spec.ABI{spec.OpenMPI}
	case p.Hydra || strings.HasPrefix(base, "hydra"):
		kinds = []spec.ABI{spec.MPICH, spec.MPI5}
	default:
		slices.SortStableFunc(kinds, func(a, b spec.ABI) int {
			switch {
			case a == recorded && b != recorded:
				return -1
			case b == recorded && a != recorded:
				return 1
			}
			return 0
		})
	}
	for _, dirs := range []func() []string{func() []string { return nearLauncher(p.Launcher) }, searchPath,
		compilerDirs} {
		list := dirs()
		for _, kind := range kinds {
			for _, dir := range list {
				for _, name := range libraryNames[kind] {
					if l, err := OpenLibrary(filepath.Join(dir, name)); err == nil && l.ABI == kind {
						return l, nil
					}
				}
			}
		}
	}
	return nil, fmt.Errorf("no %v library was found: name one with --library, e.g. --library=/opt/mpi/lib/%s", kinds[0],
		libraryNames[kinds[0]][0])
}

// nearLauncher are the directories of libraries beside that of a launcher, unless it is one of the
// system's.
func nearLauncher(exe string) []string {
	if exe == "" {
		return nil
	}
	if p, err := filepath.EvalSymlinks(exe); err == nil {
		exe = p
	}
	root := filepath.Dir(filepath.Dir(exe))
	dirs := []string{filepath.Join(root, "lib"), filepath.Join(root, "lib64")}
	more, _ := filepath.Glob(filepath.Join(root, "lib", "*-linux-gnu"))
	return append(dirs, more...)
}

// searchPath is where the dynamic linker looks.
func searchPath() []string {
	var dirs []string
	for _, d := range strings.Split(os.Getenv("LD_LIBRARY_PATH"), ":") {
		if d != "" {
			dirs = append(dirs, d)
		}
	}
	files, _ := filepath.Glob("/etc/ld.so.conf.d/*.conf")
	for _, file := range append(files, "/etc/ld.so.conf") {
		text, _ := os.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "/") {
				dirs = append(dirs, line)
			}
		}
	}
	triples, _ := filepath.Glob("/usr/lib/*-linux-gnu")
	dirs = append(dirs, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib")
	return append(dirs, triples...)
}

// compilerDirs are the directories that the compiler wrapper on the search path links with.
func compilerDirs() []string {
	cmd := exec.Command("mpicc", "-show")
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "LD_PRELOAD=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	var dirs []string
	for _, w := range strings.Fields(string(out)) {
		for _, prefix := range []string{"-L", "-Wl,-rpath,", "-Wl,-rpath="} {
			if d, ok := strings.CutPrefix(w, prefix); ok && d != "" && !strings.HasPrefix(d, "-") {
				dirs = append(dirs, strings.TrimPrefix(d, "-Wl,"))
			}
		}
	}
	return dirs
}
