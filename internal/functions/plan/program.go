package plan

import (
	"context"
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// linkerTime is how long the dynamic linker may take to list the libraries of a program.
const linkerTime = 20 * time.Second

// Program plans what a list asks for of a program and the libraries that it is linked with, in an environment. Images
// that cannot be planned come back as errors; the others are planned all the same.
func Program(path string, env []string, l *List) (plans []*Plan, problems []error) {
	var images []string
	if l.Program() {
		images = append(images, path)
	}
	if l.Libraries() {
		libraries, err := Libraries(path, env)
		if err != nil {
			problems = append(problems, err)
		}
		for _, lib := range libraries {
			if l.Library(lib) {
				images = append(images, lib)
			}
		}
	}
	if l.callers {
		images = usesMPI(images)
	}
	for _, image := range images {
		p, err := Cached(image)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		plans = append(plans, p)
	}
	if err := l.Select(plans...); err != nil {
		return nil, append(problems, err)
	}
	return slices.DeleteFunc(plans, func(p *Plan) bool {
		traced, _ := p.Count()
		return traced == 0
	}), problems
}

// Libraries asks the program's dynamic linker what it would load. Nothing of the program runs.
func Libraries(path string, env []string) ([]string, error) {
	linker, err := linkerOf(path)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), linkerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, linker, "--list", path)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s --list %s: %w", linker, path, err)
	}
	var libraries []string
	for _, line := range strings.Split(string(out), "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " (0x")
		if _, at, ok := strings.Cut(line, " => "); ok {
			line = at
		}
		if at, err := filepath.Abs(line); err == nil && strings.Contains(line, "/") { // the search path may be relative
			libraries = append(libraries, at)
		}
	}
	return libraries, nil
}

func linkerOf(path string) (string, error) {
	f, err := safefile.OpenELF(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz > 1 && p.Filesz < 4096 {
			b := make([]byte, p.Filesz-1)
			if _, err := p.ReadAt(b, 0); err == nil {
				return string(b), nil
			}
		}
	}
	return "", fmt.Errorf("%s: it names no dynamic linker", path)
}

// Possible says why functions of a program cannot be recorded, nil if they can.
func Possible(path string) error {
	f, err := safefile.OpenELF(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return foreign(path, f.File)
}

// foreign says that an image is for a processor whose code cannot be changed here, and what there is instead.
func foreign(path string, f *elf.File) error {
	if f.Class == elf.ELFCLASS64 && f.Machine == elf.EM_X86_64 || isA64(f) {
		return nil
	}
	return fmt.Errorf("%s is for %s: functions of programs as they are can be recorded on x86-64 and AArch64; compile it "+
		"with -finstrument-functions and record it with --events=mpi,functions", path,
		strings.TrimPrefix(f.Machine.String(), "EM_"))
}
