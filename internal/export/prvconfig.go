package export

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/spec"
)

// prvState is a state of a thread; numbers, names and colours are those of Extrae's traces.
type prvState int

const (
	prvRunning      prvState = 1
	prvWaiting      prvState = 3
	prvSending      prvState = 4
	prvSynchronise  prvState = 5
	prvTesting      prvState = 6
	prvWaitAll      prvState = 8
	prvImmediate    prvState = 10
	prvImmediateGet prvState = 11
	prvIO           prvState = 12
	prvGroup        prvState = 13
	prvOther        prvState = 15
	prvSendReceive  prvState = 16
	prvMemory       prvState = 17
)

var prvStates = []struct {
	name    string
	r, g, b uint8
}{
	{"Idle", 117, 195, 255}, {"Running", 0, 0, 255}, {"Not created", 255, 255, 255}, {"Waiting a message", 255, 0, 0},
	{"Blocking Send", 255, 0, 174}, {"Synchronization", 179, 0, 0}, {"Test/Probe", 0, 255, 0},
	{"Scheduling and Fork/Join", 255, 255, 0}, {"Wait/WaitAll", 235, 0, 0}, {"Blocked", 0, 162, 0},
	{"Immediate Send", 255, 0, 255}, {"Immediate Receive", 100, 100, 177}, {"I/O", 172, 174, 41},
	{"Group Communication", 255, 144, 26}, {"Tracing Disabled", 2, 255, 177}, {"Others", 192, 224, 0},
	{"Send Receive", 66, 66, 66}, {"Memory transfer", 255, 0, 96},
}

// Types of events, as Extrae's traces have them.
const (
	prvPointToPoint int64 = 50000001
	prvCollective   int64 = 50000002
	prvMPIOther     int64 = 50000003
	prvOneSided     int64 = 50000004
	prvMPIIO        int64 = 50000005
	prvSent         int64 = 50100001
	prvReceived     int64 = 50100002
	prvRoot         int64 = 50100003
	prvComm         int64 = 50100004
	prvParallel     int64 = 60000001
	prvWork         int64 = 60000002
	prvBarrier      int64 = 60000005
	prvLock         int64 = 60000006
	prvRegion       int64 = 60000019
	prvCaller       int64 = 80000001

	// Extrae has none for these: marks of the program, and behind it a type for each name of values.
	prvMark int64 = 61000000
	// prvValueUnits is how many units of a value a program's 1 is.
	prvValueUnits = 1000
)

var prvTypes = []struct {
	kind int64
	name string
}{
	{prvPointToPoint, "MPI Point-to-point"}, {prvCollective, "MPI Collective Comm"}, {prvMPIOther, "MPI Other"},
	{prvOneSided, "MPI One-sided"}, {prvMPIIO, "I/O"}, {prvSent, "Send Size in MPI Global OP"},
	{prvReceived, "Recv Size in MPI Global OP"}, {prvRoot, "Root in MPI Global OP"},
	{prvComm, "Communicator in MPI Global OP"}, {prvRegion, "User function"},
	{prvParallel, "Parallel (OMP)"}, {prvWork, "Worksharing (OMP)"}, {prvBarrier, "OMP barrier"}, {prvLock, "OMP lock"},
	{prvMark, "Marks"}, {prvCaller, "Caller line at level 1"},
}

// prvValues are the functions that Extrae has numbers for, which are their places here, from 1.
var prvValues = strings.Fields(`Send Recv Isend Irecv Wait Waitall Bcast Barrier Reduce Allreduce
	Alltoall Alltoallv Gather Gatherv Scatter Scatterv Allgather Allgatherv Comm_rank Comm_size
	Comm_create Comm_dup Comm_split Comm_group Comm_free Comm_remote_group Comm_remote_size Comm_test_inter Comm_compare Scan
	Init Finalize Bsend Ssend Rsend Ibsend Issend Irsend Test Cancel
	Sendrecv Sendrecv_replace Cart_create Cart_shift Cart_coords Cart_get Cart_map Cart_rank Cart_sub Cartdim_get
	Dims_create Graph_get Graph_map Graph_create Graph_neighbors Graphdims_get Graph_neighbors_count Topo_test Waitany Waitsome
	Probe Iprobe Win_create Win_free Put Get Accumulate Win_fence Win_start Win_complete
	Win_post Win_wait Win_test Win_lock Win_unlock`)

// prvFirst is the value of the first function that Extrae has no number for.
const prvFirst = 1000

// prvLabels are the values of events, with their names.
type prvLabels struct {
	numbers map[int64]map[string]int64
	names   map[int64]map[int64]string
	values  []string // names of series
}

func newPrvLabels() *prvLabels {
	return &prvLabels{numbers: map[int64]map[string]int64{}, names: map[int64]map[int64]string{}}
}

func (l *prvLabels) set(kind, value int64, name string) {
	if l.names[kind] == nil {
		l.names[kind], l.numbers[kind] = map[int64]string{}, map[string]int64{}
	}
	l.names[kind][value], l.numbers[kind][name] = name, value
}

// value is the number of a name, from 1.
func (l *prvLabels) value(kind int64, name string) int64 {
	v, ok := l.numbers[kind][name]
	if !ok {
		v = int64(len(l.names[kind]) + 1)
		l.set(kind, v, name)
	}
	return v
}

// construct is what a construct of OpenMP is.
func (l *prvLabels) construct(name string) prvLevel {
	level := prvLevel{state: prvRunning, kind: prvWork, construct: name}
	switch name {
	case "omp_parallel":
		level.kind = prvParallel
	case "omp_barrier", "omp_taskwait":
		level.state, level.kind = prvSynchronise, prvBarrier
	case "omp_lock":
		level.state, level.kind = prvSynchronise, prvLock
	}
	level.value = l.value(level.kind, strings.TrimPrefix(name, "omp_"))
	return level
}

// series is the type of the values of a name.
func (l *prvLabels) series(name string) int64 {
	i := slices.Index(l.values, name)
	if i < 0 {
		i = len(l.values)
		l.values = append(l.values, name)
	}
	return prvMark + 1 + int64(i)
}

// comm is the value of a communicator.
func (l *prvLabels) comm(id int64, name string) int64 {
	if _, ok := l.names[prvComm][id+1]; !ok {
		l.set(prvComm, id+1, name)
	}
	return id + 1
}

// function is what a call is.
func (l *prvLabels) function(op *calls.Op) prvLevel {
	f := op.Func
	level := prvLevel{state: stateOf(op), kind: prvMPIOther}
	switch f.Activity {
	case spec.ActivityPointToPoint, spec.ActivityWait:
		level.kind = prvPointToPoint
	case spec.ActivityCollective:
		level.kind = prvCollective
	case spec.ActivityRma:
		level.kind = prvOneSided
	case spec.ActivityIo:
		level.kind = prvMPIIO
	}
	level.value = prvFirst + int64(f.ID)
	if i := slices.Index(prvValues, f.ShortName()); i >= 0 && f.API == "mpi" {
		level.value = int64(i + 1)
	}
	l.set(level.kind, level.value, f.Name)
	return level
}

// stateOf is the state of a thread in a call.
func stateOf(op *calls.Op) prvState {
	switch f := op.Func; {
	case f.IsBarrier():
		return prvSynchronise
	case f.Activity == spec.ActivityCollective:
		return prvGroup
	case f.Activity == spec.ActivityIo:
		return prvIO
	case f.Activity == spec.ActivityRma:
		return prvMemory
	case f.Activity == spec.ActivityWait:
		return prvWaitAll
	}
	switch op.Kind {
	case calls.Send:
		if op.Nonblocking() {
			return prvImmediate
		}
		return prvSending
	case calls.Recv, calls.Mrecv:
		if op.Nonblocking() {
			return prvImmediateGet
		}
		return prvWaiting
	case calls.SendRecv:
		return prvSendReceive
	case calls.Probe, calls.Mprobe, calls.Query:
		return prvTesting
	}
	return prvOther
}

// oneLine is a name in which nothing ends the line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// write writes names and colours.
func (l *prvLabels) write(w io.Writer) error {
	io.WriteString(w, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK        "+
		"   100\n"+
		"SPEED               1\nFLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"+
		"DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\nSTATES\n")
	for i, s := range prvStates {
		fmt.Fprintf(w, "%d    %s\n", i, s.name)
	}
	io.WriteString(w, "\n\nSTATES_COLOR\n")
	for i, s := range prvStates {
		fmt.Fprintf(w, "%d    {%d,%d,%d}\n", i, s.r, s.g, s.b)
	}
	for _, t := range prvTypes {
		fmt.Fprintf(w, "\n\nEVENT_TYPE\n9    %d    %s\n", t.kind, t.name)
		names := l.names[t.kind]
		if len(names) == 0 {
			continue
		}
		io.WriteString(w, "VALUES\n0      End\n")
		for _, v := range slices.Sorted(maps.Keys(names)) {
			fmt.Fprintf(w, "%d      %s\n", v, oneLine(names[v]))
		}
	}
	for i, name := range l.values {
		fmt.Fprintf(w, "\n\nEVENT_TYPE\n9    %d    %s (in thousandths)\n", prvMark+1+int64(i), oneLine(name))
	}
	_, err := io.WriteString(w, "\n")
	return err
}
