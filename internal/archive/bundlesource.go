package archive

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive/bundle"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/spec"
)

// Irregular columns of many streams are coded together, as a bundle: see package bundle. A bundle
// gives back the encoded columns byte by byte, so that nothing but files knows of bundles. A column
// that a bundle could not give back so stays as it is.

// Limits of bundles.
const (
	maxBundledValues = 1 << 24 // numbers of all bundles that a writer makes
	minBundleBytes   = 256     // of columns that are worth a bundle
	eventsPerValue   = 64      // of a stream that is worth walking, and
	vectorWeight     = 4       // so many numbers that may follow from a collective call count as one
	eventsFree       = 1 << 16 // so many without any
)

// bundleValues is the weight of numbers after which a bundle ends. A single stream may have more.
// Tests change it.
var bundleValues = 1 << 19

// bundleSource is what bundles refer to, of a content that is written or an archive that is read.
type bundleSource struct {
	class    func(i int) (*classLayout, error)
	group    func(i int) *Group
	plain    func(blob int) ([]byte, error)
	owner    []int32 // 1 + the bundle, by column; 0 for columns that are stored as they are
	maxArray int
	tick     func() // called for each stream, may be nil
}

// bundleMember is a stream that has columns of a bundle first.
type bundleMember struct {
	class, rank int
	blobs       []int // and
	places      []uint32
	values      int
	weight      int // the same, less those that follow from others most often
}

// members finds the streams that have columns first for which want says so, by class and rank.
// First means in the order in which streams are coded. So no stream has a column that belongs to a
// stream coded later, maybe in another bundle.
func (src *bundleSource) members(classes []int, want func(blob int) bool) ([]*bundleMember, error) {
	type use struct{ blob, rank, place int }
	seen := map[int]bool{}
	var out []*bundleMember
	for _, i := range classes {
		c, err := src.class(i)
		if err != nil {
			return nil, err
		}
		var uses []use
		at := map[int]int{} // in uses, by blob
		for place := range c.Columns {
			cases := &c.Columns[place]
			for k := range cases.Values {
				v := &cases.Values[k]
				if v.Blob < 0 || v.Clock || seen[v.Blob] || !want(v.Blob) {
					continue
				}
				u := use{v.Blob, cases.Ranks(c.Ranks, k).Min(), place}
				if n, ok := at[v.Blob]; !ok {
					at[v.Blob] = len(uses)
					uses = append(uses, u)
				} else if u.rank < uses[n].rank {
					uses[n] = u
				}
			}
		}
		byRank := map[int]*bundleMember{}
		for _, u := range uses {
			seen[u.blob] = true
			o := byRank[u.rank]
			if o == nil {
				o = &bundleMember{class: i, rank: u.rank}
				byRank[u.rank] = o
				out = append(out, o)
			}
			o.blobs, o.places = append(o.blobs, u.blob), append(o.places, uint32(u.place))
		}
	}
	slices.SortFunc(out, func(x, y *bundleMember) int {
		return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.rank, y.rank))
	})
	return out, nil
}

// layout is the layout of a stream.
func (src *bundleSource) layout(o *bundleMember) (*layout, error) {
	c, err := src.class(o.class)
	if err != nil {
		return nil, err
	}
	l := &layout{classLayout: c, x: c.x}
	return l, l.fill(src.maxArray, o.rank)
}

// walk codes the columns of bundle number k, at the last of the members those of the first events only, unless these
// are 0. all gives the numbers of a column when encoding.
func (src *bundleSource) walk(
	coder *bundle.Coder, k int, members []*bundleMember, events uint64, all func(blob int) []int64,
) (map[int]*bundle.Values, error) {
	blobs := map[int]*bundle.Values{}
	for i, o := range members {
		if src.tick != nil {
			src.tick()
		}
		l, err := src.layout(o)
		if err != nil {
			return nil, err
		}
		g := src.group(l.Group)
		rank := o.rank
		if g.Unranked {
			rank = -1
		}
		for n, id := range o.blobs {
			b := &bundle.Values{}
			if all != nil {
				b.All = all(id)
			} else if column := &l.specs[o.places[n]]; !column.Array || column.Field < 0 {
				if l.occ[l.owner[o.places[n]]] > uint64(coder.ValuesLeft()) {
					return nil, bundle.ErrValues
				}
			}
			blobs[id] = b
		}
		if l.x.Len() > uint64(coder.WorkLeft()) {
			return nil, bundle.ErrWork
		}
		cols, err := src.columns(l, o, k, blobs)
		if err != nil {
			return nil, err
		}
		walked := uint64(0)
		if i == len(members)-1 {
			walked = events
		}
		sigs := l.signatures()
		if err := coder.Code(&bundle.Stream{
			World: g.World, Rank: rank, Grammar: l.x, First: l.first, Columns: cols, Terminals: len(l.tms),
			Events: walked, Terminal: func(t uint32) bundle.Terminal {
				sig := sigs[t]
				slots := (*fixedSlots)(sig)
				return bundle.Terminal{Func: sig.Func, Site: sig.Site, Polls: sig.Flags&Polls != 0, Slots: slots}
			},
		}); err != nil {
			return nil, err
		}
	}
	return blobs, nil
}

// columns are the columns of a stream. What is no column is not known.
func (src *bundleSource) columns(
	l *layout, o *bundleMember, k int, blobs map[int]*bundle.Values,
) ([]bundle.Column, error) {
	cols := make([]bundle.Column, len(l.Columns))
	for place := range cols {
		cases := &l.Columns[place]
		i := cases.Index(l.Ranks, o.rank)
		if i < 0 || cases.Values[i].Clock {
			continue
		}
		v := &cases.Values[i]
		var b []byte
		switch {
		case v.Blob < 0:
			elements := l.specs[place].Array && l.specs[place].Field >= 0
			if segs, ok := v.segments(o.rank, elements, l.occ[l.owner[place]]); ok {
				b = column.AppendSegments(nil, segs)
			}
		case src.owner[v.Blob] == int32(k)+1:
			cols[place].Coded = blobs[v.Blob]
		case src.owner[v.Blob] == 0:
			var err error
			if b, err = src.plain(v.Blob); err != nil {
				return nil, err
			}
		}
		if r, err := column.Open(b); err == nil {
			cols[place].Stored = r
		}
	}
	return cols, nil
}

// decode reads bundle k, whose code is b, with that model: see walk. costs, unless it is nil, is told the bits that
// each parameter takes. What was looked at is taken off limit.
func (src *bundleSource) decode(
	k int, members []*bundleMember, events uint64, model bundle.Model, b []byte, limit *uint64, costs bundleCosts,
) (map[int][]byte, error) {
	work := int(min(*limit, bundle.MaxWork))
	coder := bundle.NewDecoder(b, model, int(min(*limit, bundle.MaxValues)), work)
	if costs != nil {
		coder.CountBits()
	}
	blobs, err := src.walk(coder, k, members, events, nil)
	*limit -= uint64(work - max(coder.WorkLeft(), 0))
	if err != nil {
		return nil, err
	}
	if costs != nil {
		coder.Bits(costs)
	}
	out := make(map[int][]byte, len(blobs))
	for id, x := range blobs {
		c := column.NewBuilder()
		for _, v := range x.Known {
			c.Append(v)
		}
		out[id] = c.Encode(nil)
	}
	return out, nil
}

// encode is the reverse of decode.
func (src *bundleSource) encode(k int, members []*bundleMember, model bundle.Model) ([]byte, error) {
	coder := bundle.NewEncoder(model)
	_, err := src.walk(coder, k, members, 0, func(id int) []int64 {
		b, _ := src.plain(id)
		vals, _ := columnValues(b)
		return vals
	})
	return coder.Bytes(), err
}

// columnValues are the numbers of an encoded column, if encoding them gives it again.
func columnValues(b []byte) ([]int64, bool) {
	r, err := column.Open(b)
	if err != nil || r.Len() == 0 || r.Len() > bundle.MaxValues {
		return nil, false
	}
	vals := make([]int64, r.Len())
	for n := 0; n < len(vals); {
		k := r.Read(uint64(n), vals[n:]) // a block at a time
		if k == 0 {
			return nil, false
		}
		n += k
	}
	c := column.NewBuilder()
	for _, v := range vals {
		c.Append(v)
	}
	return vals, r.Err() == nil && bytes.Equal(c.Encode(nil), b)
}

// fixedSlots is a signature as package bundle sees it.
type fixedSlots Signature

// Form tells where the value of a slot is.
func (s *fixedSlots) Form(slot int) bundle.Form {
	switch v := &s.Slots[slot]; {
	case v.Kind == Absent:
		return bundle.Absent
	case v.Kind == Hole:
		return bundle.InColumns
	case v.Kind == Stat, v.Kind == List && spec.ByID(s.Func).Slots[slot].Codec == spec.Status:
		return bundle.FixedStatus
	}
	return bundle.Fixed
}

// Len is the number of elements of an array.
func (s *fixedSlots) Len(slot int) int {
	switch v := &s.Slots[slot]; v.Kind {
	case List:
		return len(v.List)
	case Ints:
		return len(v.Ints)
	}
	return 1
}

// Number is field field of element i.
func (s *fixedSlots) Number(slot, field, i int) (int64, bool) {
	return fixedNumber(&s.Slots[slot], field, i)
}

func fixedNumber(v *Value, field, i int) (int64, bool) {
	switch v.Kind {
	case List: // also where the function has no array, if the file is not sound
		if i >= len(v.List) || v.List[i].Kind == List {
			return 0, false
		}
		return fixedNumber(&v.List[i], field, 0)
	case Ints:
		if i >= len(v.Ints) {
			return 0, false
		}
		return v.Ints[i], true
	case Int, Ref:
		return v.N, true
	case Stat:
		return statusWords(&v.Stat)[field], true
	}
	return 0, false
}
