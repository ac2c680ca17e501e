package archive

import (
	"bytes"
	"runtime"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive/bundle"
	"github.com/tabard-hpc/tabard/internal/archive/container"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// bundled is the columns of a content as they are stored.
type bundled struct {
	columns [][]byte // with the codes of bundles at the end
	items   []string // of the part; nil if there are no bundles
	models  []bundle.Model
}

// bundle codes columns together where that makes them smaller. memo may be nil.
func (c *Content) bundle(memo *Bundles) *bundled {
	plain := &bundled{columns: c.Columns}
	total := 0
	for _, b := range c.Columns {
		total += len(b)
	}
	if total < minBundleBytes {
		return plain
	}
	w := newBundler(c, memo)
	out := &bundled{columns: slices.Clone(c.Columns)}
	owner := make([]int32, len(c.Columns))
	for _, x := range w.tried(w.plan()) {
		if x.code == nil {
			continue
		}
		out.items = append(out.items, string(x.classes))
		for _, o := range x.members {
			for _, id := range o.blobs {
				out.columns[id] = nil
				owner[id] = int32(len(out.items))
			}
		}
		out.columns, out.models = append(out.columns, x.code), append(out.models, x.model)
	}
	if len(out.items) == 0 {
		return plain
	}
	b := column.NewBuilder()
	for _, k := range owner {
		b.Append(int64(k))
	}
	out.items = append([]string{string(b.Encode(nil))}, out.items...)
	return out
}

type bundler struct {
	c       *Content
	memo    *Bundles
	src     bundleSource
	layouts map[int]*classLayout
}

func newBundler(c *Content, memo *Bundles) *bundler {
	w := &bundler{c: c, memo: memo, layouts: map[int]*classLayout{}}
	w.src = bundleSource{
		class:    w.class,
		group:    func(i int) *Group { return c.Groups[i] },
		owner:    make([]int32, len(c.Columns)),
		plain:    func(id int) ([]byte, error) { return c.Columns[id], nil },
		maxArray: bundle.MaxWork,
		tick:     memo.tick,
	}
	return w
}

func (w *bundler) class(i int) (*classLayout, error) {
	if l := w.layouts[i]; l != nil {
		return l, nil
	}
	l := &classLayout{ClassData: w.c.Classes[i]}
	err := l.prepare(func(i int) (*Template, error) { return w.c.Templates[i], nil }, bundle.MaxWork)
	w.layouts[i] = l
	return l, err
}

// plan finds the streams and columns that are worth it.
func (w *bundler) plan() [][]*bundleMember {
	classes := make([]int, 0, len(w.c.Classes))
	for i, c := range w.c.Classes {
		if !slices.ContainsFunc(c.Columns, func(c Cases[ColumnData]) bool {
			return slices.ContainsFunc(c.Values, func(v ColumnData) bool { return v.Blob >= 0 && !v.Clock })
		}) {
			continue
		}
		if _, err := w.class(i); err == nil {
			classes = append(classes, i)
		}
	}
	shared := w.sharedLengths(classes)
	members, err := w.src.members(classes, func(id int) bool { return len(w.c.Columns[id]) > 0 && !shared[id] })
	if err != nil {
		return nil
	}
	var out [][]*bundleMember
	values, weight, total := 0, 0, 0
	for _, o := range members {
		if !w.choose(o) || total+o.values > maxBundledValues {
			continue
		}
		if len(out) == 0 || weight+o.weight > bundleValues || values+o.values > bundle.MaxValues {
			out = append(out, nil)
			values, weight = 0, 0
		}
		out[len(out)-1] = append(out[len(out)-1], o)
		values += o.values
		weight += o.weight
		total += o.values
	}
	return out
}

// sharedLengths are the columns that hold numbers of elements of several streams. They stay as they
// are: walking a stream needs its lengths, and the streams that share a column may be in different
// bundles.
func (w *bundler) sharedLengths(classes []int) map[int]bool {
	users := map[int]int{}
	for _, i := range classes {
		l, _ := w.class(i)
		for place := range l.Columns {
			if s := &l.specs[place]; s.Field >= 0 || s.Slot < 0 {
				continue
			}
			cases := &l.Columns[place]
			for k := range cases.Values {
				if v := &cases.Values[k]; v.Blob >= 0 && !v.Clock {
					users[v.Blob] += cases.Ranks(l.Ranks, k).Len()
				}
			}
		}
	}
	shared := map[int]bool{}
	for id, n := range users {
		if n > 1 {
			shared[id] = true
		}
	}
	return shared
}

// choose leaves the columns of a stream that can be coded, and tells whether they are worth it.
func (w *bundler) choose(o *bundleMember) bool {
	l, err := w.src.layout(o)
	if err != nil {
		return false
	}
	blobs, places := o.blobs, o.places
	o.blobs, o.places = nil, nil
	for i, id := range blobs {
		r, err := column.Open(w.c.Columns[id])
		if err != nil {
			continue
		}
		spec, t := &l.specs[places[i]], l.owner[places[i]]
		if n := l.occ[t]; spec.Array && spec.Field >= 0 || r.Len() == n && n > 0 {
			o.blobs, o.places = append(o.blobs, id), append(o.places, places[i])
			n := int(min(r.Len(), bundle.MaxValues+1))
			o.values += n
			if w.vector(l.classLayout, places[i]) {
				n = (n + vectorWeight - 1) / vectorWeight
			}
			o.weight += n
		}
	}
	return o.values > 0 && o.values <= bundle.MaxValues && l.x.Len() <= uint64(eventsFree+eventsPerValue*o.values)
}

// A trial is a bundle that may be worth it.
type trial struct {
	members []*bundleMember
	ids     []uint32 // classes
	classes []byte   // the same, encoded
	raw     []byte   // the columns
	vectors bool     // some may follow from collective calls
	bundleCode
}

// bundleCode is the code of a bundle, nil if it is not worth it.
type bundleCode struct {
	code  []byte
	model bundle.Model
}

// mostTrials is how many bundles are coded at the same time: each takes memory for what it learns.
const mostTrials = 4

// tried codes bundles, several at a time. No stream has a column of a bundle that follows its own
// (see members), so what a walk meets of other bundles depends on earlier ones only. All are taken
// for worth it at first. Those that turn out to read columns of one that is not are coded again.
func (w *bundler) tried(plan [][]*bundleMember) []*trial {
	list := make([]*trial, len(plan))
	for k, members := range plan {
		if list[k] = w.trial(k, members); len(list[k].raw) < minBundleBytes {
			w.disown(list[k])
		}
	}
	var wg workers.Group
	slots := make(chan struct{}, max(1, min(mostTrials, runtime.GOMAXPROCS(0))))
	for k, x := range list {
		if len(x.raw) >= minBundleBytes {
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				x.bundleCode = w.try(k, x)
			})
		}
	}
	wg.Wait()
	lost := map[int]bool{}
	for k, x := range list {
		if len(x.raw) < minBundleBytes {
			continue
		}
		if len(lost) > 0 && w.reads(x.members, lost) {
			x.bundleCode = w.try(k, x)
		}
		if x.code == nil {
			w.disown(x)
			for _, o := range x.members {
				for _, id := range o.blobs {
					lost[id] = true
				}
			}
		}
	}
	return list
}

// trial leaves the columns that can be coded, as those of bundle k.
func (w *bundler) trial(k int, members []*bundleMember) *trial {
	x := &trial{members: members}
	for _, o := range members {
		blobs, places := o.blobs, o.places
		l, _ := w.class(o.class)
		o.blobs, o.places, o.values = nil, nil, 0
		for i, id := range blobs {
			if vals, ok := columnValues(w.c.Columns[id]); ok {
				o.blobs, o.places = append(o.blobs, id), append(o.places, places[i])
				o.values += len(vals)
				x.raw = append(x.raw, w.c.Columns[id]...)
				x.vectors = x.vectors || w.vector(l, places[i])
				w.src.owner[id] = int32(k) + 1
			}
		}
		if len(x.ids) == 0 || x.ids[len(x.ids)-1] != uint32(o.class) {
			x.ids = append(x.ids, uint32(o.class))
		}
	}
	var e encoder
	e.ids(x.ids)
	x.classes = e.Out
	return x
}

// disown leaves the columns of a bundle as they are.
func (w *bundler) disown(x *trial) {
	for _, o := range x.members {
		for _, id := range o.blobs {
			w.src.owner[id] = 0
		}
	}
}

// try is the code of bundle k, if that is worth it and reading it gives the same columns again.
func (w *bundler) try(k int, x *trial) bundleCode {
	if w.memo == nil {
		return w.code(k, x)
	}
	key, err := w.key(k, x.members)
	if err != nil {
		return bundleCode{}
	}
	code, known := w.memo.find(key)
	if !known {
		code = w.code(k, x)
		w.memo.keep(key, code)
	}
	return code
}

// code is try without a memo.
func (w *bundler) code(k int, x *trial) (best bundleCode) {
	limit := container.PackedLen(x.raw) - len(x.classes)
	for model := bundle.Messages; model == bundle.Messages || model == bundle.Vectors && x.vectors; model++ {
		code, err := w.src.encode(k, x.members, model)
		if err == nil && len(code) < limit {
			best, limit = bundleCode{code, model}, len(code)
		}
	}
	if best.code != nil && !w.same(k, x, best) {
		return bundleCode{}
	}
	return best
}

// same tells whether reading the code of bundle k gives the same columns again.
func (w *bundler) same(k int, x *trial, code bundleCode) bool {
	limit := uint64(bundle.MaxWork)
	back, err := w.src.decode(k, w.reread(k, x.ids), 0, code.model, code.code, &limit, nil)
	if err != nil {
		return false
	}
	for _, o := range x.members {
		for _, id := range o.blobs {
			if !bytes.Equal(back[id], w.c.Columns[id]) {
				return false
			}
		}
	}
	return true
}

// vector tells whether a column may follow from collective calls.
func (w *bundler) vector(l *classLayout, place uint32) bool {
	t := l.Terminals[l.owner[place]]
	return l.specs[place].Field == 0 && bundle.Vector(w.c.Templates[t].Func, l.specs[place].Slot)
}

// reread finds the members as a reader does.
func (w *bundler) reread(k int, ids []uint32) []*bundleMember {
	classes := make([]int, len(ids))
	for i, id := range ids {
		classes[i] = int(id)
	}
	members, _ := w.src.members(classes, func(id int) bool { return w.src.owner[id] == int32(k)+1 })
	return members
}
