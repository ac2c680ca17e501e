package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/export"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/suggest"
)

const exportLong = `Write a recording in the format of another tool:

%s
docs/export.md shows each of them in its tool.

The flags below select a part. Calls that begin before a window of time and end in it are written with their whole
duration, requests that are pending at its beginning with the time at which they were posted. --classes writes one
rank of each class of ranks that make the same calls (see tabard info). What is too large for the tool that reads it
is refused, with its size; --force writes it all the same. The output appears when it is complete.

`

// exportFlags are the flags of `tabard export`.
type exportFlags struct {
	selectFlags
	output         string
	by             []string
	value, table   *choice
	classes, force bool
	partition      int
}

var _ = reading(145, Bound{Memory: 1e9, PerRank: 15e3, Seconds: 60, Garbage: 50}, exportCommand)

func exportCommand(a *app) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export FORMAT FILE",
		Short: "Write a recording in the format of another tool",
		Long:  fmt.Sprintf(exportLong, exportFormats()) + selectHelp,
		Example: `  tabard export pprof app.tabard
  tabard export pprof app.tabard --by rank -o ranks.pb.gz
  tabard export folded app.tabard --value calls -o - | flamegraph.pl > calls.svg
  tabard export perfetto app.tabard --steps 10-12 --classes -o steps.perfetto-trace
  tabard export chrome app.tabard --time 1.2s+50ms
  tabard export otf2 app.tabard -o app-otf2
  tabard export prv app.tabard --time 10%..20%
  tabard export parquet app.tabard --table messages -o messages.parquet
  tabard export arrow app.tabard --partition 64 -o calls.arrow`,
		Args:              exactArgs("FORMAT", "FILE"),
		ValidArgsFunction: completeExport,
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.output, "output", "o", "",
		"write to `OUT`, - for the standard output (default: the recording's name with the format's ending)")
	fl.StringSliceVar(&f.by, "by", nil, "pprof, folded: tell stacks apart by `KEYS`, too: rank, comm")
	f.value = addChoice(cmd, "value", "folded: what to count; pprof, too: functions, of the program, in their nest",
		export.FoldedValues...)
	f.table = addChoice(cmd, "table", "parquet, arrow: the table to write", export.Tables...)
	fl.IntVar(&f.partition, "partition", 0,
		"parquet, arrow: write a file for each `N` ranks: OUT with -ranks-FIRST-LAST in its name")
	fl.BoolVar(&f.classes, "classes", false, "write one rank of each class of ranks that make the same calls")
	fl.BoolVar(&f.force, "force", false, "overwrite what is no such export, and write more than the tool can load")
	f.addSelection(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		format, err := f.check(args[0])
		if err != nil {
			return err
		}
		if f.output == "" {
			f.output = strings.TrimSuffix(filepath.Base(args[1]), ".tabard") + format.Ext
		}
		return a.reads(args[1], func(arch *archive.Archive) error { return f.run(a, arch, format) })
	}
	return a.withLive(cmd)
}

// exportFormats lists the formats for the help.
func exportFormats() string {
	var b strings.Builder
	for _, f := range export.Formats {
		fmt.Fprintf(&b, "  %-9s %s\n", f.Name, f.About)
	}
	return b.String()
}

func exportNames() (names []string) {
	for _, f := range export.Formats {
		names = append(names, f.Name)
	}
	return names
}

// completeExport offers formats, and then archives.
func completeExport(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return exportNames(), cobra.ShellCompDirectiveNoFileComp
	}
	return completeFiles(cmd, args[1:], word)
}

// check says what is wrong with the command line.
func (f *exportFlags) check(name string) (*export.Format, error) {
	format := export.ByName(name)
	if format == nil {
		hint := "want one of " + strings.Join(exportNames(), ", ")
		if best := suggest.Closest(name, exportNames(), 1); len(best) > 0 {
			hint = "did you mean " + best[0] + "?"
		}
		return nil, usagef("there is no format %q: %s", name, hint)
	}
	for _, by := range f.by {
		if !slices.Contains([]string{"rank", "comm"}, by) {
			return nil, usagef("--by %s: want rank, comm or both", by)
		}
	}
	if err := f.checkPartition(format); err != nil {
		return nil, err
	}
	if format.IsDir() && f.output == "-" {
		return nil, usagef("%s is a directory with files: name one by -o", format.Name)
	}
	return format, nil
}

// checkPartition says what is wrong with --partition.
func (f *exportFlags) checkPartition(format *export.Format) error {
	switch {
	case f.partition == 0:
	case f.partition < 0:
		return usagef("--partition %d: want a number of ranks", f.partition)
	case !format.Tables():
		return usagef("--partition is for parquet and arrow: %s is one file", format.Name)
	case !slices.Contains([]string{"calls", "messages", "steps"}, f.table.value):
		return usagef("--partition: the table %s is one file: it is small", f.table.value)
	case f.output == "-":
		return usagef("--partition writes several files: name them by -o")
	}
	return nil
}

func (f *exportFlags) run(a *app, arch *archive.Archive, format *export.Format) error {
	o := export.Options{Selection: f.flags, Classes: f.classes, By: f.by, Value: f.value.value, Table: f.table.value,
		Partition: f.partition, Meter: a.meter, Force: f.force, Note: func(text string) {
			fmt.Fprintf(a.err, "tabard: %s\n", text)
		}}
	j, err := f.job(arch, format, o)
	if err != nil || f.partition == 0 {
		return f.write(a, j, format, f.output, err)
	}
	ext := filepath.Ext(f.output)
	for _, ranks := range j.Parts() {
		o.Selection.Ranks, o.Classes = ranks, false
		first, _, _ := strings.Cut(ranks, ",")
		name := fmt.Sprintf("%s-ranks-%s%s", strings.TrimSuffix(f.output, ext), first, ext)
		part, err := f.job(arch, format, o)
		if err := f.write(a, part, format, name, err); err != nil {
			return err
		}
	}
	return nil
}

// job looks at what is to be written.
func (f *exportFlags) job(arch *archive.Archive, format *export.Format, o export.Options) (*export.Job, error) {
	j, err := export.New(arch, format, o)
	if err != nil {
		return nil, err
	}
	if err := j.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", arch.File(), err)
	}
	return j, nil
}

// write writes a file or a directory, unless there is an error already.
func (f *exportFlags) write(a *app, j *export.Job, format *export.Format, name string, err error) error {
	if err != nil {
		return err
	}
	if format.IsDir() {
		return a.writeDir(name, dirKind{kind{format.Name + " archive", format.Is}, format.Dir, format.Owns}, f.force,
			j.WriteDir)
	}
	size := int64(0)
	err = a.writeFile(name, kind{format.Name + " file", format.Is}, f.force, func(w io.Writer) error {
		c := &counted{w: w}
		defer func() { size = c.n }()
		return j.Write(c)
	})
	if err == nil && name != "-" {
		fmt.Fprintf(a.err, "tabard: %s: %s\n", name, render.ByteSize(size))
	}
	return err
}

// counted counts the bytes that are written.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
