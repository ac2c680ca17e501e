package cli

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// exitInterrupted is the exit code of a command that was ended by Ctrl-C, as shells have it.
const exitInterrupted = 128 + int(syscall.SIGINT)

// unfinished are the files that are being written, to be removed if the command is interrupted.
var unfinished struct {
	sync.Mutex
	files map[string]bool
}

// writing notes that a file is being written; done says that it is complete or gone.
func writing(file string) (done func()) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.files == nil {
		unfinished.files = map[string]bool{}
	}
	unfinished.files[file] = true
	return func() {
		unfinished.Lock()
		defer unfinished.Unlock()
		delete(unfinished.files, file)
	}
}

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
	unfinished.Lock() // whoever writes cannot say any more that a file is complete
	for file := range unfinished.files {
		os.Remove(file)
	}
	if a.tty {
		fmt.Fprint(a.err, "\r\x1b[K")
	}
}
