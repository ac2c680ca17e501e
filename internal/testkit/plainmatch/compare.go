package plainmatch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// lines matches everything and lists it.
func (r *reference) lines() []string {
	var out []string
	type key struct {
		comm              string
		source, dest, tag int
		part              int
	}
	sends, recvs := map[key][]*refEnd{}, map[key][]*refEnd{}
	var pool, left []*refEnd
	pair := func(s, v *refEnd, note string) {
		bytes := s.bytes
		if bytes < 0 {
			bytes = v.bytes
		}
		out = append(out, fmt.Sprintf("message %d %s %s -> %d %s %s tag %d bytes %d%s", s.source, s.post, s.done,
			s.dest, v.post, v.done, s.tag, bytes, note))
	}
	slices.SortStableFunc(r.ends, func(a, b *refEnd) int { return cmp.Compare(a.seq, b.seq) })
	for _, e := range r.ends {
		k := key{e.comm, e.source, e.dest, e.tag, e.part}
		switch other := map[bool]int{true: e.dest, false: e.source}[e.send]; {
		case e.cancelled:
		case strings.HasPrefix(e.comm, "unknown") || e.known && other < 0:
			out = append(out, e.alone("communicator not known"))
		case !e.known:
			pool = append(pool, e)
		case !r.recorded[other]:
			out = append(out, e.alone("partner not recorded"))
		case e.send:
			sends[k] = append(sends[k], e)
		default:
			recvs[k] = append(recvs[k], e)
		}
	}
	for k, ss := range sends {
		vs := recvs[k]
		n := min(len(ss), len(vs))
		for i := range n {
			pair(ss[i], vs[i], "")
		}
		left = append(left, ss[n:]...)
		recvs[k] = vs[n:]
	}
	slices.SortFunc(left, func(a, b *refEnd) int {
		if a.begin != b.begin {
			return cmp.Compare(a.begin, b.begin)
		}
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.tag, b.tag), cmp.Compare(a.seq, b.seq))
	})
	for _, v := range pool {
		i := slices.IndexFunc(left, func(s *refEnd) bool {
			return s.comm == v.comm && s.dest == v.dest && (v.anySrc || s.source == v.source) &&
				(v.anyTag || s.tag == v.tag) && s.part == 0
		})
		if i >= 0 {
			pair(left[i], v, " guessed")
			left = slices.Delete(left, i, i+1)
		} else if v.finished {
			out = append(out, v.alone("source not known"))
		} else {
			out = append(out, v.alone("never completed"))
		}
	}
	for _, vs := range recvs {
		left = append(left, vs...)
	}
	for _, e := range left {
		out = append(out, e.alone("no partner"))
	}
	groups := map[string][]*refPart{}
	for _, p := range r.parts {
		groups[p.key] = append(groups[p.key], p)
	}
	for k, ps := range groups {
		if strings.HasPrefix(k, "unknown") || strings.HasPrefix(k, "self") {
			continue
		}
		slices.SortFunc(ps, func(a, b *refPart) int { return cmp.Compare(a.proc, b.proc) })
		line := "collective " + k
		for _, p := range ps {
			line += fmt.Sprintf(" %d:%s %s", p.proc, p.post, p.done)
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func (e *refEnd) alone(why string) string {
	what := "receive"
	if e.send {
		what = "send"
	}
	if why == "no partner" || why == "partner not recorded" {
		why = "alone"
	}
	return fmt.Sprintf("%s %d %s: %s", what, e.number, e.post, why)
}

// lines lists what match.Run finds.
func lines(a *archive.Archive) ([]string, *match.Summary, error) {
	var out []string
	id := func(r *match.Ref) string {
		if !r.Known() {
			return ""
		}
		return fmt.Sprintf("%d/%d", r.Stream, r.Call)
	}
	p, err := calls.Open(a)
	if err != nil {
		return nil, nil, err
	}
	sum, err := match.RunProgram(p, match.Options{
		Message: func(m *match.Message) error {
			note := ""
			if m.Guessed {
				note = " guessed"
			}
			out = append(out, fmt.Sprintf("message %d %s %s -> %d %s %s tag %d bytes %d%s", m.Send.Process,
				id(&m.Send.Post), id(&m.Send.Done), m.Recv.Process,
				id(&m.Recv.Post), id(&m.Recv.Done), m.Tag, m.Bytes, note))
			return nil
		},
		Collective: func(c *match.Collective) error {
			if c.Class != spec.Comm || c.Object != 0 || c.Members == 0 || p.Comms.Comms[c.Comm].How == "self" {
				return nil
			}
			line := fmt.Sprintf("collective %d %d/%d", c.Comm, c.Index, c.Round)
			for _, m := range c.Parts {
				line += fmt.Sprintf(" %d:%s %s", m.Process, id(&m.Post), id(&m.Done))
			}
			out = append(out, line)
			return nil
		},
		Unmatched: func(u *match.Unmatched) error {
			what, why := "receive", u.Reason.String()
			if u.Send {
				what = "send"
			}
			if u.Reason == match.NoPartner || u.Reason == match.NotRecorded {
				why = "alone"
			}
			out = append(out, fmt.Sprintf("%s %d %s: %s", what, u.Process, id(&u.Post), why))
			return nil
		},
	})
	slices.Sort(out)
	return out, sum, err
}

// Compare matches the messages of an archive in both ways. The error says where the results differ first.
func Compare(a *archive.Archive) (*match.Summary, error) {
	got, sum, err := lines(a)
	if err != nil {
		return nil, err
	}
	r, err := newReference(a)
	if err != nil {
		return nil, err
	}
	want := r.lines()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return sum, fmt.Errorf("not found: %s", want[i])
		case i >= len(want):
			return sum, fmt.Errorf("found: %s", got[i])
		case got[i] != want[i]:
			return sum, fmt.Errorf("found\n%s\nwant\n%s", got[i], want[i])
		}
	}
	return sum, nil
}

// CheckSizes compares the computed sizes of datatypes with those that MPI_Type_size returned to the
// program. It returns the number of comparisons.
func CheckSizes(a *archive.Archive) (n int, err error) {
	p, err := calls.Open(a)
	if err != nil {
		return 0, err
	}
	for s := range a.Streams() {
		var events eventCounter
		for c, err := range s.Iter(0) {
			if err != nil {
				return n, err
			}
			event := events.next(c)
			name := strings.TrimSuffix(strings.TrimSuffix(c.Func.Name, "_c"), "_x")
			told, ok := c.Out("size")
			if name != "MPI_Type_size" || !ok || told.Kind != archive.Int || c.Flags&archive.Failed != 0 {
				continue
			}
			n++
			v, _ := c.In("datatype")
			if size, _ := p.TypeSize(s, v.N, event); size != told.N {
				return n, fmt.Errorf("stream %d: %s: the size is worked out as %d", s.Index(), c, size)
			}
		}
	}
	return n, nil
}
