package trace

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"tabard/internal/adapt"
	"tabard/internal/column"
)

// Columns that are irregular say the same things many times: the size and tag of a message are in the call that
// sends it, in the one that receives it, in its status, and in what the program does with that. So such columns of many
// streams are coded together, as a bundle: the streams are walked call by call, and each number is guessed from
// what came before it, in the call, in the stream, and at the other end of the message. What is stored is which of the
// guesses was right, by an adaptive arithmetic code, or the number if none was.
//
// A bundle gives back the encoded columns byte by byte, so that nothing but files knows of bundles. A column of which
// that cannot be had stays as it is.

// Limits of bundles.
const (
	maxJointValues = 1 << 22 // numbers of a bundle
	maxJointWork   = 1 << 26 // numbers that walking a bundle looks at
	maxJointTotal  = 1 << 24 // numbers of all bundles that a writer makes
	minJointBytes  = 256     // of columns that are worth a bundle
	eventsPerValue = 64      // of a stream that is worth walking, and
	eventsFree     = 1 << 16 // so many without any
	minJointTable  = 10      // binary logarithm of the entries of the table of contexts
	maxJointTable  = 20
	// Bounds of what a walk keeps.
	maxJointKeys     = 1 << 12
	maxJointMail     = 1 << 20
	maxJointBoxes    = 1 << 18
	maxJointPools    = 1 << 16 // of a stream
	maxJointRequests = 1 << 16
)

// bundleValues is after how many numbers a bundle ends; one stream may have more. Tests change it.
var bundleValues = 1 << 19

// jointSource is what bundles refer to, of a content that is written or an archive that is read.
type jointSource struct {
	class    func(i int) (*classLayout, error)
	group    func(i int) *Group
	plain    func(blob int) ([]byte, error)
	owner    []int32 // 1 + the bundle, by column; 0 for columns that are stored as they are
	maxArray int
	tick     func() // called for each stream, may be nil
}

// jointOwner is a stream that has columns of a bundle first.
type jointOwner struct {
	class, rank int
	blobs       []int // and
	places      []uint32
	values      int
}

// owners finds the streams that have columns first for which want says so, by class and rank. First means in the order
// in which streams are coded: so no stream has a column of one that is coded later, maybe in another bundle.
func (src *jointSource) owners(classes []int, want func(blob int) bool) ([]*jointOwner, error) {
	type use struct{ blob, rank, place int }
	seen := map[int]bool{}
	var out []*jointOwner
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
		byRank := map[int]*jointOwner{}
		for _, u := range uses {
			seen[u.blob] = true
			o := byRank[u.rank]
			if o == nil {
				o = &jointOwner{class: i, rank: u.rank}
				byRank[u.rank] = o
				out = append(out, o)
			}
			o.blobs, o.places = append(o.blobs, u.blob), append(o.places, uint32(u.place))
		}
	}
	slices.SortFunc(out, func(x, y *jointOwner) int { return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.rank, y.rank)) })
	return out, nil
}

// layout is the layout of a stream.
func (src *jointSource) layout(o *jointOwner) (*layout, error) {
	c, err := src.class(o.class)
	if err != nil {
		return nil, err
	}
	l := &layout{classLayout: c, sigs: c.sigs, x: c.x}
	return l, l.fill(src.maxArray, o.rank)
}

// walk codes the columns of bundle number k. all gives the numbers of a column when encoding.
func (src *jointSource) walk(m *jointModel, k int, owners []*jointOwner, all func(blob int) []int64) (map[int]*jointBlob, error) {
	blobs := map[int]*jointBlob{}
	for i, o := range owners {
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
			b := &jointBlob{id: id}
			if all != nil {
				b.all = all(id)
			} else if column := &l.specs[o.places[n]]; !column.Array || column.Field < 0 {
				if l.occ[l.owner[o.places[n]]] > uint64(m.left) {
					return nil, errJointValues
				}
			}
			blobs[id] = b
		}
		if n := l.x.Len(); n > uint64(m.work) {
			return nil, errJointWork
		} else {
			m.work -= int(n)
		}
		cols, err := src.columns(l, o, k, blobs)
		if err != nil {
			return nil, err
		}
		if err := newJointStream(m, l, g.World, rank, uint64(i)+1, cols).run(); err != nil {
			return nil, err
		}
	}
	return blobs, nil
}

// columns are the columns of a stream. What is no column is not known.
func (src *jointSource) columns(l *layout, o *jointOwner, bundle int, blobs map[int]*jointBlob) ([]jointCol, error) {
	cols := make([]jointCol, len(l.Columns))
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
			if segs, ok := v.segments(o.rank, l.specs[place].Array && l.specs[place].Field >= 0, l.occ[l.owner[place]]); ok {
				b = column.AppendSegments(nil, segs)
			}
		case src.owner[v.Blob] == int32(bundle)+1:
			cols[place].blob = blobs[v.Blob]
		case src.owner[v.Blob] == 0:
			var err error
			if b, err = src.plain(v.Blob); err != nil {
				return nil, err
			}
		}
		if r, err := column.Open(b); err == nil {
			cols[place].r = r
		}
	}
	return cols, nil
}

// decode reads bundle k, whose code is b.
// costs, unless it is nil, is told the bits that each parameter takes.
// What was looked at is taken off limit.
func (src *jointSource) decode(k int, owners []*jointOwner, b []byte, limit *uint64, costs func(id keyID, bits float64)) (map[int][]byte, error) {
	m := newJointModel(adapt.NewDecoder(b))
	m.costs = costs != nil
	m.left, m.work = int(min(*limit, maxJointValues)), int(min(*limit, maxJointWork))
	defer func(work int) { *limit -= uint64(work - max(m.work, 0)) }(m.work)
	blobs, err := src.walk(m, k, owners, nil)
	if err != nil {
		return nil, err
	}
	if costs != nil {
		ids := slices.SortedFunc(maps.Keys(m.keys), func(x, y keyID) int { return cmp.Compare(m.keys[x].id, m.keys[y].id) })
		for _, id := range ids {
			costs(id, m.keys[id].cost)
		}
	}
	out := make(map[int][]byte, len(blobs))
	for id, x := range blobs {
		c := column.NewBuilder()
		for _, v := range x.vals {
			c.Append(v)
		}
		out[id] = c.Encode(nil)
	}
	return out, nil
}

// encode is the reverse of decode.
func (src *jointSource) encode(k int, owners []*jointOwner) ([]byte, error) {
	m := newJointModel(adapt.NewEncoder())
	_, err := src.walk(m, k, owners, func(id int) []int64 {
		b, _ := src.plain(id)
		vals, _ := columnValues(b)
		return vals
	})
	return m.c.Bytes(), err
}

// columnValues are the numbers of an encoded column, if encoding them gives it again.
func columnValues(b []byte) ([]int64, bool) {
	r, err := column.Open(b)
	if err != nil || r.Len() == 0 || r.Len() > maxJointValues {
		return nil, false
	}
	vals := make([]int64, r.Len())
	if n := r.Read(0, vals); n < len(vals) { // a block at a time
		for n < len(vals) {
			k := r.Read(uint64(n), vals[n:])
			if k == 0 {
				return nil, false
			}
			n += k
		}
	}
	c := column.NewBuilder()
	for _, v := range vals {
		c.Append(v)
	}
	return vals, r.Err() == nil && bytes.Equal(c.Encode(nil), b)
}
