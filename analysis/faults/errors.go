package faults

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// Error is calls that returned an error.
type Error struct {
	Place
	// Kind is what the function is about. Name is the name of the error.
	Kind spec.EventKind
	Name string
	// First is the first one.
	First *archive.Call
}

// maxProcesses bounds the processes that are listed of one place.
const maxProcesses = 1 << 16

type errorKey struct{ fn, site, name string }

func failed(p *calls.Program) ([]Error, error) {
	found := map[errorKey]*Error{}
	ranks := map[errorKey]map[int]bool{}
	for s := range p.Archive.Streams() {
		sigs, err := s.Signatures()
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sigs, func(x *archive.Signature) bool { return x.Flags&archive.Failed != 0 }) {
			continue
		}
		counts, err := s.Counts()
		if err != nil {
			return nil, err
		}
		for t, sig := range sigs {
			if sig.Flags&archive.Failed == 0 || counts[t] == 0 {
				continue
			}
			f := spec.ByID(sig.Func)
			// A descriptor's errors are the business of an analysis of files: programs look whether a file is there.
			if f.Own() || f.Kind != 0 {
				continue
			}
			first, err := firstCall(s, uint32(t))
			if err != nil || first == nil {
				return nil, err
			}
			k := errorKey{f.Name, siteOf(s, sig), first.ErrorName()}
			process := p.Number(s.Process())
			e := found[k]
			if e == nil {
				e = &Error{Kind: f.Kind, Name: k.name, First: first,
					Place: Place{Func: k.fn, Site: k.site, Process: process,
						Stream: int32(s.Index()), Call: first.Index}}
				found[k], ranks[k] = e, map[int]bool{}
			}
			e.Count += counts[t]
			if len(ranks[k]) < maxProcesses {
				ranks[k][int(process)] = true
			}
		}
	}
	list := make([]Error, 0, len(found))
	for k, e := range found {
		e.Processes = setOf(ranks[k])
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b Error) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Func+a.Site+a.Name, b.Func+b.Site+b.Name))
	})
	return list, nil
}

// firstCall is the first call behind a terminal.
func firstCall(s *archive.Stream, t uint32) (*archive.Call, error) {
	x, err := s.GrammarIndex()
	if err != nil {
		return nil, err
	}
	wanted := make([]bool, t+1)
	wanted[t] = true
	for at := range x.NewSearch(wanted, nil).All() {
		call, err := s.CallsBefore(at)
		if err != nil {
			return nil, err
		}
		return s.CallAt(call)
	}
	return nil, nil
}

func siteOf(s *archive.Stream, sig *archive.Signature) string {
	if site := s.Site(sig); site != nil {
		return site.String()
	}
	return ""
}

func setOf(of map[int]bool) *rankfunc.Set {
	return rankfunc.NewSet(slices.Sorted(maps.Keys(of)))
}
