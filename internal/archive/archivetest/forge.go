package archivetest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// Forge makes an archive that is sound as a file and whose structure is not: someone who knows the format made it.
// Checksums, lengths and numbers of parts are right.
func (d *Damager) Forge() (b []byte, what string) {
	for range 20 {
		k := d.rng.IntN(len(d.whole))
		a, err := archive.OpenReader(bytes.NewReader(d.whole[k]), int64(len(d.whole[k])))
		if err != nil {
			continue
		}
		f := &forger{rng: d.rng}
		if f.c, err = a.Content(); err != nil {
			continue
		}
		what = fmt.Sprintf("archive %d: forged:", k)
		for left := 1 + d.rng.IntN(3); left > 0; {
			if x := &forgeries[d.rng.IntN(len(forgeries))]; x.apply(f) {
				what += " " + x.name + ";"
				left--
			}
		}
		if b = f.write(); b != nil {
			return b, what
		}
	}
	return d.Next()
}

// write is the archive, nil if the content contradicts itself so that it cannot be written: the writer trusts
// whoever made it.
func (f *forger) write() (b []byte) {
	defer func() {
		if recover() != nil {
			b = nil
		}
	}()
	var out bytes.Buffer
	if f.c.Write(&out) != nil {
		return nil
	}
	return out.Bytes()
}

// forger changes a content.
type forger struct {
	rng *rand.Rand
	c   *archive.Content
}

// forgeries are the ways in which a content contradicts itself. They say whether they did anything.
var forgeries = []struct {
	name  string
	apply func(*forger) bool
}{
	{"a rule in itself", (*forger).cycle},
	{"a huge repeat count", (*forger).repeat},
	{"rules that double each other", (*forger).double},
	{"calls twice, or missing", (*forger).edit},
	{"ranks in two classes", (*forger).twice},
	{"ranks in no class", (*forger).orphans},
	{"a thread that nobody made", (*forger).thread},
	{"a world of another size", (*forger).world},
	{"a terminal of another call", (*forger).terminal},
	{"another function", (*forger).function},
	{"another value", (*forger).value},
	{"an object made of itself", (*forger).itself},
	{"an array with doubles", (*forger).doubles},
	{"a column of another length", (*forger).column},
	{"columns exchanged", (*forger).columns},
	{"times of others, or none", (*forger).times},
	{"names with control bytes", (*forger).names},
	{"another number at each rank", (*forger).ranks},
}

// pick is one of a list, nil if it is empty.
func pick[T any](f *forger, list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[f.rng.IntN(len(list))]
}

// number is one that somebody may have thought of.
func (f *forger) number() int64 {
	switch f.rng.IntN(4) {
	case 0:
		return int64(f.rng.IntN(8))
	case 1:
		return -1 - int64(f.rng.IntN(4))
	case 2:
		return 1<<f.rng.IntN(63) + int64(f.rng.IntN(3)) - 1
	}
	return []int64{math.MaxInt64, math.MinInt64, math.MaxInt32, math.MinInt32, 1 << 60}[f.rng.IntN(5)]
}

// symbol is one of a grammar with its rule, which may be without calls.
func (f *forger) symbol() (g *archive.Grammar, rule, at int, ok bool) {
	c := pick(f, f.c.Classes)
	if c == nil || (*c).Grammar == nil || len((*c).Grammar.Rules) == 0 {
		return nil, 0, 0, false
	}
	g = (*c).Grammar
	rule = f.rng.IntN(len(g.Rules))
	if len(g.Rules[rule]) == 0 {
		return nil, 0, 0, false
	}
	return g, rule, f.rng.IntN(len(g.Rules[rule])), true
}

func (f *forger) cycle() bool {
	g, rule, at, ok := f.symbol()
	if !ok || rule == 0 {
		return false
	}
	// Rules are numbered in the order of first use: those with smaller numbers may contain this one.
	g.Rules[rule][at] = archive.Symbol{ID: uint32(1+f.rng.IntN(rule)) | archive.RuleBit, Count: 1}
	return true
}

func (f *forger) repeat() bool {
	g, rule, at, ok := f.symbol()
	if ok && g.Rules[rule][at].Count != 0 {
		g.Rules[rule][at].Count = uint64(f.number())
	}
	return ok
}

// double puts a symbol at the end of a chain of rules each of which has the next one twice.
func (f *forger) double() bool {
	g, rule, at, ok := f.symbol()
	if !ok {
		return false
	}
	s := g.Rules[rule][at]
	depth := 1 + f.rng.IntN(62)
	if f.rng.IntN(8) == 0 {
		depth = 1 << f.rng.IntN(17)
	}
	twice := uint64(f.rng.IntN(2) + 1) // in one symbol, or in two
	for range depth {
		body := []archive.Symbol{{ID: s.ID, Count: s.Count}}
		if s.Count = 1; twice == 1 {
			body = append(body, archive.Symbol{ID: s.ID, Count: 1})
		} else if body[0].Count == 1 {
			body[0].Count = 2
		}
		g.Rules = append(g.Rules, body)
		s.ID = uint32(len(g.Rules)-1) | archive.RuleBit
	}
	g.Rules[rule][at] = s
	again, terminals := archive.CanonicalGrammar(g)
	*g = *again
	return slices.IsSorted(terminals)
}

// edit repeats, removes or exchanges symbols.
func (f *forger) edit() bool {
	g, rule, at, ok := f.symbol()
	if !ok {
		return false
	}
	body := slices.Clone(g.Rules[rule])
	switch f.rng.IntN(3) {
	case 0:
		body = slices.Insert(body, at, body[at])
	case 1:
		body = slices.Delete(body, at, at+1)
	default:
		i := f.rng.IntN(len(body))
		body[at], body[i] = body[i], body[at]
	}
	g.Rules[rule] = body
	return true
}

func (f *forger) twice() bool {
	i := f.rng.IntN(max(len(f.c.Classes), 1))
	if len(f.c.Classes) == 0 {
		return false
	}
	again := *f.c.Classes[i]
	f.c.Classes = slices.Insert(f.c.Classes, i, &again)
	if other := *pick(f, f.c.Classes); f.rng.IntN(2) == 0 {
		f.c.Classes[i] = other
	}
	return true
}

func (f *forger) orphans() bool {
	if len(f.c.Classes) == 0 {
		return false
	}
	i := f.rng.IntN(len(f.c.Classes))
	if f.rng.IntN(2) == 0 {
		f.c.Classes = slices.Delete(f.c.Classes, i, i+1)
		return true
	}
	// Others of the same number, which may be those of another class or of nobody.
	c := f.c.Classes[i]
	from := f.rng.IntN(4)
	c.Ranks = rankfunc.Range(from, from+c.Ranks.Len())
	return true
}

func (f *forger) thread() bool {
	c := pick(f, f.c.Classes)
	if c == nil {
		return false
	}
	(*c).Thread = int(uint32(f.number()) & math.MaxInt32)
	return true
}

func (f *forger) world() bool {
	g := pick(f, f.c.Groups)
	if g == nil {
		return false
	}
	switch f.rng.IntN(4) {
	case 0:
		(*g).World = int(uint32(f.number()) & math.MaxInt32)
	case 1:
		from := f.rng.IntN(1 << f.rng.IntN(20))
		(*g).Ranks = rankfunc.Range(from, from+(*g).Ranks.Len())
	case 2:
		f.c.Groups = append(f.c.Groups, *g)
	default:
		(*g).Size = int(uint32(f.number()) & math.MaxInt32)
	}
	return true
}

// terminal makes a terminal one of another template of the file, whose values are others.
func (f *forger) terminal() bool {
	c := pick(f, f.c.Classes)
	if c == nil {
		return false
	}
	t := pick(f, (*c).Terminals)
	if t == nil {
		return false
	}
	*t = f.rng.IntN(len(f.c.Templates))
	return true
}

// function makes a template one of another function with the same number of values, or with any.
func (f *forger) function() bool {
	t := pick(f, f.c.Templates)
	if t == nil {
		return false
	}
	all := spec.Functions()
	for range 50 {
		x := all[f.rng.IntN(len(all))]
		if len(x.Slots) == len((*t).Slots) {
			(*t).Func = x.ID
			return true
		}
	}
	(*t).Func = spec.ID(f.number())
	return true
}

// slot is a value of a template, or of a list in it, that all its calls have in common.
func (f *forger) slot(suits func(*archive.Value) bool) *archive.Value {
	t := pick(f, f.c.Templates)
	if t == nil {
		return nil
	}
	var all []*archive.Value
	for i := range (*t).Slots {
		v := &(*t).Slots[i]
		if all = append(all, v); v.Kind == archive.List {
			for k := range v.List {
				all = append(all, &v.List[k])
			}
		}
	}
	all = slices.DeleteFunc(all, func(v *archive.Value) bool { return !suits(v) })
	if v := pick(f, all); v != nil {
		return *v
	}
	return nil
}

func (f *forger) value() bool {
	v := f.slot(func(v *archive.Value) bool { return v.Kind != archive.Absent && v.Kind != archive.Hole })
	if v == nil {
		return false
	}
	switch v.Kind {
	case archive.Ref:
		v.N = int64(uint64(f.number()) >> 1 >> (f.rng.IntN(2) * 60))
	case archive.Ints:
		if x := pick(f, v.Ints); x != nil {
			*x = f.number()
		}
	case archive.Stat:
		v.Stat = archive.Status{Source: int32(f.number()), Tag: int32(f.number()), Bytes: f.number()}
	default:
		v.N, v.Seg = f.number(), uint32(f.number())
	}
	return true
}

// itself makes all objects of a class in a call one and the same.
func (f *forger) itself() bool {
	from := f.slot(func(v *archive.Value) bool { return v.Kind == archive.Ref && v.N > 0 && v.N%2 == 0 })
	if from == nil {
		return false
	}
	for _, t := range f.c.Templates {
		for i := range t.Slots {
			for _, v := range append([]*archive.Value{&t.Slots[i]}, pointers(t.Slots[i].List)...) {
				if v.Kind == archive.Ref && v.Class == from.Class && (v.N%2 == 0 || f.rng.IntN(2) == 0) {
					v.N = from.N
				}
			}
		}
	}
	return true
}

func pointers(list []archive.Value) (out []*archive.Value) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// doubles makes an array say one thing many times, or more than there are.
func (f *forger) doubles() bool {
	v := f.slot(func(v *archive.Value) bool {
		return v.Kind == archive.Ints && len(v.Ints) > 0 || v.Kind == archive.List && len(v.List) > 0
	})
	if v == nil {
		return false
	}
	n := f.rng.IntN(8)
	if f.rng.IntN(8) == 0 {
		n = 1 << f.rng.IntN(14)
	}
	if v.Kind == archive.Ints {
		v.Ints = slices.Repeat(v.Ints[:1], n)
	} else if archive.IsRefs(v) {
		v.List = slices.Repeat(v.List[:1], n)
	} else {
		v.List = slices.Clone(v.List)
		for i := range v.List {
			if v.List[i].Kind == v.List[0].Kind {
				v.List[i] = v.List[0]
			}
		}
	}
	return true
}

// column makes a column longer or shorter, or gives it numbers that mean nothing.
func (f *forger) column() bool {
	b := pick(f, f.c.Columns)
	if b == nil {
		return false
	}
	r, err := column.Open(*b)
	if err != nil {
		return false
	}
	vals := make([]int64, min(r.Len(), 1<<12))
	vals = vals[:r.Read(0, vals)]
	switch f.rng.IntN(4) {
	case 0:
		vals = vals[:f.rng.IntN(len(vals)+1)]
	case 1:
		vals = append(vals, slices.Repeat([]int64{f.number()}, 1+f.rng.IntN(300))...)
	case 2:
		if x := pick(f, vals); x != nil {
			*x = f.number()
		}
	default:
		for i := range vals {
			vals[i] = f.number()
		}
	}
	again := column.NewBuilder()
	for _, v := range vals {
		again.Append(v)
	}
	*b = again.Encode(nil)
	return true
}

func (f *forger) columns() bool {
	c := pick(f, f.c.Classes)
	if c == nil || len((*c).Columns) < 2 {
		return false
	}
	*pick(f, (*c).Columns) = *pick(f, (*c).Columns)
	return true
}

func (f *forger) times() bool {
	if len(f.c.Timings) == 0 {
		return false
	}
	if f.rng.IntN(2) == 0 { // no times at all: they bound how many calls there can be
		for _, c := range f.c.Classes {
			c.Timing = archive.Cases[int]{Values: []int{-1}}
		}
		return true
	}
	*pick(f, f.c.Timings) = *pick(f, f.c.Timings)
	return true
}

func (f *forger) names() bool {
	with := []string{"\x1b]0;x\a", "\x00", "\r\n", "\u202e", "\xff\xfe", "</script>", "%s%n", "../../x", "\u2028"}
	poisonStrings(reflect.ValueOf(f.c), *pick(f, with), map[any]bool{})
	return true
}

// ranks makes a number that ranks may differ in another one at each of them: how often a loop is
// repeated, how many calls there are, and values of calls.
func (f *forger) ranks() bool {
	c := pick(f, f.c.Classes)
	if c == nil {
		return false
	}
	vals := make([]int64, (*c).Ranks.Len())
	for i := range vals {
		vals[i] = f.number()
	}
	fn := rankfunc.Fit(&rankfunc.Context{Size: f.c.Groups[(*c).Group].Size}, (*c).Ranks, vals)
	switch f.rng.IntN(3) {
	case 0:
		if t := pick(f, (*c).Trips); t != nil {
			*t = fn
			return true
		}
	case 1:
		if (*c).Calls != nil {
			(*c).Calls = fn
			return true
		}
	}
	if ps := pick(f, (*c).Params); ps != nil {
		if p := pick(f, *ps); p != nil && p.Vec == nil && p.Str == nil {
			p.Fn = fn
			return true
		}
	}
	return false
}
