package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/files"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// FilesSchema names the form of Files.
const FilesSchema = "tabard.files/1"

var _ = register[Files](FilesSchema, "io --json")

// Files is what was done to files.
type Files struct {
	Schema    string          `json:"schema"`
	File      string          `json:"file"`
	Selection selection.Flags `json:"selection"`
	// SizeBounds are the upper bounds of the classes in sizes, in bytes; the last class has none.
	SizeBounds []int64        `json:"size_bounds"`
	Files      []AccessedFile `json:"files"`
	// Unnamed counts accesses to files that no recorded call has opened.
	Unnamed uint64 `json:"unnamed"`
	// Contention is missing for reads or writes that do not take longer while others access files.
	Contention map[string]Contention `json:"contention,omitempty"`
	// Waited is the waiting for ranks that accessed files, by these ranks, the dearest first.
	Waited []waits.Share `json:"waited_for,omitempty"`
}

// Contention is how much longer accesses took than alone.
type Contention struct {
	Calls    uint64        `json:"calls"`
	Others   float64       `json:"others"` // accesses at the same time, in the mean
	Time     time.Duration `json:"time_ns"`
	Alone    time.Duration `json:"alone_ns"`
	Slowdown float64       `json:"slowdown"`
}

// AccessedFile is what was done to one file, by all selected ranks together.
type AccessedFile struct {
	Path   string     `json:"path"`
	Ranks  string     `json:"ranks"` // that read or wrote it
	Reads  FileAccess `json:"reads"`
	Writes FileAccess `json:"writes"`
	Opens  uint64     `json:"opens"`
	// Meta counts calls that move no data, opening included.
	Meta     uint64        `json:"metadata_calls"`
	MetaTime time.Duration `json:"metadata_time_ns"`
	Failed   uint64        `json:"failed"`
	// Slowest and Fastest are the ranks with the most and the least time in reads and writes.
	Slowest *files.RankTime `json:"slowest,omitempty"`
	Fastest *files.RankTime `json:"fastest,omitempty"`
}

// FileAccess is reads, or writes.
type FileAccess struct {
	Calls uint64        `json:"calls"`
	Bytes int64         `json:"bytes"`
	Time  time.Duration `json:"time_ns"`
	// Order says in one word in which order most came.
	Order string `json:"order"`
	// Unplaced accesses have no known offset, and are in no class of the order.
	Unplaced uint64 `json:"unplaced"`
	// Consecutive accesses begin where the rank's last one on the file ended.
	Consecutive uint64 `json:"consecutive"`
	Forward     uint64 `json:"forward"`  // begin behind that
	Backward    uint64 `json:"backward"` // begin before that
	// Strided accesses are as far from the one before as that from the one before it, and not consecutive.
	Strided   uint64       `json:"strided"`
	Sizes     []uint64     `json:"sizes"`
	Small     uint64       `json:"small"`     // of less than 4096 bytes
	Unaligned uint64       `json:"unaligned"` // begin at no multiple of 4096
	Pattern   *FilePattern `json:"pattern"`   // null if there is none
}

// FilePattern says that access i of a rank begins at base + per_rank*rank + step*i. If run is not 0, i counts from 0 to
// run-1 again and again, and turn s begins turn*s further on.
type FilePattern struct {
	Base    int64 `json:"base"`
	PerRank int64 `json:"per_rank"`
	Step    int64 `json:"step"`
	Turn    int64 `json:"turn"`
	Run     int64 `json:"run"`
	Calls   int64 `json:"calls"` // of each rank; -1 if that differs
	Bytes   int64 `json:"bytes"` // of each access; -1 if that differs
}

// NewFiles makes the document of a result.
func NewFiles(arch *archive.Archive, flags selection.Flags, r *files.Result, waited *waits.Result) *Files {
	d := &Files{Schema: FilesSchema, File: arch.File(), Selection: flags, SizeBounds: files.SizeBounds,
		Files: []AccessedFile{}, Unnamed: r.Unnamed}
	for _, f := range r.Files {
		x := AccessedFile{Path: f.Path, Ranks: RankList(f.Ranks), Reads: fileAccess(&f.Reads),
			Writes: fileAccess(&f.Writes), Opens: f.Opens, Meta: f.Meta, MetaTime: f.MetaTime, Failed: f.Failed}
		if len(f.Ranks) > 0 {
			x.Slowest, x.Fastest = &f.Slowest, &f.Fastest
		}
		d.Files = append(d.Files, x)
	}
	for i, what := range []string{"reads", "writes"} {
		if c := &r.Contention[i]; c.Calls > 0 {
			if d.Contention == nil {
				d.Contention = map[string]Contention{}
			}
			d.Contention[what] = Contention{c.Calls, c.Others, c.Time, c.Alone, c.Slowdown()}
		}
	}
	if waited != nil {
		d.Waited = FileWaits(waited)
	}
	return d
}

// FileWaits is the waiting for ranks that accessed files, by these ranks, the dearest first.
func FileWaits(r *waits.Result) (list []waits.Share) {
	of := map[int32]time.Duration{}
	for i := range r.Roots {
		if x := &r.Roots[i]; x.InFiles > 0 {
			of[x.Process] += x.InFiles
		}
	}
	for process, t := range of {
		list = append(list, waits.Share{Process: process, Time: t})
	}
	slices.SortFunc(list, func(a, b waits.Share) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Process, b.Process))
	})
	return list
}

func fileAccess(a *files.Access) FileAccess {
	x := FileAccess{Calls: a.Calls, Bytes: a.Bytes, Time: a.Time, Order: a.Order(), Unplaced: a.Unplaced,
		Consecutive: a.Consecutive, Forward: a.Forward,
		Backward: a.Backward, Strided: a.Strided, Sizes: a.Sizes[:], Small: a.SmallCalls, Unaligned: a.Unaligned}
	if p := a.Pattern; p != nil {
		x.Pattern = &FilePattern{p.Base, p.PerRank, p.Step, p.Turn, p.Run, p.Calls, p.Bytes}
	}
	return x
}
