package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/program/cgen"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/internal/view"
)

// Files that commands write. One rule holds for all of them: a file is replaced as a whole, and only if it is what the
// same command makes, or the user says --force; what the command reads is never replaced, nor is what is no file.
// (Recordings that are there are not replaced either: collect.WriteRecording.)

// kind is what a command writes, and how that begins.
type kind struct {
	name string
	is   func(head []byte) bool
}

// headBytes is how much of a file tells its kind.
const headBytes = 512

func begins(with string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(with)) }
}

var (
	aPNG    = kind{"picture of tabard", render.IsPNG}
	aSVG    = kind{"picture of tabard", render.IsSVG}
	aProxy  = kind{"proxy", begins(cgen.Mark)}
	aPage   = kind{"page of tabard view --html", begins(view.Mark)}
	aManual = kind{"manual page of tabard", func(head []byte) bool {
		return bytes.Contains(head,
			[]byte(`.TH "TABARD`))
	}}
)

// reading notes that a command reads a file.
func (a *app) reading(path string) {
	if id, ok := safefile.IDAt(path); ok {
		a.inputs = append(a.inputs, id)
	}
}

// notInput says that a file is none that the command reads, whatever its names are.
func (a *app) notInput(name string) error {
	id, ok := safefile.IDAt(name)
	for _, in := range a.inputs {
		if ok && in == id {
			return usagef("%s is what the command reads: name another file", name)
		}
	}
	return nil
}

// mayWrite tells whether a command may write a file.
func (a *app) mayWrite(name string, k kind, force bool) error {
	if name == "-" {
		return nil
	}
	if err := a.notInput(name); err != nil {
		return err
	}
	f, err := safefile.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, safefile.ErrNotRegular):
		return fmt.Errorf("%s exists and is no regular file: name another one", name)
	case force: // unreadable, perhaps
		if err == nil {
			f.Close()
		}
		return nil
	case err != nil:
		return err
	}
	defer f.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && k.is(head[:n]) {
		return nil
	}
	return fmt.Errorf("%s exists and is no %s; overwrite it with --force", name, k.name)
}

// writeFile writes to a file, completely or not at all, or to the standard output for "-".
func (a *app) writeFile(name string, k kind, force bool, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.raw)
	}
	if err := a.mayWrite(name, k, force); err != nil {
		return err
	}
	o, err := safefile.NewOutput(name, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(o)
	err = write(w)
	if e := w.Flush(); err == nil {
		err = e
	}
	if err != nil {
		o.Discard()
		return err
	}
	return o.Replace(filepath.Base(name))
}

// dirKind is a directory that commands write: with files, one of which, the only one with its ending, tells the kind,
// and with a directory, sub, of more files. owns tells the files by their names.
type dirKind struct {
	kind
	sub  string
	owns func(name string) bool
}

// mayWriteDir tells whether a command may write a directory.
func mayWriteDir(name string, k dirKind, force bool) error {
	if _, ok := safefile.IDAt(name); !ok {
		return nil
	}
	ours, err := safefile.HoldsOnly(name, k.sub, k.owns)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) || err == nil && !ours {
		return fmt.Errorf("%s exists and is no %s: name another directory", name, k.name)
	}
	if err != nil || force {
		return err
	}
	d, err := safefile.OpenDir(name)
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Names()
	for _, n := range names {
		if head, _ := d.ReadFile(n, headBytes); k.is(head) { // what is longer is there with an error
			return nil
		}
	}
	if len(names) == 0 || err != nil {
		return err
	}
	return fmt.Errorf("%s exists and is no %s of tabard; overwrite it with --force", name, k.name)
}

// writeDir writes a directory, completely or not at all.
func (a *app) writeDir(name string, k dirKind, force bool, write func(*safefile.OutputDir) error) error {
	name = filepath.Clean(name)
	if err := mayWriteDir(name, k, force); err != nil {
		return err
	}
	o, err := safefile.NewOutputDir(name, k.sub)
	if err != nil {
		return err
	}
	if err := write(o); err != nil {
		o.Discard()
		return err
	}
	size, err := o.Size()
	if err == nil {
		err = o.Replace(filepath.Base(name), k.owns)
	}
	if err == nil {
		fmt.Fprintf(a.err, "tabard: %s: %s\n", name, render.ByteSize(size))
	}
	return err
}
