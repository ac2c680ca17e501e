package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"tabard/internal/collect"
	"tabard/trace"
)

// open opens the archive FILE. A recording to it that is still going on is
// waited for, and one that lost its collector is completed first.
func (a *app) open(file string) (*trace.Archive, error) {
	wait := a.notice()
	path, report, err := collect.Recover(file, true, wait)
	wait.stop()
	for _, p := range report.Problems {
		fmt.Fprintf(a.err, "tabard: %s: %s\n", file, p)
	}
	if err != nil {
		if path == "" {
			return nil, err
		}
		// What is left of one recording must not keep others from being read.
		fmt.Fprintf(a.err, "tabard: %s: this is the archive that is there; a recording to it could not be recovered: %v\n", file, err)
	}
	if own, err := collect.CanonicalOutput(file); path == "" || err == nil && path == own {
		path = file // as the user calls it
	}
	archive, err := collect.OpenOutput(file, path, func(text string) { fmt.Fprintf(a.err, "tabard: %s: %s\n", file, text) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist, and nothing is being recorded to it%s", file, hintForMissing(file))
	}
	return archive, err
}

// hintForMissing guesses what a file that does not exist was meant to be.
func hintForMissing(file string) string {
	if !strings.HasSuffix(file, ".tabard") {
		return fmt.Sprintf(" (did you mean %s.tabard?)", file)
	}
	return ""
}
