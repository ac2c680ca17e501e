package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/internal/render"
)

// answer is what a command found, in the forms in which it can be asked for.
type answer struct {
	// json asks for the document, oneLine for no line breaks in it.
	json, oneLine bool
	document      func() any
	// pictures are asked for in pictureFlags, nil if there are none.
	pictures *pictureFlags
	picture  func() (*render.Picture, error)
	text     func(io.Writer) error
}

// print prints an answer in the form that is asked for.
func (a *app) print(x answer) error {
	switch {
	case x.json && x.oneLine:
		return json.NewEncoder(render.NewJSONCleaner(a.raw)).Encode(x.document())
	case x.json:
		e := json.NewEncoder(render.NewJSONCleaner(a.raw))
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(x.document())
	case x.pictures != nil && x.pictures.wanted():
		p, err := x.picture()
		if err != nil {
			return err
		}
		return x.pictures.write(a, p)
	}
	w := bufio.NewWriter(a.out)
	p := a.page(w)
	if err := cmp.Or(x.text(p), p.Flush()); err != nil {
		return err
	}
	return w.Flush()
}

// page is where text goes that fits the terminal, with names shortened unless --wide is given; elsewhere than on a
// terminal it may be of any width.
func (a *app) page(w io.Writer) *render.Page {
	return &render.Page{Writer: w, Width: a.terminal().Width, Wide: a.wide}
}

// terminal is what text on standard output is drawn for.
func (a *app) terminal() render.Terminal { return render.DetectTerminal(a.raw, os.Getenv) }

// meter shows how far something is that may take longer than a second: percentage, rate
// and remaining time, on a terminal.
func (a *app) meter(what, noun string, total uint64) *render.Progress {
	return render.NewProgress(a.err, render.DetectTerminal(a.stderr, getenv), what, noun, total)
}

// headLines is how many lines are shown on a terminal where nobody asked for a number.
const headLines = 200

// head passes on the first lines of a long text where they are shown on a terminal, and all of it
// elsewhere.
type head struct {
	w    io.Writer
	left int // lines; negative: all
	more bool
}

func (a *app) head() *head {
	if a.terminal().TTY && a.pages == nil {
		return &head{w: a.out, left: headLines}
	}
	return &head{w: a.out, left: -1}
}

// errHead ends the making of a text of which no more is shown.
var errHead = errors.New("no more lines are shown")

// Write implements io.Writer. The error is errHead once there is more than is shown.
func (h *head) Write(b []byte) (int, error) {
	if h.left < 0 {
		return h.w.Write(b)
	}
	n := 0
	for n < len(b) && h.left > 0 {
		i := bytes.IndexByte(b[n:], '\n')
		if i < 0 {
			i = len(b) - n - 1
		} else {
			h.left--
		}
		n += i + 1
	}
	if n, err := h.w.Write(b[:n]); err != nil || n == len(b) {
		return n, err
	}
	h.more = true
	return n, errHead
}

// end says what else there is, unless all was shown. err is that of writing.
func (h *head) end(a *app, err error, hint string) error {
	if h.more {
		fmt.Fprintf(a.errorPage(), "tabard: only the first %d lines are shown on a terminal: %s\n", headLines, hint)
	}
	if errors.Is(err, errHead) {
		return nil
	}
	return err
}

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
