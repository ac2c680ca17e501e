package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/cgen"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/program/substitute"
	"github.com/tabard-hpc/tabard/internal/render"
)

const proxyLong = `Write a C program that makes the MPI calls of a recording again, without Tabard:

  tabard proxy app.tabard -o proxy.c
  mpicc -O2 -o proxy proxy.c
  mpirun -n 16 ./proxy

The program is meant to be read. It has the size of the compressed recording: loops are loops, functions are
parts that occur several times, named after the call sites in them, and what differs between ranks is computed
from the rank. Objects, datatypes, communicators, windows, files and buffers are made and freed where the recorded
program did it; buffers have the sizes and overlaps that they had, and arbitrary contents.
It compiles with any MPI that has the functions.

It needs as many ranks as were recorded, or M with --ranks=M: then it makes the calls that a job of M ranks would
make, if they follow from rank and size (see tabard scale). With --any-size it is one program for any number of ranks,
which computes all that from rank and size when it runs. Sizes at which its calls would not match are listed
when it is written; with these it stops at once. Files are made in the directory that is its argument.
Calls whose order the standard leaves open are repeated until what was complete in the recording
is complete. What the program leaves out is listed in the comment at its top and on the
standard error output, with reasons.

--with-collectives calls the library's collectives in the place of those that the program makes of messages (see
tabard collectives), or --with-collectives=proven of those only that contents prove. What is not replaced is
listed, with reasons.

--compute adds computation between calls: busy waits as long as the recorded program took there
on average, times SCALE (default 1; also -DCOMPUTE=SCALE when compiling).`

// computeScale is the value of --compute of proxy.
type computeScale struct {
	text  string
	scale float64
}

// Set accepts a number that is not negative.
func (f *computeScale) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0) || x > 1e6 {
		return errors.New("want a factor from 0 to 1000000, e.g. 0.5")
	}
	*f = computeScale{s, x}
	return nil
}

// String returns the current value.
func (f *computeScale) String() string { return f.text }

// Type is what help prints as the flag's argument.
func (f *computeScale) Type() string { return "SCALE" }

var _ = reading(140, Bound{Memory: 1e9, Seconds: 60}, proxyCommand)

// proxyFlags are the flags of `tabard proxy`.
type proxyFlags struct {
	anySize
	output   string
	compute  computeScale
	computes bool // --compute is given
	force    bool
	ranks    int
	// collectives says which of those made of messages are replaced.
	collectives *choice
	notes       []string
}

func proxyCommand(a *app) *cobra.Command {
	f := &proxyFlags{}
	cmd := &cobra.Command{
		Use:   "proxy FILE",
		Short: "Write a C program that makes the MPI calls of a recording",
		Long:  proxyLong,
		Example: `  tabard proxy app.tabard -o proxy.c
  tabard proxy app.tabard --compute -o proxy.c
  tabard proxy app.tabard --with-collectives -o replaced.c
  tabard proxy app.tabard --ranks 1024 -o proxy1024.c
  tabard proxy app16.tabard --any-size -o proxy.c
  tabard proxy app9.tabard --with app16.tabard --any-size -o proxy.c
  tabard proxy app.tabard -o - | less`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.output, "output", "o", "",
		"write to `FILE`, - for the standard output (default: the recording's name with .c)")
	fl.Var(&f.compute, "compute", "compute between calls as long as in the recording, times SCALE")
	fl.Lookup("compute").NoOptDefVal = "1"
	fl.IntVar(&f.ranks, "ranks", 0, "make the calls that a job of `M` ranks would make; see tabard scale")
	fl.BoolVar(&f.set, "any-size", false, "write a program that runs with any number of ranks")
	fl.StringArrayVar(&f.with, "with", nil,
		"with --any-size: a recording `FILE2` of the same program with another number of ranks; may be repeated")
	fl.StringArrayVar(&f.dims, "dims", nil,
		"with --any-size: the sizes `AxB...` of the process grid of as many ranks, such as 8x4")
	f.collectives = addChoice(cmd, "with-collectives", "call the library's collectives in the place of those made "+
		"of messages",
		"off", "all", "proven")
	fl.Lookup("with-collectives").NoOptDefVal = "all"
	fl.BoolVar(&f.force, "force", false, "overwrite a file that is no proxy")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("ranks") {
			if err := atLeast("ranks", f.ranks, 1); err != nil {
				return err
			}
		}
		f.computes = cmd.Flags().Changed("compute")
		if err := f.check(f.ranks, f.computes); err != nil {
			return err
		}
		if f.output == "" {
			f.output = strings.TrimSuffix(args[0], ".tabard") + ".c"
		}
		if err := a.mayWrite(f.output, aProxy, f.force); err != nil {
			return err
		}
		if f.collectives.value != "off" {
			return a.reads(args[0], func(arch *archive.Archive) error { return f.replaced(a, args[0], arch) })
		}
		return a.readsMPI(args[0], func(arch *archive.Archive) error { return f.run(a, args[0], arch) })
	}
	return cmd
}

// replaced writes the program with collectives in the place of those that the recorded one makes of messages.
func (f *proxyFlags) replaced(a *app, file string, arch *archive.Archive) error {
	found, err := collectives.Of(arch, collectives.Options{})
	if err != nil {
		return err
	}
	r, err := substitute.Of(arch, found, func(x *collectives.Finding) bool {
		return f.collectives.value == "all" || x.Grade == collectives.Proven
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(found.Findings) == 0 {
		f.notes = append(f.notes, "no collective is made of messages: nothing was replaced")
	}
	for i, why := range r.Why {
		x := &found.Findings[i]
		text := fmt.Sprintf("%s instead of messages: %s, %d instances, %s", x.Call, x.Operation, x.Instances, x.Grade)
		if why != "" {
			text = fmt.Sprintf("not replaced, as %s: %s, %d instances, %s", why, x.Operation, x.Instances, x.Grade)
		}
		if len(x.SendSites) > 0 {
			text += ": " + found.Sites[x.SendSites[0]]
		}
		f.notes = append(f.notes, text)
	}
	return f.run(a, file, r.Archive)
}

// run writes the program.
func (f *proxyFlags) run(a *app, file string, arch *archive.Archive) error {
	if f.ranks > 0 {
		image, err := scaled(arch, f.ranks)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		arch, err = archive.OpenReader(bytes.NewReader(image), int64(len(image)), archive.FileName(file))
		if err != nil {
			return err
		}
		defer arch.Close()
	}
	var text bytes.Buffer
	var result *cgen.Result
	var err error
	o := cgen.Options{File: file, Name: filepath.Base(f.output), Compute: f.computes, Scale: f.compute.scale,
		Replaced: f.notes}
	if f.set {
		result, err = a.proxyAnySize(arch, &text, o, &f.anySize)
	} else {
		result, err = cgen.Generate(arch, &text, o)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	err = a.writeFile(f.output, aProxy, f.force, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range f.notes {
		fmt.Fprintf(a.err, "tabard: %s\n", s)
	}
	a.tellProxy(f.output, result)
	return nil
}

// tellProxy says what was written, and what is missing.
func (a *app) tellProxy(output string, r *cgen.Result) {
	for _, s := range r.Notes {
		fmt.Fprintf(a.err, "tabard: %s\n", s)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(a.err, "tabard: left out: %s: %s\n", s.Func, s.Reason)
	}
	if output == "-" {
		return
	}
	program := strings.TrimSuffix(output, ".c")
	ranks := fmt.Sprintf("%d ranks", r.Ranks)
	if r.Ranks == 0 {
		ranks = r.Sizes
	}
	threads := ""
	if r.Threads {
		threads = " -pthread"
	}
	fmt.Fprintf(a.err, "tabard: %d lines for %s; next: mpicc -O2%s -o %s %s\n", r.Lines, ranks, threads,
		render.ShellWord(program), render.ShellWord(output))
}

// anySize are the flags of proxy that are about programs for any number of ranks.
type anySize struct {
	otherSizes
	set bool
}

// check tells what does not go together.
func (f *anySize) check(ranks int, compute bool) error {
	switch {
	case !f.set && len(f.with)+len(f.dims) > 0:
		return usagef("--with and --dims go with --any-size")
	case f.set && ranks > 0:
		return usagef("--any-size is for all numbers of ranks, --ranks %d for one: give one of them", ranks)
	case f.set && compute:
		return usagef("--any-size goes without --compute: how long another number of ranks computes " +
			"does not follow from the recording")
	}
	return nil
}

// proxyAnySize writes a program for any number of ranks.
func (a *app) proxyAnySize(arch *archive.Archive, w io.Writer, p cgen.Options, f *anySize) (*cgen.Result, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	if o.With, err = a.contentsOf(f.with); err != nil {
		return nil, err
	}
	c, err := arch.Content()
	if err != nil {
		return nil, err
	}
	m, err := infer.Infer(c, o)
	if err != nil {
		return nil, err
	}
	return cgen.GenerateAny(arch, m, w, cgen.AnySize{Options: p, Dims: o.Dims, Admitted: m.Admits()})
}
