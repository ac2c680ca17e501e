package cli

import (
	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/render"
)

// pictureFlags are the flags of commands that draw.
type pictureFlags struct {
	svg, png string
	force    bool
}

func (f *pictureFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.svg, "svg", "", "write a picture to `FILE` (- is the standard output) instead of text")
	cmd.Flags().StringVar(&f.png, "png", "", "write a picture to `FILE` (- is the standard output) instead of text")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite a file that is no picture of tabard")
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
		if err := a.writeFile(f.svg, aSVG, f.force, p.SVG); err != nil {
			return err
		}
	}
	if f.png != "" {
		return a.writeFile(f.png, aPNG, f.force, p.PNG)
	}
	return nil
}
