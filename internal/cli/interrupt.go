package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// exitInterrupted is the exit code of a command that was ended by Ctrl-C, as shells have it.
const exitInterrupted = 128 + int(syscall.SIGINT)

// interruptible ends the process at Ctrl-C, at once and without files that are half written.
// Analyses hold nothing that has to be put in order.
func (a *app) interruptible() (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	over := make(chan struct{})
	go func() {
		select {
		case <-over:
		case <-c:
			a.interrupted()
			os.Exit(exitInterrupted)
		}
	}()
	return func() {
		signal.Stop(c)
		close(over)
	}
}

// interrupted removes what is half written, and the line that shows progress.
func (a *app) interrupted() {
	safefile.DiscardAll()
	if a.tty {
		fmt.Fprint(a.stderr, "\r\x1b[K")
	}
}
