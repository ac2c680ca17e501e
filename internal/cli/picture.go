package cli

import (
	"bufio"
	"io"
	"os"

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

// writeFile writes to a file, or to the standard output for "-".
func (a *app) writeFile(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.raw)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	err = write(w)
	if e := w.Flush(); err == nil {
		err = e
	}
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}
