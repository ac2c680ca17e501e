package synthetic

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
)

// Program is what all ranks of a job do.
type Program struct {
	Name string
	// About says in a line what it is.
	About string
	// Dims is the number of dimensions of its process grid, 0 if it has none.
	Dims int
	// Body is the program between MPI_Init and MPI_Finalize.
	Body func(r *Rank)
	// Fits says why the program cannot run with these parameters, nil if it can. It may be nil.
	Fits func(Params) error
}

func (p *Program) path() string    { return "/synthetic/" + p.Name }
func (p *Program) source() string  { return p.Name + ".c" }
func (p *Program) buildID() string { return fmt.Sprintf("%016x", mix(1, hashString(p.Name))) }

func hashString(s string) uint64 {
	h := uint64(0)
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h
}

// where names places in the code of a program.
func (p *Program) where(m symbol.Module, offset uint64) archive.Frame {
	if m.Path != p.path() || offset < codeBase {
		return archive.Frame{}
	}
	return archive.Frame{Func: "main", File: p.source(), Line: int((offset - codeBase) / codeLine)}
}

// Programs lists all programs by name.
func Programs() []*Program {
	ps := slices.Concat(stencils(), patterns(), irregular())
	slices.SortFunc(ps, func(a, b *Program) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
	return ps
}

// ByName finds a program, nil if there is none of that name.
func ByName(name string) *Program {
	for _, p := range Programs() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Job makes the ranks of a program with given parameters. It may be used by several goroutines.
type Job struct{ pl *player }

// NewJob prepares a job. The error says why p cannot run with params.
func NewJob(p *Program, params Params) (*Job, error) {
	pl, err := newPlayer(p, params)
	if err != nil {
		return nil, err
	}
	return &Job{pl}, nil
}

// Size is the number of calls of a rank and the information in them.
type Size struct {
	Calls uint64
	Bits  float64 // see Rank.Bits
}

// Rank makes the calls of one rank and compresses them: what an archive needs of the rank. The
// process number in the streams is 0. log may be nil.
func (j *Job) Rank(rank int, log *Log) (archive.RankData, []archive.StreamData, Size, error) {
	off := collect.NewOffline(j.pl.params.Timing)
	r, err := j.pl.play(rank, log, off.Record)
	if err != nil {
		return archive.RankData{}, nil, Size{}, fmt.Errorf("%s, rank %d: %w", j.pl.prog.Name, rank, err)
	}
	d, streams, err := off.Data(j.pl.prog.where)
	if err != nil {
		return archive.RankData{}, nil, Size{}, fmt.Errorf("%s, rank %d: %w", j.pl.prog.Name, rank, err)
	}
	d.End = "exited with status 0"
	d.PID = pid(rank)
	return d, streams, Size{Calls: r.Calls, Bits: r.Bits}, nil
}

// Recording is the archive of all ranks, as the bytes of a file.
func (j *Job) Recording() ([]byte, error) {
	part := merge.New()
	part.SetMeta(j.Meta())
	for rank := range j.pl.params.Ranks {
		d, streams, _, err := j.Rank(rank, nil)
		if err != nil {
			return nil, err
		}
		if err := part.Add(d, streams); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err := part.Write(&b)
	return b.Bytes(), err
}

// Records makes the records of one rank and hands them to sink, which must not keep them.
func (j *Job) Records(rank int, sink func(ring.Record) error) error {
	_, err := j.pl.play(rank, nil, sink)
	return err
}

// Meta is what an archive says of the job as a whole.
func (j *Job) Meta() archive.Meta {
	return archive.Meta{Command: []string{j.pl.prog.path()}, MPI: j.pl.lib.version, ABI: j.pl.lib.abi,
		Created: created, Tool: "tabard synthetic", Options: map[string]string{}}
}

// Params are the job's parameters, with all defaults filled in.
func (j *Job) Params() Params { return j.pl.params }
