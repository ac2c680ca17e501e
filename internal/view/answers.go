package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/view/api"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// An endpoint is what can be asked for under /api/.
type endpoint struct {
	// takes are the parameters that it understands besides rec, and the selection if selects is set.
	takes   []string
	selects bool
	// work makes the answer: a value to be sent as JSON, or bytes. In a queue it may take long.
	queue queue
	work  func(q *question) (any, error)
}

// queue is what an answer waits in. What takes little must not wait for what takes long.
type queue int

// Queues: none, those that match messages or compare, those that go over all ranks, and those of some calls.
const (
	atOnce queue = iota
	long
	tables
	small
	numQueues
)

// question is a request that was understood.
type question struct {
	s     *Server
	rec   *recording
	flags selection.Flags
	args  url.Values
	// meter is told how far an analysis is. Once ctx is done, that ends the analysis: see task.meter.
	meter report.Meter
	ctx   context.Context
}

// refusal is an error with what it means in HTTP.
type refusal struct {
	code int
	text string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }

// wrong is the error for a request that is not understood.
func wrong(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// absent is the error for what the recording does not have.
func absent(format string, args ...any) error {
	return &refusal{http.StatusConflict, fmt.Sprintf(format, args...)}
}

// selectionKeys are the parameters that select.
var selectionKeys = []string{"rank", "function", "comm", "time", "in", "steps", "step_loop"}

// maxQuery is how long a query may be.
const maxQuery = 1 << 14

// ask understands a request.
func (s *Server) ask(r *http.Request, e *endpoint) (*question, error) {
	if len(r.URL.RawQuery) > maxQuery {
		return nil, &refusal{http.StatusRequestURITooLong, "the request is too long"}
	}
	args, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, wrong("the request is not understood: %v", err)
	}
	for key, values := range args {
		known := key == "rec" || slices.Contains(e.takes, key) || e.selects && slices.Contains(selectionKeys, key) ||
			e.queue == long && key == accepted
		if !known {
			return nil, wrong("there is no parameter %q here", key)
		}
		if len(values) > 1 {
			return nil, wrong("%s is given twice", key)
		}
		if values[0] == "" {
			delete(args, key)
		}
	}
	q := &question{s: s, args: args, ctx: r.Context()}
	n, err := q.number("rec", 0, 0, int64(len(s.recordings))-1)
	if err != nil {
		return nil, err
	}
	q.rec = s.recordings[n]
	if e.selects {
		q.flags = selection.Flags{Ranks: args.Get("rank"), Functions: args.Get("function"), Comms: args.Get("comm"),
			Time: args.Get("time"), In: args.Get("in"), Steps: args.Get("steps"), StepLoop: args.Get("step_loop")}
		if _, err := selection.Parse(q.flags); err != nil {
			return nil, wrong("%v", err)
		}
	}
	return q, nil
}

// number is a parameter that is a number from least to most; without it, it is the default.
func (q *question) number(key string, otherwise, least, most int64) (int64, error) {
	text := q.args.Get(key)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, wrong("%s is %q, not a number from %d to %d", key, text, least, most)
	}
	return n, nil
}

// window is from when to when something is shown, in nanoseconds since the start of the trace, and how much of it at
// most.
func (q *question) window(limit int64) (t0, t1, most int64, err error) {
	_, length, err := q.rec.times()
	if err != nil {
		return 0, 0, 0, err
	}
	if t0, err = q.number("t0", 0, 0, 1<<62); err != nil {
		return 0, 0, 0, err
	}
	if t1, err = q.number("t1", int64(length), t0, 1<<62); err != nil {
		return 0, 0, 0, err
	}
	most, err = q.number("max", limit, 0, limit)
	return t0, t1, most, err
}

// choice is a parameter that is one of some words, the first of which is the default.
func (q *question) choice(key string, words ...string) (string, error) {
	text := q.args.Get(key)
	switch {
	case text == "":
		return words[0], nil
	case !slices.Contains(words, text):
		return "", wrong("%s is %q, which is none of %s", key, text, strings.Join(words, ", "))
	}
	return text, nil
}

// wanted is errStopped once nobody waits for the answer any more.
func (q *question) wanted() error {
	if q.ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// key names an answer.
func (q *question) key(name string) string { return name + "?" + q.args.Encode() }

// patience is how long a request waits for its answer before it is told that it is pending.
const patience = time.Second

// answer answers a request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, name string, e endpoint) {
	q, err := s.ask(r, &e)
	if err != nil {
		fail(w, err)
		return
	}
	if e.queue == atOnce {
		v, err := guarded(func() (any, error) { return e.work(q) })
		if err == nil {
			err = send(w, v)
		}
		if err != nil {
			fail(w, err)
		}
		return
	}
	if p, held := s.held(q, &e); held {
		sendPending(w, p)
		return
	}
	t := s.answers[e.queue].get(q.key(name), q, e.work)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.done:
		if t.err != nil {
			fail(w, t.err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(t.body)
	case <-timer.C:
		sendPending(w, t.pending())
	case <-r.Context().Done():
		s.answers[e.queue].left(t)
	}
}

// sendPending says that the answer is not there yet.
func sendPending(w http.ResponseWriter, p api.Pending) {
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	json.NewEncoder(w).Encode(p)
}

// send sends a value.
func send(w http.ResponseWriter, v any) error {
	if b, ok := v.([]byte); ok {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(b)
		return nil
	}
	b, err := encode(v)
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
		w.Write(b)
	}
	return err
}

// encode makes JSON. Whatever is in it cannot end a script element.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

// fail says what is wrong.
func fail(w http.ResponseWriter, err error) {
	r, ok := err.(*refusal)
	if !ok {
		r = &refusal{http.StatusInternalServerError, err.Error()}
	}
	refuse(w, r.code, r.text)
}

// guarded makes an answer. A mistake of ours is an error, and does not end the server.
func guarded[T any](work func() (T, error)) (v T, err error) {
	defer func() {
		x := recover()
		if p, ok := x.(*workers.Panic); ok && p.Value == errStopped {
			x = errStopped
		}
		if x == errStopped {
			err = errStopped
		} else if x != nil {
			err = fmt.Errorf("this is a mistake in tabard, please report it: %v\n%s", x, debug.Stack())
		}
	}()
	return work()
}

// How many analyses of a queue go on at once; those of recordings that are heavier than oneByOne one after the other.
// After how long without a question one is forgotten: it is not begun any more, gives way to those that somebody asks
// for, and ends if whoever asked last has gone. Any other ends after the time abandoned: a page that nobody looks at
// asks once a minute. How many bytes of answers of a queue are kept.
const (
	atATime    = 2
	oneByOne   = 4 << 20
	forgotten  = 5 * time.Second
	abandoned  = 3 * time.Minute
	maxAnswers = 48 << 20
)

// errStopped is what ends an analysis that nobody waits for.
var errStopped = errors.New("nobody waits for this answer any more")

// answers are those that take long.
type answers struct {
	atATime              int
	forgotten, abandoned time.Duration
	server               context.Context
	mu                   sync.Mutex
	all                  map[string]*task
	running              int
	bytes                int
}

// task is an answer that is being worked out, or that is there.
type task struct {
	q     *question
	stop  context.CancelFunc // ends it
	work  func(*question) (any, error)
	asked time.Time
	begun bool
	done  chan struct{}
	body  []byte
	err   error

	what        atomic.Pointer[string]
	made, total atomic.Uint64
}

// newAnswers is a queue for recordings of a burden, of a server that is there until a context is done.
func newAnswers(server context.Context, b burden) *answers {
	a := &answers{atATime: atATime, forgotten: forgotten, abandoned: abandoned, server: server,
		all: map[string]*task{}}
	if b.calls > oneByOne {
		a.atATime = 1
	}
	return a
}

// get finds an answer, or begins to work it out.
func (a *answers) get(key string, q *question, work func(*question) (any, error)) *task {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.all[key]
	if t == nil || !t.ended() && t.q.ctx.Err() != nil {
		t = &task{q: q, work: work, done: make(chan struct{})}
		q.ctx, t.stop = context.WithCancel(a.server)
		q.meter = t.meter
		a.all[key] = t
	}
	t.asked = time.Now()
	a.begin()
	return t
}

// begin begins the tasks that were asked for last, as far as others have ended or can be ended.
func (a *answers) begin() {
	for {
		var next *task
		for key, t := range a.all {
			if t.begun {
				continue
			}
			if time.Since(t.asked) > a.forgotten {
				t.stop()
				delete(a.all, key)
			} else if next == nil || t.asked.After(next.asked) {
				next = t
			}
		}
		if next == nil {
			return
		}
		if a.running >= a.atATime {
			for _, t := range a.all {
				a.forget(t, a.forgotten)
			}
			return
		}
		next.begun = true
		a.running++
		go a.run(next)
	}
}

// forget ends a task that nobody has asked for for so long.
func (a *answers) forget(t *task, after time.Duration) {
	if t.begun && !t.ended() && time.Since(t.asked) > after {
		t.stop()
	}
}

// left is told that whoever asked has gone. Others may ask, or the same page that is opened again.
func (a *answers) left(t *task) {
	time.AfterFunc(a.forgotten, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.forget(t, a.forgotten)
	})
}

// watch ends a task that nobody asks for any more.
func (a *answers) watch(t *task) {
	for {
		select {
		case <-t.done:
			return
		case <-time.After(a.abandoned):
			a.mu.Lock()
			a.forget(t, a.abandoned)
			a.mu.Unlock()
		}
	}
}

func (a *answers) run(t *task) {
	go a.watch(t)
	t.body, t.err = guarded(func() ([]byte, error) {
		v, err := t.work(t.q)
		if err != nil {
			return nil, err
		}
		return encode(v)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	t.stop()
	close(t.done)
	a.running--
	if t.err == errStopped {
		maps.DeleteFunc(a.all, func(_ string, o *task) bool { return o == t })
	}
	a.bytes += len(t.body)
	a.trim(t)
	a.begin()
}

// trim forgets the answers that nobody has asked for for longest, but for the newest.
func (a *answers) trim(newest *task) {
	for a.bytes > maxAnswers {
		oldest, name := (*task)(nil), ""
		for key, t := range a.all {
			if t != newest && t.ended() && (oldest == nil || t.asked.Before(oldest.asked)) {
				oldest, name = t, key
			}
		}
		if oldest == nil {
			return
		}
		delete(a.all, name)
		a.bytes -= len(oldest.body)
	}
}

func (t *task) ended() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// meter is told what is being done. Once nobody waits for it, it panics with errStopped: that is the way out of any
// analysis, which tells how far it is every few thousand calls.
func (t *task) meter(what, _ string, total uint64) *render.Progress {
	t.what.Store(&what)
	t.made.Store(0)
	t.total.Store(total)
	return render.Watch(func(done, total uint64) {
		t.made.Store(done)
		t.total.Store(total)
		if err := t.q.wanted(); err != nil {
			panic(err)
		}
	})
}

// pending says how far it is.
func (t *task) pending() api.Pending {
	p := api.Pending{Pending: true, What: "waiting for other analyses", Done: t.made.Load(), Total: t.total.Load()}
	if what := t.what.Load(); what != nil {
		p.What = *what
	}
	if p.Done > math.MaxInt64 || p.Total > math.MaxInt64 {
		p.Done, p.Total = 0, 0
	}
	return p
}
