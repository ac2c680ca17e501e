package cli

import (
	"bufio"
	"encoding/json"
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
	if err := x.text(w); err != nil {
		return err
	}
	return w.Flush()
}

// terminal is what text on standard output is drawn for.
func (a *app) terminal() render.Terminal { return render.DetectTerminal(a.raw, os.Getenv) }

// meter shows how far something is that may take longer than a second: percentage, rate
// and remaining time, on a terminal.
func (a *app) meter(what, noun string, total uint64) *render.Progress {
	return render.NewProgress(a.err, render.DetectTerminal(a.stderr, getenv), what, noun, total)
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
