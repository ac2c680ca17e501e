// Package browser drives the viewer's page in Chromium without a screen, with the recording served by tabard view.
package browser

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Deadline is how long something may take to appear on a busy machine.
const Deadline = time.Minute

// Width and Height are those of the page in pixels.
const Width, Height = 1280, 720

// Server is a tabard view that serves.
type Server struct {
	// Address has the token.
	Address string
	cmd     *exec.Cmd
}

// Serve starts tabard view, with more in its environment.
func Serve(tabard string, files, env []string) (*Server, error) {
	cmd := exec.Command(tabard, append([]string{"view", "--no-browser", "--idle", "10m"}, files...)...)
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Server{cmd: cmd}
	address, text := regexp.MustCompile(`http://\S+`), ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		text += lines.Text() + "\n"
		if s.Address = address.FindString(lines.Text()); s.Address != "" {
			return s, nil
		}
	}
	s.Close()
	return nil, fmt.Errorf("tabard view printed no address:\n%s", text)
}

// Close ends it.
func (s *Server) Close() {
	_ = s.cmd.Process.Signal(syscall.SIGINT)
	_ = s.cmd.Wait() // how it ended after that says nothing
}

// Start starts Chromium. It ends with stop.
func Start() (ctx context.Context, stop func(), err error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, nil, fmt.Errorf("%w: make deps installs it", err)
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WindowSize(Width, Height))
	ctx, end := chromedp.NewExecAllocator(context.Background(), o...)
	ctx, cancel := chromedp.NewContext(ctx)
	stop = func() {
		cancel()
		end()
	}
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, err
	}
	return ctx, stop, nil
}

// Page is a page in a tab of its own.
type Page struct {
	ctx    context.Context
	cancel func()
	mu     sync.Mutex
	bad    []string
}

// Open opens an address.
func Open(parent context.Context, url string) (*Page, error) {
	ctx, cancel := chromedp.NewContext(parent)
	p := &Page{ctx: ctx, cancel: cancel}
	err := chromedp.Listen(ctx, func(e any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			p.bad = append(p.bad, fmt.Sprintf("%s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
		case *log.EventEntryAdded:
			// An answer with an error is shown on the page, which is looked at there.
			if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
				p.bad = append(p.bad, e.Entry.Text)
			}
		}
	})
	if err == nil {
		err = p.Do(chromedp.EmulateViewport(Width, Height), chromedp.Navigate(url))
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return p, nil
}

// Close closes the tab. It gives what the browser complained of.
func (p *Page) Close() (bad []string) {
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bad
}

// Do does actions one after the other.
func (p *Page) Do(a ...chromedp.Action[chromedp.Void]) error { return chromedp.Do(p.ctx, a...) }

// Text is the value of an expression in JavaScript as text.
func (p *Page) Text(js string) (string, error) {
	s, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("String("+js+")"))
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, js)
	}
	return s, nil
}

// Wait waits until an expression is true, up to Deadline.
func (p *Page) Wait(js string) error {
	for end := time.Now().Add(Deadline); ; time.Sleep(30 * time.Millisecond) {
		// While the page goes on to another address there is nobody to ask.
		if s, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("String(!!("+js+"))")); err == nil && s == "true" {
			return nil
		}
		if time.Now().After(end) {
			where, _ := p.Text("location.hash")
			text, err := p.Text("document.body.innerText")
			if err != nil {
				return err
			}
			return fmt.Errorf("not within %v: %s\nthe page at %s:\n%s", Deadline, js, where, text)
		}
	}
}

// Picture is what the page looks like, as PNG.
func (p *Page) Picture() ([]byte, error) { return chromedp.Run(p.ctx, chromedp.CaptureScreenshot()) }

// Ready waits until the map and the panel are drawn. What failed then is an error.
func (p *Page) Ready() error {
	err := p.Wait(`document.querySelector(".map")?.dataset.state === "ready" && document.querySelector(".panel") &&
		!document.querySelector(".panel[aria-busy]") && !document.querySelector(".verdict[aria-busy]")`)
	if err != nil {
		return err
	}
	s, err := p.Text(`[...document.querySelectorAll(".failed, .fatal")].map(e => e.textContent).join("; ")`)
	if err == nil && s != "" {
		err = fmt.Errorf("the page failed: %s", s)
	}
	return err
}

// Click clicks the first element of a selector whose text begins with something.
func (p *Page) Click(selector, text string) error {
	find := fmt.Sprintf("[...document.querySelectorAll(%q)].find(e => e.textContent.startsWith(%q))", selector, text)
	if err := p.Wait(find); err != nil {
		return err
	}
	_, err := p.Text(find + ".click()")
	return err
}
