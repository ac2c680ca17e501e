package trace

import (
	"sync"

	"tabard/internal/column"
	"tabard/internal/grammar"
)

// Stream is the calls of one thread of one process, in order of their return:
// what a callback calls inside another call comes before that call.
// What it needs beyond a few numbers is read at the first use. It is safe for
// concurrent use.
type Stream struct {
	a     *Archive
	index int
	calls uint64

	process, thread, sigList, grammar, colList, strList, timing int32

	layout lazy[layout]
	mu     sync.Mutex
	random *reader // for CallAt
}

// layout is what reading a stream needs of the structure.
type layout struct {
	*sigTable
	x       *grammar.Index
	columns []uint32 // all columns of terminal 0, then of terminal 1, ...
	strings []uint32

	mu   sync.Mutex
	sums map[uint32]*prefix // of columns that hold lengths, by place in columns
}

// Process is the number of the stream's process in Archive.Ranks.
func (s *Stream) Process() int { return int(s.process) }

// Rank is the stream's process.
func (s *Stream) Rank() *RankData { return s.a.ranks[s.process] }

// Thread is the number of the thread in its process: 0 is the first thread
// that made a call.
func (s *Stream) Thread() int { return int(s.thread) }

// Index is the number of the stream in Archive.Streams.
func (s *Stream) Index() int { return s.index }

// Archive is the archive that the stream is in.
func (s *Stream) Archive() *Archive { return s.a }

// Calls is the number of calls, every poll of a folded run counted.
func (s *Stream) Calls() uint64 { return s.calls }

// Timed tells whether the stream has time stamps.
func (s *Stream) Timed() bool { return s.timing >= 0 }

// Grammar is the grammar whose word is the stream's events: one terminal for
// each call, or for a run of equal unsuccessful polls. Streams with the same
// structure share it; the caller must not change it.
func (s *Stream) Grammar() (*Grammar, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	return l.x.Grammar(), nil
}

// Events is the length of the grammar's word.
func (s *Stream) Events() (uint64, error) {
	l, err := s.open()
	if err != nil {
		return 0, err
	}
	return l.x.Len(), nil
}

// Occurrences is how often each terminal occurs in the grammar's word. It
// takes time proportional to the grammar, not to the calls.
func (s *Stream) Occurrences() ([]uint64, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	return sized(l.x.Occurrences(), len(l.ids)), nil
}

// Counts is the number of calls behind each terminal: Occurrences, and for
// runs of polls the sum of their lengths.
func (s *Stream) Counts() ([]uint64, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	counts := sized(l.x.Occurrences(), len(l.ids))
	for _, t := range l.polls {
		if counts[t], err = s.sum(l, l.first[t], counts[t]); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// sized makes counts n long.
func sized(counts []uint64, n int) []uint64 {
	out := make([]uint64, n)
	copy(out, counts)
	return out
}

// Terminals is the number of terminals of the stream's grammar.
func (s *Stream) Terminals() (int, error) {
	l, err := s.open()
	if err != nil {
		return 0, err
	}
	return len(l.ids), nil
}

// Signature is what all calls of terminal t have in common. Streams share
// signatures; the caller must not change it.
func (s *Stream) Signature(t uint32) (*Signature, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	if int(t) >= len(l.ids) {
		return nil, s.a.broken("structure/streams", -1, "stream %d: terminal %d does not exist (there are %d)", s.index, t, len(l.ids))
	}
	return s.a.signature(l.ids[t])
}

// Signatures lists the signatures of all terminals.
func (s *Stream) Signatures() ([]*Signature, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	sigs := make([]*Signature, len(l.ids))
	for t, id := range l.ids {
		if sigs[t], err = s.a.signature(id); err != nil {
			return nil, err
		}
	}
	return sigs, nil
}

// Site is the call site of a signature of this stream, nil if unknown.
func (s *Stream) Site(sig *Signature) *Site {
	sites := s.Rank().Sites
	if sig.Site == 0 || int(sig.Site) > len(sites) {
		return nil
	}
	return &sites[sig.Site-1]
}

// Column opens the column of terminal t that holds a field of a slot (see
// ColumnSpec): one value for each occurrence of the terminal, or, for elements
// of arrays, one for each element. It returns nil if the value is in the signature.
func (s *Stream) Column(t uint32, slot, field int) (*Column, error) {
	sig, err := s.Signature(t)
	if err != nil {
		return nil, err
	}
	for i, c := range sig.Columns() {
		if c.Slot == slot && c.Field == field {
			l, err := s.open()
			if err != nil {
				return nil, err
			}
			return s.openColumn(l.columns[int(l.first[t])+i])
		}
	}
	return nil, nil
}

// String is string i of the stream, which the values of a string's column number.
func (s *Stream) String(i int64) (string, error) {
	l, err := s.open()
	if err != nil {
		return "", err
	}
	return s.str(l, i)
}

func (s *Stream) str(l *layout, i int64) (string, error) {
	if i < 0 || i >= int64(len(l.strings)) {
		return "", s.a.broken("columns", -1, "stream %d: string %d does not exist (there are %d)", s.index, i, len(l.strings))
	}
	return string(s.a.strings.at(int(l.strings[i]))), nil
}

// open reads what the stream needs of the structure and checks that it fits together.
func (s *Stream) open() (*layout, error) {
	return s.layout.get(func() (*layout, error) {
		l := &layout{sums: make(map[uint32]*prefix)}
		var err error
		if l.sigTable, err = s.a.table(s.sigList); err != nil {
			return nil, err
		}
		if l.x, err = s.a.grammarIndex(s.grammar); err != nil {
			return nil, err
		}
		if l.columns, err = s.a.list(s.colList, s.a.columns.len(), "column"); err != nil {
			return nil, err
		}
		if l.strings, err = s.a.list(s.strList, s.a.strings.len(), "string"); err != nil {
			return nil, err
		}
		if n := l.first[len(l.ids)]; int(n) != len(l.columns) {
			return nil, s.a.broken("structure/streams", -1, "stream %d has %d columns, its signatures need %d", s.index, len(l.columns), n)
		}
		if n := l.x.Terminals(); n > len(l.ids) {
			return nil, s.a.broken("structure/streams", -1, "stream %d: the grammar has terminal %d, but there are %d signatures", s.index, n-1, len(l.ids))
		}
		if s.calls < l.x.Len() || len(l.polls) == 0 && s.calls != l.x.Len() {
			return nil, s.a.broken("structure/streams", -1, "stream %d: %d calls, but the grammar has %d events", s.index, s.calls, l.x.Len())
		}
		return l, nil
	})
}

func (s *Stream) openColumn(id uint32) (*Column, error) {
	b, err := s.a.blob(&s.a.columns, id)
	if err != nil {
		return nil, err
	}
	r, err := column.Open(b)
	if err != nil {
		return nil, s.a.broken("columns", -1, "column %d: %v", id, err)
	}
	return r, nil
}

// Timing opens the time stamps, nil if there are none. Entry i belongs to call
// i; times are in the ticks of the process (see RankData.Clocks).
func (s *Stream) Timing() (*Timing, error) {
	if s.timing < 0 {
		return nil, nil
	}
	b, err := s.a.blob(&s.a.timings, uint32(s.timing))
	if err != nil {
		return nil, err
	}
	t, err := column.OpenTiming(b)
	if err != nil {
		return nil, s.a.broken("timing", -1, "item %d: %v", s.timing, err)
	}
	if t.Len() != s.calls {
		return nil, s.a.broken("timing", -1, "item %d has %d entries, but stream %d has %d calls", s.timing, t.Len(), s.index, s.calls)
	}
	return t, nil
}
