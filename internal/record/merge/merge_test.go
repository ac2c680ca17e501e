package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/testkit/choices"
)

// job makes up what the ranks of a job do: a description for each, in the language of package
// archivetest. Ranks of a kind have the same structure; their values are formulas of the rank, the
// same everywhere, or arbitrary.
func job(seed uint64) []string { return jobOf(rand.New(rand.NewPCG(seed, 1)), 24, 12) }

// jobOf has at most so many ranks and lines of a kind of rank.
func jobOf(rng *rand.Rand, ranks, lines int) (descs []string) {
	size := 1 + rng.IntN(ranks)
	kinds := 1 + rng.IntN(3)
	programs := make([][]string, kinds)
	for k := range programs {
		programs[k] = program(rng, lines)
	}
	worlds := 1 + rng.IntN(5)/4
	irregular := rng.IntN(4) == 0
	for w := range worlds {
		for r := range size {
			if rng.IntN(30) == 0 {
				continue // nothing was recorded of this rank
			}
			d := fmt.Sprintf("abi mpich\nrank %d of %d on node%d world %d\nclock %d %d %d\n", r, size, r/8, w, 10+r,
				1000+int64(r)*3, 1000)
			for range rng.IntN(2) {
				d += "module /bin/app\n"
			}
			k := 0
			switch {
			case irregular:
				k = rng.IntN(kinds)
			case r == 0:
				k = kinds - 1
			case kinds > 2:
				k = r % 2
			}
			for _, line := range programs[k] {
				d += instance(rng, line, r, size) + "\n"
			}
			if rng.IntN(20) == 0 {
				d += "killed 9\n"
			}
			descs = append(descs, d)
		}
	}
	return descs
}

// program makes up the lines of a kind of rank. A value in angle brackets differs from rank to
// rank: see instance.
func program(rng *rand.Rand, most int) (lines []string) {
	value := func() string {
		return []string{"7", "<+1>", "<-1>", "<%1>", "<*8>", "<?>", "<x1>", "<c>"}[rng.IntN(8)]
	}
	depth := 0
	for range 1 + rng.IntN(most) {
		switch rng.IntN(14) {
		case 0:
			lines = append(lines, "loop "+[]string{"3", "17", "<t>"}[rng.IntN(3)])
			depth++
		case 1:
			if depth > 0 && !strings.HasPrefix(lines[len(lines)-1], "loop") {
				lines = append(lines, "end")
				depth--
			}
		case 2:
			lines = append(lines, fmt.Sprintf("MPI_Send(buf=heap#%s+%s, count=%s, datatype=MPI_INT, dest=%s, "+
				"tag=3, comm=MPI_COMM_WORLD) @ a.c:%d [f]", "<s>", "<*8>", value(), value(), rng.IntN(3)))
		case 3:
			lines = append(lines, fmt.Sprintf("MPI_Irecv(source=%s, tag=%s, comm=comm#<s>) @ a.c:%d [f] < b.c:1 "+
				"[main] ; request=request#<s>", value(), value(), rng.IntN(3)))
		case 4:
			lines = append(lines, fmt.Sprintf("MPI_Recv(source=-1, comm=MPI_COMM_WORLD) ; status=?{source=%s "+
				"tag=<?> bytes=8}", value()))
		case 5:
			lines = append(lines, fmt.Sprintf("MPI_Alltoallv(sendcounts=[1, %s, <?>], sdispls=?[%s, 2], "+
				"recvcounts=[<v>], comm=MPI_COMM_WORLD)", value(), value()))
		case 6:
			lines = append(lines, "poll <p> MPI_Iprobe(source=1, comm=MPI_COMM_WORLD) ; flag=0")
		case 7:
			lines = append(lines, `MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name="n<n>")`)
		case 8:
			lines = append(lines, `MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=?"n<n>")`)
		case 9:
			lines = append(lines, "MPI_Waitall(array_of_requests=[request#<s>, MPI_REQUEST_NULL, request#2]) ; "+
				"array_of_statuses=[{source=<+1> tag=2 bytes=<*8>}]")
		case 10:
			lines = append(lines, "MPI_Bcast(count=?<?>, root=<c>, comm=MPI_COMM_WORLD)")
		case 11:
			lines = append(lines, fmt.Sprintf("MPI_Allreduce(count=%d, comm=MPI_COMM_WORLD) @ c.c:9 [g]", rng.IntN(2)))
		case 12:
			lines = append(lines, "MPI_Barrier(comm=MPI_COMM_WORLD) ; ret 5")
		case 13:
			if depth == 0 {
				lines = append(lines, fmt.Sprintf("thread <thread>"))
			}
		}
	}
	for ; depth > 0; depth-- {
		if strings.HasPrefix(lines[len(lines)-1], "loop") {
			lines = append(lines, "MPI_Barrier(comm=MPI_COMM_SELF)")
		}
		lines = append(lines, "end")
	}
	thread := 0
	for i := range lines {
		if lines[i] == "thread <thread>" {
			thread++
			lines[i] = fmt.Sprintf("thread %d", thread)
		}
	}
	return lines
}

// instance is a line of a program at a rank.
func instance(rng *rand.Rand, line string, r, size int) string {
	for {
		head, rest, ok := strings.Cut(line, "<")
		if !ok || strings.HasPrefix(rest, " ") { // of a call site
			if ok {
				return head + "<" + instance(rng, rest, r, size)
			}
			return line
		}
		what, tail, _ := strings.Cut(rest, ">")
		v := 0
		switch what {
		case "+1":
			v = r + 1
		case "-1":
			v = r - 1
		case "%1":
			v = (r + 1) % size
		case "*8":
			v = 8 * r
		case "?":
			v = rng.IntN(1000)
		case "x1":
			v = r ^ 1
		case "c", "s":
			v = 2
			if rng.IntN(40) == 0 {
				v = rng.IntN(4)
			}
		case "t":
			v = 2 + r%3
		case "p":
			v = 1 + rng.IntN(5)
		case "n":
			v = rng.IntN(1 + r%3)
		case "v":
			line = head + strings.TrimSuffix(strings.Repeat("4, ", r%4), ", ") + tail
			continue
		}
		line = head + fmt.Sprint(v) + tail
	}
}

func part(t testing.TB, descs ...string) *merge.Part {
	t.Helper()
	p, err := archivetest.Part(strings.Join(descs, "\n"))
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(descs, "\n"))
	}
	return p
}

func file(t testing.TB, p *merge.Part) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// tree merges the parts of some ranks in a random tree, one in so many of its nodes through a file.
func tree(t testing.TB, rng *rand.Rand, descs []string, files int) *merge.Part {
	t.Helper()
	var parts []*merge.Part
	for len(descs) > 0 {
		n := 1 + rng.IntN(len(descs))
		parts = append(parts, part(t, descs[:n]...))
		descs = descs[n:]
	}
	for len(parts) > 1 {
		i := rng.IntN(len(parts) - 1)
		a, b := parts[i], parts[i+1]
		if rng.IntN(2) == 0 {
			a, b = b, a
		}
		m, err := merge.Merge(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if rng.IntN(files) == 0 {
			if m, err = merge.FromArchive(archivetest.Open(t, file(t, m))); err != nil {
				t.Fatal(err)
			}
		}
		parts[i] = m
		parts = append(parts[:i+1], parts[i+2:]...)
	}
	return parts[0]
}

// calls is all that an archive says of a process and its calls, as text.
func calls(t testing.TB, a *archive.Archive) map[string]string {
	t.Helper()
	out := map[string]*strings.Builder{}
	key := func(r *archive.RankData) string { return fmt.Sprint(r.World, " ", r.Rank, " ", r.PID) }
	for _, r := range a.Ranks() {
		b := &strings.Builder{}
		d := *r
		d.Sites = nil
		fmt.Fprintf(b, "%+v\n", d)
		out[key(r)] = b
	}
	for s := range a.Streams() {
		if again := a.Stream(s.Index()); again.Process() != s.Process() || again.Thread() != s.Thread() ||
			again.Class() != s.Class() {
			t.Fatalf("stream %d is another one: process %d thread %d", s.Index(), again.Process(), again.Thread())
		}
		if again := s.Class().Stream(s.Rank().Rank); again.Index() != s.Index() || again.Process() != s.Process() {
			t.Fatalf("stream %d is stream %d of its class", s.Index(), again.Index())
		}
		b := out[key(s.Rank())]
		fmt.Fprintf(b, "thread %d: %d calls\n", s.Thread(), s.Calls())
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(b, c.StartTicks, c.EndTicks, c)
		}
	}
	texts := map[string]string{}
	for k, b := range out {
		texts[k] = b.String()
	}
	return texts
}

// checkJob merges a job in several ways: all give the same bytes, which say of each process what
// an archive of it alone says.
func checkJob(t *testing.T, seed uint64) {
	t.Helper()
	descs := job(seed)
	if len(descs) == 0 {
		return
	}
	want := file(t, part(t, descs...))
	rng := rand.New(rand.NewPCG(seed, 2))
	for range 3 {
		rng.Shuffle(len(descs), func(i, j int) { descs[i], descs[j] = descs[j], descs[i] })
		if got := file(t, tree(t, rng, descs, 4)); !bytes.Equal(got, want) {
			x, y := &strings.Builder{}, &strings.Builder{}
			archive.WriteText(x, archivetest.Open(t, got))
			archive.WriteText(y, archivetest.Open(t, want))
			t.Fatalf("seed %d: another order gives another file:\n%s", seed, difference(x.String(), y.String()))
		}
	}
	a := archivetest.Open(t, want)
	if err := archive.Validate(a); err != nil {
		if !strings.Contains(err.Error(), "which no call creates") {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	got := calls(t, a)
	for _, d := range descs {
		for k, alone := range calls(t, archivetest.Open(t, file(t, part(t, d)))) {
			if got[k] != alone {
				t.Fatalf("seed %d, process %s: %s", seed, k, difference(got[k], alone))
			}
		}
	}
	if len(got) != len(descs) {
		t.Errorf("seed %d: %d processes of %d", seed, len(got), len(descs))
	}
	var text strings.Builder
	if err := archive.WriteText(&text, a); err != nil {
		t.Fatal(err)
	}
	var back bytes.Buffer
	if err := archive.ParseText(&back, strings.NewReader(text.String())); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if !bytes.Equal(back.Bytes(), want) {
		t.Errorf("seed %d: the text twin gives another file", seed)
	}
}

// difference shows the first line that differs.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		x, y := "(end)", "(end)"
		if i < len(g) {
			x = g[i]
		}
		if i < len(w) {
			y = w[i]
		}
		if x != y {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, x, y)
		}
	}
	return "the encoding"
}

func TestMergeOrders(t *testing.T) {
	n := uint64(24)
	if testing.Short() {
		n = 10
	}
	for seed := range n {
		checkJob(t, seed)
	}
}

func FuzzMergeOrders(f *testing.F) {
	f.Add([]byte("some bytes"))
	f.Fuzz(func(t *testing.T, in []byte) {
		rng := choices.Rand(in)
		way := rng.IntN(20)
		descs := jobOf(rng, 4, 4)
		if len(descs) == 0 {
			return
		}
		whole := archivetest.OfPart(t, part(t, descs...))
		switch {
		case way < 12: // another order
			rng.Shuffle(len(descs), func(i, j int) { descs[i], descs[j] = descs[j], descs[i] })
			sameText(t, "another order", archivetest.OfPart(t, tree(t, rng, descs, 50)), whole)
		case way < 19: // each process alone
			got := calls(t, whole)
			for _, d := range descs {
				for k, alone := range calls(t, archivetest.OfPart(t, part(t, d))) {
					if got[k] != alone {
						t.Fatalf("process %s: %s", k, difference(got[k], alone))
					}
				}
			}
		default: // through a file, which takes far longer
			m, err := merge.FromArchive(whole)
			if err != nil {
				t.Fatal(err)
			}
			sameText(t, "taken apart", archivetest.Open(t, file(t, m)), whole)
		}
	})
}

// sameText checks that two archives say the same in the same way.
func sameText(t *testing.T, what string, got, want *archive.Archive) {
	t.Helper()
	x, y := &strings.Builder{}, &strings.Builder{}
	if err := errors.Join(archive.WriteText(x, got), archive.WriteText(y, want)); err != nil {
		t.Fatal(err)
	}
	if x.String() != y.String() {
		t.Fatalf("%s gives another archive:\n%s", what, difference(x.String(), y.String()))
	}
}

// Peers in communicators that a program split at random are relative to the ranks there.
func TestMembers(t *testing.T) {
	const n = 64
	rng := rand.New(rand.NewPCG(1, 1))
	perm := rng.Perm(n) // ranks in order of communicators, 8 each
	where := make([]int, n)
	for i, r := range perm {
		where[r] = i
	}
	var descs []string
	for r := range n {
		d := fmt.Sprintf("abi mpich\nnotiming\nrank %d of %d on n\n", r, n)
		own := where[r] % 8
		d += fmt.Sprintf("MPI_Comm_rank(comm=comm#0) ; rank=%d\n", own)
		for k := range 4 {
			d += fmt.Sprintf("MPI_Send(dest=%d, tag=%d, comm=comm#0)\nMPI_Recv(source=%d, tag=%d, comm=comm#0)\n",
				(own+1+k)%8, k, (own+7-k)%8, k)
		}
		descs = append(descs, d+"MPI_Send(dest=-1, comm=comm#0)\n")
	}
	members := func(world, rank int, comm int64) (int, int, bool) {
		return where[rank] % 8, 8, comm == archive.DynamicRef(0)
	}
	plain := file(t, part(t, descs...))
	p := part(t, descs...)
	p.SetMembers(members)
	small := file(t, p)
	x, y := archivetest.Open(t, plain), archivetest.Open(t, small)
	if 2*y.Stats().Structure > x.Stats().Structure {
		t.Errorf("structure of %d bytes, %d without members", y.Stats().Structure, x.Stats().Structure)
	}
	want, got := calls(t, x), calls(t, y)
	for k := range want {
		if got[k] != want[k] {
			t.Fatalf("process %s: %s", k, difference(got[k], want[k]))
		}
	}
	// The relation is lost and found again on the way through a file.
	q, err := merge.FromArchive(y)
	if err != nil {
		t.Fatal(err)
	}
	if again := file(t, q); !bytes.Equal(again, plain) {
		t.Error("without members, the archive is another one")
	}
	q.SetMembers(members)
	if again := file(t, q); !bytes.Equal(again, small) {
		t.Error("with members, the archive is another one")
	}
	var text strings.Builder
	if err := archive.WriteText(&text, y); err != nil {
		t.Fatal(err)
	}
	var back bytes.Buffer
	if err := archive.ParseText(&back, strings.NewReader(text.String())); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(back.Bytes(), small) {
		t.Error("the text twin gives another file")
	}
}

func TestTwice(t *testing.T) {
	d := job(3)[0]
	if _, err := archivetest.Part(d + d); err == nil || !strings.Contains(err.Error(), "is there twice") {
		t.Errorf("%v", err)
	}
	if _, err := merge.Merge(part(t, d), part(t, d)); err == nil || !strings.Contains(err.Error(), "is there twice") {
		t.Errorf("%v", err)
	}
}

// stencil describes the ranks of a non-periodic grid of w * h ranks.
func stencil(w, h int) (descs []string) {
	for r := range w * h {
		x, y := r%w, r/w
		d := fmt.Sprintf("abi mpich\nnotiming\nrank %d of %d on n%d\nMPI_Init()\n"+
			"MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=%d\nloop 20\n", r, w*h, r/64, r)
		req := 0
		for i, n := range [][2]int{{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}} {
			if n[0] < 0 || n[0] >= w || n[1] < 0 || n[1] >= h {
				continue
			}
			peer := n[1]*w + n[0]
			d += fmt.Sprintf("MPI_Irecv(buf=heap#%d, count=100, datatype=MPI_DOUBLE, source=%d, tag=%d, "+
				"comm=MPI_COMM_WORLD) @ s.c:%d [step] ; request=request#%d\n", i, peer, i, 20+i, req)
			d += fmt.Sprintf("MPI_Isend(buf=heap#%d, count=100, datatype=MPI_DOUBLE, dest=%d, tag=%d, "+
				"comm=MPI_COMM_WORLD) @ s.c:%d [step] ; request=request#%d\n", 4+i, peer, i^1, 30+i, req+1)
			req += 2
		}
		var list []string
		for i := range req {
			list = append(list, fmt.Sprintf("request#%d", i))
		}
		d += fmt.Sprintf("MPI_Waitall(count=%d, array_of_requests=[%s]) @ s.c:40 [step]\nend\nMPI_Finalize()\n", req,
			strings.Join(list, ", "))
		descs = append(descs, d)
	}
	return descs
}

// BenchmarkAdd adds the ranks of a regular program; the metric is for each rank.
func BenchmarkAdd(b *testing.B) {
	descs := stencil(24, 24)
	var ranks []*archive.RankData
	var streams [][]archive.StreamData
	for _, d := range descs {
		r, s, err := archivetest.Rank(d)
		if err != nil {
			b.Fatal(err)
		}
		ranks, streams = append(ranks, r), append(streams, s)
	}
	b.ReportAllocs()
	for b.Loop() {
		p := merge.New()
		for i := range ranks {
			if err := p.Add(*ranks[i], streams[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(ranks)), "us/rank")
}
