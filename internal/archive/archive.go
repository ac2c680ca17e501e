package archive

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tabard-hpc/tabard/internal/archive/container"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Archive is an open archive. It is safe for concurrent use.
type Archive struct {
	file       string
	maxSection int64
	maxWork    uint64
	c          *container.Reader // nil if the archive is of content
	content    *Content          // nil if the archive is in a file
	projection *projection       // nil unless the archive is a part of another one, which then has columns and times
	closer     io.Closer
	cache      cache
	meta       Meta
	extra      []extra
	stats      Stats

	strings   *items
	modules   []Module
	sites     []Site
	groups    []*Group
	realms    []realm // by number of the first process
	context   *classContext
	items     struct{ templates, bodies, classes *items }
	templates []lazy[Template]
	heads     heads
	classes   []*Class
	columns   blobs      // those in bundles are empty; the codes of the bundles come last
	bundles   *bundleSet // nil without bundles
	sequences sequenceSet
	timings   blobs
	overview  []byte // the section's content, nil without one
	// otherOverview is set if it is of other content, and not used.
	otherOverview bool
	streams       int // how many there are

	moduleMu    sync.Mutex
	moduleLists map[*int]*moduleList // by address of the first number of a list
	cases       sync.Map             // *caseIndex by address of the first set of cases

	clockOnce sync.Once
	clocks    clocks
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

// Reading calls one by one ends after hopeful of them if more than hopeless are left, which would take hours: a file of
// a few bytes can claim any number.
const (
	hopeful  = 1 << 23
	hopeless = 1 << 36
)

// Hopeless is an error if so many calls were read one by one, and so many are left, that nobody waits for the end.
func (a *Archive) Hopeless(read, left uint64) error {
	if read <= hopeful || left <= hopeless {
		return nil
	}
	return a.Errorf("%d calls were read one by one, and %d more would take hours", read, left)
}

// Errorf makes an error that begins with the name of the file, if it has one.
func (a *Archive) Errorf(format string, args ...any) error {
	return named(fmt.Errorf(format, args...), a.file)
}

// MaxSection sets the size in bytes up to which a section is loaded (default DefaultMaxSection). It
// bounds memory: opening takes at most 128 times the decompressed size of the meta and structure
// sections, reading a stream adds the cache and the sections that are in use, and a call is refused
// if an array of it takes more than this limit.
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
	f, err := safefile.OpenInput(path)
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
	return OpenReader(f, fi.Size(), opts...)
}

// OpenReader opens an archive of size bytes.
func OpenReader(r io.ReaderAt, size int64, opts ...Option) (*Archive, error) {
	a := newArchive(opts)
	if err := a.open(r, size, a.maxSection); err != nil {
		return nil, named(err, a.file)
	}
	return a, nil
}

func newArchive(opts []Option) *Archive {
	o := options{maxSection: DefaultMaxSection, cache: DefaultCache, maxWork: DefaultMaxWork}
	for _, f := range opts {
		f(&o)
	}
	return &Archive{file: o.name, cache: cache{max: o.cache}, maxSection: o.maxSection, maxWork: o.maxWork}
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

// Identity is a hash of the archive's content: of the lengths and checksums of all parts of the file but the overview,
// which follows from them. A part of an archive has that of the whole; it is all zeros if the archive is in no file.
func (a *Archive) Identity() (id [sha256.Size]byte) {
	whole := a.Whole()
	if whole.c == nil {
		return id
	}
	return identityOf(whole.c.Sections())
}

// Sites are the call sites of all processes, as in Signature.Site less 1. Modules of frames are those of all.
func (a *Archive) Sites() []Site { return a.sites }

// Meta is what is known of the run. The caller must not change it.
func (a *Archive) Meta() *Meta { return &a.meta }

// Skipped names the optional sections and parts that this version does not
// know and has skipped, and an overview that is of another archive.
func (a *Archive) Skipped() (names []string) {
	for _, x := range a.extra {
		if x.part != 0 {
			names = append(names, fmt.Sprintf("part %d of %s", x.part, sectionNames[x.section]))
		} else {
			names = append(names, fmt.Sprintf("section %d version %d", x.section, x.version))
		}
	}
	if a.Whole().otherOverview {
		names = append(names, "an overview of other content")
	}
	return names
}

func (a *Archive) open(r io.ReaderAt, size, max int64) (err error) {
	if a.c, err = container.Open(r, size, max); err != nil {
		return err
	}
	found := map[uint32]int{}
	overviews := 0
	for i, s := range a.c.Sections() {
		name, known := sectionNames[s.Type]
		if !known || s.Version == 0 || s.Version > sectionVersion {
			if s.Optional {
				raw, err := a.load(i)
				if err != nil {
					return err
				}
				a.extra = append(a.extra, extra{section: s.Type, version: uint64(s.Version),
					at: i - overviews, raw: raw})
				a.stats.Other += s.Stored
				continue
			}
			return &FormatError{Section: fmt.Sprintf("section %d", i), Offset: s.Offset, Hint: hintNewer,
				Msg: fmt.Sprintf(
					"section type %d version %d is required, but this reader does not know it",
					s.Type,
					s.Version,
				)}
		}
		if _, twice := found[s.Type]; twice && (s.Type <= secStructure || s.Type == secOverview) {
			return broken(name, s.Offset, "there are two such sections")
		}
		found[s.Type] = i
		a.countSection(&s)
		if s.Type == secOverview {
			overviews++
			if err := a.loadOverview(i); err != nil {
				return err
			}
		}
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
	if err := a.readGroups(meta.pools[partGroups]); err != nil {
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
	default:
		a.stats.Other += s.Stored
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
	a.extra = append(a.extra, p.skipped...)
	for i := range schema {
		if s := &schema[i]; s.section == typ {
			a.stats.Parts = append(a.stats.Parts, PartStats{p.section, s.name, p.sizes[s.name]})
		}
	}
	return p, nil
}
