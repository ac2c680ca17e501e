package trace

import (
	"errors"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Archive is an open archive. It is safe for concurrent use.
type Archive struct{ a *archive.Archive }

// Options bound what reading an archive may take. A field that is zero has its default.
type Options struct {
	// Name is what errors call the archive. The default is the path given to Open.
	Name string
	// MaxSection is the size in bytes up to which a section of the file is loaded, 1 GiB by default. It
	// bounds memory: opening takes at most 128 times the decompressed size of the structure, reading a
	// stream adds Cache and the sections that are in use.
	MaxSection int64
	// Cache is how many bytes of columns and times are kept, 64 MiB by default. The section in use is
	// kept even if it is larger.
	Cache int64
	// MaxWork is how many values one operation reads at most without giving a call, 2^32 by default:
	// a damaged file may pretend to hold more than anyone can wait for.
	MaxWork uint64
}

func (o *Options) list() (list []archive.Option) {
	if o == nil {
		return nil
	}
	if o.Name != "" {
		list = append(list, archive.FileName(o.Name))
	}
	if o.MaxSection != 0 {
		list = append(list, archive.MaxSection(o.MaxSection))
	}
	if o.Cache != 0 {
		list = append(list, archive.Cache(o.Cache))
	}
	if o.MaxWork != 0 {
		list = append(list, archive.MaxWork(o.MaxWork))
	}
	return list
}

// Open opens the archive at path. It reads the structure and no calls. The defaults hold if opts is
// nil.
func Open(path string, opts *Options) (*Archive, error) {
	a, err := archive.Open(path, opts.list()...)
	if err != nil {
		return nil, public(err)
	}
	return &Archive{a}, nil
}

// OpenReader opens an archive of size bytes. The defaults hold if opts is nil.
func OpenReader(r io.ReaderAt, size int64, opts *Options) (*Archive, error) {
	a, err := archive.OpenReader(r, size, opts.list()...)
	if err != nil {
		return nil, public(err)
	}
	return &Archive{a}, nil
}

// Close closes the file that Open opened. Calls cannot be read afterwards.
func (a *Archive) Close() error { return a.a.Close() }

// Meta is what is known of a run as a whole.
type Meta struct {
	// Command is the recorded command line.
	Command []string
	// MPI is the library's version string.
	MPI string
	// Created is when recording began.
	Created time.Time
	// Tool is the version of the recorder.
	Tool string
	// Partial is set when calls were left out on purpose (filters, tracing switched off): objects may
	// appear that no recorded call created.
	Partial bool
	// Options are the recorder's settings, by name.
	Options map[string]string
}

// Meta is what is known of the run as a whole.
func (a *Archive) Meta() Meta {
	m := a.a.Meta()
	return Meta{
		Command: slices.Clone(m.Command), MPI: m.MPI, Created: m.Created, Tool: m.Tool,
		Partial: m.Partial, Options: maps.Clone(m.Options),
	}
}

// Rank is what is known of one process.
type Rank struct {
	// World tells MPI_COMM_WORLDs apart: 0 is that of the launched program, spawned programs have
	// others.
	World int
	// Rank and Size are the rank in MPI_COMM_WORLD and its size. Rank is -1 if the process never
	// initialised MPI.
	Rank, Size int
	// Host and PID tell where the process ran.
	Host string
	PID  int
	// Complete is set when the process reached its end in order and every call is in the archive.
	Complete bool
	// LostCalls is the number of calls that could not be recorded.
	LostCalls uint64
	// End says how the process ended, such as "exited" or "killed by signal 9".
	End string
	// Info holds further facts by name, such as "exe".
	Info map[string]string
}

func rank(r *archive.RankData) Rank {
	return Rank{
		World: r.World, Rank: r.Rank, Size: r.Size, Host: r.Host, PID: r.PID,
		Complete: r.Complete, LostCalls: r.LostCalls, End: r.End, Info: maps.Clone(r.Info),
	}
}

// Ranks yields all processes by world and rank. Those without a rank come after the others of their
// world.
func (a *Archive) Ranks() iter.Seq[Rank] {
	return func(yield func(Rank) bool) {
		for _, r := range a.a.Ranks() {
			if !yield(rank(r)) {
				return
			}
		}
	}
}

// Streams yields the streams in the order of Ranks, and those of a process in the order of threads.
// A stream keeps what it has read.
func (a *Archive) Streams() iter.Seq[*Stream] {
	return func(yield func(*Stream) bool) {
		for s := range a.a.Streams() {
			if !yield(&Stream{Thread: s.Thread(), s: s}) {
				return
			}
		}
	}
}

// Error says that an archive is broken or cannot be read by this version: the input is at fault,
// not the reader.
type Error struct {
	// File is the name of the archive, empty if unknown.
	File string
	// Section is the part that is broken: "header", "trailer", "index", "meta", "structure", "columns"
	// or "timing", often with the part of the section ("structure/classes").
	Section string
	// Offset is where: in the file for errors of a section as a whole, in the section's decompressed
	// content for errors inside of it, -1 if the error is at no particular place.
	Offset int64
	// Msg says what is wrong, Hint what to do about it.
	Msg, Hint string
}

// Error gives all of it on one line.
func (e *Error) Error() string { return (*archive.FormatError)(e).Error() }

// public turns the error of a broken archive into an Error.
func public(err error) error {
	var broken *archive.FormatError
	if errors.As(err, &broken) {
		e := Error(*broken)
		return &e
	}
	return err
}
