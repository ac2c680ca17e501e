package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/collect"
)

// open opens the archive FILE. A recording to it that is still going on is
// waited for, and one that lost its collector is completed first.
func (a *app) open(file string) (*archive.Archive, error) {
	if a.live {
		if arch, err := a.openLive(file); arch != nil || err != nil {
			return arch, err
		}
	}
	wait := a.notice()
	path, report, err := collect.Recover(file, true, wait)
	wait.stop()
	for _, p := range report.Problems {
		a.remarks(file)(p)
	}
	if err != nil {
		if path == "" {
			return nil, err
		}
		// What is left of one recording must not keep others from being read.
		a.remarks(file)(fmt.Sprintf("this is the archive that is there; a recording to it could not be recovered: %v",
			err))
	}
	if own, err := collect.CanonicalOutput(file); path == "" || err == nil && path == own {
		path = file // as the user calls it
	}
	arch, err := collect.OpenOutput(file, path, a.remarks(file))
	for _, p := range append(collect.Parts(file), file, path) {
		a.reading(p)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist, and nothing is being recorded to it%s", file, hintForMissing(file))
	}
	return arch, err
}

// openMPI opens the archive FILE for what is about MPI's calls only: it has no other events.
func (a *app) openMPI(file string) (*archive.Archive, error) {
	arch, err := a.open(file)
	if err != nil {
		return nil, err
	}
	part, err := arch.MPI()
	if err != nil {
		arch.Close()
	}
	return part, err
}

// remarks prints what there is to say of a file besides the results.
func (a *app) remarks(file string) func(text string) {
	return func(text string) { fmt.Fprintf(a.err, "tabard: %s: %s\n", file, text) }
}

// reads opens the archive FILE for what a command does with it. What the archive lacks is remarked.
func (a *app) reads(file string, use func(*archive.Archive) error) error {
	return a.readsAll(file, func(arch *archive.Archive) error {
		if s := archive.Incomplete(arch.Gaps()); s != "" {
			a.remarks(file)(s)
		}
		return use(arch)
	})
}

// readsMPI is reads for what is about MPI's calls only.
func (a *app) readsMPI(file string, use func(*archive.Archive) error) error {
	return a.reads(file, only((*archive.Archive).MPI, use))
}

// readsMessages is reads for what is about communication only.
func (a *app) readsMessages(file string, use func(*archive.Archive) error) error {
	return a.reads(file, only((*archive.Archive).Messages, use))
}

// readsCalls is reads for what is about calls: begins and ends of regions would stand between them.
func (a *app) readsCalls(file string, use func(*archive.Archive) error) error {
	return a.reads(file, only((*archive.Archive).Calls, use))
}

// readsNested is readsCalls with functions of the program around the calls and between them.
func (a *app) readsNested(file string, use func(*archive.Archive) error) error {
	return a.reads(file, only((*archive.Archive).Nested, use))
}

// only uses a part of an archive.
func only(
	part func(*archive.Archive) (*archive.Archive, error), use func(*archive.Archive) error,
) func(*archive.Archive) error {
	return func(arch *archive.Archive) error {
		p, err := part(arch)
		if err != nil {
			return err
		}
		return use(p)
	}
}

// readsAll is reads for commands whose answer begins with what the archive lacks.
func (a *app) readsAll(file string, use func(*archive.Archive) error) error {
	arch, err := a.open(file)
	if err != nil {
		return err
	}
	defer arch.Close()
	a.opened(arch)
	return use(arch)
}

// hintForMissing guesses what a file that does not exist was meant to be.
func hintForMissing(file string) string {
	if !strings.HasSuffix(file, ".tabard") {
		return fmt.Sprintf(" (did you mean %s.tabard?)", file)
	}
	return ""
}
