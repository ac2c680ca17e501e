package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/render"
)

// pictureFlags are the flags of commands that draw.
type pictureFlags struct{ svg, png string }

func (f *pictureFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.svg, "svg", "", "write a picture to `FILE` (- is the standard output) instead of text")
	cmd.Flags().StringVar(&f.png, "png", "", "write a picture to `FILE` (- is the standard output) instead of text")
}

// wanted tells whether pictures are asked for.
func (f *pictureFlags) wanted() bool { return f.svg != "" || f.png != "" }

// check says what does not go together.
func (f *pictureFlags) check(json bool) error {
	if json && f.wanted() {
		return usagef("--json and pictures do not go together")
	}
	if f.svg == "-" && f.png == "-" {
		return usagef("--svg - and --png - do not go together")
	}
	return nil
}

// write writes the pictures that are asked for.
func (f *pictureFlags) write(a *app, p *render.Picture) error {
	if f.svg != "" {
		if err := a.writeFile(f.svg, p.SVG); err != nil {
			return err
		}
	}
	if f.png != "" {
		return a.writeFile(f.png, p.PNG)
	}
	return nil
}

// writeFile writes to a file, whole or not at all, or to the standard output for "-".
func (a *app) writeFile(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.out)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // a device, a pipe
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	if target, err := filepath.EvalSymlinks(name); err == nil { // a link stays one
		name = target
	}
	_, err := writeWhole(name, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	})
	return err
}

// writeWhole writes a file whole or not at all, and returns its size.
func writeWhole(file string, write func(io.Writer) error) (int64, error) {
	// Beside it, so that it can be renamed.
	name := fmt.Sprintf("%s.%d", file, os.Getpid())
	w, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	defer writing(name)()
	defer os.Remove(name)
	err = write(w)
	info, statErr := w.Stat()
	if closeErr := w.Close(); err == nil {
		err = errors.Join(closeErr, statErr)
	}
	if err == nil {
		err = os.Rename(name, file)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return info.Size(), nil
}
