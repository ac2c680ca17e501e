package doctor

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

//go:embed trial.c.txt
var trialSource []byte

// trialWait bounds one trial: compiling, running and recording.
const trialWait = 90 * time.Second

// trialCalls is how many calls the trial program makes on each rank.
const trialCalls = 6

// trials records a small program under every launcher that has a compiler.
func trials(ctx context.Context, c Config, ls []launcher) []Check {
	var checks []Check
	done := map[flavour]bool{}
	for _, l := range ls {
		if l.flavour == slurm || l.flavour == unknown || done[l.flavour] {
			continue
		}
		done[l.flavour] = true
		name := "trial, " + string(l.flavour)
		cc := compilerFor(l)
		if cc == "" {
			checks = append(checks, warn(name, "install its compiler wrapper (mpicc), or record a program of yours",
				"no mpicc for %s: recording was not tried", l.path))
			continue
		}
		c.Progress("recording a trial program under " + string(l.flavour))
		checks = append(checks, trial(ctx, c, l, cc, name))
	}
	if len(checks) == 0 {
		checks = append(checks, warn("trial", "record a program of yours",
			"no launcher with a compiler: recording was not tried"))
	}
	return checks
}

// compilerFor finds the C compiler wrapper beside a launcher, "" if there is
// none of the same MPI.
func compilerFor(l launcher) string {
	dir, base := filepath.Split(l.path)
	var names []string
	if _, suffix, ok := strings.Cut(base, "."); ok && suffix != "hydra" {
		names = append(names, "mpicc."+suffix)
	}
	if real, err := filepath.EvalSymlinks(l.path); err == nil {
		if _, suffix, ok := strings.Cut(filepath.Base(real), "."); ok && suffix != "hydra" {
			names = append(names, "mpicc."+suffix)
		}
	}
	switch l.flavour {
	case openMPI:
		names = append(names, "mpicc.openmpi")
	case mpich:
		names = append(names, "mpicc.mpich")
	}
	for _, n := range append(names, "mpicc") {
		if p := filepath.Join(dir, n); executable(resolved(p)) && compilerFits(p, l.flavour) {
			return p
		}
	}
	return ""
}

func resolved(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

// compilerFits reports whether a compiler wrapper belongs to an MPI. Wrappers of both MPIs name
// their libraries when asked what they would run.
func compilerFits(cc string, f flavour) bool {
	out, err := exec.Command(cc, "-show").CombinedOutput()
	if err != nil {
		return false
	}
	isMPICH := strings.Contains(string(out), "mpich") || !strings.Contains(string(out), "openmpi")
	return isMPICH == (f == mpich)
}

func trial(ctx context.Context, c Config, l launcher, cc, name string) Check {
	ctx, cancel := context.WithTimeout(ctx, trialWait)
	defer cancel()
	dir, remove, err := safefile.Scratch("tabard-trial-")
	if err != nil {
		return warn(name, "set TMPDIR to a directory that only you can change", "%v", err)
	}
	defer remove()
	if err := dir.WriteFile("trial.c", trialSource, false); err != nil {
		return warn(name, "", "%v", err)
	}
	source, program, archive := dir.Join("trial.c"), dir.Join("trial"), dir.Join("trial.tabard")
	if out, err := exec.CommandContext(ctx, cc, "-o", program, source).CombinedOutput(); err != nil {
		return warn(name, "repair "+cc+" to have recording tried", "%s does not compile: %s", cc,
			lastLines(string(out), 2))
	}
	const ranks = 2
	args := []string{"-n", fmt.Sprint(ranks)}
	if l.flavour == openMPI {
		args = append(args, "--oversubscribe")
	}
	plain, err := runTrial(ctx, l, append(args, program))
	if err != nil {
		return fail(name, "repair the MPI first", "%s cannot run a program, even unrecorded: %v: %s", l.path, err,
			lastLines(plain, 3))
	}
	out, err := runTrial(ctx, l, append(args, c.Self, "record", "-o", archive, program))
	if err != nil {
		return fail(name, "please report this with the output of 'tabard doctor'",
			"the recorded program failed: %v: %s", err, lastLines(out, 3))
	}
	gotRanks, calls, err := c.Inspect(archive)
	switch {
	case err != nil:
		return fail(name, "please report this with the output of 'tabard doctor'", "no archive: %v: %s", err,
			lastLines(out, 3))
	case gotRanks != ranks || calls < ranks*trialCalls:
		return fail(name, "please report this with the output of 'tabard doctor'",
			"%d calls of %d ranks were recorded, not the %d calls of %d ranks that were made", calls, gotRanks,
			ranks*trialCalls, ranks)
	}
	return ok(name, "recorded %d calls of %d ranks under %s", calls, gotRanks, l.path)
}

// runTrial runs a launcher, with the variables that Open MPI requires of the superuser.
func runTrial(ctx context.Context, l launcher, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, l.path, args...)
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("it did not end within %v", trialWait)
	}
	return string(out), err
}
