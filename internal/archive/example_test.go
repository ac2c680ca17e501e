package archive_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// exampleFile makes a small archive: a ring of two ranks.
func exampleFile() (path string, remove func()) {
	desc := "abi openmpi\n"
	for r := range 2 {
		desc += fmt.Sprintf(`
rank %d of 2 on node1
clock 100 1000000 1000000
clock 1000100 2000000 2000000
1000+500 MPI_Init()
loop 1000
  MPI_Irecv(buf=heap#0, count=4, datatype=MPI_DOUBLE, source=%d, tag=0, comm=MPI_COMM_WORLD) @ ring.c:12 [step] ; request=request#0
  MPI_Send(buf=heap#1, count=4, datatype=MPI_DOUBLE, dest=%d, tag=0, comm=MPI_COMM_WORLD) @ ring.c:13 [step]
  MPI_Wait(request=request#0) @ ring.c:14 [step] ; request=MPI_REQUEST_NULL ; status=?{source=%d tag=0 bytes=32}
end
MPI_Finalize()
`, r, 1-r, 1-r, 1-r)
	}
	b, err := archivetest.Build(desc)
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

// Opening an archive reads its structure, not its calls.
func ExampleOpen() {
	path, remove := exampleFile()
	defer remove()

	a, err := archive.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	for s := range a.Streams() {
		r := s.Rank()
		fmt.Printf("rank %d of %d on %s: %d calls\n", r.Rank, r.Size, r.Host, s.Calls())
	}
	// Output:
	// rank 0 of 2 on node1: 3002 calls
	// rank 1 of 2 on node1: 3002 calls
}

// Iterate over the calls of one rank. Nothing is expanded: memory does not
// grow with the number of calls.
func ExampleStream_Iter() {
	path, remove := exampleFile()
	defer remove()
	a, err := archive.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()

	bytes := int64(0)
	for c, err := range a.Stream(0).Iter(0) {
		if err != nil {
			log.Fatal(err)
		}
		if status, ok := c.Out("status"); ok {
			bytes += status.Stat.Bytes
		}
		if c.Index == 3 {
			fmt.Println(c.Start, c)
		}
	}
	fmt.Println("received", bytes, "bytes")
	// Output:
	// 1.2µs MPI_Wait(request=request#0) @ ring.c:14 [step] ; request=MPI_REQUEST_NULL ; status={source=1 tag=0 bytes=32}
	// received 32000 bytes
}

// Look at single calls, wherever they are in the stream.
func ExampleStream_CallAt() {
	path, remove := exampleFile()
	defer remove()
	a, err := archive.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()

	s := a.Stream(1)
	for _, i := range []uint64{s.Calls() - 1, 2000} {
		c, err := s.CallAt(i)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c)
	}
	// Output:
	// MPI_Finalize()
	// MPI_Send(buf=heap#1, count=4, datatype=MPI_DOUBLE, dest=0, tag=0, comm=MPI_COMM_WORLD) @ ring.c:13 [step]
}

// Walk the grammar: the loops of the program, without its calls.
func ExampleStream_Grammar() {
	path, remove := exampleFile()
	defer remove()
	a, err := archive.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()

	s := a.Stream(0)
	g, err := s.Grammar()
	if err != nil {
		log.Fatal(err)
	}
	var walk func(rule int, indent string)
	walk = func(rule int, indent string) {
		for _, sym := range g.Rules[rule] {
			if sym.IsRule() {
				fmt.Printf("%s%d times:\n", indent, sym.Count)
				walk(sym.Rule(), indent+"    ")
				continue
			}
			sig, err := s.Signature(sym.ID)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s%s", indent, spec.ByID(sig.Func).Name)
			if site := s.Site(sig); site != nil {
				fmt.Print(" @ ", site)
			}
			fmt.Println()
		}
	}
	walk(0, "")
	// Output:
	// MPI_Init
	// 1000 times:
	//     MPI_Irecv @ ring.c:12 [step]
	//     MPI_Send @ ring.c:13 [step]
	//     MPI_Wait @ ring.c:14 [step]
	// MPI_Finalize
}

// Count the calls of each function from the grammar, without expanding it.
func ExampleStream_Counts() {
	path, remove := exampleFile()
	defer remove()
	a, err := archive.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()

	functions := map[string]uint64{}
	for s := range a.Streams() {
		counts, err := s.Counts()
		if err != nil {
			log.Fatal(err)
		}
		for t, n := range counts {
			sig, err := s.Signature(uint32(t))
			if err != nil {
				log.Fatal(err)
			}
			functions[spec.ByID(sig.Func).Name] += n
		}
	}
	fmt.Println(functions["MPI_Send"], functions["MPI_Finalize"])
	// Output:
	// 2000 2
}

// A column holds the values of one parameter that differ from call to call.
func ExampleStream_Column() {
	a, err := openExample("rank 0 of 1 on n\nMPI_Recv() ; status=?{source=3 tag=0 bytes=8}\n" +
		"MPI_Recv() ; status=?{source=5 tag=0 bytes=8}\n")
	if err != nil {
		log.Fatal(err)
	}
	s := a.Stream(0)
	sig, err := s.Signature(0)
	if err != nil {
		log.Fatal(err)
	}
	f := spec.ByID(sig.Func)
	for _, c := range sig.Columns() {
		col, err := s.Column(0, c.Slot, c.Field)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(archive.SlotName(f, &f.Slots[c.Slot]), " field ", c.Field, ":")
		for i := range col.Len() {
			fmt.Print(" ", col.At(i))
		}
		fmt.Println()
	}
	// Output:
	// status field 0: 3 5
	// status field 1: 0 0
	// status field 2: 8 8
	// status field 3: 0 0
}
