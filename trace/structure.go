package trace

import (
	"math"

	"tabard/internal/grammar"
)

// readStructure takes over the structure section. It checks every id that
// streams are made of; signatures and grammars are parsed when they are used.
func (a *Archive) readStructure(p *parts) error {
	a.strings, a.lists = p.pools[partStrings], p.pools[partLists]
	a.signatures, a.grammars = p.pools[partSignatures], p.pools[partGrammars]
	a.parsedSigs = make([]lazy[Signature], a.signatures.len())
	a.indices = make([]lazy[grammar.Index], a.grammars.len())
	a.tables = make([]lazy[sigTable], a.lists.len())
	a.idLists = make([]lazy[idList], a.lists.len())
	var err error
	if a.columns, err = a.placeBlobs(secColumns, "structure/columns", p.tables[partColumns].cols[0]); err != nil {
		return err
	}
	if a.timings, err = a.placeBlobs(secTiming, "structure/timings", p.tables[partTimings].cols[0]); err != nil {
		return err
	}
	return a.readStreams(p.tables[partStreams])
}

func (a *Archive) readStreams(t *table) error {
	store := make([]Stream, t.rows)
	a.streams = make([]*Stream, t.rows)
	for i := range store {
		s := &store[i]
		a.streams[i] = s
		s.a, s.index, s.calls = a, i, uint64(t.cols[2][i])
		for _, f := range []struct {
			to   *int32
			from int
			n    int
			none bool
		}{
			{&s.process, 0, len(a.ranks), false},
			{&s.thread, 1, math.MaxInt32, false},
			{&s.sigList, 3, a.lists.len(), false},
			{&s.grammar, 4, a.grammars.len(), false},
			{&s.colList, 5, a.lists.len(), false},
			{&s.strList, 6, a.lists.len(), false},
			{&s.timing, 7, a.timings.len(), true},
		} {
			v := t.cols[f.from][i]
			if v >= int64(f.n) || v < 0 && !(f.none && v == -1) {
				return broken("structure/streams", -1, "stream %d: %s %d does not exist (there are %d)",
					i, schemaOf(secStructure, partStreams).fields[f.from].name, v, f.n)
			}
			*f.to = int32(v)
		}
	}
	return nil
}

// sigTable is a list of signatures as terminals: shared by the streams that
// have equal ones.
type sigTable struct {
	ids []uint32 // signature of each terminal
	// first[t] is the place of terminal t's first column in the list of
	// columns; the last element is the number of columns.
	first []uint32
	polls []uint32 // terminals that are runs of polls
}

// table makes the signature table that is in list i.
func (a *Archive) table(i int32) (*sigTable, error) {
	return a.tables[i].get(func() (*sigTable, error) {
		ids, err := a.lists.list(int(i), a.signatures.len(), "structure/lists", "signature")
		if err != nil {
			return nil, named(err, a.file)
		}
		t := &sigTable{ids: ids, first: make([]uint32, 0, len(ids)+1)}
		n := uint64(0)
		for terminal, id := range ids {
			sig, err := a.signature(id)
			if err != nil {
				return nil, err
			}
			t.first = append(t.first, uint32(n))
			n += uint64(sig.columnCount())
			if sig.Flags&Polls != 0 {
				t.polls = append(t.polls, uint32(terminal))
			}
		}
		if n > math.MaxUint32 {
			return nil, a.broken("structure/lists", a.lists.offset(int(i)), "the terminals have %d columns", n)
		}
		t.first = append(t.first, uint32(n))
		return t, nil
	})
}

// idList is a list of ids, shared by the streams that have equal ones.
type idList struct {
	ids []uint32
	max uint32
}

// list decodes list i, whose ids must be below n.
func (a *Archive) list(i int32, n int, what string) ([]uint32, error) {
	l, err := a.idLists[i].get(func() (*idList, error) {
		ids, err := a.lists.list(int(i), math.MaxUint32, "structure/lists", what)
		if err != nil {
			return nil, named(err, a.file)
		}
		l := &idList{ids: ids}
		for _, id := range ids {
			l.max = max(l.max, id)
		}
		return l, nil
	})
	if err != nil {
		return nil, err
	}
	if len(l.ids) > 0 && int(l.max) >= n {
		return nil, a.broken("structure/lists", a.lists.offset(int(i)), "%s %d does not exist (there are %d)", what, l.max, n)
	}
	return l.ids, nil
}

// columnCount is len(s.Columns()).
func (s *Signature) columnCount() int {
	for i := range s.Slots {
		if s.Slots[i].Kind == Hole {
			return len(s.Columns())
		}
	}
	if s.Flags&Polls != 0 {
		return 1
	}
	return 0
}

// signature parses signature id of the pool.
func (a *Archive) signature(id uint32) (*Signature, error) {
	return a.parsedSigs[id].get(func() (*Signature, error) {
		s, err := ParseSignature(a.signatures.at(int(id)))
		if err != nil {
			return nil, a.broken("structure/signatures", a.signatures.offset(int(id)), "item %d: %v", id, err)
		}
		return s, nil
	})
}

// grammarIndex parses and indexes grammar id of the pool.
func (a *Archive) grammarIndex(id int32) (*grammar.Index, error) {
	return a.indices[id].get(func() (*grammar.Index, error) {
		fail := func(why any) error {
			return a.broken("structure/grammars", a.grammars.offset(int(id)), "item %d: %v", id, why)
		}
		g, rest, err := grammar.Parse(a.grammars.at(int(id)))
		if err != nil {
			return nil, fail(err)
		}
		if len(rest) != 0 {
			return nil, fail("bytes after the grammar")
		}
		x, err := grammar.NewIndex(g)
		if err != nil {
			return nil, fail(err)
		}
		return x, nil
	})
}

func (a *Archive) broken(section string, offset int64, format string, args ...any) error {
	e := broken(section, offset, format, args...)
	e.File = a.file
	return e
}
