package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"tabard/capture"
	"tabard/internal/collect"
	"tabard/internal/doctor"
	"tabard/trace"
)

func doctorCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether recording works on this machine",
		Long: `Check whether recording works on this machine: which MPIs there are, whether the
runtime can be preloaded, the clock, room, limits, what is left of recordings
that were interrupted; and record a small program
under every MPI that has a compiler. Each line is ok, warn (works with a
restriction) or fail, with what to do. The exit code is 1 if anything essential
fails.`,
		Example: `  tabard doctor
  tabard doctor --no-trial --json`,
		Args: exactArgs(),
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	noTrial := cmd.Flags().Bool("no-trial", false, "do not compile and record a trial program")
	cmd.RunE = func(*cobra.Command, []string) error {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		checks, err := a.examine(ctx, !*noTrial)
		if err != nil {
			return err
		}
		if *asJSON {
			err = a.printJSON(struct {
				Schema string         `json:"schema"`
				OK     bool           `json:"ok"`
				Checks []doctor.Check `json:"checks"`
			}{"tabard.doctor/1", !doctor.Failed(checks), checks})
		} else {
			err = a.printChecks(checks)
		}
		if err == nil && doctor.Failed(checks) {
			err = errReported
		}
		return err
	}
	return cmd
}

func (a *app) examine(ctx context.Context, trial bool) ([]doctor.Check, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	p := a.progress()
	defer p.done()
	return doctor.Run(ctx, doctor.Config{
		Self: self, Runtime: capture.Runtime(), StateRoots: collect.StateRoots(dir + "/app.tabard"), Dir: dir,
		Leftovers: collect.Leftovers(dir + "/app.tabard"), Inspect: inspectTrial, Trial: trial,
		Progress: func(what string) { p.next = time.Time{}; p.show("%s ...", what) },
	}), nil
}

// inspectTrial opens the archive of a trial and demands that it is complete.
func inspectTrial(path string) (ranks int, calls uint64, err error) {
	if recovered, _, err := collect.Recover(path, true, io.Discard); err == nil && recovered != "" {
		path = recovered
	}
	archive, err := trace.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer archive.Close()
	info, err := collectInfo(archive)
	if err != nil {
		return 0, 0, err
	}
	if !info.Complete {
		return info.Ranks, info.Calls, fmt.Errorf("it is not complete: %v", info.Missing)
	}
	return info.Ranks, info.Calls, nil
}

func (a *app) printChecks(checks []doctor.Check) error {
	w := &errWriter{w: a.out}
	paint := painter(a.out)
	for _, c := range checks {
		fmt.Fprintf(w, "%s  %s: %s\n", paint(c.Status), c.Name, c.Detail)
		if c.Fix != "" {
			fmt.Fprintf(w, "      -> %s\n", c.Fix)
		}
	}
	return w.err
}

// painter colours statuses on a terminal, unless NO_COLOR is set.
func painter(out any) func(doctor.Status) string {
	f, isFile := out.(*os.File)
	if !isFile || !isTerminal(f) || getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return func(s doctor.Status) string { return fmt.Sprintf("%-4s", s) }
	}
	colours := map[doctor.Status]string{doctor.OK: "32", doctor.Warn: "33", doctor.Fail: "31;1"}
	return func(s doctor.Status) string { return fmt.Sprintf("\x1b[%sm%-4s\x1b[0m", colours[s], s) }
}
