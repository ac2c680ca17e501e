package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tabard/internal/proxy"
	"tabard/trace"
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
which computes all that from rank and size when it runs. Files are made in the directory that is its argument.
Calls whose order the standard leaves open are repeated until what was complete in the recording
is complete. What the program does not do is listed in the comment at its top and on the
standard error output, with reasons.

--compute adds computation between calls: busy waits as long as the recorded program took in the
mean at that place, times SCALE (default 1; also -DCOMPUTE=SCALE when compiling).`

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

func proxyCommand(a *app) *cobra.Command {
	var output string
	var compute computeScale
	var force bool
	var ranks int
	var any anySize
	cmd := &cobra.Command{
		Use:   "proxy FILE",
		Short: "Write a C program that makes the MPI calls of a recording",
		Long:  proxyLong,
		Example: `  tabard proxy app.tabard -o proxy.c
  tabard proxy app.tabard --compute -o proxy.c
  tabard proxy app.tabard --ranks 1024 -o proxy1024.c
  tabard proxy app16.tabard --any-size -o proxy.c
  tabard proxy app9.tabard --with app16.tabard --any-size -o proxy.c
  tabard proxy app.tabard -o - | less`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.StringVarP(&output, "output", "o", "", "write to `FILE`, - for the standard output (default: the recording's name with .c)")
	fl.Var(&compute, "compute", "compute between calls as long as in the recording, times SCALE")
	fl.Lookup("compute").NoOptDefVal = "1"
	fl.IntVar(&ranks, "ranks", 0, "make the calls that a job of `M` ranks would make; see tabard scale")
	fl.BoolVar(&any.set, "any-size", false, "write a program that runs with any number of ranks")
	fl.StringArrayVar(&any.with, "with", nil, "with --any-size: a recording `FILE2` of the same program with another number of ranks; may be repeated")
	fl.StringArrayVar(&any.dims, "dims", nil, "with --any-size: the sizes `AxB...` of the process grid of as many ranks, such as 8x4")
	fl.BoolVar(&force, "force", false, "overwrite a file that is no proxy")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if ranks < 1 && cmd.Flags().Changed("ranks") {
			return usagef("--ranks %d is less than 1", ranks)
		}
		if err := any.check(ranks, cmd.Flags().Changed("compute")); err != nil {
			return err
		}
		if output == "" {
			output = strings.TrimSuffix(args[0], ".tabard") + ".c"
		}
		if err := overwritable(output, force); err != nil {
			return err
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		if ranks > 0 {
			image, err := scaled(archive, ranks)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if archive, err = trace.OpenReader(bytes.NewReader(image), int64(len(image)), trace.FileName(args[0])); err != nil {
				return err
			}
			defer archive.Close()
		}
		var text bytes.Buffer
		var result *proxy.Result
		o := proxy.Options{File: args[0], Name: filepath.Base(output), Compute: cmd.Flags().Changed("compute"), Scale: compute.scale}
		if any.set {
			result, err = a.proxyAnySize(archive, &text, o, &any)
		} else {
			result, err = proxy.Generate(archive, &text, o)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		err = a.writeFile(output, func(w io.Writer) error {
			_, err := w.Write(text.Bytes())
			return err
		})
		if err != nil {
			return err
		}
		a.tellProxy(output, result)
		return nil
	}
	return cmd
}

// overwritable tells whether a file may be written: there is none, or it is a proxy.
func overwritable(name string, force bool) error {
	if name == "-" || force {
		return nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(proxy.Mark))
	if _, err := io.ReadFull(f, head); err == nil && string(head) == proxy.Mark {
		return nil
	}
	return fmt.Errorf("%s exists and is no proxy; overwrite it with --force", name)
}

// tellProxy says what was written, and what is missing.
func (a *app) tellProxy(output string, r *proxy.Result) {
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
		ranks = "any number of ranks"
	}
	fmt.Fprintf(a.err, "tabard: %d lines for %s; next: mpicc -O2 -o %s %s\n", r.Lines, ranks, program, output)
}
