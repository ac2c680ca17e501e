package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/trace"
)

// ring makes the archive of a small program: two ranks that send to each other a thousand times.
func ring() (path string, remove func()) {
	text := "abi openmpi\ncommand ./ring\nmpi Open MPI 5\n"
	for r := range 2 {
		text += fmt.Sprintf(`
rank %d of 2 on node1
clock 100 1000000 1000000
clock 1000100 2000000 2000000
1000+500 MPI_Init()
loop 1000
  MPI_Irecv(buf=heap#0+64, count=4, datatype=MPI_DOUBLE, source=-1, tag=0, comm=MPI_COMM_WORLD) @ ring.c:12 [step] ; request=request#0
  MPI_Send(buf=heap#1, count=4, datatype=MPI_DOUBLE, dest=%d, tag=0, comm=MPI_COMM_WORLD) @ ring.c:13 [step]
  MPI_Wait(request=request#0) @ ring.c:14 [step] ; request=MPI_REQUEST_NULL ; status=?{source=%d tag=0 bytes=32}
end
MPI_Finalize()
`, r, 1-r, 1-r)
	}
	b, err := archivetest.Build(text)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "tabard")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "ring.tabard")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

// open opens the archive of ring.
func open() (a *trace.Archive, done func()) {
	path, remove := ring()
	a, err := trace.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	return a, func() {
		a.Close()
		remove()
	}
}

// Opening an archive reads its structure, not its calls.
func ExampleOpen() {
	path, remove := ring()
	defer remove()

	a, err := trace.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	fmt.Println(a.Meta().MPI, a.Meta().Command)
	for r := range a.Ranks() {
		fmt.Printf("rank %d of %d on %s\n", r.Rank, r.Size, r.Host)
	}
	// Output:
	// Open MPI 5 [./ring]
	// rank 0 of 2 on node1
	// rank 1 of 2 on node1
}

// An archive may come from anywhere, and what reading it may take can be bounded.
func ExampleOpenReader() {
	path, remove := ring()
	defer remove()
	b, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}

	limits := &trace.Options{Name: "upload", MaxSection: 16 << 20, Cache: 1 << 20, MaxWork: 1 << 20}
	a, err := trace.OpenReader(bytes.NewReader(b), int64(len(b)), limits)
	if err != nil {
		log.Fatal(err)
	}
	for s := range a.Streams() {
		n, err := s.NumCalls()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("rank %d, thread %d: %d calls\n", s.Rank().Rank, s.Thread, n)
	}
	// Output:
	// rank 0, thread 0: 3002 calls
	// rank 1, thread 0: 3002 calls
}

// An error tells where an archive is broken.
func ExampleError() {
	text := "this is no archive, though it is long enough to be one"
	_, err := trace.OpenReader(strings.NewReader(text), int64(len(text)), &trace.Options{Name: "notes.txt"})
	var broken *trace.Error
	if errors.As(err, &broken) {
		fmt.Println(broken.File, broken.Section, broken.Offset)
	}
	// Output:
	// notes.txt header 0
}

// Iterate over the calls of one rank.
func ExampleStream_Calls() {
	a, done := open()
	defer done()

	received := int64(0)
	for s := range a.Streams() {
		if s.Rank().Rank != 0 {
			continue
		}
		for c, err := range s.Calls(0) {
			if err != nil {
				log.Fatal(err)
			}
			if v, ok := c.Out("status"); ok {
				received += v.Data().(trace.Status).Bytes
			}
			if c.Index == 3 {
				fmt.Println(c.Start, c.End-c.Start, c)
			}
		}
	}
	fmt.Println("received", received, "bytes")
	// Output:
	// 1.2µs 10ns MPI_Wait(request=request#0) @ ring.c:14 [step] ; request=MPI_REQUEST_NULL ; status={source=1 tag=0 bytes=32}
	// received 32000 bytes
}

// Look at single calls, wherever they are in the stream, and at their parameters.
func ExampleStream_Call() {
	a, done := open()
	defer done()

	for s := range a.Streams() {
		c, err := s.Call(2500)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(c.Func, " in ", c.Site.Frames[0].Func, " of rank ", s.Rank().Rank, ":")
		for _, v := range c.Values() {
			fmt.Printf(" %s=%s", v.Name, v)
		}
		fmt.Println()
	}
	// Output:
	// MPI_Irecv in step of rank 0: buf=heap#0+64 count=4 datatype=MPI_DOUBLE source=MPI_ANY_SOURCE tag=0 comm=MPI_COMM_WORLD request=request#0
	// MPI_Irecv in step of rank 1: buf=heap#0+64 count=4 datatype=MPI_DOUBLE source=MPI_ANY_SOURCE tag=0 comm=MPI_COMM_WORLD request=request#0
}

// The loops of the program, without its calls.
func ExampleStream_Structure() {
	a, done := open()
	defer done()

	var show func(steps []trace.Step, indent string)
	show = func(steps []trace.Step, indent string) {
		for _, s := range steps {
			switch {
			case s.Body != nil:
				fmt.Printf("%s%d times:\n", indent, s.Times)
				show(s.Body, indent+"    ")
			case s.Site != nil:
				fmt.Printf("%s%s @ %s\n", indent, s.Func, s.Site)
			default:
				fmt.Printf("%s%s\n", indent, s.Func)
			}
		}
	}
	for s := range a.Streams() {
		steps, err := s.Structure()
		if err != nil {
			log.Fatal(err)
		}
		show(steps, "")
		break
	}
	// Output:
	// MPI_Init
	// 1000 times:
	//     MPI_Irecv @ ring.c:12 [step]
	//     MPI_Send @ ring.c:13 [step]
	//     MPI_Wait @ ring.c:14 [step]
	// MPI_Finalize
}

// Count the calls of each function, without reading them.
func ExampleStream_Counts() {
	a, done := open()
	defer done()

	functions := map[string]uint64{}
	for s := range a.Streams() {
		steps, err := s.Counts()
		if err != nil {
			log.Fatal(err)
		}
		for _, step := range steps {
			functions[step.Func] += step.Times
		}
	}
	fmt.Println(functions["MPI_Send"], functions["MPI_Finalize"])
	// Output:
	// 2000 2
}

// Values as data of the program that reads.
func ExampleValue_Data() {
	a, done := open()
	defer done()

	for s := range a.Streams() {
		c, err := s.Call(1)
		if err != nil {
			log.Fatal(err)
		}
		for _, name := range []string{"buf", "source", "comm"} {
			v, _ := c.In(name)
			switch x := v.Data().(type) {
			case int64:
				fmt.Println(name, "integer", x)
			case trace.Object:
				fmt.Println(name, "object", x.Class, x.Name)
			case trace.Address:
				fmt.Println(name, "address", x.Name, x.Offset)
			}
		}
		break
	}
	// Output:
	// buf address heap#0 64
	// source integer -1
	// comm object comm MPI_COMM_WORLD
}

// A call as JSON, for programs in other languages.
func ExampleCall_MarshalJSON() {
	a, done := open()
	defer done()

	for s := range a.Streams() {
		c, err := s.Call(0)
		if err != nil {
			log.Fatal(err)
		}
		b, err := json.Marshal(c)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(b))
		break
	}
	// Output:
	// {"index":0,"rank":0,"thread":0,"func":"MPI_Init","in":{"argc":null,"argv":null},"out":{"argc":null,"argv":null},"ret":0,"start_ns":900,"end_ns":1400}
}
