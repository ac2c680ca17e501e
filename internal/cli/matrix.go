package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const matrixLong = `Show which ranks send how much to which: the communication matrix, as a heat map with
senders as rows and receivers as columns, and the pairs that exchange most.

Point-to-point messages count where they are sent, with their real partner, also on
sub-communicators and intercommunicators, with persistent requests and derived datatypes;
MPI_PROC_NULL does not count. --kind collective shows what ranks need from one another by
the definition of collectives, whatever algorithm the library uses: from the root of a
broadcast to each other rank, from each rank to each other one in an all-reduce, and so
on. --kind rma shows puts, gets and accumulates, in the direction of the data.

It works on the compressed structure: the time it takes does not depend on the number
of messages of a regular program. --value time needs all time stamps: it shows
how long ranks are in the calls that send.

`

// matrixFlags are the flags of `tabard matrix`.
type matrixFlags struct {
	selectFlags
	pictureFlags
	kind, value *choice
	csv         bool
	bins, top   int
}

var _ = reading(50, Bound{Memory: 1e9, Seconds: 60}, matrixCommand)

func matrixCommand(a *app) *cobra.Command {
	f := &matrixFlags{}
	cmd := &cobra.Command{
		Use:   "matrix FILE",
		Short: "Show which ranks send how much to which",
		Long:  matrixLong + selectHelp,
		Example: `  tabard matrix app.tabard
  tabard matrix app.tabard --kind collective --value messages
  tabard matrix app.tabard --steps 10-19 --comm 3 --svg matrix.svg
  tabard matrix app.tabard --csv > matrix.csv
  tabard matrix app.tabard --json --bins 64`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	f.kind = addChoice(cmd, "kind",
		"what to show: messages point to point, what collectives imply, one-sided operations, or all",
		report.MatrixKinds...)
	f.value = addChoice(cmd, "value", "what of it: bytes, numbers of messages, or time of the senders",
		report.MatrixValues...)
	fl.IntVar(&f.bins, "bins", 0, "sum up the ranks in `N` groups of neighbours")
	fl.IntVar(&f.top, "top", 10, "list the `N` greatest pairs, 0 for none")
	fl.BoolVar(&f.csv, "csv", false, "print CSV: from, to, messages, bytes, and time_ns with --value time")
	f.pictureFlags.add(cmd)
	f.selectFlags.add(cmd, report.MatrixSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		return a.readsMessages(args[0], func(arch *archive.Archive) error { return f.run(a, arch) })
	}
	return a.withLive(cmd)
}

func (f *matrixFlags) check() error {
	switch {
	case f.bins < 0 || f.bins > 1<<13:
		return usagef("--bins %d is not in 0 to %d", f.bins, 1<<13)
	case f.top < 0:
		return usagef("--top %d is negative", f.top)
	case f.csv && (f.json || f.wanted()):
		return usagef("--csv does not go with --json and pictures")
	case f.value.value == "time" && f.kind.value != "p2p" && f.kind.value != "rma":
		return usagef("--value time goes with --kind p2p and rma only: collectives have no time for each pair")
	}
	return f.pictureFlags.check(f.json)
}

func (f *matrixFlags) run(a *app, arch *archive.Archive) error {
	chosen, err := report.Resolve(arch, f.flags)
	if err != nil {
		return err
	}
	g, err := report.NewGrid(chosen, report.GridOptions{Kind: f.kind.value, Value: f.value.value, Bins: f.bins,
		Listed: f.json || f.csv}, a.meter)
	if err != nil {
		return err
	}
	if f.csv {
		return text.MatrixCSV(a.out, g)
	}
	return a.print(answer{json: f.json, oneLine: true, // most of it is a long list of numbers
		document: func() any { return g.Document(f.flags) },
		pictures: &f.pictureFlags,
		picture:  func() (*render.Picture, error) { return text.MatrixChart(g).Picture(), nil },
		text:     func(w io.Writer) error { return text.Matrix(w, a.terminal(), g, f.top) }})
}
