package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Progress shows on a terminal how far a long operation is: nothing within the first second, then
// one line that is rewritten in place, with rate and remaining time; or, with Say, what is being
// done. All methods may be called from several goroutines, and on a nil *Progress, which shows
// nothing.
type Progress struct {
	w     io.Writer
	width int
	what  string
	noun  string
	total uint64

	mu       sync.Mutex
	n        uint64
	begin    time.Time
	next     time.Time
	shown    bool
	finished bool
	now      func() time.Time
	watch    func(done, total uint64) // instead of a terminal
}

// Waiting time before the first line, and between lines.
const (
	progressDelay = time.Second
	progressEvery = 100 * time.Millisecond
)

// NewProgress starts to show what is being done on w, e.g. "reading", in steps
// called noun, e.g. "calls", of which there are total (0: unknown). Where
// nobody watches (t.TTY is false) it is nil.
func NewProgress(w io.Writer, t Terminal, what, noun string, total uint64) *Progress {
	if !t.TTY {
		return nil
	}
	p := &Progress{w: w, width: t.width(), what: what, noun: noun, total: total, now: time.Now}
	p.begin = p.now()
	p.next = p.begin.Add(progressDelay)
	return p
}

// Watch makes a Progress that shows nothing and tells a function instead.
func Watch(told func(done, total uint64)) *Progress { return &Progress{watch: told} }

// Add says that n more steps are done. It is cheap, but not meant for every
// single call: thousands at a time suffice.
func (p *Progress) Add(n uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n += n
	p.show()
}

// Show says that done of total steps are done; numbers that come late are left out.
func (p *Progress) Show(done, total uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n, p.total = max(p.n, done), total
	p.show()
}

// Say shows at once what is being done, where nobody knows how far that is.
func (p *Progress) Say(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rewrite(what)
}

// show rewrites the line if it is time to.
func (p *Progress) show() {
	if p.watch != nil {
		p.watch(p.n, p.total)
		return
	}
	now := p.now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(progressEvery)
	p.rewrite(p.line(now.Sub(p.begin)))
}

// rewrite puts a line in place of the one that is shown. One that cannot be shown is nobody's loss.
func (p *Progress) rewrite(line string) {
	if p.finished || p.watch != nil {
		return
	}
	p.shown = true
	fmt.Fprint(p.w, clearLine+fit(line, p.width-1))
}

// clearLine goes to the begin of a line and clears it. (A carriage return would not pass a Cleaner.)
var clearLine = control("[G") + control("[K")

// Done removes the line.
func (p *Progress) Done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	if p.shown {
		fmt.Fprint(p.w, clearLine)
		p.shown = false
	}
}

// line is what is shown after a time.
func (p *Progress) line(passed time.Duration) string {
	rate := float64(p.n) / max(passed.Seconds(), 1e-9)
	speed := shortText(rate) + " " + p.noun + "/s"
	if rate >= 100 {
		speed = shortText(float64(uint64(rate))) + " " + p.noun + "/s"
	}
	if p.total == 0 || p.n > p.total {
		return fmt.Sprintf("%s  %s %s  %s", p.what, shortText(float64(p.n)), p.noun, speed)
	}
	share := float64(p.n) / float64(p.total)
	const cells = 24
	done := int(share * cells)
	left := "?"
	if p.n > 0 {
		left = Duration(time.Duration(float64(p.total-p.n) / rate * 1e9).Round(time.Second))
	}
	return fmt.Sprintf("%s [%s%s] %3.0f%%  %s  %s left", p.what, strings.Repeat("#", done),
		strings.Repeat(".", cells-done), 100*share, speed, left)
}
