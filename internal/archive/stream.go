package archive

import (
	"slices"

	"sync"

	"github.com/tabard-hpc/tabard/spec"

	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// Stream is the calls of one thread of one process, in order of their return:
// what a callback calls inside another call comes before that call.
// What it needs is read at the first use. It is safe for concurrent use.
type Stream struct {
	a       *Archive
	class   *Class // nil in a broken archive
	index   int
	process int
	thread  int
	rank    int // in the class's ranks

	data   lazy[RankData]
	layout lazy[layout]
	mu     sync.Mutex
	random *reader // for CallAt
}

// Process is the number of the stream's process, see Archive.Rank.
func (s *Stream) Process() int { return s.process }

// Rank is the stream's process.
func (s *Stream) Rank() *RankData {
	r, _ := s.data.get(func() (*RankData, error) { return s.a.Rank(s.process), nil })
	return r
}

// WorldRank is the process's rank in MPI_COMM_WORLD, -1 if it never initialised MPI: Rank().Rank
// without what else is known of the process.
func (s *Stream) WorldRank() int {
	if s.class != nil && s.class.Group().Unranked {
		return -1
	}
	return s.rank
}

// ClassRank is what stands for the process in Class.Ranks, and what functions of the rank are asked
// for.
func (s *Stream) ClassRank() int { return s.rank }

// Thread is the number of the thread in its process: 0 is the first thread
// that made a call.
func (s *Stream) Thread() int { return s.thread }

// Index is the number of the stream, see Archive.Stream.
func (s *Stream) Index() int { return s.index }

// Archive is the archive that the stream is in.
func (s *Stream) Archive() *Archive { return s.a }

// Class is the class that the stream is in, nil if a broken archive has none.
func (s *Stream) Class() *Class { return s.class }

// Calls is the number of calls, every poll of a folded run counted, and every record of Tabard's own (spec.Func.Own):
// calls are numbered with them. It is 0 if the structure is broken, which all methods that return errors report.
func (s *Stream) Calls() uint64 {
	l, err := s.open()
	if err != nil {
		return 0
	}
	return l.call
}

// Timed tells whether the stream has time stamps of calls; Aggregates may be there without.
func (s *Stream) Timed() bool {
	l, err := s.open()
	if err != nil || s.times(l) < 0 {
		return false
	}
	t, err := s.openTiming()
	return err != nil || t.PerCall()
}

// times is the number of the stream's timing, -1 for none.
func (s *Stream) times(l *layout) int {
	i := -1
	if l.timed == nil {
		i = l.Timing.Index(l.Ranks, s.rank)
	} else if k, ok := l.Ranks.Index(s.rank); ok {
		i = int(l.timed[k])
	}
	if i >= 0 {
		return l.Timing.Values[i]
	}
	return -1
}

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

// GrammarIndex is the index of the stream's grammar. It is made once, and shared.
func (s *Stream) GrammarIndex() (*grammar.Index, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	return l.x, nil
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
	return slices.Clone(l.occ), nil
}

// Counts is the number of calls behind each terminal: Occurrences, and for
// runs of polls the sum of their lengths.
func (s *Stream) Counts() ([]uint64, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	counts := slices.Clone(l.occ)
	for _, t := range l.polls {
		if counts[t], err = s.sum(l, l.first[t], counts[t]); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// ProgramCalls is the number of calls that the program made.
func (s *Stream) ProgramCalls() (uint64, error) {
	l, err := s.open()
	if err != nil {
		return 0, err
	}
	n := l.call
	for t, tm := range l.tms {
		if spec.ByID(tm.Func).Own() {
			n -= l.occ[t] // they are no polls
		}
	}
	return n, nil
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
	return len(l.tms), nil
}

// Signature is what all calls of terminal t have in common. Streams share
// signatures; the caller must not change it.
func (s *Stream) Signature(t uint32) (*Signature, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	if int(t) >= len(l.tms) {
		return nil, s.a.broken(
			"structure/classes",
			-1,
			"stream %d: terminal %d does not exist (there are %d)",
			s.index,
			t,
			len(l.tms),
		)
	}
	return l.signatures()[t], nil
}

// Signatures lists the signatures of all terminals.
func (s *Stream) Signatures() ([]*Signature, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	return slices.Clone(l.signatures()), nil
}

// Site is the call site of a signature of this stream, nil if unknown.
func (s *Stream) Site(sig *Signature) *Site { return siteOf(s.sites(), sig) }

// siteOf is the call site of a signature, of those of its stream.
func siteOf(sites []Site, sig *Signature) *Site {
	if sig.Site == 0 || int(sig.Site) > len(sites) {
		return nil
	}
	return &sites[sig.Site-1]
}

func (s *Stream) sites() []Site {
	if s.class == nil {
		return s.Rank().Sites
	}
	return s.a.modulesOf(s.class.Group(), s.rank).sites
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
			return s.openColumn(l, l.first[t]+uint32(i))
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
	if i < 0 || i >= int64(len(l.strs)) {
		return "", s.a.broken(
			"columns",
			-1,
			"stream %d: string %d does not exist (there are %d)",
			s.index,
			i,
			len(l.strs),
		)
	}
	return l.strs[i], nil
}

// openColumn opens the column at a place.
func (s *Stream) openColumn(l *layout, place uint32) (*Column, error) {
	return s.openColumnBefore(l, place, 0)
}

// openColumnBefore opens the column at a place, at least what of it is before an event unless that is 0.
func (s *Stream) openColumnBefore(l *layout, place uint32, event uint64) (*Column, error) {
	b, err := s.columnBytes(l, place, event)
	if err != nil {
		return nil, err
	}
	r, err := column.Open(b)
	if err != nil {
		return nil, s.broken(l, place, "%v", err)
	}
	return r, nil
}
