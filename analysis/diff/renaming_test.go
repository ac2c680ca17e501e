package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// texts is the differences as text, one a line.
func texts(r *diff.Result) string {
	var lines []string
	for _, d := range r.Differences {
		lines = append(lines, text(d))
	}
	for _, n := range r.Notes {
		if n != "A has no times" {
			lines = append(lines, "note: "+n)
		}
	}
	return strings.Join(lines, "\n")
}

func with(t *testing.T, a, b string, o diff.Options) *diff.Result {
	t.Helper()
	r, err := diff.Of(archivetest.Archive(t, a), archivetest.Archive(t, b), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Segments of memory may have other numbers; places in them and which of a call's buffers share one
// must be equal.
func TestMemory(t *testing.T) {
	program := func(send, recv, other string) string {
		return fmt.Sprintf("abi mpich\nrank 0 of 1 on n\nMPI_Init() @ a.c:1 [main]\nloop 9\n"+
			"MPI_Sendrecv(sendbuf=%s, sendcount=1, sendtype=MPI_INT, dest=0, sendtag=1, recvbuf=%s, recvcount=1, "+
			"recvtype=MPI_INT, source=0, recvtag=1, comm=MPI_COMM_WORLD) @ a.c:2 [main]\n"+
			"MPI_Bcast(buffer=%s, count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ a.c:3 [main]\nend\n"+
			"MPI_Finalize() @ a.c:4 [main]\n", send, recv, other)
	}
	original := program("heap#3+64", "heap#5", "heap#3")
	for _, c := range []struct{ b, want, order string }{
		{original, "", ""},
		{program("heap#0+64", "heap#1", "heap#0"), "", ""},
		{program("heap#5+64", "heap#3", "heap#5"), "", ""},
		{program("heap#0+60", "heap#1", "heap#0"),
			"parameter 0 MPI_Sendrecv a.c:2 [main] sendbuf heap+64 heap+60 9/9 []",
			""},
		{program("heap#0+64", "heap#0", "heap#0"),
			"parameter 0 MPI_Sendrecv a.c:2 [main] recvbuf other memory memory of sendbuf 9/9 []", ""},
		{program("heap#0+64", "heap#1", "heap#2"), "", "buffer (memory used again)"},
		{program("heap#0+64", "heap#1", "heap#1"), "", "buffer (memory used again)"},
	} {
		r := with(t, original, c.b, diff.Options{Structure: true, Parameters: true})
		if got := texts(r); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.b, got, c.want)
		}
		order := ""
		for _, o := range r.Order {
			if strings.Contains(o.Param, "memory") && o.Func == "MPI_Bcast" {
				order = o.Param
			}
		}
		if order != c.order {
			t.Errorf("%s\norder %q, want %q", c.b, order, c.order)
		}
	}
}

// A source that was edited has its calls at other lines: that is said, and is no difference.
func TestMovedLines(t *testing.T) {
	shift := func(lines []string, from, by int) []string {
		for i, l := range lines {
			var n int
			before, after, ok := strings.Cut(l, "@ h.c:")
			if _, err := fmt.Sscanf(after, "%d", &n); ok && err == nil && n >= from {
				lines[i] = before + strings.Replace("@ h.c:"+after, fmt.Sprint(":", n), fmt.Sprint(":", n+by), 1)
			}
		}
		return lines
	}
	moved := func(from, by int) string {
		return program(4, 100, func(_ int, l []string) []string { return shift(l, from, by) })
	}
	for _, c := range []struct {
		b     string
		moved int
		want  string
	}{
		{moved(0, 3), 6, ""},
		{moved(41, 1), 4, ""},
		{program(4, 100, func(r int, l []string) []string {
			if l = shift(l, 0, 7); r == 2 {
				l[3] = strings.Replace(l[3], "count=10", "count=20", 1)
			}
			return l
		}), 6, "parameter 2 MPI_Send h.c:41 [exchange] count 10 20 100/100 []"},
		{program(4, 100, func(r int, l []string) []string { // a second send above the first
			l = shift(l, 40, 2)
			return append(l[:2:2], append([]string{"MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, " +
				"comm=MPI_COMM_WORLD) @ " +
				"h.c:40 [exchange]"}, l[2:]...)...)
		}), 5, "extra 0-3 MPI_Send h.c:40 [exchange]    100/0 []"},
	} {
		r := with(t, program(4, 100, nil), c.b, diff.Options{Structure: true, Parameters: true})
		if got := texts(r); got != c.want {
			t.Errorf("got  %s\nwant %s\nmoved %v", got, c.want, r.Moved)
		}
		if len(r.Moved) != c.moved {
			t.Errorf("moved %v, want %d", r.Moved, c.moved)
		}
	}
}

// A program that repeats the calls of another one from elsewhere makes the same calls.
func TestRerun(t *testing.T) {
	a := `abi mpich
rank 0 of 1 on n
MPI_Init() @ a.c:1 [main]
MPI_Comm_create_keyval(comm_copy_attr_fn=module#0+16, comm_delete_attr_fn=module#0+32, extra_state=module#0+4096) @ a.c:2 [main] ; comm_keyval=keyval#0
MPI_File_open(comm=MPI_COMM_WORLD, filename="/scratch/job/out.dat", amode=5, info=MPI_INFO_NULL) @ a.c:3 [main] ; fh=file#0
loop 9
MPI_Send(buf=stack#0+64, count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:4 [main]
MPI_Send(buf=stack#0+64, count=2, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:5 [main]
end
MPI_Get_count(datatype=MPI_INT) @ a.c:7 [main] ; count=5
MPI_Finalize() @ a.c:6 [main]
`
	replace := strings.NewReplacer("; count=5", "; count=7", "a.c:7 ", "x.c:3 ", "module#0+16", "module#4+1616",
		"extra_state=module#0+4096", "extra_state=NULL", "/scratch/job", "ufs:/tmp", "stack#0+64", "heap#1+64",
		"a.c:4 [main]", "x.c:9 [run]", "a.c:5 [main]", "x.c:9 [run]", "a.c:1 ", "x.c:1 ", "a.c:6 ", "x.c:2 ")
	b := replace.Replace(a)
	if got := texts(with(t, a, b, diff.Options{Structure: true, Parameters: true, Rerun: true})); got != "" {
		t.Errorf("a rerun differs: %s", got)
	}
	if got := texts(with(t, a, b, diff.Options{Structure: true, Parameters: true,
		IgnoreSites: true})); !strings.Contains(got, "filename") {
		t.Errorf("without sites: %s", got)
	}
	// What is in a status tells which message came first.
	if got := texts(with(t, a, strings.Replace(a, "; count=5", "; count=7", 1),
		diff.Options{Structure: true, Parameters: true})); !strings.Contains(got, "MPI_Get_count") {
		t.Errorf("another run: %s", got)
	}
	for _, c := range [][2]string{{"count=2", "count=3"}, {"loop 9", "loop 10"}, {"out.dat", "other.dat"},
		{"amode=5", "amode=4"}} {
		if got := texts(with(t, a, strings.Replace(b, c[0], c[1], 1), diff.Options{Structure: true, Parameters: true,
			Rerun: true})); strings.Count(got, "\n") != 0 || got == "" {
			t.Errorf("%v: %s", c, got)
		}
	}
}
