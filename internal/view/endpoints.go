package view

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/outliers"
	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// endpoints are all that can be asked.
func endpoints() map[string]endpoint {
	return map[string]endpoint{
		"overview":  {work: overview},
		"info":      {work: information, queue: tables},
		"report":    {work: summary, selects: true, queue: long},
		"loops":     {work: loopNests, selects: true, queue: tables},
		"waits":     {work: waiting, takes: []string{"kind", "cause"}, selects: true, queue: long},
		"matrix":    {work: matrix, takes: []string{"kind", "value", "bins"}, selects: true, queue: tables},
		"profile":   {work: profiled, takes: []string{"by", "quantiles"}, selects: true, queue: tables},
		"histogram": {work: histogram, takes: []string{"by"}, selects: true, queue: tables},
		"messages":  {work: messages, selects: true, queue: long},
		"outliers":  {work: standOut, selects: true, queue: tables},
		"comms":     {work: communicators, queue: tables},
		"diff":      {work: differences, selects: true, queue: long},
		"tiles": {work: tiles, takes: []string{"order", "first", "group", "rows", "level", "x", "value"},
			selects: true},
		"lines":     {work: lines, takes: []string{"order", "first", "count"}},
		"lanes":     {work: lane, takes: []string{"rank", "thread", "world", "t0", "t1", "max"}, queue: small},
		"steps":     {work: steps, selects: true, queue: tables},
		"step":      {work: stepAt, takes: []string{"k", "rank", "thread", "world", "step_loop"}, queue: small},
		"arrows":    {work: arrows, takes: []string{"t0", "t1", "max"}, queue: long},
		"inflight":  {work: inFlight, takes: []string{"t0", "t1", "bins", "rows"}, selects: true, queue: tables},
		"search":    {work: search, takes: []string{"q", "limit"}, queue: small},
		"code":      {work: code, takes: []string{"rank", "loop", "times", "call"}, queue: small},
		"bands":     {work: bands, takes: []string{"first", "rows", "level", "x", "of"}, selects: true},
		"functions": {work: functionNest, takes: []string{"rank"}, queue: tables},
		"classes":   {work: classes},
		"spent":     {work: spent, queue: tables},
		"command": {work: command, takes: []string{"panel", "kind", "cause", "value", "bins", "by", "quantiles",
			"thread",
			"from", "limit"}, selects: true},
		"calls": {work: callsOf, takes: []string{"rank", "thread", "world", "from", "limit"}},
	}
}

func information(q *question) (any, error) { return report.NewInfo(q.rec.whole, q.meter) }

// job opens an archive for what follows its calls in time.
func (q *question) job(a *archive.Archive) (*report.Job, error) {
	j, err := report.Open(a, q.flags, q.meter)
	if err != nil {
		return nil, wrong("%v", err)
	}
	return j, j.CorrectClocks()
}

// timed is job for an archive that must have times.
func (q *question) timed(a *archive.Archive) (*report.Job, error) {
	j, err := q.job(a)
	if err != nil {
		return nil, err
	}
	if err := j.NeedTimes(); err != nil {
		return nil, absent("%v", err)
	}
	return j, nil
}

// drawn is the job of all messages, opened once: a picture asks for them again and again.
func (q *question) drawn() (*report.Job, error) {
	r := q.rec
	r.drawnMu.Lock()
	defer r.drawnMu.Unlock()
	if r.drawn == nil {
		j, err := q.timed(r.messages)
		if err != nil {
			return nil, err
		}
		r.drawn = j
	}
	return r.drawn, nil
}

// resolve finds what is selected.
func (q *question) resolve(a *archive.Archive) (*selection.Resolved, error) {
	r, err := report.Resolve(a, q.flags)
	if err != nil {
		return nil, wrong("%v", err)
	}
	return r, nil
}

func summary(q *question) (any, error) {
	j, err := q.job(q.rec.calls)
	if err != nil {
		return nil, err
	}
	o, err := j.Overview(q.rec.whole.File())
	if err != nil {
		return nil, err
	}
	return o.Document(), nil
}

func loopNests(q *question) (any, error) {
	sel, err := selection.Parse(q.flags)
	if err != nil {
		return nil, wrong("%v", err)
	}
	if sel.StepLoop.Region() != "" {
		return nil, wrong("step_loop is a region: this is about loops")
	}
	classes, err := report.FindLoops(q.rec.calls, &report.LoopChoice{StepLoop: sel.StepLoop, Ranks: q.flags.Ranks,
		HasRank: sel.Ranks.Contains, Functions: sel.Functions, Meter: q.meter})
	if err != nil {
		return nil, err
	}
	return report.NewLoops(q.rec.calls, classes), nil
}

func waiting(q *question) (any, error) {
	var names []string
	for k := range waits.NumKinds {
		names = append(names, strings.ReplaceAll(k.String(), " ", "-"))
	}
	asked := strings.ReplaceAll(q.args.Get("kind"), " ", "-")
	kind := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, asked) }) // "wait at NxN"
	if kind < 0 && q.args.Get("kind") != "" {
		return nil, wrong("kind is none of %s", strings.Join(names, ", "))
	}
	cause, err := q.number("cause", -1, 0, archive.MaxProcesses)
	if err != nil {
		return nil, err
	}
	j, err := q.timed(q.rec.messages)
	if err != nil {
		return nil, err
	}
	r, err := j.Waits()
	if err != nil {
		return nil, err
	}
	report.NarrowWaits(r, kind, int(cause))
	return report.NewWaits(q.rec.whole.File(), r), nil
}

// maxBins is how many rows a matrix has at most.
const maxBins = 512

func matrix(q *question) (any, error) {
	kind, err := q.choice("kind", report.MatrixKinds...)
	if err != nil {
		return nil, err
	}
	value, err := q.choice("value", report.MatrixValues...)
	if err != nil {
		return nil, err
	}
	if value == "time" && kind != "p2p" && kind != "rma" {
		return nil, wrong("value=time goes with kind=p2p and rma only: collectives have no time for each pair")
	}
	bins, err := q.number("bins", 0, 1, maxBins)
	if err != nil {
		return nil, err
	}
	chosen, err := q.resolve(q.rec.messages)
	if err != nil {
		return nil, err
	}
	g, err := report.NewGrid(chosen, report.GridOptions{Kind: kind, Value: value, Bins: int(bins)}, q.meter)
	if err != nil {
		return nil, err
	}
	return g.Document(q.flags), nil
}

func profiled(q *question) (any, error) {
	by := []string{"site"}
	if text := q.args.Get("by"); text != "" {
		by = strings.Split(text, ",")
	}
	o := profile.Options{Timing: profile.Summary}
	for _, key := range by {
		switch key {
		case "function":
			o.By.Func = true
		case "site":
			o.By.Func, o.By.Site = true, true
		case "comm":
			o.By.Comm = true
		case "rank":
			o.By.Rank = true
		default:
			return nil, wrong("by is %q, want function, site, comm, rank or several of them", key)
		}
	}
	if exact, err := q.choice("quantiles", "0", "1"); err != nil {
		return nil, err
	} else if exact == "1" {
		o.Timing = profile.Exact
	}
	chosen, err := q.resolve(q.rec.calls)
	if err != nil {
		return nil, err
	}
	done := q.meter.Reading(chosen)
	defer done()
	p, err := profile.Of(chosen, o)
	if err != nil {
		return nil, err
	}
	return report.NewProfile(q.rec.calls, q.flags, by, o, p), nil
}

// topSizes is how many sizes of messages are listed.
const topSizes = 10

func histogram(q *question) (any, error) {
	by, err := q.choice("by", "kind", "function", "site")
	if err != nil {
		return nil, err
	}
	chosen, err := q.resolve(q.rec.messages)
	if err != nil {
		return nil, err
	}
	defer q.meter.Reading(chosen)()
	hs, err := traffic.Histograms(chosen, traffic.GroupBy{Func: by != "kind", Site: by == "site"})
	if err != nil {
		return nil, err
	}
	return report.NewHistograms(q.rec.messages, q.flags, hs, topSizes), nil
}

func messages(q *question) (any, error) {
	j, err := report.Open(q.rec.messages, q.flags, q.meter)
	if err != nil {
		return nil, wrong("%v", err)
	}
	r, err := j.Match()
	if err != nil {
		return nil, err
	}
	return report.NewMessages(q.rec.messages, q.flags, j.Program, r, nil), nil
}

func standOut(q *question) (any, error) {
	sel, err := selection.Parse(q.flags)
	if err != nil {
		return nil, wrong("%v", err)
	}
	var wanted func(int) bool
	if q.flags.Ranks != "" {
		wanted = sel.Ranks.Contains
	}
	p := q.meter.Start("comparing threads", "steps")
	defer p.Done()
	r, err := outliers.Of(q.rec.whole, wanted, p.Show)
	if err != nil {
		return nil, err
	}
	return report.NewOutliers(q.rec.whole, r), nil
}

// maxMemberships is up to how many processes are listed with their objects.
const maxMemberships = 4096

func communicators(q *question) (any, error) {
	p := q.meter.Start("following communicators", "processes")
	defer p.Done()
	r, err := comms.Analyze(q.rec.messages, p.Show)
	if err != nil {
		return nil, err
	}
	if len(r.Processes) > maxMemberships {
		r.Processes = nil
	}
	return report.NewComms(q.rec.messages, r), nil
}

// maxDifferences is how many are listed.
const maxDifferences = 500

func differences(q *question) (any, error) {
	if len(q.s.recordings) < 2 {
		return nil, absent("there is one recording only: tabard view A B shows two")
	}
	sel, err := selection.Parse(q.flags)
	if err != nil {
		return nil, wrong("%v", err)
	}
	a, b := q.s.recordings[0].whole, q.s.recordings[1].whole
	view := &report.DiffView{A: a.File(), B: b.File(), What: "all", Limit: maxDifferences}
	o := view.Options()
	o.Ranks, o.Functions, o.Comms, o.Window, o.Steps = sel.Ranks, sel.Functions, sel.Comms, sel.Window, sel.Steps
	o.Within = sel.Within
	p := q.meter.Start("comparing", "threads")
	defer p.Done()
	o.Progress = p.Show
	r, err := diff.Of(a, b, o)
	if err != nil {
		return nil, err
	}
	return view.Document(r), nil
}

// stream is the thread that is asked for.
func (q *question) stream(a *archive.Archive) (*archive.Stream, error) {
	var n [3]int64
	for i, key := range []string{"rank", "thread", "world"} {
		var err error
		if n[i], err = q.number(key, 0, 0, archive.MaxProcesses); err != nil {
			return nil, err
		}
	}
	for s := range a.Streams() {
		if r := s.Rank(); int64(r.Rank) == n[0] && int64(s.Thread()) == n[1] && int64(r.World) == n[2] {
			return s, nil
		}
	}
	return nil, &refusal{404, "there is no such thread"}
}

// maxCalls is how many calls are listed at once.
const maxCalls = 1000

// callsOf lists calls with all parameters.
func callsOf(q *question) (any, error) {
	s, err := q.stream(q.rec.calls)
	if err != nil {
		return nil, err
	}
	limit, err := q.number("limit", 100, 1, maxCalls)
	if err != nil {
		return nil, err
	}
	from, err := q.number("from", 0, 0, 1<<62)
	if err != nil {
		return nil, err
	}
	queue, err := queueOf(s)
	if err != nil {
		return nil, err
	}
	list := &api.Calls{Rank: s.Rank().Rank, World: s.Rank().World, Thread: s.Thread(), Total: s.Calls(), Queue: queue,
		Kernels: map[uint64]api.Kernel{}, Calls: []json.RawMessage{}}
	for c, err := range s.Iter(uint64(from)) {
		if err != nil {
			return nil, err
		}
		if c.Func.Own() {
			continue
		}
		if k := c.Func.Kernel(); k >= 0 && c.Slots[k].Str != "" {
			list.Kernels[c.Index] = kernelOf(c.Slots[k].Str)
		}
		line, err := report.AppendCall(nil, s, c)
		if err != nil {
			return nil, err
		}
		list.Calls = append(list.Calls, bytes.TrimSpace(line))
		if limit--; limit == 0 {
			break
		}
	}
	return list, nil
}
