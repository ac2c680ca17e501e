package cli

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
	"github.com/tabard-hpc/tabard/internal/verify"
)

var _ = reading(150, Bound{Memory: 1e9, Seconds: 60}, verifyCommand)

func verifyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify FILE RAWDIR",
		Short: "Compare a recording with its raw log",
		Long: `Compare every call and every parameter of a recording with the raw log of the
same run, which record --keep-raw wrote to RAWDIR. Logs of other runs in RAWDIR
are named and left out. The comparison follows the
life of every object on its own and shares no code with the recorder. An overview
(see "tabard merge --help") is compared with the times of all calls. The exit
code is 1 if anything differs.`,
		Example: `  mpirun -n 4 tabard record --keep-raw raw ./app
  tabard verify app.tabard raw`,
		Args: exactArgs("FILE", "RAWDIR"),
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		return a.reads(args[0], func(arch *archive.Archive) error {
			logs, err := a.rawLogs(args[1])
			if err != nil {
				return err
			}
			total := uint64(0)
			for s := range arch.Streams() {
				total += s.Calls()
			}
			p := a.meter("comparing", "calls", total)
			r, err := verify.Compare(arch, logs, func(calls uint64) { p.Show(calls, total) })
			p.Done()
			if err == nil {
				err = timeline.CheckOverview(arch, nil)
			}
			if err != nil {
				return err
			}
			if s := text.Ignored(r); s != "" && !*asJSON {
				fmt.Fprintf(a.err, "tabard: left out: %s\n", s)
			}
			err = a.print(answer{json: *asJSON, document: func() any { return report.NewVerify(arch, r) },
				text: func(w io.Writer) error { return text.Verify(w, r) }})
			if err == nil && !r.Equal() {
				err = errReported
			}
			return err
		})
	}
	return cmd
}

func (a *app) rawLogs(dir string) ([]verify.Log, error) {
	files, err := collect.RawLogs(dir)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no raw log (they end in .raw); record with --keep-raw %s to make one", dir,
			dir)
	}
	var logs []verify.Log
	for _, f := range files {
		if f.Empty { // of a run that has just begun: those of a finished one are not
			fmt.Fprintf(a.err, "tabard: left out: %s is empty\n", f.Path)
			continue
		}
		logs = append(logs, verify.Log{Name: filepath.Base(f.Path), PID: f.PID, Start: f.Start, Thread: f.Thread,
			Run: f.Run, Records: func() iter.Seq2[verify.Record, error] {
				return func(yield func(verify.Record, error) bool) {
					for r, err := range f.Records() {
						if !yield(verify.Record{Record: r.Record, Pending: r.Pending}, err) {
							return
						}
					}
				}
			}})
	}
	return logs, nil
}
