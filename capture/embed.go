// Package capture holds the C runtime that is preloaded into traced programs, and embeds it
// (build.sh).
//
// Its rooms:
//
//	core/    one thread's stream of records: the hot path of wrappers (call.h), calls inside calls, segments of
//	         shared memory (ring.h is what the collector reads), calls that repeat, clocks, start and end of
//	         the process
//	memory/  what addresses become: segments of the heap, mappings, memory of GPUs
//	sites/   who called: modules, unwinding, callbacks that end in a jump
//	regions/ parts of the program that it names itself, by our interface and others'
//	nccl/    NCCL and RCCL: what their wrappers need
//	torch/   torch.distributed: the methods of PyTorch's process groups
//	cuda/    calls of CUDA, and what its GPUs do, as CUPTI tells them
//	openmp/  events of OpenMP programs: of what libgomp is called for, or of what other runtimes tell tools
//	threads/ threads that wait for locks, conditions and barriers
//	python/  functions of Python programs, of what the interpreter tells
//	mpi/     what is MPI's: the real library, how its values look, statuses, MPI_Finalize, spawned processes;
//	         the wrappers themselves are generated (mpi/gen)
//	posixio/ what is special about POSIX I/O and stdio: which descriptors are of regular files, and where in them the
//	         program is; wrappers in posixio/gen
//
// The first three know no API: what they ask of one is in core/api.h, and apis.c says which there
// are. A room includes of another what is meant for it: ring.h, call.h, core.h, api.h and lock.h of
// core/, memory/memory.h, sites.h and modules.h of sites/.
//
// The tests have a faked MPI (testdata/fakempi) under the whole runtime, and a harness
// (testdata/harness) that stands for the core under memory/ and sites/.
//
// # Decisions
//
// The wrapper only encodes. The library links no MPI and includes no mpi.h: a descriptor found at
// run time says how wide handles are and where a status keeps its fields, so one binary serves
// Open MPI, MPICH and the MPI 5 ABI. It exports MPI_X and PMPI_X as one function; that makes all
// Fortran bindings, C++ and mpi4py visible. It never exits, aborts, or takes a lock on the hot
// path.
//
// A repeated call travels as a number (core/intern.c). That halves the cost of recognising it,
// keeps loops of 100,000 different calls within twice the cost of short ones, and lets the same
// memory hold three times as many calls. The program's own path did not get shorter: two readings
// of the clock are two thirds of it.
//
// What a program ignores is asked for (mpi/wildcards.c). Only the status tells which message a
// receive from any source got, and many programs ignore it. Such a call gets a status of our own.
// The signature says so, and a replay passes the constant again.
//
// A callback may end in a jump (sites/jumps.c): the library then seems to make the call. The
// callbacks that the program hands to MPI are searched for such jumps.
//
// Only communicators that exist are asked for their size. A question about a freed one would run
// the program's error handler, so the runtime keeps the set of those that the program holds.
//
// A GPU driver is asked only about what nothing else explains, without a lock and at each call:
// allocations by pointer are not seen, nor their end, and drivers map memory with their own locks
// held.
//
// # Processors
//
// What depends on the processor: the counter of time stamps, the registers of call frame
// information, jumps of callbacks, what entries of functions lead to (functions/), the calls of the
// replay executor, the width of addresses. On AArch64 the frame pointer does not tell where a
// frame ends, so wrappers hand on both. Functions
// without a frame, which signal handlers interrupt, have their return address in a register, and
// return addresses may be signed. make arm64 runs the C parts as AArch64 programs under
// emulation. That cannot show addresses above 47 bits, pages of 64 KiB, a processor that reorders
// stores (all that is shared is published with release and read with acquire), and cost.
package capture

import (
	"bytes"
	"debug/elf"
	_ "embed" // for the runtime
	"fmt"
)

//go:embed libtabard.so
var runtime []byte

// Runtime returns the shared library to preload. The caller must not change it.
func Runtime() []byte { return runtime }

// Version identifies the sources that the runtime was built from: the symbol
// tb_version, 16 hexadecimal digits. An error means that the embedded file is no such library:
// a build gone wrong.
func Version() (string, error) {
	return versionOf(runtime)
}

func versionOf(lib []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(lib))
	if err != nil {
		return "", fmt.Errorf("capture: embedded runtime: %w", err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return "", fmt.Errorf("capture: embedded runtime: %w", err)
	}
	for _, s := range symbols {
		if s.Name != "tb_version" || int(s.Section) >= len(f.Sections) {
			continue
		}
		section := f.Sections[s.Section]
		data, err := section.Data()
		if err != nil {
			return "", fmt.Errorf("capture: embedded runtime: %w", err)
		}
		start := s.Value - section.Addr
		if s.Value < section.Addr || start+s.Size > uint64(len(data)) {
			return "", fmt.Errorf("capture: embedded runtime: tb_version lies outside its section")
		}
		return string(bytes.TrimRight(data[start:start+s.Size], "\x00")), nil
	}
	return "", fmt.Errorf("capture: embedded runtime lacks tb_version")
}
