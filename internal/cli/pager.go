package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"

	"github.com/tabard-hpc/tabard/internal/render"
)

// pager is a program that shows text page by page.
type pager struct {
	command *exec.Cmd
	text    io.WriteCloser
}

// startPager has what is printed as text shown by a pager, if that is asked for and somebody watches.
func (a *app) startPager() error {
	if !a.pager || !a.terminal().TTY {
		return nil
	}
	program := cmp.Or(os.Getenv("PAGER"), "less -R")
	c := exec.Command("sh", "-c", program)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return fmt.Errorf("--pager: %s: %w", program, err)
	}
	a.pages = &pager{c, in}
	a.out = render.NewCleaner(untilClosed{in})
	return nil
}

// untilClosed passes text on to a pager as long as that reads: its user may have seen enough.
type untilClosed struct{ w io.Writer }

func (u untilClosed) Write(b []byte) (int, error) {
	u.w.Write(b)
	return len(b), nil
}

// wait ends when the pager's user has seen enough. Ctrl-C is the pager's.
func (p *pager) wait() {
	if p == nil {
		return
	}
	signal.Ignore(os.Interrupt)
	p.text.Close()
	p.command.Wait()
}
