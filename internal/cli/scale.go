package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

var _ = reading(143, Bound{Memory: 1e9, Seconds: 60}, scaleCommand)

func scaleCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scale FILE [FILE2...] --ranks M -o OUT",
		Short: "Infer what a job of another size would do",
		Long: `Infer from a recording what a job with M ranks would do, and write it as an archive: the same
calls in the same loops, with parameters that follow from rank and size. It has no times. The other commands
read it like a recording; "tabard info" says that it is not one.

The parameters of all ranks, and how often they make each call, are explained by functions of rank, size, place
in the process grid and iteration. Assumptions are printed, such as which numbers
stand for the size. More recordings of the program, of other sizes, decide that: name them, too, or give --with. With
three sizes or more a formula has to hold for one that it was not made from.
If calls follow no such function, they are printed, and nothing is written. Nor is it if the calls of the M ranks would
not fit together: messages that nobody receives, collective calls with different roots or counts. The process grid of M
ranks is that of MPI_Dims_create if the recorded one is; --dims gives another one.

--program prints the program that was found, one for all ranks, in which r is the rank, P the size, c0 and d0
coordinate and size on the first axis of the grid, i0 the iteration of a loop and e the index in an array.`,
		Example: `  tabard scale app16.tabard --ranks 4096 -o app4096.tabard
  tabard scale app4.tabard app9.tabard app16.tabard --ranks 1024 -o big.tabard
  tabard scale app16.tabard --program`,
		Args:              atLeastOne("FILE"),
		ValidArgsFunction: completeFiles,
	}
	f := &scaleFlags{}
	cmd.Flags().IntVar(&f.ranks, "ranks", 0, "the number of ranks")
	cmd.Flags().StringVarP(
		&f.out,
		"output",
		"o",
		"",
		"write the archive to `OUT`, or to OUT-2 and so on where there is a recording",
	)
	cmd.Flags().BoolVar(&f.force, "force", false, "replace a recording that is there")
	cmd.Flags().StringArrayVar(&f.with, "with", nil,
		"a recording `FILE2` of the same program with another number of ranks; may be repeated")
	cmd.Flags().StringArrayVar(&f.dims, "dims", nil, "the sizes `AxB...` of the process grid of M ranks, such as 8x4")
	cmd.Flags().BoolVar(&f.program, "program", false, "print the program")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		f.with = append(args[1:], f.with...)
		return a.scale(args[0], f)
	}
	return cmd
}

// scaleFlags are the flags of `tabard scale`.
type scaleFlags struct {
	ranks int
	out   string
	otherSizes
	program, json, force bool
}

func (a *app) scale(file string, f *scaleFlags) error {
	switch {
	case !f.program && f.ranks < 1:
		return usagef("--ranks is missing: the number of ranks of the job to make")
	case f.ranks > 0 && f.out == "":
		return usagef("-o is missing: the archive to write")
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	c, err := a.contentOf(file)
	if err != nil {
		return err
	}
	if o.With, err = a.contentsOf(f.with); err != nil {
		return err
	}
	var m *infer.Model
	var out *archive.Content
	if f.ranks > 0 {
		out, m, err = infer.Of(c, f.ranks, o)
	} else {
		m, err = infer.Infer(c, o)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	r := report.NewScale(m, f.program)
	if f.ranks > 0 {
		if err := a.notInput(f.out); err != nil {
			return err
		}
		if r.File, r.Bytes, err = collect.WriteRecording(f.out, f.force, out, append(f.with, file)...); err != nil {
			return err
		}
		r.Ranks, r.Checked = f.ranks, m.Checked
	}
	if f.json {
		return a.print(answer{json: true, document: func() any { return r }})
	}
	fmt.Fprint(a.out, r.Program)
	if f.program && r.Program == "" {
		fmt.Fprintln(a.out, "the program makes no calls")
	}
	for _, s := range r.Assumptions {
		fmt.Fprintf(a.err, "tabard: assumed: %s\n", s)
	}
	if f.ranks == 0 {
		return nil
	}
	fmt.Fprintln(a.out, text.Scale(r, file))
	if s := text.Unchecked(r); s != "" {
		fmt.Fprintf(a.err, "tabard: %s\n", s)
	}
	return nil
}

// otherSizes are the flags about recordings and process grids of other sizes.
type otherSizes struct{ with, dims []string }

// options parses the sizes of process grids.
func (f *otherSizes) options() (o infer.Options, err error) {
	for _, text := range f.dims {
		d, err := parseDims(text)
		if err != nil {
			return o, err
		}
		o.Dims = append(o.Dims, d)
	}
	return o, nil
}

// contentsOf reads all of several archives.
func (a *app) contentsOf(files []string) (all []*archive.Content, err error) {
	for _, file := range files {
		c, err := a.contentOf(file)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// contentOf reads all of an archive.
func (a *app) contentOf(file string) (*archive.Content, error) {
	arch, err := a.openMPI(file)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	return arch.Content()
}

// parseDims parses sizes such as "8x4x2".
func parseDims(text string) (dims []int, err error) {
	for _, part := range strings.Split(text, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, usagef("--dims %s: sizes look like 8x4", text)
		}
		dims = append(dims, n)
	}
	return dims, nil
}
