package calls

import (
	"fmt"
	"slices"
	"sort"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// life is the meaning of an object's number from one event of a stream on.
type life struct {
	from uint64
	val  int64 // a type's size, an index in Program.scopes, or a communicator's degrees
}

// objectKey names an object of a process.
type objectKey struct {
	class spec.Class
	ref   int64
}

// objects are the datatypes, windows, files and topologies of a process: what their numbers mean
// when.
type objects map[objectKey]*lives

// lives is what one number means, stream by stream. A number may be used again any number of times.
type lives struct{ streams []streamLives }

// streamLives is the lives that the calls of one stream begin, in the order of its events.
type streamLives struct {
	stream int
	list   []life
	varies bool // they differ in val
}

// last is the last life of a stream, nil if there is none yet.
func (l *lives) last(stream int) *life {
	if n := len(l.streams); n > 0 && l.streams[n-1].stream == stream {
		s := &l.streams[n-1]
		return &s.list[len(s.list)-1]
	}
	return nil
}

// add takes in a life; streams come one after the other.
func (l *lives) add(stream int, x life) {
	if l.last(stream) == nil {
		l.streams = append(l.streams, streamLives{stream: stream})
	}
	s := &l.streams[len(l.streams)-1]
	s.varies = s.varies || len(s.list) > 0 && s.list[0].val != x.val
	s.list = append(s.list, x)
}

// at is what an object's number means in an event of a stream, and up to which event.
func (o objects) at(class spec.Class, ref int64, stream int, event uint64) (val int64, to uint64, ok bool) {
	to = forever
	l := o[objectKey{class, ref}]
	if l == nil {
		return 0, to, false
	}
	var other *streamLives
	several := false
	for i := range l.streams {
		s := &l.streams[i]
		if s.stream != stream {
			several = several || s.varies || other != nil && other.list[0].val != s.list[0].val
			other = s
			continue
		}
		k := sort.Search(len(s.list), func(k int) bool { return s.list[k].from > event })
		if k < len(s.list) {
			to = s.list[k].from
		}
		if k > 0 {
			val, ok = s.list[k-1].val, true
		}
	}
	if !ok && other != nil && !several { // another thread made it
		val, ok = other.list[0].val, true
	}
	return val, to, ok
}

const forever = ^uint64(0)

// isDynamic tells whether a reference's code is that of an object that the program made.
func isDynamic(ref int64) bool { return ref > 0 && ref&1 == 0 }

// scope is where ranks of a communicator, a window or a file lead.
type scope struct {
	comm   int32
	object int32 // of a window or file: its number on the communicator
	*Peers
}

// makesObjects tells whether a function makes or names what objects are about, and its class.
func makesObjects(sig *archive.Signature) spec.Class {
	if sig.Flags&(archive.Failed|archive.Unfinished) != 0 {
		return spec.NoClass
	}
	if makers()[sig.Func] != nil {
		return spec.Type
	}
	f := spec.ByID(sig.Func)
	if degreeSourceOf(f) != nil {
		return spec.Comm
	}
	for i := range f.Slots {
		if s := &f.Slots[i]; s.Out && (s.Class == spec.Win || s.Class == spec.File) && s.Life == spec.New &&
			actions()[sig.Func] != nil {
			return s.Class
		}
	}
	return spec.NoClass
}

// readObjects goes through the calls of a stream that make datatypes, windows and files.
func (p *Program) readObjects(pr *process, s *archive.Stream) error {
	sigs, err := s.Signatures()
	if err != nil {
		return err
	}
	p.addSelf(pr, sigs)
	var wanted []bool
	for t, sig := range sigs {
		if makesObjects(sig) != spec.NoClass {
			if wanted == nil {
				wanted = make([]bool, len(sigs))
			}
			wanted[t] = true
		}
	}
	if wanted == nil {
		return nil
	}
	x, err := s.GrammarIndex()
	if err != nil {
		return err
	}
	terms := make([]*making, len(sigs))
	for at, t := range x.NewSearch(wanted, nil).All() {
		if terms[t] == nil {
			if terms[t], err = newMaking(s, t, sigs[t]); err != nil {
				return err
			}
		}
		if err := terms[t].values.next(); err != nil {
			return err
		}
		p.make(pr, s, terms[t], at)
	}
	return nil
}

// making is a terminal that makes objects, or tells something of them.
type making struct {
	f       *spec.Func
	class   spec.Class
	maker   *maker
	values  *values
	out     int // slot of the object
	on      int // slot of the communicator that a window or file is on
	degrees *degreeSource
}

func newMaking(s *archive.Stream, t uint32, sig *archive.Signature) (*making, error) {
	m := &making{f: spec.ByID(sig.Func), class: makesObjects(sig), maker: makers()[sig.Func], on: -1}
	var slots []int
	if m.maker != nil {
		k := m.maker
		m.out = k.out
		slots = []int{k.old, k.old2, k.olds, k.count, k.length, k.lengths, k.sizes, k.dists, k.dargs, k.psizes, k.rank,
			k.p, k.r, k.size}
	} else if m.degrees = degreeSourceOf(m.f); m.degrees != nil {
		m.out = m.degrees.comm
		slots = []int{m.degrees.in, m.degrees.out, m.degrees.index}
	} else {
		m.on = actions()[sig.Func].on
		slots = []int{m.on}
		for i := range m.f.Slots {
			if sl := &m.f.Slots[i]; sl.Out && sl.Class == m.class {
				m.out = i
			}
		}
	}
	var err error
	m.values, err = openValues(s, t, sig, append(slots, m.out))
	return m, err
}

// make takes in one call.
func (p *Program) make(pr *process, s *archive.Stream, m *making, at uint64) {
	v := m.values
	ref, ok := v.int(m.out)
	if !ok || !isDynamic(ref) {
		return
	}
	l := life{from: at}
	switch {
	case m.maker != nil:
		l.val = p.typeSize(pr, s, m, at)
	case m.degrees != nil:
		if l.val, ok = p.degreesOf(pr, s, m.degrees, v, ref, at); !ok {
			return
		}
	default:
		comm, _ := v.int(m.on)
		sc, _ := p.commScope(pr, comm, s.Index(), at)
		key := onComm{sc.comm, m.class}
		pr.made[key]++
		l.val = int64(len(p.scopes))
		p.scopes = append(p.scopes, scope{comm: sc.comm, object: pr.made[key], Peers: sc.Peers})
	}
	key := objectKey{m.class, ref}
	known := pr.objects[key]
	if known == nil {
		known = &lives{}
		pr.objects[key] = known
	}
	if last := known.last(s.Index()); last != nil && last.val == l.val {
		return // a loop makes it anew each time
	}
	known.add(s.Index(), l)
}

// typeSize is the size of the datatype that a call makes.
func (p *Program) typeSize(pr *process, s *archive.Stream, m *making, at uint64) int64 {
	k, v := m.maker, m.values
	size := func(ref int64) int64 {
		n, _ := p.sizeOf(pr, ref, s.Index(), at)
		return n
	}
	get := func(slot int) int64 {
		n, ok := v.int(slot)
		if !ok {
			return UnknownBytes
		}
		return n
	}
	in := made{old: UnknownBytes, old2: UnknownBytes, count: get(k.count), length: get(k.length), rank: get(k.rank),
		p: get(k.p), r: get(k.r), size: get(k.size), lengths: v.array(k.lengths), sizes: v.array(k.sizes),
		dists: v.array(k.dists), dargs: v.array(k.dargs), psizes: v.array(k.psizes)}
	if ref, ok := v.int(k.old); ok {
		in.old = size(ref)
	}
	if ref, ok := v.int(k.old2); ok {
		in.old2 = size(ref)
	}
	for _, ref := range v.array(k.olds) {
		in.olds = append(in.olds, size(ref))
	}
	return k.sizeOf(p.abi, &in)
}

// sizeOf is the size of a datatype in an event of a stream, and up to which event it is that.
func (p *Program) sizeOf(pr *process, ref int64, stream int, event uint64) (size int64, to uint64) {
	if !isDynamic(ref) {
		return PredefinedSize(ref), forever
	}
	size, to, ok := pr.objects.at(spec.Type, ref, stream, event)
	if !ok {
		return UnknownBytes, to
	}
	return size, to
}

// onComm counts the objects that are made on a communicator.
type onComm struct {
	comm  int32
	class spec.Class
}

// values are the parameters of a terminal that are needed, at its current occurrence.
type values struct {
	stream *archive.Stream
	f      *spec.Func
	holes  []valueHole
	ints   []int64 // by slot
	have   []bool
	arrays [][]int64
}

// valueHole is a parameter that is in columns.
type valueHole struct {
	slot         int
	count, value *column
}

func openValues(s *archive.Stream, t uint32, sig *archive.Signature, slots []int) (*values, error) {
	f := spec.ByID(sig.Func)
	v := &values{stream: s, f: f, ints: make([]int64, len(f.Slots)), have: make([]bool, len(f.Slots)),
		arrays: make([][]int64, len(f.Slots))}
	slices.Sort(slots)
	for _, i := range slices.Compact(slots) {
		if i < 0 {
			continue
		}
		val := &sig.Slots[i]
		if val.Kind != archive.Hole {
			v.ints[i], v.have[i] = val.N, val.Kind == archive.Int || val.Kind == archive.Ref
			v.arrays[i] = Numbers(val)
			continue
		}
		h := valueHole{slot: i}
		var err error
		if h.value, err = openColumn(s, t, i, 0); err == nil && f.Slots[i].Array {
			h.count, err = openColumn(s, t, i, -1)
		}
		if err != nil {
			return nil, err
		}
		v.holes, v.have[i] = append(v.holes, h), h.count == nil
	}
	return v, nil
}

// next reads the values of the next occurrence.
func (v *values) next() error {
	for i := range v.holes {
		h := &v.holes[i]
		if h.count == nil {
			v.ints[h.slot] = h.value.next()
		} else {
			v.arrays[h.slot] = h.value.appendNext(v.arrays[h.slot][:0], h.count.next())
			if h.count.err != nil {
				return h.count.err
			}
		}
		if h.value.err != nil {
			return h.value.err
		}
	}
	return nil
}

// int is the value of a slot.
func (v *values) int(slot int) (int64, bool) {
	if slot < 0 || !v.have[slot] {
		return 0, false
	}
	return v.ints[slot], true
}

// array is the array in a slot, references as their codes.
func (v *values) array(slot int) []int64 {
	if slot < 0 {
		return nil
	}
	return v.arrays[slot]
}

// Numbers is an array of integers, or of references as their codes; nil of other values.
func Numbers(v *archive.Value) []int64 {
	switch v.Kind {
	case archive.Ints:
		return v.Ints
	case archive.List:
		ns := make([]int64, len(v.List))
		for i := range v.List {
			ns[i] = v.List[i].N
		}
		return ns
	}
	return nil
}

// broken is the error about columns that do not fit the calls.
func broken(s *archive.Stream, f *spec.Func, format string, args ...any) error {
	return &archive.FormatError{File: s.Archive().File(), Section: "columns", Offset: -1,
		Msg:  fmt.Sprintf("stream %d: %s: %s", s.Index(), f.Name, fmt.Sprintf(format, args...)),
		Hint: "the file is damaged: copy it again"}
}
