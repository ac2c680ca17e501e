package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// traced is an event of Chromium's own trace, as far as it matters. Times are in microseconds; Used is the processor's
// time.
type traced struct {
	Name  string  `json:"name"`
	Phase string  `json:"ph"`
	PID   int     `json:"pid"`
	TID   int     `json:"tid"`
	At    float64 `json:"ts"`
	Long  float64 `json:"dur"`
	Used  float64 `json:"tdur"`
}

// scripts are the events of the trace in which script runs.
var scripts = []string{"EventDispatch", "FireAnimationFrame", "FunctionCall", "RunMicrotasks", "TimerFire",
	"EvaluateScript", "v8.callFunction"}

// pause is after how many microseconds without script what follows belongs to the next picture.
const pause = 5000

// Frames does something, and tells how much time of a processor the script of the page took for each picture
// meanwhile, from one picture that it drew to the next, or to a pause.
func (p *Page) Frames(do func() error) ([]time.Duration, error) {
	var mu sync.Mutex
	var events []traced
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	err := chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, v := range e.Value {
				var t traced
				if json.Unmarshal(v, &t) == nil && t.Phase == "X" && slices.Contains(scripts, t.Name) {
					events = append(events, t)
				}
			}
		case *tracing.EventTracingComplete:
			close(ended)
		}
	})
	if err != nil {
		return nil, err
	}
	config := &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline", "v8"}}
	err = p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, tracing.Start, tracing.StartParams{TraceConfig: config})
		return err
	}))
	if err != nil {
		return nil, err
	}
	failed := do()
	err = p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, tracing.End, cdp.Empty{})
		return err
	}))
	if err := cmp.Or(failed, err); err != nil {
		return nil, err
	}
	<-ended
	mu.Lock()
	defer mu.Unlock()
	return frames(events), nil
}

// frames adds up what is not within something else, of the process and thread that runs most.
func frames(events []traced) (list []time.Duration) {
	type thread struct{ pid, tid int }
	runs := map[thread]int{}
	for _, e := range events {
		runs[thread{e.PID, e.TID}]++
	}
	var most thread
	for k, n := range runs {
		if n > runs[most] {
			most = k
		}
	}
	slices.SortStableFunc(events, func(a, b traced) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.Long, a.Long))
	})
	end, used, painted := 0.0, 0.0, false
	next := func() {
		list = append(list, time.Duration(used*1000))
		used, painted = 0, false
	}
	for _, e := range events {
		if (thread{e.PID, e.TID}) != most || e.At < end {
			continue
		}
		paints := e.Name == "FireAnimationFrame"
		if painted && !paints || used > 0 && e.At-end > pause {
			next()
		}
		painted = paints
		used += e.Used
		end = e.At + e.Long
	}
	if used > 0 {
		next()
	}
	return list
}
