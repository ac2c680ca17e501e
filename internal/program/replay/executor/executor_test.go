package executor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/spec"
)

// both runs a test of a stream with the binary interface of either MPI.
func both(t *testing.T, f func(t *testing.T, r *replay)) {
	for _, flavour := range flavours {
		t.Run(flavour, func(t *testing.T) { f(t, &replay{flavour: flavour}) })
	}
}

func ignore(r *replay) param {
	if r.flavour == "mpich" {
		return word(1)
	}
	return word(0)
}

func (s *stream) send(buffer param, dest, tag int) int {
	return s.terminal("MPI_Send", buffer, word(1), integer, word(dest), word(tag), world)
}

// The numbers of classes and predefined objects are those of the recordings.
func TestObjectTable(t *testing.T) {
	classes := enumerators("objects.h")
	text, err := os.ReadFile("objects.h")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^    \[(\d+)\] = \{(RP_CLASS_\w+), ([01]), .* /\* (\w+) \*/$`).FindAllStringSubmatch(string(text), -1)
	// Those of MPI, which stand before others.
	objects := spec.Predefineds
	if i := slices.IndexFunc(objects, func(p spec.Predefined) bool {
		return strings.HasPrefix(p.Name,
			"nccl")
	}); i >= 0 {
		objects = objects[:i]
	}
	if len(rows) != len(objects) || classes["RP_NUM_CLASSES"] != uint64(spec.NumClasses) ||
		classes["RP_CLASS_KEYVAL"] != uint64(spec.Keyval) {
		t.Fatalf("%d objects, %d classes", len(rows), classes["RP_NUM_CLASSES"])
	}
	for i, p := range objects {
		row := rows[i]
		if row[1] != strconv.Itoa(i) || row[4] != p.Name || classes[row[2]] != uint64(p.Class) ||
			(row[3] == "1") != p.Null {
			t.Errorf("object %d is %+v, the table has %q", i, p, row)
		}
	}
}

// The grammar is walked as it is: counts, rules in rules, a rule at several places.
func TestGrammar(t *testing.T) {
	s := newStream()
	one, two := s.send(word(0), 0, 1), s.send(word(0), 0, 2)
	s.rule(s.init, 1, rule|1, 2, two, 1, rule|2, 1, s.finalize, 1)
	s.rule(one, 2, rule|2, 1)
	s.rule(two, 3)
	r := (&replay{streams: []*stream{s}}).run(t)
	var tags []string
	for _, l := range r.lines[1 : len(r.lines)-1] {
		tags = append(tags, strings.Fields(l)[5])
	}
	if got := strings.Join(tags, ""); got != "11222112222222" {
		t.Errorf("tags %s; %q", got, r.stderr)
	}
	both(t, func(t *testing.T, r *replay) {
		s := newStream() // deep: 2^40 repetitions of nothing, and 2000 rules in each other
		one := s.send(word(0), 0, 1)
		s.rule(s.init, 1, rule|1, 1<<40, rule|2, 1, s.finalize, 1)
		s.rule()
		for i := range 2000 {
			s.rule(rule|(i+3), 1)
		}
		s.rule(one, 1)
		r.streams = []*stream{s}
		r.run(t).want(t, "Send (nil) 1 int 0 1 world")
	})
}

// Parameters of every kind arrive as they were meant.
func TestParameters(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		dup := s.terminal("MPI_Comm_dup", world, created(comm, object(3)))
		dupNext := s.terminal("MPI_Comm_dup", handle(comm, 0).next(), created(comm, 0).next())
		s.value(object(3), object(8))
		sendNext := s.terminal("MPI_Send", word(0), word(1), integer, word(0).next(), word(9), handle(comm, object(8)))
		s.value(2)
		free := s.terminal("MPI_Comm_free", changed(comm, object(3)))
		get := s.terminal("MPI_Get_count", op("STATUS_IN").with(0, s.array(4, 44, 12, 0)), integer, op("ROOM").with(4))
		getNext := s.terminal("MPI_Get_count", op("STATUS_IN").next(), integer, op("ROOM").with(4))
		s.value(6, 66, 12, 0)
		dims := s.terminal("MPI_Dims_create", word(12), word(2), op("INTS").with(32, s.array(0, 2), 2))
		dimsNext := s.terminal("MPI_Dims_create", word(12), word(2), op("INTS").with(32).next())
		s.value(2, 5, 6)
		types := s.terminal("MPI_Type_create_struct", word(2), op("INTS").with(32, s.array(1, 2)),
			op("ADDRESSES").with(0, s.array(literal, 0, 16, literal, 0, 32)),
			op("HANDLES").with(int(spec.Type), s.array(predefined("MPI_INT"), predefined("MPI_BYTE"))),
			created(spec.Type, object(0)))
		sendDerived := s.terminal("MPI_Send", word(0), word(1), handle(spec.Type, object(0)), word(0), word(1), world)
		info := s.terminal("MPI_Info_set", handle(spec.Info, predefined("MPI_INFO_NULL")),
			op("STRING").with(s.string("key")), op("STRING").with(s.string("a value")))
		list := func(names ...string) (n []int) {
			n = []int{len(names)}
			for _, name := range names {
				n = append(n, s.string(name))
			}
			return n
		}
		spawn := s.terminal("MPI_Comm_spawn_multiple", word(2), op("STRINGS").with(0,
			s.array(list("a.out", "b.out")[1:]...)),
			op("STRINGS2").with(0, s.array(append(list("x"), list("y", "z")...)...)),
			op("INTS").with(32, s.array(1, 2)),
			op("HANDLES").with(int(spec.Info), s.array(predefined("MPI_INFO_NULL"), predefined("MPI_INFO_NULL"))),
			word(0), world, created(comm, object(9)), op("ROOM").with(12))
		many := s.terminal("MPI_Rget_accumulate", word(1), word(2), integer, word(3), word(4), integer, word(-5),
			word(6), word(7), integer, handle(spec.Op, 0), handle(spec.Win, 0), created(request, object(0)))
		operation := s.terminal("MPI_Op_create", op("CALLBACK").with(int(c["RP_CALLBACK_OP"])), word(1),
			created(spec.Op, object(0)))
		keyval := s.terminal("MPI_Comm_create_keyval", op("CALLBACK").with(int(c["RP_CALLBACK_COPY"])),
			op("CALLBACK").with(int(c["RP_CALLBACK_NONE"])),
			created(spec.Keyval, object(0)), word(0))
		noCopy := s.terminal("MPI_Comm_create_keyval", op("CALLBACK").with(int(c["RP_CALLBACK_NO_COPY"])),
			op("CALLBACK").with(int(c["RP_CALLBACK_DELETE"])),
			created(spec.Keyval, object(1)), word(0))
		attr := s.terminal("MPI_Comm_set_attr", world, handle(spec.Keyval, object(0)), word(0))
		tag := s.terminal("MPI_Comm_set_attr", world, handle(spec.Keyval, predefined("MPI_TAG_UB")), word(0))
		freeKeyval := s.terminal("MPI_Comm_free_keyval", changed(spec.Keyval, object(0)))
		r.streams = []*stream{s.calls(dup, dupNext, sendNext, free, dup, get, getNext, dims, dims, dimsNext, types,
			sendDerived, info, spawn, many, operation, keyval, noCopy, attr, freeKeyval, attr, tag)}
		ub, none := "0", "op_null win_null"
		if r.flavour == "mpich" {
			ub, none = "1681915905", "0x18000000 0x20000000"
		} else {
			none = "0 0" // this library has no such objects
		}
		r.run(t).want(t, "Comm_dup world -> comm1", "Comm_dup comm1 -> comm2", "Send (nil) 1 int 2 9 comm2",
			"Comm_free comm1",
			"Comm_dup world -> comm3", "Get_count 4 44 int", "Get_count 6 66 int", "Dims_create 12 2: 0 2",
			"Dims_create 12 2: 0 2", "Dims_create 12 2: 5 6",
			"Type_create_struct 2: 1 0x10 int, 2 0x20 byte", "Send (nil) 1 type7 0 1 world",
			"Info_set info_null key a value",
			"Comm_spawn_multiple 2 a.out x end, b.out y z, 1 2 info_null info_null 0 world 0",
			"Rget_accumulate 0x1 2 int 0x3 4 int -5 6 7 int "+none, "Op_create 1: 2", "Comm_create_keyval 1 1 0",
			"Comm_create_keyval 0 0 1",
			"Comm_set_attr world 77 (nil)", "Comm_free_keyval 77", "Comm_set_attr world 77 (nil)",
			"Comm_set_attr world "+ub+" (nil)")
	})
}

// Overlaps of buffers are those of the recording; memory that the library allocates is where it
// says.
func TestAddresses(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		var calls []int
		for _, a := range []param{at(heap, 0, 0), at(heap, 0, 1<<30), at(heap, 1, 0), at(heap, 300, 8),
			at(heap, 100000, 0), at(heap, 3000000, 0), at(module, 0, 16),
			at(stack, 0, -4096), at(stack, 0, 100), at(stack, 1, -4096), at(raw, 0, 0x7fff12345678), at(literal, 0, 77),
			at(0, 0, 0).next()} {
			calls = append(calls, s.send(a, 0, 0))
		}
		s.value(heap, 0, 24)
		touch := s.terminal("MPI_Dims_create", word(12), word(2), at(heap, 3000000, 4))
		before := s.send(at(heap, 7, 12), 0, 0)
		alloc := s.terminal("MPI_Alloc_mem", word(100), handle(spec.Info, predefined("MPI_INFO_NULL")),
			op("ADDRESS_NEW").with(heap, 7, 4))
		free := s.terminal("MPI_Free_mem", at(heap, 7, 4))
		r.streams = []*stream{s.calls(append(calls, touch, before, alloc, before, free, before)...)}
		r.run(t)
		var got []uint64
		allocated := uint64(0)
		for _, l := range r.lines {
			f := strings.Fields(l)
			if f[0] != "Send" && f[0] != "Alloc_mem" {
				continue
			}
			a, err := strconv.ParseUint(strings.TrimPrefix(f[1], "0x"), 16, 64)
			if f[0] == "Alloc_mem" {
				allocated = a
			} else if err == nil {
				got = append(got, a)
			}
		}
		if r.code != 0 || len(got) != 16 {
			t.Fatalf("code %d, %q\n%v", r.code, r.stderr, r.lines)
		}
		if got[1]-got[0] != 1<<30 || got[12]-got[0] != 24 || got[8]-got[7] != 4196 || got[11] != 77 || got[0]%16 != 0 {
			t.Errorf("offsets: %x", got)
		}
		if got[14] != allocated+8 || got[13] == got[14] || got[15] != got[13] {
			t.Errorf("memory of the library is at %x, address 8 bytes on %x, before %x, then %x", allocated, got[14],
				got[13], got[15])
		}
		segments := slices.Sorted(slices.Values([]uint64{got[0], got[2], got[3], got[4], got[5], got[6], got[7], got[9],
			got[10]}))
		for i := range segments[1:] {
			if segments[i+1]-segments[i] < 4096 {
				t.Errorf("segments %x and %x overlap", segments[i], segments[i+1])
			}
		}
	})
}

// Where datatypes may lead out of memory that the library allocates, only what frees it is given that.
func TestOwnMemory(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		s.header["FLAGS"] = c["RP_FLAG_OWN"]
		send := s.send(at(heap, 7, 12), 0, 0)
		alloc := s.terminal("MPI_Alloc_mem", word(100), handle(spec.Info, predefined("MPI_INFO_NULL")),
			op("ADDRESS_NEW").with(heap, 7, 4))
		r.streams = []*stream{s.calls(send, alloc, send, s.terminal("MPI_Free_mem", at(heap, 7, 4)), send)}
		r.run(t)
		at := map[string][]string{}
		for _, l := range r.lines {
			f := strings.Fields(l)
			at[f[0]] = append(at[f[0]], append(f, "")[1])
		}
		if sent := at["Send"]; r.code != 0 || len(sent) != 3 || sent[0] != sent[1] || sent[1] != sent[2] {
			t.Errorf("code %d, sent from %v", r.code, sent)
		}
		if !slices.Equal(at["Alloc_mem"], at["Free_mem"]) {
			t.Errorf("%v is allocated, %v freed", at["Alloc_mem"], at["Free_mem"])
		}
	})
}

// There is memory at the distances that datatypes lead over, from all addresses that are used with
// them, and before the first segment.
func TestFarMemory(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		const forwards, backwards, inside = 0x2a << 40, -0x2a << 40, 1 << 40
		s.header["FAR"] = uint64(s.array(backwards-4096, backwards+4096, forwards-4096, forwards+1<<20, forwards+1<<19,
			forwards+1<<21, inside, inside+4096)) + 1
		var calls []int
		touch := func(a param) { calls = append(calls, s.terminal("MPI_Dims_create", word(12), word(2), a)) }
		far := func(a param) {
			calls = append(calls, s.flags(s.send(a, 0, 0), "FAR"))
		}
		touch(at(heap, 0, -1<<24))
		far(at(literal, 0, 0))
		far(at(heap, 0, 128))
		far(at(heap, 0, 1<<20)) // overlaps
		touch(at(heap, 0, 128+forwards))
		touch(at(heap, 0, 128+forwards+1<<21-64))
		touch(at(heap, 0, 128+backwards-4096))
		touch(at(heap, 0, 128+inside))
		far(at(stack, 0, -64).next())
		s.value(stack, 0, -4096)
		touch(at(stack, 0, -4096+backwards))
		r.streams = []*stream{s.calls(calls...)}
		if r.run(t); r.code != 0 || len(r.lines) != 2+len(calls) {
			t.Errorf("code %d, %q, %q", r.code, r.stderr, r.lines)
		}
		s = newStream()
		s.header["FAR"] = uint64(s.array(1<<60, 1<<60+4096)) + 1
		r.streams = []*stream{s.calls(s.flags(s.send(at(heap, 0, 0), 0, 0), "FAR"))}
		r.run(t).fails(t, 2, `needs memory at`)
	})
}

// Batch systems limit address space: segments are nearer to each other then, and all can be written
// to.
func TestLittleAddressSpace(t *testing.T) {
	for _, space := range []int{1, 6, 12, 100, 2000} {
		s := newStream()
		var calls []int
		for _, at := range []param{at(heap, 0, 0), at(heap, 0, 4), at(heap, 255, 1<<20), at(heap, 1<<23, 0),
			at(module, 255, 8), at(stack, 4095, -8), at(stack, 4095, 4096), at(raw, 0, 0x7fff12345678)} {
			calls = append(calls, s.terminal("MPI_Dims_create", word(12), word(2), at))
		}
		r := (&replay{streams: []*stream{s.calls(calls...)}, space: space}).run(t)
		if space == 1 {
			r.fails(t, 2, `address space`)
		} else if r.code != 0 || len(r.lines) != 2+len(calls) {
			t.Errorf("%d GiB: code %d, %q, %q", space, r.code, r.stderr, r.lines)
		}
	}
}

// An operation under way keeps the arrays that it was given.
func TestArraysOfNonblockingCalls(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		none := op("INTS").with(32, s.array())
		start := s.terminal("MPI_Ialltoallv", word(0), op("INTS").with(32).next(), none, integer, word(0), none, none,
			integer, world, created(request, 0).next())
		s.value(2, 1, 2, object(0), 2, 3, 4, object(1), 2, 5, 6, object(0))
		wait := func(n int) int { return s.terminal("MPI_Wait", changed(request, object(n)), ignore(r)) }
		r.streams = []*stream{s.calls(start, start, wait(0), start, wait(1), wait(0))}
		r.run(t).want(t, "Ialltoallv 1 2", "Ialltoallv 3 4", "Wait request0 counts 1 2", "Ialltoallv 5 6",
			"Wait request1 counts 3 4", "Wait request2 counts 5 6")
	})
}

// receives makes n terminals of MPI_Irecv and an array of their requests.
func receives(s *stream, n int) (calls []int, codes int) {
	var list []int
	for i := range n {
		calls = append(calls, s.terminal("MPI_Irecv", word(0), word(1), integer, word(3), word(i), world,
			created(request, object(i))))
		list = append(list, object(i))
	}
	return calls, s.array(list...)
}

func receiveLines(n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("Irecv (nil) 1 int 3 %d world -> request%d", i, i))
	}
	return lines
}

// Forced: the library is asked for what happened, the tracer above sees the call as it was
// recorded.
func TestForced(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		r.tracer = true
		s := newStream()
		s.header["FLAGS"] = c["RP_FLAG_FORCED"]
		anySource, anyTag := -1, -1
		if r.flavour == "mpich" {
			anySource = -2
		}
		calls, codes := receives(s, 6)
		list := op("HANDLES").with(int(request), codes)
		room, status := op("ROOM").with(64), op("STATUS").with(6)
		add := func(kind string, values []int, name string, params ...param) {
			calls = append(calls, s.outcome(s.terminal(name, params...), kind, values...))
		}
		add("SOURCE", []int{7, 70}, "MPI_Recv", word(0), word(1), integer, word(anySource), word(anyTag), world, status)
		add("SOURCE", []int{unknown, 71}, "MPI_Recv", word(0), word(1), integer, word(anySource), word(anyTag), world,
			status)
		add("INDEX", []int{4}, "MPI_Waitany", word(6), list, room, status)
		add("INDEX", []int{0, 0}, "MPI_Testany", word(6), list, room, room, status)
		add("INDEX", []int{1, 1}, "MPI_Testany", word(6), list, room, room, status)
		add("SOME", []int{2, 5, 0}, "MPI_Waitsome", word(6), list, room, room, status)
		add("SOME", []int{0}, "MPI_Testsome", word(6), list, room, room, ignore(r))
		add("POLLS", []int{3}, "MPI_Test", changed(request, object(2)), room, ignore(r))
		add("FLAG", []int{1}, "MPI_Test", changed(request, object(2)), room, ignore(r))
		add("FLAG", []int{0}, "MPI_Iprobe", word(anySource), word(9), world, room, ignore(r))
		add("FLAG", []int{1, 6, 9}, "MPI_Iprobe", word(anySource), word(9), world, room, ignore(r))
		calls = append(calls, s.terminal("MPI_Waitall", word(6), list, status))
		add("INDEX", []int{-1}, "MPI_Waitany", word(6), list, room, status)
		r.streams = []*stream{s.calls(calls...)}
		r.run(t).want(t, append(receiveLines(6),
			"Recv (nil) 1 int 7 70 world", "tracer: Recv "+fmt.Sprint(anySource, anyTag),
			"Recv (nil) 1 int "+fmt.Sprint(anySource)+" 71 world", "tracer: Recv "+fmt.Sprint(anySource, anyTag),
			"Wait request4", "tracer: Waitany 4",
			"tracer: Testany -32766 0",
			"Wait request1", "tracer: Testany 1 1",
			"Wait request5", "Wait request0", "tracer: Waitsome 2: 5 0",
			"tracer: Testsome 0",
			"tracer: Test 0", "tracer: Test 0", "tracer: Test 0",
			"Wait request2", "tracer: Test 1",
			"tracer: Iprobe 0",
			"Probe 6 9 world", "tracer: Iprobe 1",
			"Waitall request_null request_null request_null request3 request_null request_null",
			"Testany", "tracer: Waitany -32766")...)
	})
}

// Free: real calls, until what the recording had is there.
func TestFree(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		r.env = []string{"COMPLETE=2,0,1,3", "SLOW=3"}
		s := newStream()
		calls, codes := receives(s, 4)
		list := op("HANDLES").with(int(request), codes)
		room := op("ROOM").with(64)
		add := func(kind string, values []int, name string, params ...param) {
			calls = append(calls, s.outcome(s.terminal(name, params...), kind, values...))
		}
		add("INDEX", []int{0}, "MPI_Waitany", word(4), list, room, ignore(r))
		add("SOME", []int{1, 2}, "MPI_Waitsome", word(4), list, room, room, ignore(r)) // completed early: finds nothing
		add("SOME", []int{2, 1, 3}, "MPI_Testsome", word(4), list, room, room, ignore(r))
		until := s.flags(s.set(s.terminal("MPI_Iprobe", word(4), word(1), world, room, ignore(r)), "OUTCOME_PARAM", 3),
			"UNTIL")
		r.streams = []*stream{s.calls(append(calls, until)...)}
		r.run(t).want(t, append(receiveLines(4), "Waitany -> 2", "Waitany -> 0", "Waitsome -> -32766 -1",
			"Testsome -> 1 1", "Testsome -> 1 3", "Iprobe 4 1 world -> 0", "Iprobe 4 1 world -> 0",
			"Iprobe 4 1 world -> 1")...)
	})
}

// Calls of a call site come from one address, those of others from others.
func TestCallSites(t *testing.T) {
	s := newStream()
	one, two := s.send(word(0), 0, 1), s.send(word(0), 0, 2)
	r := (&replay{streams: []*stream{s.calls(one, two, one)}, tracer: true}).run(t)
	var sites []string
	for _, l := range r.lines {
		if site, ok := strings.CutPrefix(l, "tracer: site "); ok {
			sites = append(sites, site)
		}
	}
	if len(sites) != 3 || sites[0] == sites[1] || sites[0] != sites[2] {
		t.Errorf("sites %v", sites)
	}
}

func TestGaps(t *testing.T) {
	s := newStream()
	s.header["FLAGS"] = c["RP_FLAG_GAPS"]
	skipped := s.flags(s.terminal("MPI_Nothing"), "SKIP")
	s.calls(s.send(word(0), 0, 1), skipped, s.send(word(0), 0, 2))
	ms := int(time.Millisecond)
	s.value(5*ms, 30*ms, 10000*ms, 20*ms, 0)
	r := (&replay{streams: []*stream{s}}).run(t)
	r.want(t, "Send (nil) 1 int 0 1 world", "Send (nil) 1 int 0 2 world")
	if r.took < 50*time.Millisecond || r.took > 9*time.Second {
		t.Errorf("took %v", r.took)
	}
}

// Errors that the recording did not have end the replay, with what and where.
func TestErrors(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		s.header["RANK"], s.header["SIZE"], s.header["CALLS"] = 2, 4, 17
		expected := s.flags(s.send(word(0), 99, 1), "FAILS")
		r.env = []string{"RANK=2"}
		r.streams = []*stream{s.calls(expected, s.send(word(0), 99, 1))}
		r.run(t).fails(t, 3,
			`^tabard replay: rank 2: MPI_Send returned an error, which it did not in the recording: error 6 of the library; call 3 of 17: MPI_Send\(as recorded\) at prog.c:7\n$`)
	})
}

// The program's view of error handlers is not that of the executor.
func TestErrorHandlerIsHidden(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		get := s.terminal("MPI_Comm_get_errhandler", world, created(spec.Errhandler, object(0)))
		r.streams = []*stream{s.calls(get, s.terminal("MPI_Errhandler_free", changed(spec.Errhandler, object(0))))}
		r.run(t).want(t, "Comm_get_errhandler world", "Errhandler_free errhandler1", "Comm_get_errhandler world",
			"Errhandler_free fatal")
	})
}

// Two references to one object have one number; each is freed.
func TestReferences(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		group := s.terminal("MPI_Comm_group", world, created(spec.Group, object(0)))
		free := s.terminal("MPI_Group_free", changed(spec.Group, object(0)))
		contents := s.terminal("MPI_Type_get_contents", integer, word(0), word(0), word(2), word(0), word(0),
			op("HANDLES_NEW").with(int(spec.Type), s.array(object(0), unknown)))
		send := s.terminal("MPI_Send", word(0), word(1), handle(spec.Type, object(0)), word(0), word(0), world)
		r.streams = []*stream{s.calls(group, group, free, group, free, free, contents, send)}
		r.run(t).want(t, "Comm_group world -> group1", "Comm_group world -> group2", "Group_free group2",
			"Comm_group world -> group3", "Group_free group3",
			"Group_free group1", "Type_get_contents 2", "Send (nil) 1 type3 0 0 world")
	})
}

// Calls that use what was not created here are left out, and so is what they would have created.
func TestLeftOut(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		var calls []int
		add := func(name string, params ...param) { calls = append(calls, s.terminal(name, params...)) }
		receive := func(n int) param { return created(request, object(n)) }
		add("MPI_Comm_dup", world, created(comm, object(1)))
		add("MPI_Comm_fly", created(comm, object(1)))
		add("MPI_Comm_dup", handle(comm, object(1)), created(comm, object(2)))
		add("MPI_Barrier", handle(comm, object(2)))
		add("MPI_Irecv", word(0), word(1), integer, word(3), word(7), handle(comm, object(2)), receive(0))
		add("MPI_Irecv", word(0), word(1), integer, word(3), word(8), world, receive(1))
		codes := s.array(object(0), object(1))
		add("MPI_Start", changed(request, object(0)))
		add("MPI_Startall", word(2), op("HANDLES").with(int(request), codes))
		add("MPI_Waitall", word(2), op("HANDLES").with(int(request), codes), ignore(r))
		add("MPI_Wait", changed(request, object(1)), ignore(r))
		r.streams = []*stream{s.calls(calls...)}
		r.run(t)
		want := []string{"Init 1 prog", "Comm_dup world -> comm1", "Irecv (nil) 1 int 3 8 world -> request0",
			"Startall 1 request0", "Waitall request_null request0",
			"Wait request_null", "Finalize"}
		if r.code != 0 || !slices.Equal(r.lines, want) || !strings.Contains(r.stderr, "rank 0: 4 calls were left out") {
			t.Errorf("code %d, %q, calls\n%s", r.code, r.stderr, strings.Join(r.lines, "\n"))
		}
	})
}

func TestHangIsReported(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		s.header["PATIENCE"], s.header["RANK"] = uint64(300*time.Millisecond), 3
		r.streams = []*stream{s.calls(s.send(word(0), 0, 1), s.terminal("MPI_Recv", word(0), word(1), integer, word(98),
			word(1), world, ignore(r)))}
		r.run(t).fails(t, 3,
			`^tabard replay: rank 3 has been in call 3 of 9 for \d+ s: MPI_Recv\(as recorded\) at prog.c:7\n$`)
	})
}

// Two threads: an object is waited for until the other thread has created it, MPI_Finalize for the
// end of the others.
func TestThreads(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		first, second := newStream(), newStream()
		first.header["FLAGS"] = c["RP_FLAG_GAPS"]
		first.value(0, int(100*time.Millisecond), 0)
		first.init = first.terminal("MPI_Init_thread", word(0), word(0), word(1), op("ROOM").with(4))
		first.rules = nil
		first.calls(first.terminal("MPI_Comm_dup", world, created(comm, object(0))))
		second.header["THREAD"] = 1
		second.header["FLAGS"] = c["RP_FLAG_GAPS"]
		barrier := second.terminal("MPI_Barrier", handle(comm, object(0)))
		second.terminals = slices.Delete(second.terminals, 0, 2)
		second.rule(barrier-2, 1, barrier-2, 1)
		second.value(0, int(100*time.Millisecond))
		r.streams = []*stream{first, second}
		r.run(t)
		want := []string{"Init_thread 3", "Comm_dup world -> comm1", "Barrier comm1", "Barrier comm1", "Finalize"}
		if r.code != 0 || !slices.Equal(r.lines, want) {
			t.Errorf("code %d, %q, calls %q, want %q", r.code, r.stderr, r.lines, want)
		}
	})
}

// An object that nobody creates is reported when patience ends.
func TestMissingObjectOfThreads(t *testing.T) {
	first, second := newStream(), newStream()
	first.header["PATIENCE"] = uint64(300 * time.Millisecond)
	first.calls(first.terminal("MPI_Barrier", handle(comm, object(0))))
	second.header["THREAD"] = 1
	recv := second.terminal("MPI_Recv", word(0), word(1), integer, word(98), word(1), world, word(0))
	second.terminals = slices.Delete(second.terminals, 0, 2)
	second.rule(recv-2, 1)
	(&replay{streams: []*stream{first, second}}).run(t).fails(t, 3,
		`(?s)rank 0, thread 0 has been waiting for another thread to create an object of call 2 of 9 for .*rank 0, thread 1 has been in call 1 of `)
}

// Calls that have to follow those of another thread do.
func TestOrderOfThreads(t *testing.T) {
	first, second := newStream(), newStream()
	first.calls(first.flags(first.send(word(0), 0, 7), "ORDERED"))
	second.header["THREAD"] = 1
	send := second.send(word(0), 0, 1)
	second.header["FLAGS"] = c["RP_FLAG_GAPS"]
	first.header["FLAGS"] = c["RP_FLAG_GAPS"]
	first.values = []uint64{0, 0, 0, 3, 0} // gaps, and before the send what both threads have done
	second.value(0, int(20*time.Millisecond), int(20*time.Millisecond))
	second.terminals = slices.Delete(second.terminals, 0, 2)
	second.rule(send-2, 3)
	r := (&replay{streams: []*stream{first, second}}).run(t)
	r.want(t, "Send (nil) 1 int 0 1 world", "Send (nil) 1 int 0 1 world", "Send (nil) 1 int 0 1 world",
		"Send (nil) 1 int 0 7 world")

	second.rules = nil // the other thread ends sooner than it should: nobody waits for ever
	second.rule(send-2, 2)
	r = (&replay{streams: []*stream{first, second}}).run(t)
	r.want(t, "Send (nil) 1 int 0 1 world", "Send (nil) 1 int 0 1 world", "Send (nil) 1 int 0 7 world")
}

// Threads that wait for each other in a circle: one has to be later than its number says, another
// later than its times.
func TestCircleOfThreads(t *testing.T) {
	further := func(number int) *stream {
		s := newStream()
		s.header["THREAD"] = uint64(number)
		return s
	}
	only := func(s *stream, calls ...int) {
		s.terminals = slices.Delete(s.terminals, 0, 2)
		for i := range calls {
			calls[i] -= 2
		}
		s.rule(pairs(calls)...)
	}
	first, second, third, fourth := newStream(), further(1), further(2), further(3)
	first.header["PATIENCE"] = uint64(2 * time.Minute)
	first.calls()
	only(second, second.send(word(0), 0, 1), second.flags(second.send(word(0), 0, 2), "ORDERED"))
	second.value(0, 0, 0, 1) // after the first call of the fourth one
	only(third, third.flags(third.send(word(0), 0, 3), "ORDERED"))
	third.value(0, 2, 0, 0) // after both calls of the second one
	only(fourth, fourth.send(word(0), 0, 4))
	r := (&replay{streams: []*stream{first, second, third, fourth}}).run(t)
	sends := slices.DeleteFunc(slices.Clone(r.lines), func(l string) bool { return !strings.HasPrefix(l, "Send") })
	if r.code != 0 || len(sends) != 4 || r.took > time.Minute {
		t.Errorf("code %d after %v, %q, %q", r.code, r.took, r.stderr, r.lines)
	}
}

// pairs are symbols that occur once each.
func pairs(ids []int) (symbols []int) {
	for _, id := range ids {
		symbols = append(symbols, id, 1)
	}
	return symbols
}

func TestLibraryLacksFunction(t *testing.T) {
	s := newStream()
	s.calls(s.terminal("MPI_Fly", word(1)), s.terminal("MPI_Parrived", word(1), word(2), op("ROOM").with(4)),
		s.send(word(0), 0, 1))
	r := (&replay{streams: []*stream{s}}).run(t)
	if r.code != 0 || len(r.lines) != 3 || !strings.Contains(r.stderr, "has no MPI_Fly: these calls are left out") ||
		!strings.Contains(r.stderr, "has no MPI_Parrived") {
		t.Errorf("code %d, %q, %q", r.code, r.stderr, r.lines)
	}
}

// Without MPI_Finalize in the recording the launcher would call the replay a failure.
func TestUnfinished(t *testing.T) {
	s := newStream()
	s.header["FLAGS"] = c["RP_FLAG_UNFINISHED"]
	s.rule(s.init, 1)
	(&replay{streams: []*stream{s}}).run(t).want(t)
}

func TestFilesAreInTheirDirectory(t *testing.T) {
	dir := t.TempDir()
	s := newStream()
	s.header["SCRATCH"] = uint64(s.string(dir)) + 1
	open := func(mode int) int {
		return s.terminal("MPI_File_open", world, op("STRING").with(s.string("/data/in.nc")), word(mode),
			handle(spec.Info, predefined("MPI_INFO_NULL")),
			created(spec.File, object(0)))
	}
	name := filepath.Join(dir, "%data%in.nc")
	(&replay{streams: []*stream{s.calls(open(1), open(2))}}).run(t).want(t, "File_open world "+name+" 1 0",
		"File_open world "+name+" 2 1")
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"ufs:out": "ufs%out", "..": "%%", "../x": "..%x",
		strings.Repeat("x", 300) + "/end": strings.Repeat("x", 250) + "%end"} {
		s := newStream()
		s.header["SCRATCH"] = uint64(s.string(dir)) + 1
		open := s.terminal("MPI_File_open", world, op("STRING").with(s.string(name)), word(1),
			handle(spec.Info, predefined("MPI_INFO_NULL")), created(spec.File, object(0)))
		(&replay{streams: []*stream{s.calls(open)}}).run(t).want(t, "File_open world "+filepath.Join(dir, want)+" 1 0")
	}
}

// A file that is to be created where it must not be has been removed by the program.
func TestExclusiveFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	for mode, there := range map[int]int{1: 1, 64: 1, 1 | 64: 0} {
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := newStream()
		s.header["SCRATCH"] = uint64(s.string(dir)) + 1
		open := s.terminal("MPI_File_open", world, op("STRING").with(s.string("out")), word(mode),
			handle(spec.Info, predefined("MPI_INFO_NULL")), created(spec.File, object(0)))
		(&replay{streams: []*stream{s.calls(open)}}).run(t).want(t,
			fmt.Sprintf("File_open world %s %d %d", name, mode, there))
	}
}

// Addresses in other processes lead into a block that is attached to dynamic windows; under Open
// MPI they stay, as such calls are left out.
func TestRemoteAddresses(t *testing.T) {
	both(t, func(t *testing.T, r *replay) {
		s := newStream()
		create := s.terminal("MPI_Win_create_dynamic", handle(spec.Info, predefined("MPI_INFO_NULL")), world,
			created(spec.Win, object(0)))
		access := func(at param) int {
			return s.set(s.terminal("MPI_Fetch_and_op", word(1), word(2), integer, word(0), at, handle(spec.Op, 0),
				handle(spec.Win, object(0))), "OUTCOME_PARAM", 4)
		}
		const address = 0x7ffc12345678
		s.value(24, address+8)
		r.streams = []*stream{s.calls(create, s.flags(access(word(address)), "REMOTE"), access(word(address)),
			s.flags(access(word(0).next()), "REMOTE"), s.flags(access(word(0).next()), "REMOTE"))}
		out := r.run(t)
		var got []string
		for _, line := range out.lines {
			if f := strings.Fields(line); f[0] == "Fetch_and_op" {
				got = append(got, f[5])
			} else if f[0] == "Win_attach" {
				got = append(got, f[2])
			}
		}
		want := "0x11000000000 0x11000145678 0x7ffc12345678 0x18 0x11000145680"
		if r.flavour != "mpich" {
			want = "0x7ffc12345678 0x7ffc12345678 0x18 0x7ffc12345680"
		}
		if strings.Join(got, " ") != want || out.code != 0 {
			t.Errorf("%q instead of %q: %q", got, want, out.stderr)
		}
	})
}

func TestWrongPlace(t *testing.T) {
	for _, tt := range []struct {
		change  func(s *stream)
		message string
	}{
		{func(s *stream) { s.header["SIZE"] = 8 }, "rank 0: MPI_COMM_WORLD has 4 processes, the recording needs 8"},
		{func(s *stream) { s.header["SIZE"], s.header["RANK"] = 4, 3 }, "rank 3: it runs as rank 0"},
	} {
		s := newStream().calls()
		s.calls()
		tt.change(s)
		(&replay{streams: []*stream{s}}).run(t).fails(t, 2, tt.message)
	}
	s := newStream()
	s.calls()
	words := s.words()
	(&replay{words: words}).run(t).fails(t, 2, "its program is for no MPI, and .*libopenmpi.so is for Open MPI")
}

// A program that is cut off anywhere ends with a message, and soon.
func TestTruncated(t *testing.T) {
	s := newStream()
	calls, codes := receives(s, 2)
	s.calls(append(calls, s.terminal("MPI_Waitall", word(2), op("HANDLES").with(int(request), codes), word(0)),
		s.terminal("MPI_Dims_create", word(12), word(2), op("INTS").with(32).next()))...)
	s.value(2, 5, 6)
	s.header["ABI"] = 1
	words := s.words()
	for n := range words {
		r := (&replay{words: words[:n:n]}).run(t)
		r.fails(t, 2, fmt.Sprintf(`^tabard replay: [a-z]+ \d+: its program ends behind word %d, before the replay does\n$`, n))
		if t.Failed() {
			t.FailNow()
		}
	}
	(&replay{words: words}).run(t).want(t, append(receiveLines(2), "Waitall request0 request1",
		"Dims_create 12 2: 5 6")...)
}

func TestBroken(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		change        func(s *stream)
	}{
		{"version", "version 9", func(s *stream) { s.header["VERSION"] = 9 }},
		{"header", "a header of 1000000 words", func(s *stream) { s.header["WORDS"] = 1000000 }},
		{"cycle", "rule 1 of its program contains itself",
			func(s *stream) { s.rules = nil; s.rule(rule|1, 1); s.rule(rule|2, 1); s.rule(rule|1, 5) }},
		{"symbol", "symbol 1 of rule 0 of its program is unknown",
			func(s *stream) { s.rules = nil; s.rule(0, 1, 77, 1) }},
		{"rule", "symbol 0 of rule 0 of its program is unknown", func(s *stream) { s.rules = nil; s.rule(rule|1, 1) }},
		{"no rules", "no rules", func(s *stream) { s.rules = nil }},
		{"kind", "is of unknown kind 99", func(s *stream) { s.terminal("MPI_Barrier", param{99}) }},
		{"class", "an object of class 50", func(s *stream) {
			s.terminal("MPI_Barrier",
				param{c["RP_OP_HANDLE"], 50, 1})
		}}, {"object", "there is room for", func(s *stream) { s.terminal("MPI_Barrier", handle(comm, object(1<<50))) }},
		{"string", "no string 1000", func(s *stream) { s.terminal("MPI_Barrier", op("STRING").with(1000)) }},
		{"array", "no array 1000", func(s *stream) { s.terminal("MPI_Barrier", op("INTS").with(32, 1000)) }},
		{"bits", "numbers of 7 bits", func(s *stream) { s.terminal("MPI_Barrier", op("INTS").with(7, s.array())) }},
		{"room", "room for", func(s *stream) { s.terminal("MPI_Barrier", op("ROOM").with(1<<60)) }},
		{"outcome", "outcome of unknown kind 50", func(s *stream) { s.set(s.terminal("MPI_Wait"), "OUTCOME", 50) }},
		{"outcome of", "the outcome of MPI_Barrier cannot be forced",
			func(s *stream) { s.outcome(s.terminal("MPI_Barrier"), "FLAG") }},
		{"parameters", "has 1099511627776 parameters",
			func(s *stream) { s.set(s.terminal("MPI_Wait"), "PARAMS", 1<<40) }},
		{"long string", "ends behind word", func(s *stream) {
			s.values = []uint64{}
			s.arrays = append(s.arrays,
				[]uint64{})
			s.header["LONG"] = 1
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStream()
			s.calls()
			s.header["ABI"] = 1
			tt.change(s)
			long := s.header["LONG"] == 1
			delete(s.header, "LONG")
			words := s.words()
			if long {
				words = append(words[:1+c["RP_HEADER_END"]:1+c["RP_HEADER_END"]], 1, 1<<62) // one string of 2^62 bytes
			}
			(&replay{words: words}).run(t).fails(t, 2, "^tabard replay: .*"+regexp.QuoteMeta(tt.message))
		})
	}
}
