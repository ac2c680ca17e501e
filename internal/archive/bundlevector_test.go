package archive_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// vectorJob describes ranks of a job whose collectives have random counts, on all ranks and on two
// halves. Rank r makes all calls but the last missing[r], if there are so many.
func vectorJob(n, steps int, missing map[int]int) string {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(steps)))
	ranks := make([][]string, n)
	line := func(r int, format string, args ...any) { ranks[r] = append(ranks[r], fmt.Sprintf(format, args...)) }
	all := make([]int, n)
	for r := range all {
		all[r] = r
		line(r, "MPI_Init()")
	}
	vectorCalls(rng, all, "MPI_COMM_WORLD", steps, line)
	for color := range 2 {
		var half []int
		for r := n - 1; r >= 0; r-- {
			if r%2 == color {
				half = append(half, r)
			}
		}
		for i, r := range half {
			line(r, "MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=%d) @ a.c:9 [f] ; newcomm=comm#0", color, -r)
			line(r, "MPI_Comm_rank(comm=comm#0) @ a.c:10 [f] ; rank=?%d", i)
		}
		vectorCalls(rng, half, "comm#0", steps, line)
	}
	var d strings.Builder
	d.WriteString("partial\n")
	for r, calls := range ranks {
		fmt.Fprintf(&d, "rank %d of %d on n\n%s\n", r, n, strings.Join(calls[:max(1, len(calls)-missing[r])], "\n"))
	}
	return d.String()
}

func vectorCalls(rng *rand.Rand, members []int, comm string, steps int, line func(r int, format string, args ...any)) {
	n := len(members)
	draw := func() []int {
		v := make([]int, n)
		for i := range v {
			v[i] = rng.IntN(1000)
		}
		return v
	}
	join := func(v []int) string { return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ", ") }
	// follow are displacements with a gap, each a multiple of align, in units of size.
	follow := func(v []int, gap, align, size int) string {
		d := make([]int, n)
		for i := 1; i < n; i++ {
			d[i] = (d[i-1] + v[i-1]*size + gap + align - 1) / align * align
		}
		return join(d)
	}
	for step := range steps {
		sends := make([][]int, n)
		for i := range sends {
			sends[i] = draw()
		}
		mine, parts, root := draw(), draw(), step%n
		for i, r := range members {
			receives := make([]int, n)
			for j := range receives {
				receives[j] = sends[j][i]
			}
			line(r, "MPI_Alltoallv(sendcounts=?[%s], sdispls=?[%s], recvcounts=?[%s], rdispls=?[%s], comm=%s) @ "+
				"a.c:1 [f]",
				join(sends[i]), follow(sends[i], 0, 1, 1), join(receives), follow(receives, 3, 1, 1), comm)
			line(r, "MPI_Alltoallw(sendcounts=?[%s], sdispls=?[%s], recvcounts=?[%s], rdispls=?[%s], comm=%s) @ "+
				"a.c:2 [f]",
				join(sends[i]), follow(sends[i], 0, 1, 8), join(receives), follow(receives, 0, 64, 1), comm)
			line(r, "MPI_Allgatherv(sendcount=?%d, recvcounts=?[%s], displs=?[%s], comm=%s) @ a.c:3 [f]",
				mine[i], join(mine), follow(mine, 0, 1, 1), comm)
			line(r, "MPI_Reduce_scatter(recvcounts=?[%s], comm=%s) @ a.c:4 [f]", join(parts), comm)
			if i == root {
				line(r, "MPI_Gatherv(sendcount=?%d, recvcounts=?[%s], displs=?[%s], root=?%d, comm=%s) @ a.c:5 [f]",
					mine[i], join(mine), follow(mine, 0, 1, 1), root, comm)
				line(r, "MPI_Scatterv(sendcounts=?[%s], displs=?[%s], recvcount=?%d, root=?%d, comm=%s) @ a.c:6 [f]",
					join(parts), follow(parts, 0, 1, 1), parts[i], root, comm)
			} else {
				line(r, "MPI_Gatherv(sendcount=?%d, root=?%d, comm=%s) @ a.c:5 [f]", mine[i], root, comm)
				line(r, "MPI_Scatterv(recvcount=?%d, root=?%d, comm=%s) @ a.c:6 [f]", parts[i], root, comm)
			}
			line(r, "MPI_Bcast(count=?%d, root=?%d, comm=%s) @ a.c:7 [f]", parts[0]+mine[0], root, comm)
		}
	}
}

// sameCalls compares an archive with one that has the same values in signatures.
func sameCalls(t *testing.T, desc string) *archive.Archive {
	t.Helper()
	a := archivetest.Archive(t, desc)
	got, want := lines(t, a), lines(t, archivetest.Archive(t, strings.ReplaceAll(desc, "=?", "=")))
	if !slices.Equal(got, want) {
		t.Fatal("other calls come back")
	}
	return a
}

// TestVectors: counts are stored once, and what follows from them is not.
func TestVectors(t *testing.T) {
	for _, n := range []int{2, 7} {
		const steps = 40
		a := sameCalls(t, vectorJob(n, steps, nil))
		if err := archive.Validate(a); err != nil {
			t.Error(err)
		}
		// Ten bits a count: those of the exchange, and those that all say; those of Alltoallw are in
		// the call before, and are counted here as information nevertheless.
		half := n/2*(n/2) + (n-n/2)*(n-n/2)
		counts := 2*(n*n+half) + 2*(n+n)
		if size, most := a.Stats().Columns, int64(steps*counts*10/8*23/20+600); size > most {
			t.Errorf("%d ranks: columns of %d bytes, want at most %d", n, size, most)
		}
	}
}

// TestVectorsIncomplete: ranks that stop in the middle, or are not there, leave the others' calls as
// they are.
func TestVectorsIncomplete(t *testing.T) {
	for _, missing := range []map[int]int{{1: 17}, {0: 200, 3: 1}, {2: 1 << 20}, {0: 1 << 20, 4: 133}} {
		sameCalls(t, vectorJob(5, 25, missing))
	}
	desc := vectorJob(5, 25, nil)
	from, to := strings.Index(desc, "rank 2 "), strings.Index(desc, "rank 3 ")
	sameCalls(t, desc[:from]+desc[to:])
}

// TestVectorsOtherwise: arrays that follow from nothing, negative or huge numbers, and lengths that
// do not fit together come back as well.
func TestVectorsOtherwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	number := func() int64 {
		switch rng.IntN(4) {
		case 0:
			return rng.Int64() - rng.Int64()
		case 1:
			return -1
		}
		return int64(rng.IntN(4))
	}
	array := func() string {
		var parts []string
		for range 1 + rng.IntN(9) {
			parts = append(parts, fmt.Sprint(number()))
		}
		return strings.Join(parts, ", ")
	}
	var d strings.Builder
	d.WriteString("partial\n")
	for r := range 4 {
		fmt.Fprintf(&d, "rank %d of 4 on n\nMPI_Init()\n", r)
		for range 150 {
			comm := []string{"MPI_COMM_WORLD", "MPI_COMM_SELF", "comm#0"}[rng.IntN(3)]
			switch rng.IntN(4) {
			case 0:
				fmt.Fprintf(&d, "MPI_Alltoallv(sendcounts=?[%s], sdispls=?[%s], recvcounts=?[%s], rdispls=?[%s], "+
					"comm=%s) "+
					"@ a.c:1 [f]\n", array(), array(), array(), array(), comm)
			case 1:
				fmt.Fprintf(&d, "MPI_Gatherv(sendcount=?%d, recvcounts=?[%s], displs=?[%s], root=?%d, comm=%s) @ "+
					"a.c:2 [f]\n",
					number(), array(), array(), number()%100, comm)
			case 2:
				fmt.Fprintf(&d, "MPI_Comm_rank(comm=%s) @ a.c:3 [f] ; rank=?%d\n", comm, number()%100)
			case 3:
				fmt.Fprintf(&d, "MPI_Neighbor_alltoallv(sendcounts=?[%s], sdispls=?[%s], recvcounts=?[%s], "+
					"rdispls=?[%s], "+
					"comm=%s) @ a.c:4 [f]\n", array(), array(), array(), array(), comm)
			}
		}
	}
	sameCalls(t, d.String())
}

// TestVectorsBorder: where bundles end makes no difference to what comes back, and the text makes
// the same archive.
func TestVectorsBorder(t *testing.T) {
	desc := vectorJob(6, 30, nil)
	for _, values := range []int{1, 500, 4000} {
		restore := archive.SetBundleValues(values)
		sameCalls(t, desc)
		restore()
	}
	sound := archivetest.Bytes(t, desc)
	var again bytes.Buffer
	if err := archive.ParseText(&again, strings.NewReader(text(t, archivetest.Open(t, sound)))); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), sound) {
		t.Error("the text makes another archive")
	}
}
