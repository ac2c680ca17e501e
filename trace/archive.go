package trace

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"tabard/internal/grammar"
	"tabard/spec"
	"tabard/trace/internal/container"
)

// Archive is an open archive. It is safe for concurrent use.
type Archive struct {
	file       string
	maxSection int64
	maxWork    uint64
	c          *container.Reader
	closer     io.Closer
	cache      cache
	meta       Meta
	ranks      []*RankData
	streams    []*Stream
	skipped    []string
	stats      Stats

	strings, lists *items
	signatures     *items
	grammars       *items
	parsedSigs     []lazy[Signature]
	indices        []lazy[grammar.Index]
	tables         []lazy[sigTable] // by list
	idLists        []lazy[idList]
	columns        blobs
	timings        blobs

	clockOnce sync.Once
	lines     []timeline
	hostRates map[string][2]uint64
	anyRate   [2]uint64
}

// Options of Open.
type (
	// Option changes how an archive is read.
	Option  func(*options)
	options struct {
		name              string
		maxSection, cache int64
		maxWork           uint64
	}
)

// Default limits.
const (
	DefaultMaxSection = 1 << 30  // bytes
	DefaultCache      = 64 << 20 // bytes
	DefaultMaxWork    = 1 << 32  // values
)

// MaxSection sets the size in bytes up to which a section is loaded (default
// DefaultMaxSection). It bounds memory: opening takes at most 128 times the
// decompressed size of the meta and structure sections, reading a stream
// adds the cache and the sections that are in use, and a call is refused if an
// array of it takes more than bytes.
func MaxSection(bytes int64) Option { return func(o *options) { o.maxSection = bytes } }

// Cache sets how many bytes of sections of columns and timing are kept
// (default DefaultCache); the one in use is kept even if it is larger.
func Cache(bytes int64) Option { return func(o *options) { o.cache = bytes } }

// MaxWork sets how many values of columns one operation reads at most without
// yielding a call (default DefaultMaxWork): compressed columns can hold more
// values than anyone can wait for, and a damaged file may pretend so.
func MaxWork(values uint64) Option { return func(o *options) { o.maxWork = values } }

// FileName sets the name that errors carry (default: the path given to Open).
func FileName(name string) Option { return func(o *options) { o.name = name } }

// Open opens the archive at path. It reads the structure and no calls. Errors
// about the content are of type *FormatError.
func Open(path string, opts ...Option) (*Archive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	a, err := openFile(f, append([]Option{FileName(path)}, opts...))
	if err != nil {
		f.Close()
		return nil, err
	}
	a.closer = f
	return a, nil
}

func openFile(f *os.File, opts []Option) (*Archive, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if fi.IsDir() {
		return nil, fmt.Errorf("%s is a directory, not an archive", f.Name())
	}
	return OpenReader(f, fi.Size(), opts...)
}

// OpenReader opens an archive of size bytes.
func OpenReader(r io.ReaderAt, size int64, opts ...Option) (*Archive, error) {
	o := options{maxSection: DefaultMaxSection, cache: DefaultCache, maxWork: DefaultMaxWork}
	for _, f := range opts {
		f(&o)
	}
	a := &Archive{file: o.name, cache: cache{max: o.cache}, maxSection: o.maxSection, maxWork: o.maxWork}
	if err := a.open(r, size, o.maxSection); err != nil {
		return nil, named(err, a.file)
	}
	return a, nil
}

// Close closes the file that Open opened. Streams cannot be read afterwards.
func (a *Archive) Close() error {
	if a.closer == nil {
		return nil
	}
	return a.closer.Close()
}

// File is the name of the archive, empty if unknown.
func (a *Archive) File() string { return a.file }

// Meta is what is known of the run. The caller must not change it.
func (a *Archive) Meta() *Meta { return &a.meta }

// Ranks lists the processes by number. The caller must not change them.
func (a *Archive) Ranks() []*RankData { return a.ranks }

// Streams lists the streams of calls: one for each thread that made calls.
func (a *Archive) Streams() []*Stream { return a.streams }

// Skipped names the optional sections and parts that this version does not
// know and has skipped.
func (a *Archive) Skipped() []string { return a.skipped }

func (a *Archive) open(r io.ReaderAt, size, max int64) (err error) {
	if a.c, err = container.Open(r, size, max); err != nil {
		return err
	}
	found := map[uint32]int{}
	for i, s := range a.c.Sections() {
		name, known := sectionNames[s.Type]
		if !known || s.Version == 0 || s.Version > sectionVersion {
			if s.Optional {
				a.skipped = append(a.skipped, fmt.Sprintf("section %d version %d", s.Type, s.Version))
				a.stats.Other += s.Stored
				continue
			}
			return &FormatError{Section: fmt.Sprintf("section %d", i), Offset: s.Offset, Hint: hintNewer,
				Msg: fmt.Sprintf("section type %d version %d is required, but this reader does not know it", s.Type, s.Version)}
		}
		if _, twice := found[s.Type]; twice && s.Type <= secStructure {
			return broken(name, s.Offset, "there are two such sections")
		}
		found[s.Type] = i
		a.countSection(&s)
	}
	a.stats.Index = a.c.Overhead()
	a.stats.Total = size
	meta, err := a.loadParts(found, secMeta)
	if err != nil {
		return err
	}
	if err := a.readMeta(meta); err != nil {
		return err
	}
	structure, err := a.loadParts(found, secStructure)
	if err != nil {
		return err
	}
	return a.readStructure(structure)
}

func (a *Archive) countSection(s *container.Section) {
	switch s.Type {
	case secMeta:
		a.stats.Meta += s.Stored
	case secStructure:
		a.stats.Structure += s.Stored
	case secColumns:
		a.stats.Columns += s.Stored
	case secTiming:
		a.stats.Timing += s.Stored
	}
}

// load loads section i of the container.
func (a *Archive) load(i int) ([]byte, error) {
	b, err := a.c.Load(i)
	if ce, ok := err.(*container.Error); ok {
		section := ce.Section
		if name := sectionNames[a.c.Sections()[i].Type]; name != "" {
			section = name
		}
		return nil, &FormatError{File: a.file, Section: section, Offset: ce.Offset, Msg: ce.Msg, Hint: ce.Hint}
	}
	return b, err
}

func (a *Archive) loadParts(found map[uint32]int, typ uint32) (*parts, error) {
	i, ok := found[typ]
	if !ok {
		return nil, broken(sectionNames[typ], -1, "the section is missing")
	}
	b, err := a.load(i)
	if err != nil {
		return nil, err
	}
	p, err := parseParts(typ, b)
	if err != nil {
		return nil, err
	}
	for _, id := range p.skipped {
		a.skipped = append(a.skipped, fmt.Sprintf("part %d of %s", id, p.section))
	}
	for i := range schema {
		if s := &schema[i]; s.section == typ {
			a.stats.Parts = append(a.stats.Parts, PartStats{p.section, s.name, p.sizes[s.name]})
		}
	}
	return p, nil
}

// metaReader turns the tables of the meta section into values. Errors stick.
type metaReader struct {
	*parts
	err error
}

func (m *metaReader) fail(part uint32, row int, format string, args ...any) {
	if m.err == nil {
		s := schemaOf(secMeta, part)
		m.err = broken(m.section+"/"+s.name, -1, "row %d: %s", row, fmt.Sprintf(format, args...))
	}
}

func (m *metaReader) str(part uint32, row int, id int64) string {
	p := m.pools[partMetaStrings]
	if id < 0 || id >= int64(p.len()) {
		m.fail(part, row, "string %d does not exist (there are %d)", id, p.len())
		return ""
	}
	return string(p.at(int(id)))
}

// number checks that a value of a table is in a range.
func (m *metaReader) number(part uint32, row int, what string, v, lo, hi int64) int {
	if v < lo || v > hi {
		m.fail(part, row, "%s %d is not in %d..%d", what, v, lo, hi)
		return 0
	}
	return int(v)
}

func (a *Archive) readMeta(p *parts) error {
	m := &metaReader{parts: p}
	a.readRun(m)
	modules := m.readModules()
	sites := m.readSites()
	a.readRanks(m, modules, sites)
	a.readClocks(m)
	a.readBases(m)
	return m.err
}

func (a *Archive) readRun(m *metaReader) {
	t := m.tables[partMeta]
	option := ""
	for i := range t.rows {
		key, v := t.cols[0][i], t.cols[1][i]
		switch key {
		case keyCommand:
			a.meta.Command = append(a.meta.Command, m.str(partMeta, i, v))
		case keyMPI:
			a.meta.MPI = m.str(partMeta, i, v)
		case keyABI:
			a.meta.ABI = spec.ABI(m.number(partMeta, i, "ABI", v, 0, math.MaxUint8))
		case keyCreated:
			a.meta.Created = time.Unix(0, v)
		case keyPartial:
			a.meta.Partial = v == 1
		case keyTool:
			a.meta.Tool = m.str(partMeta, i, v)
		case keyOptionName:
			option = m.str(partMeta, i, v)
		case keyOptionValue:
			if a.meta.Options == nil {
				a.meta.Options = make(map[string]string)
			}
			a.meta.Options[option] = m.str(partMeta, i, v)
		}
	}
}

func (m *metaReader) readModules() []Module {
	t := m.tables[partModules]
	modules := make([]Module, t.rows)
	for i := range modules {
		modules[i] = Module{Path: m.str(partModules, i, t.cols[0][i]), BuildID: m.str(partModules, i, t.cols[1][i]), Size: uint64(t.cols[2][i])}
	}
	return modules
}

// readSites groups rows of frames by site; sites are numbered without gaps.
func (m *metaReader) readSites() []Site {
	t := m.tables[partFrames]
	frames := make([]Frame, t.rows)
	var sites []Site
	for i := range frames {
		n := int64(len(sites))
		site := t.cols[0][i]
		if site != n && site != n-1 || site < 0 {
			m.fail(partFrames, i, "site %d does not follow site %d", site, n-1)
			return nil
		}
		frames[i] = Frame{
			Module: m.number(partFrames, i, "module", t.cols[1][i], -1, math.MaxInt32),
			Offset: uint64(t.cols[2][i]),
			Func:   m.str(partFrames, i, t.cols[3][i]),
			File:   m.str(partFrames, i, t.cols[4][i]),
			Line:   m.number(partFrames, i, "line", t.cols[5][i], 0, math.MaxInt32),
		}
		if site == n {
			sites = append(sites, Site{Frames: frames[i : i+1 : i+1]})
		} else {
			s := &sites[site]
			s.Frames = frames[i-len(s.Frames) : i+1 : i+1]
		}
	}
	return sites
}

// lists resolves the lists of the meta section. Ranks with the same list
// share the result, so that memory does not grow with the number of ranks.
type lists[T any] struct {
	m    *metaReader
	what string
	n    int // ids are below n
	make func(ids []uint32) T
	done map[int64]T
}

func (l *lists[T]) get(row int, id int64) (v T) {
	if v, ok := l.done[id]; ok {
		return v
	}
	p := l.m.pools[partMetaLists]
	if id < 0 || id >= int64(p.len()) {
		l.m.fail(partRanks, row, "list %d does not exist (there are %d)", id, p.len())
		return v
	}
	ids, err := p.list(int(id), l.n, "meta/lists", l.what)
	if err != nil {
		if l.m.err == nil {
			l.m.err = err
		}
		return v
	}
	v = l.make(ids)
	if l.done == nil {
		l.done = make(map[int64]T)
	}
	l.done[id] = v
	return v
}

// pick selects elements by number; nil for none.
func pick[T any](from []T) func([]uint32) []T {
	return func(ids []uint32) []T {
		if len(ids) == 0 {
			return nil
		}
		out := make([]T, len(ids))
		for i, id := range ids {
			out[i] = from[id]
		}
		return out
	}
}

func (a *Archive) readRanks(m *metaReader, modules []Module, sites []Site) {
	t := m.tables[partRanks]
	moduleLists := lists[[]Module]{m: m, what: "module", n: len(modules), make: pick(modules)}
	siteLists := lists[[]Site]{m: m, what: "site", n: len(sites), make: pick(sites)}
	infoLists := lists[map[string]string]{m: m, what: "string", n: m.pools[partMetaStrings].len(), make: m.info}
	for i := range t.rows {
		col := func(k int) int64 { return t.cols[k][i] }
		num := func(what string, k int, lo int64) int { return m.number(partRanks, i, what, col(k), lo, math.MaxInt32) }
		a.ranks = append(a.ranks, &RankData{
			World: num("world", 0, 0), Rank: num("rank", 1, -1), Size: num("size", 2, 0),
			Host: m.str(partRanks, i, col(3)), PID: num("pid", 4, 0),
			Complete: num("complete", 5, 0) == 1, LostCalls: uint64(col(6)), End: m.str(partRanks, i, col(7)),
			Info: infoLists.get(i, col(8)), Modules: moduleLists.get(i, col(9)), Sites: siteLists.get(i, col(10)),
		})
		if m.err != nil {
			return
		}
	}
}

func (m *metaReader) info(ids []uint32) map[string]string {
	if len(ids) == 0 {
		return nil
	}
	strs := m.pools[partMetaStrings]
	info := make(map[string]string, len(ids)/2)
	for i := 0; i+1 < len(ids); i += 2 {
		info[string(strs.at(int(ids[i])))] = string(strs.at(int(ids[i+1])))
	}
	return info
}

// process finds the process of a row; rows are in order of processes.
func (a *Archive) process(m *metaReader, part uint32, row int, col []int64) *RankData {
	p := m.number(part, row, "process", col[row], 0, int64(len(a.ranks))-1)
	if row > 0 && col[row] < col[row-1] {
		m.fail(part, row, "processes are not in order")
	}
	if m.err != nil {
		return nil
	}
	return a.ranks[p]
}

func (a *Archive) readClocks(m *metaReader) {
	t := m.tables[partClocks]
	for i := range t.rows {
		r := a.process(m, partClocks, i, t.cols[0])
		if r == nil {
			return
		}
		c := Clock{Ticks: uint64(t.cols[1][i]), RealNS: t.cols[2][i], MonoNS: t.cols[3][i]}
		if n := len(r.Clocks); n > 0 && c.Ticks < r.Clocks[n-1].Ticks {
			m.fail(partClocks, i, "clocks are not in order of ticks")
		}
		r.Clocks = append(r.Clocks, c)
	}
}

// readBases gives ranks whose load addresses are known their own modules.
func (a *Archive) readBases(m *metaReader) {
	t := m.tables[partBases]
	var own *RankData
	for i := range t.rows {
		r := a.process(m, partBases, i, t.cols[0])
		if r == nil {
			return
		}
		// A copy of the modules needs as many rows, which bounds the memory.
		if r != own && rowsOf(t.cols[0], i) < len(r.Modules) {
			m.fail(partBases, i, "fewer load addresses than the process has modules (%d)", len(r.Modules))
			return
		}
		if r != own {
			r.Modules = append([]Module(nil), r.Modules...)
			own = r
		}
		if k := t.cols[1][i]; k < 0 || k >= int64(len(r.Modules)) {
			m.fail(partBases, i, "module %d does not exist (the process has %d)", k, len(r.Modules))
			return
		}
		r.Modules[t.cols[1][i]].Base = uint64(t.cols[2][i])
	}
}

// rowsOf counts the rows from row i that have the same value in col.
func rowsOf(col []int64, i int) int {
	n := 0
	for _, v := range col[i:] {
		if v != col[i] {
			break
		}
		n++
	}
	return n
}
