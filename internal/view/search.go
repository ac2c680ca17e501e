package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/resolve"
	"github.com/tabard-hpc/tabard/internal/view/api"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// entry is something with a name that can be searched for.
type entry struct {
	hit   api.Hit
	lower string
}

// index is all names of a recording. It is a mean of the whole recording's structure: no call is read for it, but the
// first ones of some threads, to know where to begin. It is made once; if whoever asked for it goes away before it is
// there, the next one begins again.
func (r *recording) index(meter report.Meter) ([]entry, error) {
	r.indexMu.Lock()
	defer r.indexMu.Unlock()
	if !r.indexed {
		r.entries, r.indexErr = r.makeIndex(meter)
		r.indexed = true
	}
	return r.entries, r.indexErr
}

func (r *recording) makeIndex(meter report.Meter) (list []entry, err error) {
	add := func(kind, text string, calls uint64, flags map[string]string, first *firstCall) {
		h := api.Hit{Kind: kind, Text: text, Calls: calls, Select: flags, Rank: -1}
		if first != nil {
			h.Rank, h.Thread, h.Call = first.rank, first.thread, first.call
		}
		list = append(list, entry{h, strings.ToLower(text)})
	}
	classes, err := r.loopNests(meter)
	if err != nil {
		return nil, err
	}
	first, err := r.firstCalls(meter)
	if err != nil {
		return nil, err
	}
	funcs, sites, values := map[string]uint64{}, map[[2]string]uint64{}, map[[3]string]uint64{}
	kernels := map[[2]string]uint64{} // by function and name
	for _, c := range classes {
		members := uint64(len(c.Streams()))
		c.All(func(n *loops.Node) {
			if n.Kind != loops.Call {
				return
			}
			name, site := n.Func().Name, ""
			if len(n.Shape.Frames) > 0 {
				site = n.Shape.Frames[0].String()
			}
			funcs[name] += n.Calls * members
			if n.Shape.Kernel != "" {
				kernels[[2]string{name, n.Shape.Kernel}] += n.Calls * members
			}
			sites[[2]string{name, site}] += n.Calls * members
			for _, p := range n.Params {
				for _, v := range p.Values {
					values[[3]string{name, p.Name + "=" + v, site}] += n.Calls * members
				}
			}
		})
	}
	for name, n := range funcs {
		add("function", name, n, map[string]string{"function": name}, first[name])
	}
	for k, n := range kernels {
		add("kernel", resolve.Readable(k[1]), n, map[string]string{"function": k[0]}, first[kernelKey(k[1])])
	}
	for k, n := range sites {
		if k[1] != "" {
			add("site", k[0]+" at "+k[1], n, map[string]string{"function": k[0]}, first[k[0]+" at "+k[1]])
		}
	}
	for k, n := range values {
		text := fmt.Sprintf("%s(%s)", k[0], k[1])
		if k[2] != "" {
			text += " at " + k[2]
		}
		add("value", text, n, map[string]string{"function": k[0]}, first[k[0]+" at "+k[2]])
	}
	names, err := selection.OpenNames(r.whole)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		add("region", name, 0, map[string]string{"in": name}, nil)
	}
	p := meter.Start("following communicators", "processes")
	defer p.Done()
	known, err := comms.Analyze(r.messages, p.Show)
	if err != nil {
		return nil, err
	}
	for _, c := range known.Comms {
		text := c.Name
		if c.How == "world" {
			text = mpi.CommWorld
		}
		if len(c.Labels) > 0 {
			text += " (" + strings.Join(c.Labels, ", ") + ")"
		}
		add("communicator", text, 0, map[string]string{"comm": strconv.Itoa(c.ID)}, nil)
	}
	order := []string{"function", "kernel", "site", "region", "communicator", "value"}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.hit.Kind), slices.Index(order, b.hit.Kind)),
			cmp.Compare(b.hit.Calls, a.hit.Calls), cmp.Compare(a.hit.Text, b.hit.Text))
	})
	return list, nil
}

// firstCall is where something is called first.
type firstCall struct {
	rank, thread int
	call         uint64
}

// In how many classes of threads, and in how many calls of each, first calls are looked for.
const (
	firstClasses = 16
	firstEvents  = 20_000
)

// kernelKey is under what the first call of a kernel is kept.
func kernelKey(name string) string { return "kernel " + name }

// firstCalls finds the first calls of functions, of kernels and of call sites.
func (r *recording) firstCalls(meter report.Meter) (map[string]*firstCall, error) {
	found := map[string]*firstCall{}
	classes := r.calls.Classes()[:min(firstClasses, len(r.calls.Classes()))]
	p := meter.Start("finding first calls", "classes")
	defer p.Done()
	for i, c := range classes {
		p.Show(uint64(i), uint64(len(classes)))
		s := c.Stream(c.Ranks().Min())
		n := 0
		for call, err := range archive.Events(s, 0) {
			if err != nil {
				return nil, err
			}
			if n++; n > firstEvents {
				break
			}
			if call.Func.Own() {
				continue
			}
			at := &firstCall{s.Rank().Rank, s.Thread(), call.Index}
			names := []string{call.Func.Name}
			if k := call.Func.Kernel(); k >= 0 && call.Slots[k].Str != "" {
				names = append(names, kernelKey(call.Slots[k].Str))
			}
			if call.Site != nil {
				site, _, _ := strings.Cut(call.Site.String(), " < ")
				names = append(names, call.Func.Name+" at "+site)
			}
			for _, name := range names {
				if old := found[name]; old == nil || at.rank < old.rank {
					found[name] = at
				}
			}
		}
	}
	return found, nil
}

// maxHits is how many are listed.
const maxHits = 200

// search answers /api/search.
func search(q *question) (any, error) {
	limit, err := q.number("limit", 50, 1, maxHits)
	if err != nil {
		return nil, err
	}
	text := q.args.Get("q")
	if !utf8.ValidString(text) || len(text) > 1000 {
		return nil, wrong("q is no text")
	}
	h := &api.Hits{Query: text, Hits: []api.Hit{}}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return h, nil
	}
	if hit, ok := q.rank(words); ok {
		h.Hits = append(h.Hits, hit)
	}
	if hit, ok := stepHit(words); ok {
		h.Hits = append(h.Hits, hit)
	}
	list, err := q.rec.index(q.meter)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(list[i].lower, w) }) {
			continue
		}
		if h.More = len(h.Hits) >= int(limit); h.More {
			break
		}
		h.Hits = append(h.Hits, list[i].hit)
	}
	return h, nil
}

// rank understands "12", "rank 12" and ranks in the CLI's grammar, "rank 0-3".
func (q *question) rank(words []string) (hit api.Hit, ok bool) {
	list := words[len(words)-1]
	if len(words) > 2 || len(words) == 2 && words[0] != "rank" {
		return hit, false
	}
	if r, found := strings.CutPrefix(list, "rank"); found && len(words) == 1 {
		list = strings.TrimLeft(r, "=:")
	}
	ranks, err := selection.ParseRanks(list)
	if err != nil || list == "" {
		return hit, false
	}
	n, first := 0, -1
	for _, g := range q.rec.whole.Groups() {
		if g.Unranked || g.World > 0 {
			continue
		}
		if some := ranks.Of(g.Ranks); some != nil && some.Len() > 0 {
			n += some.Len()
			if first < 0 || some.Min() < first {
				first = some.Min()
			}
		}
	}
	if n == 0 {
		return hit, false
	}
	return api.Hit{Kind: "rank", Text: "rank " + list + " (" + render.Plural(uint64(n), "rank") + ")",
		Select: map[string]string{"rank": list}, Rank: first}, true
}

// stepHit understands "step 12".
func stepHit(words []string) (hit api.Hit, ok bool) {
	if len(words) != 2 || words[0] != "step" && words[0] != "iteration" {
		return hit, false
	}
	if _, err := selection.ParseSteps(words[1]); err != nil {
		return hit, false
	}
	return api.Hit{Kind: "step", Text: "step " + words[1], Select: map[string]string{"steps": words[1]}, Rank: -1}, true
}
