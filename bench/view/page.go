package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/tabard-hpc/tabard/internal/testkit/browser"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Bars of the page.
const (
	mostScript = 6 * time.Millisecond
	mostHeap   = 300e6
)

// pageRows are what the page shows.
var pageRows = []row{
	{"64 x 10^4", 64, 10_000},
	{"1,000 x 10^6", 1000, 1_000_000},
	{"100,000 x 10^3", 100_000, 1000},
}

// acts are what somebody does, each some dozens of times.
var acts = []struct {
	name string
	do   func(p *browser.Page) error
}{
	{"move", func(p *browser.Page) error { return repeat(p, 30, "d", "a") }},
	{"zoom", func(p *browser.Page) error { return wheel(p, 30) }},
	{"point", point},
	{"drag", drag},
	{"calls", calls},
}

// repeat presses keys in turn.
func repeat(p *browser.Page, times int, keys ...string) error {
	for k := range times {
		if err := p.Do(chromedp.KeyEvent(keys[k/10%len(keys)])); err != nil {
			return err
		}
		time.Sleep(25 * time.Millisecond)
	}
	return nil
}

// wheel zooms in and out.
func wheel(p *browser.Page, times int) error {
	for k := range times {
		by := -60.0
		if k >= times/2 {
			by = 60
		}
		err := p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, 500, 330,
			func(p *input.DispatchMouseEventParams) {
				p.DeltaX, p.DeltaY = 0.01, by // a 0 would not be sent
			}))
		if err != nil {
			return err
		}
		time.Sleep(25 * time.Millisecond)
	}
	return nil
}

// point moves the pointer over the map.
func point(p *browser.Page) error {
	for k := range 40 {
		if err := p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, float64(200+15*k),
			float64(260+3*k))); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// calls moves where single calls are drawn.
func calls(p *browser.Page) error {
	lines, err := p.Text(`tabard.near(8)`)
	if err != nil {
		return err
	}
	if err := p.Wait("tabard.calls().length > 0"); err != nil {
		return fmt.Errorf("%s: %w", lines, err)
	}
	return repeat(p, 30, "d", "a")
}

// drag selects a box.
func drag(p *browser.Page) error {
	if err := p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, 300, 270,
		chromedp.ButtonLeft)); err != nil {
		return err
	}
	for k := range 40 {
		if err := p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, float64(300+8*k), float64(270+2*k),
			chromedp.ButtonLeft)); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, 620, 350, chromedp.ButtonLeft),
		chromedp.KeyEvent("u"))
}

// pages measures the page in Chromium.
func pages(only *regexp.Regexp, dir string) (ok bool, err error) {
	tabard := filepath.Join(mpirun.Root(), "bin", "tabard")
	ctx, stop, err := browser.Start()
	if err != nil {
		return false, err
	}
	defer stop()
	cache, err := os.MkdirTemp("", "tabard-cache-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(cache)
	fmt.Print("| ranks x calls | first picture ms | heap MB |")
	for _, a := range acts {
		fmt.Printf(" %s: script ms of CPU a picture, median / p95 / most |", a.name)
	}
	fmt.Println("\n|---|---|---|---|---|---|---|---|")
	ok = true
	for _, r := range pageRows {
		if !only.MatchString(r.Name) {
			continue
		}
		file, err := r.file(dir)
		if err != nil {
			return false, err
		}
		good, err := onePage(ctx, tabard, &r, file, cache)
		if err != nil {
			return false, fmt.Errorf("%s: %w", r.Name, err)
		}
		ok = ok && good
	}
	if !ok {
		fmt.Println("\nA bar is missed.")
	}
	return ok, nil
}

// colorsOfMap counts the colours in the middle of the map, where there are no names and no axis.
const colorsOfMap = `(() => { const c = document.querySelector(".map canvas"); const g = c.getContext("2d");
	const d = g.getImageData(c.width / 4, c.height / 4, c.width / 2, c.height / 2).data;
	const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i+1] << 8 | d[i+2]);
	return seen.size; })()`

// when is when the page drew its first picture with something in it, in ms, and its heap in bytes.
type when struct{ First, Heap float64 }

func onePage(ctx context.Context, tabard string, r *row, file, cache string) (ok bool, err error) {
	s, err := browser.Serve(tabard, []string{file}, []string{"XDG_CACHE_HOME=" + cache})
	if err != nil {
		return false, err
	}
	defer s.Close()
	p, err := browser.Open(ctx, s.Address)
	if err != nil {
		return false, err
	}
	defer p.Close()
	// Tables may take long, and fill by themselves; so does what is not exact yet.
	if err := p.Wait("tabard.first() > 0"); err != nil {
		return false, err
	}
	if err := p.Wait(colorsOfMap + " >= 10"); err != nil {
		return false, fmt.Errorf("the map is blank: %w", err)
	}
	text := fmt.Sprintf("| %s |", r.Name)
	ok = true
	var script string
	for _, a := range acts {
		if err := p.Do(chromedp.KeyEvent("0")); err != nil {
			return false, err
		}
		list, err := p.Frames(func() error { return a.do(p) })
		if err != nil {
			return false, err
		}
		if len(list) == 0 {
			return false, fmt.Errorf("%s drew nothing", a.name)
		}
		slices.Sort(list)
		at := func(part float64) time.Duration { return list[int(part*float64(len(list)-1))] }
		ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
		script += fmt.Sprintf(" %.1f / %.1f / %.1f |", ms(at(0.5)), ms(at(0.95)), ms(at(1)))
		ok = ok && at(0.95) <= mostScript
	}
	got, err := p.Text(`JSON.stringify({First: tabard.first(), Heap: performance.memory.usedJSHeapSize})`)
	if err != nil {
		return false, err
	}
	var w when
	if err := json.Unmarshal([]byte(got), &w); err != nil {
		return false, err
	}
	fmt.Printf("%s %.0f | %.0f |%s\n", text, w.First, w.Heap/1e6, script)
	return ok && w.Heap <= mostHeap, nil
}
