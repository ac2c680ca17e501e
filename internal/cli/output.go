package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"text/tabwriter"
	"time"

	"tabard/internal/render"
)

// printJSON prints v as indented JSON.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// isTerminal reports whether f is a terminal.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&(os.ModeDevice|os.ModeCharDevice) == os.ModeDevice|os.ModeCharDevice && f.Name() != os.DevNull
}

// progress shows one line on a terminal that is rewritten in place.
type progress struct {
	w     io.Writer // nil: show nothing
	next  time.Time
	shown bool
}

func (a *app) progress() *progress {
	if !a.tty {
		return &progress{}
	}
	return &progress{w: a.err}
}

// show replaces the line, at most ten times a second.
func (p *progress) show(format string, args ...any) {
	if p.w == nil || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(100 * time.Millisecond)
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
}

// done removes the line.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// meter shows how far something is that may take longer than a second: percentage, rate
// and remaining time, on a terminal.
func (a *app) meter(what, noun string, total uint64) *render.Progress {
	return render.NewProgress(a.err, render.DetectTerminal(a.err, getenv), what, noun, total)
}

// Numbers and sizes for people, in short.
func count(n uint64) string { return render.Count(n) }

func byteSize(n int64) string { return render.ByteSize(n) }

func plural(n uint64, noun string) string { return render.Plural(n, noun) }

// table aligns cells that are separated by tabs.
func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// patience is how long a command waits for a recording to end before it says
// so where nobody watches: most recordings end at once.
const patience = 2 * time.Second

// notice passes messages on at once on a terminal, else only if the wait
// that they announce lasts.
type notice struct {
	w     io.Writer
	mu    sync.Mutex
	held  []byte
	late  bool
	timer *time.Timer
}

func (a *app) notice() *notice {
	n := &notice{w: a.err, late: a.tty}
	if !a.tty {
		n.timer = time.AfterFunc(patience, n.release)
	}
	return n
}

// Write implements io.Writer.
func (n *notice) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.late {
		return n.w.Write(b)
	}
	n.held = append(n.held, b...)
	return len(b), nil
}

func (n *notice) release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.late = true
	n.w.Write(n.held) // a message that cannot be written is nobody's loss
	n.held = nil
}

// stop ends the wait: what was held back is not worth saying any more.
func (n *notice) stop() {
	if n.timer != nil {
		n.timer.Stop()
	}
}
