package archivetest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// TestCallsComeBack checks that calls read as they were described.
func TestCallsComeBack(t *testing.T) {
	lines := []string{
		"MPI_Send(buf=heap#3+64, count=8, datatype=MPI_INT, dest=1, tag=0, comm=MPI_COMM_WORLD) @ halo.c:41 [exchange]",
		"MPI_Irecv(buf=stack#0-8, count=8, datatype=type#2, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=comm#1) ; " +
			"request=request#0",
		"MPI_Wait(request=request#0) ; request=MPI_REQUEST_NULL ; status={source=0 tag=3 bytes=32}",
		"MPI_Allreduce(sendbuf=MPI_IN_PLACE, recvbuf=module#1+0x40, count=1, datatype=MPI_DOUBLE, op=MPI_SUM, " +
			"comm=MPI_COMM_SELF)",
	}
	a := Archive(t, "abi openmpi\nrank 0 of 1 on n\n"+strings.Join(lines, "\n"))
	if err := archive.Validate(a); err != nil {
		t.Error(err)
	}
	i := 0
	for c, err := range a.Stream(0).Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if c.String() != lines[i] {
			t.Errorf("got  %s\nwant %s", c, lines[i])
		}
		i++
	}
	if i != len(lines) {
		t.Errorf("%d calls, want %d", i, len(lines))
	}
}

func TestBadDescriptions(t *testing.T) {
	for _, test := range []struct{ desc, want string }{
		{"MPI_Init()", "expected a rank first"},
		{"rank 0", "expected: rank R of SIZE on HOST"},
		{"rank 0 of 1 on n\nMPI_Nothing()", "unknown function"},
		{"rank 0 of 1 on n\nMPI_Send(nonsense=1)", `no "nonsense"`},
		{"rank 0 of 1 on n\nMPI_Send(dest=nonsense)", "unknown name"},
		{"rank 0 of 1 on n\nloop 2\nMPI_Init()", "without an end"},
		{"rank 0 of 1 on n\npoll x MPI_Test()", "bad number of polls"},
		{"rank 0 of 1 on n\nMPI_Init() what", "expected a call site"},
		{"abi nonsense", "unknown ABI"},
	} {
		if _, err := Build(test.desc); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.desc, err, test.want)
		}
	}
}

func TestSplit(t *testing.T) {
	b := Bytes(t, "rank 0 of 1 on n\nMPI_Init()")
	f, err := Split(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Split(f.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range f.Sections {
		if s.Type != again.Sections[i].Type || !bytes.Equal(s.Raw, again.Sections[i].Raw) {
			t.Errorf("section %d changed", i)
		}
	}
	Open(t, f.Bytes())
}

func TestDamageIsRepeatable(t *testing.T) {
	b := Bytes(t, "rank 0 of 1 on n\nMPI_Init()")
	d1, err := NewDamager(1, b)
	if err != nil {
		t.Fatal(err)
	}
	d2, err := NewDamager(1, b)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for range 200 {
		x, _ := d1.Next()
		y, _ := d2.Next()
		if !bytes.Equal(x, y) {
			t.Fatal("equal seeds give unequal damage")
		}
		if !bytes.Equal(x, b) {
			changed++
		}
	}
	if changed < 150 {
		t.Errorf("only %d of 200 files are damaged", changed)
	}
}
