package findings

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/files"
)

// family is the files whose paths differ in numbers only.
type family struct {
	name          string
	files         int
	reads, writes files.Access
	sharing       int // the most ranks that access one of them
}

var digits = regexp.MustCompile(`[0-9]+`)

// manySmall is how many accesses are so many that it matters how small they are.
const manySmall = 100

// files reports what makes files slow: contention, metadata, and accesses that are small, scattered, or in blocks that
// ranks share.
func (f *finder) files() {
	if f.Files == nil {
		return
	}
	for i, verb := range accessVerbs {
		c := &f.Files.Contention[i]
		if c.Calls == 0 || f.share(c.Excess()) < least {
			continue
		}
		f.add(Finding{Kind: Contention, Cost: c.Excess(), Process: -1, Step: -1, Command: []string{"io"},
			Text: fmt.Sprintf("contention: ranks that %s files slow each other down: %ss take %.1f times as long as "+
				"alone, with "+
				"%.1f other accesses at the same time in the mean (%s)", verb, verb, c.Slowdown(), c.Others,
				f.part(c.Excess()))})
	}
	families := map[string]*family{}
	var order []*family
	var all, meta time.Duration
	var opens, calls uint64
	for _, x := range f.Files.Files {
		all += x.Time()
		meta += x.MetaTime
		opens += x.Opens
		calls += x.Meta
		name := digits.ReplaceAllString(filepath.Base(x.Path), "*")
		key := filepath.Join(filepath.Dir(x.Path), name)
		of := families[key]
		if of == nil {
			of = &family{name: filepath.Base(x.Path)}
			families[key], order = of, append(order, of)
		}
		if of.files++; of.files == 2 {
			of.name = name
		}
		of.reads.Add(&x.Reads)
		of.writes.Add(&x.Writes)
		of.sharing = max(of.sharing, len(x.Ranks))
	}
	if f.share(meta) >= least && 10*meta >= 3*all {
		f.add(Finding{Kind: Metadata, Cost: meta, Process: -1, Step: -1, Command: []string{"io"},
			Text: fmt.Sprintf("metadata takes %.0f%% of the time of all I/O (%s): %d calls, %d of them open one of "+
				"%d files",
				100*ratio(meta, all), f.part(meta), calls, opens, len(f.Files.Files))})
	}
	for _, of := range order {
		f.family(of, 0, &of.reads)
		f.family(of, 1, &of.writes)
	}
}

var accessVerbs = [2]string{"read", "write"}

// family reports how files of one name are read, or written.
func (f *finder) family(of *family, way int, a *files.Access) {
	if a.Calls == 0 || f.share(a.Time) < least {
		return
	}
	var kinds []Kind
	var traits []string
	trait := func(k Kind, text string) { kinds, traits = append(kinds, k), append(traits, text) }
	if a.Calls >= manySmall && 2*a.SmallCalls >= a.Calls {
		trait(SmallAccess, fmt.Sprintf("small pieces (%d bytes in the mean)", a.Bytes/int64(a.Calls)))
	}
	switch a.Order() {
	case "random":
		trait(RandomAccess, "random order")
	case "strided":
		trait(Strided, "pieces with equal gaps (strided)")
	}
	if way == 1 && of.sharing > 1 && 2*a.Unaligned >= a.Calls && a.Unplaced == 0 {
		trait(SharedFile, fmt.Sprintf("blocks of %d bytes that up to %d ranks share", files.Block, of.sharing))
	}
	if len(kinds) == 0 {
		return
	}
	name := of.name
	if of.files > 1 {
		name = fmt.Sprintf("%s (%d files)", name, of.files)
	}
	n := Finding{Kind: kinds[0], Cost: a.Time, Process: -1, Step: -1, Command: []string{"io"}}
	n.Text = fmt.Sprintf("%d %ss of %s are in %s (%s)", a.Calls, accessVerbs[way], name,
		strings.Join(traits, ", in "), f.part(a.Time))
	if advice := advice(kinds); advice != "" {
		n.Text += ": " + advice
	}
	f.add(n)
}

// advice is what helps against accesses of such kinds.
func advice(kinds []Kind) string {
	switch {
	case slices.Contains(kinds, Strided) || slices.Contains(kinds, SharedFile):
		return "collective I/O, or fewer ranks that access the file, would join them"
	case slices.Contains(kinds, SmallAccess):
		return "a buffer would join them"
	}
	return ""
}
