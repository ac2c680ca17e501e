package launch

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// findProgram finds a command as execvp does. The exit code is that of a
// shell: 127 if there is none, 126 if it cannot be run.
func findProgram(name string) (path string, code int, err error) {
	if name == "" {
		return "", 127, errors.New("'': command not found")
	}
	if strings.Contains(name, "/") {
		if err := runnable(name); err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				return "", 127, fmt.Errorf("%s: %s", name, sentence(err))
			}
			return "", 126, fmt.Errorf("%s: %s", name, sentence(err))
		}
		return name, 0, nil
	}
	var denied error
	dirs, ok := os.LookupEnv("PATH")
	if !ok {
		dirs = "/usr/local/bin:/usr/bin:/bin"
	}
	for _, dir := range strings.Split(dirs, ":") {
		if dir == "" {
			dir = "."
		}
		p := filepath.Join(dir, name)
		err := runnable(p)
		if err == nil {
			return p, 0, nil
		}
		if errors.Is(err, fs.ErrPermission) && denied == nil {
			denied = fmt.Errorf("%s: %s", p, sentence(err))
		}
	}
	if denied != nil {
		return "", 126, denied
	}
	return "", 127, fmt.Errorf("%s: command not found", name)
}

// runnable reports why path cannot be executed.
func runnable(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if st.IsDir() {
		return syscall.EISDIR
	}
	if !st.Mode().IsRegular() {
		return syscall.EACCES // as execve says
	}
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS)
}

// sentence is the text of the system's error, as a shell prints it.
func sentence(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err.Error()
	}
	s := errno.Error()
	return strings.ToUpper(s[:1]) + s[1:]
}

// obstacle says why a preloaded library will not be seen in a program, empty
// if nothing speaks against it.
func obstacle(path string) string {
	for range 4 { // scripts of scripts
		if why := privileged(path); why != "" {
			return why
		}
		next := interpreter(path)
		if next == "" {
			break
		}
		path = next
	}
	f, err := safefile.OpenELF(path)
	if err != nil {
		return "" // not ours to judge: the system will run it or not
	}
	defer f.Close()
	if f.Class != elf.ELFCLASS64 || f.Machine != Machine() {
		return fmt.Sprintf(
			"is a program for another kind of machine (%v, %v) than tabard's runtime",
			f.Machine,
			f.Class,
		)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return ""
		}
	}
	return "is statically linked"
}

// isTool reports whether a shared library stands in front of MPI functions
// without being an MPI library, which defines their PMPI names, too (some tools do for a few).
func isTool(path string) bool {
	f, err := safefile.OpenELF(path)
	if err != nil {
		return false // also names that the dynamic linker searches for
	}
	defer f.Close()
	symbols, _ := f.DynamicSymbols()
	defines := func(prefix string) bool {
		return slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
			return s.Section != elf.SHN_UNDEF && strings.HasPrefix(s.Name, prefix)
		})
	}
	return defines("MPI_") && !defines("PMPI_Comm_size")
}

// privileged reports the ways to run with more rights than the user has: the
// dynamic linker ignores LD_PRELOAD then.
func privileged(path string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return ""
	}
	switch {
	case st.Mode&unix.S_ISUID != 0 && int(st.Uid) != os.Getuid():
		return "has the set-user-ID bit"
	case st.Mode&unix.S_ISGID != 0 && st.Mode&unix.S_IXGRP != 0 && int(st.Gid) != os.Getgid():
		return "has the set-group-ID bit"
	}
	if n, err := unix.Getxattr(path, "security.capability", nil); err == nil && n > 0 && os.Getuid() != 0 {
		return "has file capabilities"
	}
	return ""
}

// interpreter returns the program that a script names in its first line.
func interpreter(path string) string {
	f, err := safefile.OpenInput(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	rest, ok := strings.CutPrefix(string(line), "#!")
	if !ok {
		return ""
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return ""
	}
	if filepath.Base(fields[0]) == "env" {
		for _, a := range fields[1:] {
			if !strings.HasPrefix(a, "-") && !strings.Contains(a, "=") {
				if p, _, err := findProgram(a); err == nil {
					return p
				}
				break
			}
		}
	}
	return fields[0]
}
