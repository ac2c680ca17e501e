package symbol

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// Module is a loaded program or library.
type Module struct {
	Path, BuildID string
	Base, Size    uint64
}

// Frame is a place in the code: a return address in a module.
type Frame struct {
	Module uint32
	Offset uint64
	Known  bool // false: the address Offset belongs to no module
	Entry  bool // it is the address of a function
}

// Clock relates ticks to time.
type Clock struct {
	Ticks, RealNS, MonoNS uint64
	Source                uint64 // ring.ClockTSC or ring.ClockGettime
}

// facts are what a process says of itself, in records of the runtime.
type facts struct {
	info   map[string]string
	rank   int
	size   int
	world  bool
	mods   map[uint32]Module
	stacks map[uint64][]uint64
	clocks []Clock
	lost   uint64
	ended  bool
	final  bool // reached its end after MPI_Finalize, or never initialised MPI
	part   bool // see Partial
}

func newFacts() facts {
	return facts{info: map[string]string{}, rank: -1, mods: map[uint32]Module{}, stacks: map[uint64][]uint64{}}
}

// Rank is the rank in MPI_COMM_WORLD and its size; ok is false before initialisation.
func (f *facts) Rank() (rank, size int, ok bool) { return f.rank, f.size, f.world }

// Info is what the process said of itself: exe, host, lib, ...
func (f *facts) Info() map[string]string { return f.info }

// Modules are the modules that call sites and static data refer to.
func (f *facts) Modules() map[uint32]Module { return f.mods }

// Clocks relate ticks to time, in order.
func (f *facts) Clocks() []Clock { return f.clocks }

// Lost is the number of calls that the runtime could not record.
func (f *facts) Lost() uint64 { return f.lost }

// Ended reports whether the process reached its end in order, and whether it
// did so after MPI_Finalize, or without ever having initialised MPI.
func (f *facts) Ended() (ended, finalized bool) { return f.ended, f.final }

// Partial reports whether calls were hidden, tracing was switched off, or a request appeared that
// no call in sight created.
func (f *facts) Partial() bool { return f.part }

// learnFact takes in a record of the runtime, but for the ABI.
func (f *facts) learnFact(rec ring.Record) error {
	w := rec.Payload()
	need := func(n int) error {
		if len(w) < n {
			return fmt.Errorf("record %d of the runtime: %d words, want %d", rec.ID(), len(w), n)
		}
		return nil
	}
	switch rec.ID() {
	case ring.RPad:
	case ring.RProcess:
		list, _, err := takeList(w)
		if err != nil {
			return err
		}
		for _, it := range list {
			f.setInfo(it.Text())
		}
	case ring.RWorld:
		if err := need(2); err != nil {
			return err
		}
		f.rank, f.size, f.world = int(int64(w[0])), int(int64(w[1])), true
	case ring.RModule:
		return f.module(w)
	case ring.RStack:
		if err := need(2); err != nil {
			return err
		}
		frames, _, err := ring.Take(&spec.Slot{Array: true}, w[1:])
		if err != nil {
			return err
		}
		f.stacks[w[0]] = append([]uint64(nil), frames.Data...)
	case ring.RLost:
		if err := need(1); err != nil {
			return err
		}
		f.lost += w[0]
	case ring.RClock:
		if err := need(4); err != nil {
			return err
		}
		f.clocks = append(f.clocks, Clock{Ticks: w[0], RealNS: w[1], MonoNS: w[2], Source: w[3]})
	case ring.REnd:
		f.ended = true
		f.final = len(w) > 0 && w[0] != 0
	default:
		return fmt.Errorf("record of the runtime with unknown id %d", rec.ID())
	}
	return nil
}

func (f *facts) setInfo(kv string) {
	for i := range len(kv) {
		if kv[i] == '=' {
			f.info[kv[:i]] = kv[i+1:]
			return
		}
	}
}

func takeList(w []uint64) ([]ring.Raw, []uint64, error) {
	r, rest, err := ring.Take(&spec.Slot{Array: true}, w)
	if err != nil {
		return nil, nil, err
	}
	if r.Kind != ring.AList {
		return nil, nil, fmt.Errorf("list of strings expected")
	}
	return r.Items(), rest, nil
}

func (f *facts) module(w []uint64) error {
	if len(w) < 3 {
		return fmt.Errorf("module record of %d words", len(w))
	}
	str := &spec.Slot{Codec: spec.String}
	path, rest, err := ring.Take(str, w[3:])
	if err != nil {
		return err
	}
	id, _, err := ring.Take(str, rest)
	if err != nil {
		return err
	}
	f.mods[uint32(w[0])] = Module{Path: path.Text(), BuildID: id.Text(), Base: w[1], Size: w[2]}
	return nil
}
