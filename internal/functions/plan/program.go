package plan

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

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
