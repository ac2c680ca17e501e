package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// irregular describes ranks that exchange messages of random sizes and tags, with as much as
// possible in columns ("?"): blocking and not, received by anybody's name, probed for, completed
// one by one and together.
func irregular(n, steps int) string {
	type message struct{ from, tag, count int }
	rng := rand.New(rand.NewPCG(uint64(n), uint64(steps)))
	ranks := make([]strings.Builder, n)
	for r := range ranks {
		fmt.Fprintf(&ranks[r], "rank %d of %d on n\nMPI_Init()\n", r, n)
	}
	line := func(r int, format string, args ...any) { fmt.Fprintf(&ranks[r], format+"\n", args...) }
	for range steps {
		came := make([][]message, n)
		for r := range n {
			line(r, "MPI_Irecv(count=1000, source=-1, tag=-1, comm=MPI_COMM_WORLD) @ a.c:1 [f] ; request=?request#%d",
				rng.IntN(3))
			for k := 1; k <= 2; k++ {
				m := message{r, rng.IntN(50), rng.IntN(800)}
				line(r, "MPI_Send(count=?%d, datatype=MPI_DOUBLE, dest=?%d, tag=?%d, comm=MPI_COMM_WORLD) @ a.c:2 "+
					"[f]", m.count, (r+k)%n, m.tag)
				came[(r+k)%n] = append(came[(r+k)%n], m)
			}
		}
		for r := range n {
			rng.Shuffle(2, func(i, j int) { came[r][i], came[r][j] = came[r][j], came[r][i] })
			a, b := came[r][0], came[r][1]
			line(r, "poll %d MPI_Iprobe(source=-1, tag=-1, comm=MPI_COMM_WORLD) @ a.c:3 [f] ; flag=0", 1+rng.IntN(9))
			line(r, "MPI_Iprobe(source=-1, tag=-1, comm=MPI_COMM_WORLD) @ a.c:3 [f] ; flag=1 ; status=?{source=%d "+
				"tag=%d bytes=%d}", a.from, a.tag, 8*a.count)
			line(r, "MPI_Get_count(datatype=MPI_DOUBLE) @ a.c:4 [f] ; count=?%d", a.count)
			line(r, "MPI_Recv(count=?%d, datatype=MPI_DOUBLE, source=?%d, tag=?%d, comm=MPI_COMM_WORLD) @ a.c:5 "+
				"[f] ; status=?{source=%d tag=%d bytes=%d}",
				a.count, a.from, a.tag, a.from, a.tag, 8*a.count)
			line(r, "MPI_Waitsome(incount=2, array_of_requests=?[request#1, request#7]) @ a.c:6 [f] ; outcount=1 ; "+
				"array_of_indices=?[0] ; array_of_statuses=?[{source=%d tag=%d bytes=%d}]",
				b.from, b.tag, 8*b.count)
			line(r, "MPI_Alltoallv(sendcounts=?[%d, 2, %d], comm=MPI_COMM_WORLD) @ a.c:7 [f]", rng.IntN(100), a.tag)
		}
	}
	d := strings.Builder{}
	d.WriteString("partial\n")
	for r := range ranks {
		d.WriteString(ranks[r].String())
	}
	return d.String()
}

func bundles(a *archive.Archive) (bytes int64) {
	for _, p := range a.Stats().Parts {
		if p.Name == "bundles" {
			bytes = p.Bytes
		}
	}
	return bytes
}

func lines(t *testing.T, a *archive.Archive) []string {
	t.Helper()
	var out []string
	for s := range a.Streams() {
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(s.Index(), " ", c.Format()))
		}
	}
	return out
}

// TestBundle compares archives whose columns are coded together with ones that have the same values
// in signatures.
func TestBundle(t *testing.T) {
	for _, n := range []int{3, 8} {
		desc := irregular(n, 120)
		a := archivetest.Archive(t, desc)
		b := archivetest.Archive(t, strings.ReplaceAll(desc, "=?", "="))
		if bundles(a) == 0 {
			t.Fatalf("%d ranks: no bundle", n)
		}
		got, want := lines(t, a), lines(t, b)
		if len(got) != len(want) {
			t.Fatalf("%d calls instead of %d", len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("call %d:\n%s\ninstead of\n%s", i, got[i], want[i])
			}
		}
		if err := archive.Validate(a); err != nil {
			t.Error(err)
		}
		// Each message's size and tag once (14 bits each), its order, and the lengths of polls and
		// what else is random.
		if size, most := a.Stats().Columns, int64(n*120*2*4+n*120*3); size > most {
			t.Errorf("%d ranks: columns of %d bytes, want at most %d", n, size, most)
		}
		costs, err := a.Costs()
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, c := range costs {
			if c.Section == "columns" {
				sum += c.Bytes
			}
		}
		if size := a.Stats().Columns; sum > size || sum < size-50 {
			t.Errorf("%d ranks: costs of columns are %d bytes of %d", n, sum, size)
		}
	}
}

// TestBundleText checks that the text of an archive with bundles makes the same archive.
func TestBundleText(t *testing.T) {
	sound := archivetest.Bytes(t, irregular(4, 60))
	var again bytes.Buffer
	if err := archive.ParseText(&again, strings.NewReader(text(t, archivetest.Open(t, sound)))); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), sound) {
		t.Error("the text makes another archive")
	}
	if bundles(archivetest.Open(t, again.Bytes())) == 0 {
		t.Error("there is no bundle")
	}
}

// TestBundleStream reads single calls of single streams, out of order.
func TestBundleStream(t *testing.T) {
	b := archivetest.Bytes(t, irregular(5, 50))
	all, some := archivetest.Open(t, b), archivetest.Open(t, b)
	for _, i := range []int{4, 0, 2} {
		want := ""
		for c, err := range all.Stream(i).Iter(70) {
			if err != nil {
				t.Fatal(err)
			}
			want = c.Format()
			break
		}
		c, err := some.Stream(i).CallAt(70)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Format(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestBrokenBundle reads bundles that say something else, or need more work than allowed.
func TestBrokenBundle(t *testing.T) {
	sound := archivetest.Bytes(t, irregular(4, 60))
	for _, test := range []struct {
		name   string
		change func(code []byte)
	}{
		{"zeros", func(b []byte) { clear(b) }},
		{"ones", func(b []byte) {
			for i := range b {
				b[i] = 255
			}
		}},
		{"one bit", func(b []byte) { b[len(b)/2] ^= 16 }},
	} {
		file, err := archivetest.Split(sound)
		if err != nil {
			t.Fatal(err)
		}
		for i := range file.Sections {
			if file.Sections[i].Type == 3 {
				file.Sections[i].Raw = bytes.Clone(file.Sections[i].Raw)
				test.change(file.Sections[i].Raw)
			}
		}
		readDamaged(t, file.Bytes(), test.name)
	}
	a := archivetest.Open(t, sound, archive.MaxWork(1000))
	var fe *archive.FormatError
	if err := archive.Validate(a); !errors.As(err, &fe) || !strings.Contains(fe.Hint, "MaxWork") {
		t.Errorf("%v, want an error that names MaxWork", err)
	}
}
