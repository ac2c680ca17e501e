package report

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/doctor"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/verify"
)

// Schemas of what is said of making and checking recordings.
const (
	MergeSchema    = "tabard.merge/1"
	RecoverySchema = "tabard.recover/1"
	VerifySchema   = "tabard.verify/1"
	DoctorSchema   = "tabard.doctor/1"
)

var (
	_ = register[Merge](MergeSchema, "merge --json")
	_ = register[Recovery](RecoverySchema, "recover --json")
	_ = register[Verify](VerifySchema, "verify --json")
	_ = register[Doctor](DoctorSchema, "doctor --json")
)

// Merge is one file that was made of several.
type Merge struct {
	Schema string      `json:"schema"`
	File   string      `json:"file"`
	Ranks  int         `json:"ranks"`
	Bytes  int64       `json:"bytes"`
	Parts  []MergePart `json:"parts"`
	// Overview is the bytes of the overview that was asked for, NoOverview why there is none.
	Overview   int64  `json:"overview_bytes,omitempty"`
	NoOverview string `json:"no_overview,omitempty"`
}

// MergePart is a file that was merged into another.
type MergePart struct {
	File string `json:"file"`
	// Added is the number of processes that came from it, Replaced how many of those it knows
	// better than a file before.
	Added    int `json:"added"`
	Replaced int `json:"replaced"`
}

// NewMerge makes the document of a merge into a file.
func NewMerge(file string, r *collect.MergeReport) *Merge {
	m := &Merge{Schema: MergeSchema, File: file, Ranks: r.Ranks, Bytes: r.Bytes, Parts: []MergePart{}}
	for _, s := range r.Sources {
		m.Parts = append(m.Parts, MergePart{File: s.Name, Added: s.Added, Replaced: s.Replaced})
	}
	return m
}

// Recovery is a recording that was completed after an interruption.
type Recovery struct {
	Schema     string   `json:"schema"`
	File       string   `json:"file"`
	Outcome    string   `json:"outcome"` // recovered, moved, kept, nothing
	Ranks      int      `json:"ranks"`
	Calls      uint64   `json:"calls"`
	Unfinished int      `json:"unfinished_ranks"`
	Lost       uint64   `json:"lost_calls"`
	Problems   []string `json:"problems"`
}

// NewRecovery makes the document of a recovery. The file is where the recording is now.
func NewRecovery(file string, r collect.Report) *Recovery {
	return &Recovery{RecoverySchema, file, outcome(r), r.Ranks, r.Calls, r.Unfinished, r.Lost,
		append([]string{}, r.Problems...)}
}

// outcome is what a recovery came to.
func outcome(r collect.Report) string {
	switch {
	case r.Moved != "":
		return "moved"
	case r.Kept:
		return "kept"
	case r.Bytes > 0:
		return "recovered"
	}
	return "nothing"
}

// Verify is what a comparison of a recording with its raw log found.
type Verify struct {
	Schema string `json:"schema"`
	Equal  bool   `json:"equal"`
	*verify.Report
	// Incomplete says what ranks and calls are in neither, as they were not recorded.
	Incomplete string `json:"incomplete,omitempty"`
}

// NewVerify makes the document of a comparison.
func NewVerify(a *archive.Archive, r *verify.Report) *Verify {
	return &Verify{VerifySchema, r.Equal(), r, archive.Incomplete(a.Gaps())}
}

// Doctor is whether recording works on a machine.
type Doctor struct {
	Schema string         `json:"schema"`
	OK     bool           `json:"ok"`
	Checks []doctor.Check `json:"checks"`
}

// NewDoctor makes the document of checks.
func NewDoctor(checks []doctor.Check) *Doctor {
	return &Doctor{DoctorSchema, !doctor.Failed(checks), checks}
}
