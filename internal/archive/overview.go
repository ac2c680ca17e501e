package archive

import (
	"bytes"
	"crypto/sha256"
	"io"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive/container"
	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/column"
)

// Overview is what the calls of an archive do over time: for each row, which is some lines next to each other, and
// each bin of time the nanoseconds of each category and the calls that begin in it. A line is a stream of the archive
// that Calls gives. Bin b begins at b<<Level nanoseconds. Categories are numbers here: package timeline has them.
//
// It follows from the rest of the archive, and makes the first picture exact without the times of all streams.
type Overview struct {
	// Length is when the last call ends.
	Length time.Duration
	// Lines is how many there are, Group how many a row has but for the last one.
	Lines, Group, Level int
	// Rows have, by category, a number for each bin; nil if all are 0. Times of successive bins add up to their sum,
	// rounded.
	Rows []OverviewRow
}

// OverviewRow is a row of an Overview.
type OverviewRow struct{ Time, Calls [][]uint64 }

// Limits of an Overview. Its section is at most a hundredth of the rest of the file.
const (
	overviewShare      = 100
	maxOverviewRows    = 1 << 12
	maxOverviewNumbers = 1 << 24
	// OverviewCategories is how many categories there are at most.
	OverviewCategories = 16
	maxOverviewLevel   = 54
)

// Bins is how many bins of time there are.
func (o *Overview) Bins() int { return int(o.Length>>o.Level) + 1 }

func (o *Overview) rows() int { return (o.Lines + o.Group - 1) / o.Group }

// encode codes all but what the overview is of.
func (o *Overview) encode() []byte {
	e := encoder{}
	for _, v := range []uint64{uint64(o.Length), uint64(o.Lines), uint64(o.Group), uint64(o.Level)} {
		e.Uvarint(v)
	}
	for _, r := range o.Rows {
		for _, values := range [][][]uint64{r.Time, r.Calls} {
			mask := uint64(0)
			for c, list := range values {
				if list != nil {
					mask |= 1 << c
				}
			}
			e.Uvarint(mask)
			for _, list := range values {
				if list == nil {
					continue
				}
				b := column.NewBuilder()
				for _, v := range list {
					b.Append(int64(v))
				}
				e.Sized(b.Encode(nil))
			}
		}
	}
	return e.Out
}

// parseOverview reads what encode made. It trusts nothing in it.
func parseOverview(in []byte) (*Overview, error) {
	p := &byteio.Reader{In: in, What: "overview"}
	upTo := func(most uint64) uint64 {
		v := p.Uvarint()
		if v > most {
			p.Fail("number out of range")
			return 0
		}
		return v
	}
	o := &Overview{Length: time.Duration(upTo(1 << 62)), Lines: int(upTo(1 << 31)), Group: int(upTo(1 << 31)),
		Level: int(upTo(maxOverviewLevel))}
	if p.Err == nil && (o.Group == 0 || o.rows() > maxOverviewRows || o.Bins() > maxOverviewNumbers) {
		p.Fail("impossible size")
	}
	left := maxOverviewNumbers
	series := func() (values [][]uint64) {
		mask := upTo(1<<OverviewCategories - 1)
		for c := 0; mask>>c != 0 && p.Err == nil; c++ {
			var list []uint64
			if mask>>c&1 != 0 {
				if left -= o.Bins(); left < 0 {
					p.Fail("too many numbers")
					return nil
				}
				list = overviewColumn(p, o.Bins())
			}
			values = append(values, list)
		}
		return values
	}
	for p.Err == nil && len(o.Rows) < o.rows() {
		o.Rows = append(o.Rows, OverviewRow{Time: series(), Calls: series()})
	}
	if p.Err == nil && p.Left() > 0 {
		p.Fail("bytes after the last row")
	}
	return o, p.Err
}

// overviewColumn reads n numbers.
func overviewColumn(p *byteio.Reader, n int) []uint64 {
	r, err := column.Open(p.Sized())
	if err != nil || r.Len() != uint64(n) {
		p.Fail("broken column")
		return nil
	}
	signed, list := make([]int64, n), make([]uint64, n)
	if got := r.Read(0, signed); got != n || r.Err() != nil {
		p.Fail("broken column")
		return nil
	}
	for i, v := range signed {
		if v < 0 {
			p.Fail("negative number")
			return nil
		}
		list[i] = uint64(v)
	}
	return list
}

// overviewOf is what an overview has of the archive that it was made of: the begin of its Identity.
const overviewOf = 16

// Overview is the one that the archive has, nil if it has none.
func (a *Archive) Overview() (*Overview, error) {
	w := a.Whole()
	if w.overview == nil {
		return nil, nil
	}
	o, err := parseOverview(w.overview)
	if err != nil {
		return nil, a.broken("overview", -1, "%v", err)
	}
	return o, nil
}

// loadOverview keeps the content of the section, or that it is of another archive: a writer that does not know the
// section may have copied it.
func (a *Archive) loadOverview(i int) error {
	raw, err := a.load(i)
	if err != nil {
		return err
	}
	id := a.Identity()
	if of, ok := bytes.CutPrefix(raw, id[:overviewOf]); ok {
		a.overview = of
	} else {
		a.otherOverview = true
	}
	return nil
}

// MaxOverview is how many bytes the overview of the archive may take.
func (a *Archive) MaxOverview() int64 {
	n := a.stats.Total
	for _, s := range a.Whole().c.Sections() {
		if s.Type == secOverview {
			n -= s.Stored
		}
	}
	return n / overviewShare
}

// Size is how many bytes the overview takes in a file, about.
func (o *Overview) Size() int64 { return int64(overviewOf + container.PackedLen(o.encode())) }

// Equal tells whether two overviews say the same.
func (o *Overview) Equal(p *Overview) bool { return bytes.Equal(o.encode(), p.encode()) }

// WriteOverview writes the archive, which must be that of a file, with another overview, or with none if it is nil. The
// rest is copied as it is.
func (a *Archive) WriteOverview(w io.Writer, o *Overview) error {
	a = a.Whole()
	cw, err := container.NewWriter(w)
	if err != nil {
		return err
	}
	for i, s := range a.c.Sections() {
		if s.Type == secOverview {
			continue
		}
		b, err := a.c.Stored(i)
		if err != nil {
			return named(err, a.file)
		}
		if err := cw.AddStored(s, b); err != nil {
			return err
		}
	}
	if o != nil {
		id := a.Identity()
		if err := cw.Add(secOverview, true, sectionVersion, append(id[:overviewOf:overviewOf], o.encode()...)); err != nil {
			return err
		}
	}
	return cw.Close()
}

// identityOf is the hash of what the index says of sections but overviews.
func identityOf(sections []container.Section) [sha256.Size]byte {
	var b []byte
	for i := range sections {
		if sections[i].Type != secOverview {
			b = container.AppendEntry(b, &sections[i])
		}
	}
	return sha256.Sum256(b)
}
