package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tabard/internal/scale"
	"tabard/trace"
)

// scaleSchema names the form of what `tabard scale --json` prints.
const scaleSchema = "tabard.scale/1"

func scaleCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scale FILE --ranks M -o OUT",
		Short: "What a job of another size would do",
		Long: `Make of a recording the archive that a job with M ranks would give: the same calls in the
same loops, with parameters that follow from rank and size. It has no times. The other commands read it
like a recording; "tabard info" says that it is none.

The parameters of all ranks, and how often they make each call, are explained by functions of rank, size, place
in the process grid and iteration. What they were chosen for without evidence is printed, such as which numbers
stand for the size. A second recording of the program, of another size, decides that: --with.
If calls follow no such function, they are printed, and nothing is written. Nor is it if the calls of the M ranks would
not fit together: messages that nobody receives, collective calls with different roots or counts. The process grid of M
ranks is that of MPI_Dims_create if the recorded one is; --dims gives another one.

--program prints the program that was found, one for all ranks, in which r is the rank, P the size, c0 and d0
coordinate and size on the first axis of the grid, i0 the iteration of a loop and e the index in an array.`,
		Example: `  tabard scale app16.tabard --ranks 4096 -o app4096.tabard
  tabard scale app9.tabard --with app16.tabard --ranks 1000 -o big.tabard
  tabard scale app16.tabard --program`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	f := &scaleFlags{}
	cmd.Flags().IntVar(&f.ranks, "ranks", 0, "the number of ranks")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write the archive to `OUT`")
	cmd.Flags().StringArrayVar(&f.with, "with", nil, "a recording `FILE2` of the same program with another number of ranks; may be repeated")
	cmd.Flags().StringArrayVar(&f.dims, "dims", nil, "the sizes `AxB...` of the process grid of M ranks, such as 8x4")
	cmd.Flags().BoolVar(&f.program, "program", false, "print the program")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return a.scale(args[0], f) }
	return cmd
}

// scaleFlags are the flags of `tabard scale`.
type scaleFlags struct {
	ranks         int
	out           string
	with, dims    []string
	program, json bool
}

// scaleReport is the schema of `tabard scale --json`.
type scaleReport struct {
	Schema string `json:"schema"`
	// File is the archive that was written, empty for none, with Ranks ranks.
	File  string `json:"file"`
	Ranks int    `json:"ranks"`
	Bytes int64  `json:"bytes"`
	// Checked is the number of ranks with which calls were found to fit together: Ranks, or less if that is
	// too many to look at each; 0 if that was not looked at.
	Checked int `json:"checked"`
	// From are the sizes of the recordings.
	From        []int    `json:"from"`
	Grids       []string `json:"grids"`
	Assumptions []string `json:"assumptions"`
	Program     string   `json:"program,omitempty"`
}

func (a *app) scale(file string, f *scaleFlags) error {
	switch {
	case !f.program && f.ranks < 1:
		return usagef("--ranks is missing: the number of ranks of the job to make")
	case f.ranks > 0 && f.out == "":
		return usagef("-o is missing: the archive to write")
	}
	o := scale.Options{}
	for _, text := range f.dims {
		d, err := parseDims(text)
		if err != nil {
			return err
		}
		o.Dims = append(o.Dims, d)
	}
	c, err := a.contentOf(file)
	if err != nil {
		return err
	}
	for _, name := range f.with {
		x, err := a.contentOf(name)
		if err != nil {
			return err
		}
		o.With = append(o.With, x)
	}
	var m *scale.Model
	var out *trace.Content
	if f.ranks > 0 {
		out, m, err = scale.Of(c, f.ranks, o)
	} else {
		m, err = scale.Infer(c, o)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	r := &scaleReport{Schema: scaleSchema, From: m.Sizes, Grids: []string{}, Assumptions: append([]string{}, m.Assumptions...)}
	for _, g := range m.Grids {
		r.Grids = append(r.Grids, g.String())
	}
	if f.program {
		r.Program = m.String()
	}
	if f.ranks > 0 {
		if r.Bytes, err = writeContent(f.out, out); err != nil {
			return err
		}
		r.File, r.Ranks, r.Checked = f.out, f.ranks, m.Checked
	}
	if f.json {
		return a.printJSON(r)
	}
	if f.program {
		fmt.Fprint(a.out, r.Program)
	}
	for _, s := range r.Assumptions {
		fmt.Fprintf(a.err, "tabard: assumed: %s\n", s)
	}
	if f.ranks > 0 {
		fmt.Fprintf(a.out, "%s: %s in %s, inferred from %s\n", r.File, plural(uint64(r.Ranks), "rank"), byteSize(r.Bytes), file)
		switch r.Checked {
		case r.Ranks:
		case 0:
			fmt.Fprintln(a.err, "tabard: whether its calls fit together was not looked at: it is too large")
		default:
			fmt.Fprintf(a.err, "tabard: its calls were found to fit together with %d ranks only, as %d are too many to look at each\n", r.Checked, r.Ranks)
		}
	}
	return nil
}

// contentOf reads all of an archive.
func (a *app) contentOf(file string) (*trace.Content, error) {
	archive, err := a.open(file)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	return archive.Content()
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

// writeContent writes an archive whole or not at all.
func writeContent(file string, c *trace.Content) (int64, error) {
	// Beside it, so that it can be renamed.
	w, err := os.OpenFile(fmt.Sprintf("%s.%d", file, os.Getpid()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	defer os.Remove(w.Name())
	err = c.Write(w)
	info, statErr := w.Stat()
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = statErr
	}
	if err == nil {
		err = os.Rename(w.Name(), file)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return info.Size(), nil
}
