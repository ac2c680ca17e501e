package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/capture"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/doctor"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

var _ = command(190, doctorCommand)

func doctorCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor [PROGRAM]",
		Short: "Check whether recording works on this machine",
		Long: `Check whether recording works on this machine: which MPIs there are, whether the
runtime can be preloaded, the clock, free space, limits, what is left of
interrupted recordings; and record a small program under every MPI that has a
compiler. Each line is ok, warn (works with a
restriction) or fail, with what to do. The exit code is 1 if anything essential
fails.

With PROGRAM: which sources of events it has, by what it and its libraries are linked
with, and how to record them. Nothing of it runs. What a program loads later is not seen:
the modules of a Python program, for example.`,
		Example: `  tabard doctor
  tabard doctor ./app
  tabard doctor --no-trial --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return exactArgs("PROGRAM")(cmd, args)
		},
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	noTrial := cmd.Flags().Bool("no-trial", false, "do not compile and record a trial program")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		var checks []doctor.Check
		var err error
		if len(args) == 1 {
			checks, err = doctor.Sources(args[0])
		} else {
			checks, err = a.examine(ctx, !*noTrial)
		}
		if err != nil {
			return err
		}
		d := report.NewDoctor(checks)
		err = a.print(answer{json: *asJSON, document: func() any { return d },
			text: func(w io.Writer) error { return text.Doctor(w, a.terminal(), d) }})
		if err == nil && !d.OK {
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
	p := a.meter("", "", 0)
	defer p.Done()
	return doctor.Run(ctx, doctor.Config{
		Self: self, Runtime: capture.Runtime(), StateRoots: collect.StateRoots(dir + "/app.tabard"), Dir: dir,
		Leftovers: collect.Leftovers(dir + "/app.tabard"), Inspect: inspectTrial, Trial: trial,
		Progress: func(what string) { p.Say(what + " ...") },
	}), nil
}

// inspectTrial opens the archive of a trial and demands that it is complete.
func inspectTrial(path string) (ranks int, calls uint64, err error) {
	if recovered, _, err := collect.Recover(path, true, io.Discard); err == nil && recovered != "" {
		path = recovered
	}
	arch, err := archive.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer arch.Close()
	info, err := report.NewInfo(arch, nil)
	if err != nil {
		return 0, 0, err
	}
	if !info.Complete {
		return info.Ranks, info.Calls, fmt.Errorf("it is not complete: %v", info.Missing)
	}
	return info.Ranks, info.Calls, nil
}
