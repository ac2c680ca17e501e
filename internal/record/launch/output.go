package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// checkOutput says why the recording cannot go where the user wants it: that is a mistake in the command line, and the
// program does not start. What goes wrong later does not concern the program.
func (l *launcher) checkOutput() error {
	output, err := collect.CanonicalOutput(l.o.Output)
	if err != nil {
		return nil // there is no current directory: see setUp
	}
	if err := collect.CheckOutput(output, l.o.Explicit); err != nil {
		return err
	}
	// In a job of several nodes it is the node of rank 0 that needs the place.
	if l.env.rank > 0 && l.shared() {
		return nil
	}
	if err := safefile.Writable(output); err != nil {
		return fmt.Errorf("the recording cannot be written to %s: %w; choose another place with -o", l.o.Output, err)
	}
	if dir := l.o.KeepRaw; dir != "" {
		err := os.MkdirAll(dir, 0o777)
		if err == nil {
			err = safefile.Writable(filepath.Join(dir, "raw"))
		}
		if err != nil {
			return fmt.Errorf("uncompressed records cannot be kept in %s: %w; choose another --keep-raw", dir, err)
		}
	}
	return nil
}

// takePlace decides on the name of the recording. All processes of the job that try come to the same.
func (l *launcher) takePlace(j *collect.Job) {
	if l.o.Force {
		j.Replace()
		return
	}
	id, _ := jobIdentity(l.env)
	if j.Shared {
		// What other nodes know, too. Without a name of the job it is the command that tells jobs apart.
		id = fmt.Sprintf("run %s size %d %s", j.Run, l.env.size, strings.Join(l.o.Command, "\x00"))
		if j.Run != "" {
			id = "run " + j.Run
		}
	}
	mode := collect.SharedMode
	if l.o.Private {
		mode = collect.PrivateMode
	}
	claim := collect.Hash(fmt.Sprintf("%d %s", os.Getuid(), id))
	if name, err := collect.Claim(j.Output, claim, mode); err == nil {
		if j.OfScript && !j.Shared && name != j.Output {
			j.First = j.Output
		}
		j.Output, j.Claim = name, claim
	}
	// Otherwise a free name is taken in the end, if the place can be written to then.
}
