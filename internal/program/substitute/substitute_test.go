package substitute

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// job is the archive of ranks whose calls between MPI_Init and MPI_Finalize are given.
func job(t *testing.T, ranks ...string) *archive.Archive {
	t.Helper()
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./job\n")
	for r, calls := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init(argc=0) @ j.c:1 [main]\n%s\nMPI_Finalize() @ j.c:99 [main]\n",
			r, len(ranks), calls)
	}
	return archivetest.Open(t, archivetest.Bytes(t, b.String()))
}

const (
	send  = "MPI_Send(buf=heap#0, count=40, datatype=MPI_INT, dest=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:4 [main]\n"
	recv  = "MPI_Recv(buf=heap#0, count=40, datatype=MPI_INT, source=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:5 [main]\n"
	probe = "poll 2 MPI_Iprobe(source=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:6 [main] ; flag=0\n" +
		"MPI_Iprobe(source=%[1]d, tag=3, comm=MPI_COMM_WORLD) @ j.c:6 [main] ; flag=1 ; status={source=%[1]d tag=3 " +
		"bytes=160}\n"
	post = "MPI_Irecv(buf=heap#0, count=40, datatype=MPI_INT, source=%d, tag=3, comm=MPI_COMM_WORLD) @ j.c:5 [main]" +
		" ; request=request#0\n"
	other = "MPI_Irecv(buf=heap#1, count=1, datatype=MPI_INT, source=%d, tag=4, comm=MPI_COMM_WORLD) @ j.c:7 [main]" +
		" ; request=request#1\n"
	both    = "MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) @ j.c:8 [main]\n"
	note    = "MPI_Send(buf=heap#1, count=1, datatype=MPI_INT, dest=%d, tag=4, comm=MPI_COMM_WORLD) @ j.c:9 [main]\n"
	barrier = "MPI_Ibarrier(comm=MPI_COMM_WORLD) @ j.c:11 [main] ; request=request#0\n" + done
	done    = "MPI_Wait(request=request#0) @ j.c:12 [main]\n"
	wait    = "MPI_Recv(buf=heap#1, count=1, datatype=MPI_INT, source=%d, tag=4, comm=MPI_COMM_WORLD) @ j.c:10 [main]\n"
)

func line(format string, n int) string { return fmt.Sprintf(format, n) }

// TestOf: messages go, with what probes and completes them; what has nothing to do with them stays.
func TestOf(t *testing.T) {
	loop := func(body string) string { return "loop 5\n" + body + "end\n" }
	root := line(send, 1) + line(send, 2) + line(send, 3)
	for _, c := range []struct {
		name  string
		ranks []string
		want  []string // calls of each rank between the first and the last
		why   string
	}{
		{"linear", []string{loop(root), loop(line(recv, 0)), loop(line(recv, 0)), loop(line(recv, 0))},
			slices.Repeat([]string{"5 Bcast"}, 4), ""},
		{"probed", []string{root, line(probe, 0) + line(recv, 0), line(recv, 0), line(recv, 0)},
			slices.Repeat([]string{"1 Bcast"}, 4), ""},
		{"completed with another", []string{root + line(note, 1), line(post, 0) + line(other, 0) + both, line(recv, 0),
			line(recv, 0)}, []string{"1 Bcast, 1 Send", "1 Irecv, 1 Bcast, 1 Waitall", "1 Bcast", "1 Bcast"}, ""},
		{"of a part", []string{root, line(recv, 0), line(recv, 0), line(recv, 0), "", ""},
			slices.Concat(slices.Repeat([]string{"1 Comm_split, 1 Bcast"}, 4),
				slices.Repeat([]string{"1 Comm_split"}, 2)), ""},
		{"with a request that is another's later", []string{root + barrier, line(post, 0) + done + barrier,
			line(recv, 0) + barrier, line(recv, 0) + barrier},
			slices.Repeat([]string{"1 Bcast, 1 Ibarrier, 1 Wait"}, 4), ""},
		// Between its messages the root sends what one has to have before it takes part.
		{"not at once", []string{line(send, 1) + line(note, 3) + line(send, 2) + line(send, 3), line(recv, 0),
			line(recv, 0),
			line(wait, 0) + line(recv, 0)}, nil, "process 0 waits in MPI_Bcast for process 3, which waits in " +
			"MPI_Recv for process 0"},
	} {
		a := job(t, c.ranks...)
		found, err := collectives.Of(a, collectives.Options{})
		if err != nil || len(found.Findings) != 1 {
			t.Fatalf("%s: %v, %+v", c.name, err, found)
		}
		r, err := Of(a, found, func(*collectives.Finding) bool { return true })
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.why != "" || r.Why[0] != "" {
			if !strings.Contains(r.Why[0], c.why) || c.why == "" {
				t.Errorf("%s: %q, want %q", c.name, r.Why[0], c.why)
			}
			continue
		}
		for s := range r.Archive.Streams() {
			if got := summary(t, s); got != c.want[s.Index()] {
				t.Errorf("%s, rank %d: %s, want %s", c.name, s.Index(), got, c.want[s.Index()])
			}
		}
	}
}

// summary counts equal calls in a row, those of the initialisation and the end left out.
func summary(t *testing.T, s *archive.Stream) string {
	var list []string
	last, n := "", 0
	flush := func() {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, last))
		}
	}
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		switch name := c.Func.ShortName(); name {
		case "Init", "Finalize":
		case last:
			n++
		default:
			flush()
			last, n = name, 1
		}
	}
	flush()
	return strings.Join(list, ", ")
}

// TestRefused: a finding that is not wanted stays as it is.
func TestRefused(t *testing.T) {
	a := job(t, line(send, 1)+line(send, 2), line(recv, 0), line(recv, 0))
	found, err := collectives.Of(a, collectives.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Of(a, found, func(*collectives.Finding) bool { return false })
	if err != nil || len(r.Why) != 1 || r.Why[0] != "it is consistent with structure" {
		t.Fatalf("%v, %+v", err, r)
	}
	if got := summary(t, r.Archive.Stream(0)); got != "2 Send" {
		t.Error(got)
	}
}
