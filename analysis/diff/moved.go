package diff

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Moved is a call site that is at another line in B, as the source was edited.
type Moved struct {
	Func string
	A, B string
}

// movedKey is a call site of B.
type movedKey struct {
	f    spec.ID
	site string
}

// place is a call site of one recording. Its lines are those of its frames, the outermost first;
// offsets stand for lines that are not known.
type place struct {
	f     spec.ID
	text  string
	lines []int64
	build string // of the module that the call is in
}

// bucket is the call sites in a function of the program, in A and in B.
type bucket [2][]*place

type pairing struct{ a, b *place }

// newSite marks a site of B that is no site of A.
const newSite = "\x00"

// maxBucket is up to how many call sites in a function are looked at.
const maxBucket = 1024

// findMoved finds the call sites of B that correspond to others of A. In each function of the
// program those correspond that are the longest common sequence, in the order of lines, of the
// functions that are called. In the same build of a program none is moved.
func (c *comparison) findMoved() error {
	buckets := map[string]*bucket{}
	for i, s := range c.sides {
		if err := s.places(func(key string, p *place) {
			b := buckets[key]
			if b == nil {
				b = &bucket{}
				buckets[key] = b
			}
			if len(b[i]) <= maxBucket {
				b[i] = append(b[i], p)
			}
		}); err != nil {
			return err
		}
	}
	c.moved = map[movedKey]string{}
	for _, b := range buckets {
		matched := b.match()
		for _, m := range matched {
			c.moved[movedKey{m.b.f, m.b.text}] = m.a.text
			if m.a.text != m.b.text {
				c.result.Moved = append(c.result.Moved, Moved{spec.ByID(m.a.f).Name, m.a.text, m.b.text})
			}
		}
		if matched == nil {
			continue
		}
		for _, p := range b[1] { // a new call where another one was
			if k := (movedKey{p.f, p.text}); c.moved[k] == "" {
				c.moved[k] = p.text + newSite
			}
		}
	}
	slices.SortFunc(c.result.Moved, func(x, y Moved) int {
		return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.Func, y.Func))
	})
	return nil
}

// places yields the call sites of a recording, each once for each function that is called.
func (s *side) places(visit func(key string, p *place)) error {
	type seenKey struct {
		f    spec.ID
		text string
	}
	seen := map[seenKey]bool{}
	for _, k := range s.a.Classes() {
		d, err := k.Data()
		if err != nil {
			return err
		}
		modules := k.Stream(k.Ranks().Min()).Rank().Modules
		for t := range d.Terminals {
			tmpl, err := k.Template(uint32(t))
			if err != nil {
				return err
			}
			site := k.Site(tmpl)
			if site == nil || len(site.Frames) == 0 {
				continue
			}
			text := siteText(site, modules)
			if seen[seenKey{tmpl.Func, text}] {
				continue
			}
			seen[seenKey{tmpl.Func, text}] = true
			key, p := placeOf(site, modules)
			p.f, p.text = tmpl.Func, text
			visit(key, p)
		}
	}
	return nil
}

// placeOf splits a call site into what stays when lines are inserted, and the lines.
func placeOf(site *archive.Site, modules []archive.Module) (key string, p *place) {
	p = &place{}
	var parts []string
	for i := range site.Frames {
		f := &site.Frames[i]
		module := "?"
		if f.Module >= 0 && f.Module < len(modules) {
			module = filepath.Base(modules[f.Module].Path)
			if i == 0 {
				p.build = modules[f.Module].BuildID
			}
		}
		switch {
		case f.File != "" && f.Line > 0:
			parts = append(parts, filepath.Base(f.File), f.Func)
			p.lines = append(p.lines, int64(f.Line))
		case f.Func != "":
			parts = append(parts, module, f.Func)
			p.lines = append(p.lines, 0)
		default:
			parts = append(parts, module)
			p.lines = append(p.lines, int64(f.Offset))
		}
	}
	slices.Reverse(p.lines)
	return strings.Join(parts, "\x00"), p
}

// match pairs places that correspond; nil if none is moved.
func (b *bucket) match() (list []pairing) {
	type key struct {
		f    spec.ID
		text string
	}
	texts, builds := map[key]bool{}, map[string]bool{}
	for _, p := range b[0] {
		texts[key{p.f, p.text}] = true
		if p.build != "" {
			builds[p.build] = true
		}
	}
	moved := len(b[0]) != len(b[1])
	for _, p := range b[1] {
		moved = moved || !texts[key{p.f, p.text}]
		if builds[p.build] {
			return nil
		}
	}
	if !moved || len(b[0]) == 0 || len(b[1]) == 0 || max(len(b[0]), len(b[1])) > maxBucket {
		return nil
	}
	for _, side := range b {
		slices.SortFunc(side, func(x, y *place) int {
			return cmp.Or(slices.Compare(x.lines, y.lines), cmp.Compare(x.f, y.f))
		})
	}
	return b.align()
}

// align finds the longest common sequence of functions that are called, that with the most places
// that did not move of several.
func (b *bucket) align() (list []pairing) {
	n, m := len(b[0]), len(b[1])
	// score[i*(m+1)+j] is that of the places from i in A and j in B on.
	score := make([]int32, (n+1)*(m+1))
	at := func(i, j int) *int32 { return &score[i*(m+1)+j] }
	match := func(i, j int) int32 {
		p, q := b[0][i], b[1][j]
		switch {
		case p.f != q.f:
			return 0
		case p.text == q.text:
			return 2*maxBucket + 1
		}
		return 2 * maxBucket
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			if s := match(i, j); s > 0 {
				*at(i, j) = max(*at(i, j), s+*at(i+1, j+1))
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch s := match(i, j); {
		case s > 0 && *at(i, j) == s+*at(i+1, j+1):
			list = append(list, pairing{b[0][i], b[1][j]})
			i, j = i+1, j+1
		case *at(i, j) == *at(i+1, j):
			i++
		default:
			j++
		}
	}
	return list
}
