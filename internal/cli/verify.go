package cli

import (
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tabard/internal/collect"
	"tabard/internal/verify"
)

func verifyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify FILE RAWDIR",
		Short: "Compare a recording with its raw log",
		Long: `Compare every call and every parameter of a recording with the raw log of the
same run, which record --keep-raw wrote to RAWDIR. Logs of other runs in RAWDIR
are named and left out. The comparison follows the
life of every object on its own and shares no code with the recorder. The exit
code is 1 if anything differs.`,
		Example: `  mpirun -n 4 tabard record --keep-raw raw ./app
  tabard verify app.tabard raw`,
		Args: exactArgs("FILE", "RAWDIR"),
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		logs, err := a.rawLogs(args[1])
		if err != nil {
			return err
		}
		total := uint64(0)
		for s := range archive.Streams() {
			total += s.Calls()
		}
		p := a.meter("comparing", "calls", total)
		report, err := verify.Compare(archive, logs, func(calls uint64) { p.Show(calls, total) })
		p.Done()
		if err != nil {
			return err
		}
		if *asJSON {
			err = a.printJSON(struct {
				Schema string `json:"schema"`
				Equal  bool   `json:"equal"`
				*verify.Report
			}{"tabard.verify/1", report.Equal(), report})
		} else {
			err = a.printReport(report)
		}
		if err == nil && !report.Equal() {
			err = errReported
		}
		return err
	}
	return cmd
}

func (a *app) rawLogs(dir string) ([]verify.Log, error) {
	files, err := collect.RawLogs(dir)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no raw log (they end in .raw); record with --keep-raw %s to make one", dir, dir)
	}
	var logs []verify.Log
	for _, f := range files {
		if f.Empty { // of a run that has just begun: those of a finished one are not
			fmt.Fprintf(a.err, "tabard: left out: %s is empty\n", f.Path)
			continue
		}
		logs = append(logs, verify.Log{Name: filepath.Base(f.Path), PID: f.PID, Start: f.Start, Thread: f.Thread, Run: f.Run,
			Records: func() iter.Seq2[verify.Record, error] {
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

// maxIgnored is how many logs of other runs are named.
const maxIgnored = 5

func (a *app) printReport(r *verify.Report) error {
	w := &errWriter{w: a.out}
	if n := len(r.Ignored); n > 0 {
		more := ""
		if n > maxIgnored {
			more = ", ..."
		}
		fmt.Fprintf(a.err, "tabard: left out: %s of other runs (%s%s)\n", plural(uint64(n), "raw log"), strings.Join(r.Ignored[:min(n, maxIgnored)], ", "), more)
	}
	for _, d := range r.First {
		fmt.Fprintln(w, d)
	}
	if n := r.Differences - uint64(len(r.First)); n > 0 {
		fmt.Fprintf(w, "and %s\n", plural(n, "further difference"))
	}
	result := "no difference"
	if !r.Equal() {
		result = plural(r.Differences, "difference")
	}
	fmt.Fprintf(w, "%s: %s and %s of %s, %s compared", result, plural(r.Calls, "call"), plural(r.Values, "value"),
		plural(uint64(r.Processes), "rank"), plural(uint64(r.Threads), "thread"))
	if r.Hidden > 0 {
		fmt.Fprintf(w, ", %s filtered out", plural(r.Hidden, "call"))
	}
	if r.Lost > 0 {
		fmt.Fprintf(w, ", %s lost while recording", plural(r.Lost, "call"))
	}
	fmt.Fprintln(w)
	return w.err
}
