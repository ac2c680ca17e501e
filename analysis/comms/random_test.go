package comms

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// job is a random program that makes communicators as the standard says, with plain lists.
type job struct {
	rng    *rand.Rand
	ranks  []*jobRank
	comms  []*jobComm
	labels map[string]*jobComm
}

type jobRank struct {
	lines []string
	used  map[int]bool // numbers of communicator objects
}

type jobComm struct {
	groups [2][]int
	inter  bool
	dims   []int
	refs   map[int]string // by rank
}

func (j *job) emit(rank int, format string, args ...any) {
	j.ranks[rank].lines = append(j.ranks[rank].lines, fmt.Sprintf(format, args...))
}

// number takes the smallest free number of a rank.
func (j *job) number(rank int) int {
	n := 0
	for j.ranks[rank].used[n] {
		n++
	}
	j.ranks[rank].used[n] = true
	return n
}

// made emits the call that makes c at all who called, and gives c a name.
func (j *job) made(c *jobComm, callers []int, result string, text func(rank int) string) *jobComm {
	label := fmt.Sprintf("c%d", len(j.labels))
	if c != nil {
		c.refs = map[int]string{}
		for _, r := range slices.Concat(c.groups[0], c.groups[1]) {
			c.refs[r] = fmt.Sprintf("comm#%d", j.number(r))
		}
		j.labels[label] = c
		j.comms = append(j.comms, c)
	}
	for _, r := range callers {
		ref := "MPI_COMM_NULL"
		if c != nil && c.refs[r] != "" {
			ref = c.refs[r]
		}
		j.emit(r, "%s ; %s=%s", text(r), result, ref)
		if ref != "MPI_COMM_NULL" {
			j.emit(r, "MPI_Comm_set_name(comm=%s, comm_name=%q)", ref, label)
		}
	}
	return c
}

func (c *jobComm) all() []int { return slices.Concat(c.groups[0], c.groups[1]) }

func (j *job) dup(c *jobComm) {
	j.made(&jobComm{groups: c.groups, inter: c.inter, dims: c.dims}, c.all(), "newcomm", func(r int) string {
		return fmt.Sprintf("MPI_Comm_dup(comm=%s) @ a.c:1 [f]", c.refs[r])
	})
}

// split returns the parts by colour.
func (j *job) split(c *jobComm, colors int) []*jobComm {
	color, key := map[int]int{}, map[int]int{}
	for _, r := range c.all() {
		color[r], key[r] = j.rng.IntN(colors+1)-1, j.rng.IntN(4)
	}
	text := func(r int) string {
		col := fmt.Sprint(color[r])
		if color[r] < 0 {
			col = "MPI_UNDEFINED"
		}
		return fmt.Sprintf("MPI_Comm_split(comm=%s, color=%s, key=%d) @ a.c:2 [f]", c.refs[r], col, key[r])
	}
	var parts []*jobComm
	for k := -1; k < colors; k++ {
		p := &jobComm{inter: c.inter}
		var callers []int
		for side, g := range c.groups {
			for _, r := range g {
				if color[r] == k {
					p.groups[side] = append(p.groups[side], r)
				}
			}
			callers = append(callers, p.groups[side]...)
			slices.SortStableFunc(p.groups[side], func(a, b int) int { return cmp.Compare(key[a], key[b]) })
		}
		if k < 0 || len(callers) == 0 || c.inter && (len(p.groups[0]) == 0 || len(p.groups[1]) == 0) {
			p = nil
		}
		if j.made(p, callers, "newcomm", text); p != nil {
			parts = append(parts, p)
		}
	}
	return parts
}

// group emits a random group of c's members in a random order, as group#1.
func (j *job) group(c *jobComm) (members []int, emit func(r int)) {
	ranks := j.rng.Perm(len(c.groups[0]))[:1+j.rng.IntN(len(c.groups[0]))]
	for _, r := range ranks {
		members = append(members, c.groups[0][r])
	}
	list := strings.ReplaceAll(fmt.Sprint(ranks), " ", ", ")
	return members, func(r int) {
		j.emit(r, "MPI_Comm_group(comm=%s) ; group=group#0", c.refs[r])
		j.emit(r, "MPI_Group_incl(group=group#0, n=%d, ranks=%s) ; newgroup=group#1", len(ranks), list)
	}
}

func (j *job) create(c *jobComm, only bool) {
	members, emit := j.group(c)
	callers := c.all()
	name, tag := "MPI_Comm_create", ""
	if only {
		callers = slices.Sorted(slices.Values(members))
		name, tag = "MPI_Comm_create_group", ", tag=4"
	}
	for _, r := range callers {
		emit(r)
	}
	j.made(&jobComm{groups: [2][]int{members}}, callers, "newcomm", func(r int) string {
		return fmt.Sprintf("%s(comm=%s, group=group#1%s) @ a.c:3 [f]", name, c.refs[r], tag)
	})
}

func (j *job) cart(c *jobComm) {
	n := len(c.groups[0])
	a := 1 + j.rng.IntN(n)
	dims := []int{a, 1 + j.rng.IntN(n/a), 1}
	size := dims[0] * dims[1]
	grid := j.made(&jobComm{groups: [2][]int{c.groups[0][:size]}, dims: dims}, c.all(), "comm_cart",
		func(r int) string {
			return fmt.Sprintf("MPI_Cart_create(comm_old=%s, ndims=3, dims=[%d, %d, 1], periods=[0, 1, 0], "+
				"reorder=0) @ a.c:4 "+
				"[f]", c.refs[r], dims[0], dims[1])
		})
	keep := []int{j.rng.IntN(2), j.rng.IntN(2), j.rng.IntN(2)}
	parts := map[[2]int][]int{}
	for i, r := range grid.groups[0] {
		at := [2]int{i / dims[1] * (1 - keep[0]), i % dims[1] * (1 - keep[1])}
		parts[at] = append(parts[at], r)
	}
	places := slices.SortedFunc(maps.Keys(parts), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, place := range places {
		members := parts[place]
		j.made(&jobComm{groups: [2][]int{members}}, members, "newcomm", func(r int) string {
			return fmt.Sprintf("MPI_Cart_sub(comm=%s, remain_dims=[%d, %d, %d]) @ a.c:5 [f]", grid.refs[r], keep[0],
				keep[1], keep[2])
		})
	}
}

func (j *job) inter(c *jobComm) {
	parts := j.split(c, 2)
	if len(parts) < 2 {
		return
	}
	if j.rng.IntN(2) == 0 {
		parts[0], parts[1] = parts[1], parts[0]
	}
	a, b := parts[0].groups[0], parts[1].groups[0]
	leadA, leadB := j.rng.IntN(len(a)), j.rng.IntN(len(b))
	if b[0] < a[0] { // the result begins with the group of the smaller first rank
		a, b, leadA, leadB, parts[0], parts[1] = b, a, leadB, leadA, parts[1], parts[0]
	}
	c2 := j.made(&jobComm{groups: [2][]int{a, b}, inter: true}, slices.Concat(a, b), "newintercomm",
		func(r int) string {
			local, lead, remote := parts[0], leadA, slices.Index(c.groups[0], b[leadB])
			if slices.Contains(b, r) {
				local, lead, remote = parts[1], leadB, slices.Index(c.groups[0], a[leadA])
			}
			peer := c.refs[r]
			if r != a[leadA] && r != b[leadB] {
				peer, remote = "MPI_COMM_NULL", 99
			}
			return fmt.Sprintf("MPI_Intercomm_create(local_comm=%s, local_leader=%d, peer_comm=%s, "+
				"remote_leader=%d, tag=8) @ "+
				"a.c:6 [f]", local.refs[r], lead, peer, remote)
		})
	high := j.rng.IntN(2)
	merged := slices.Concat(a, b)
	if high == 1 {
		merged = slices.Concat(b, a)
	}
	j.made(&jobComm{groups: [2][]int{merged}}, c2.all(), "newintracomm", func(r int) string {
		h := 1 - high
		if slices.Contains(a, r) {
			h = high
		}
		return fmt.Sprintf("MPI_Intercomm_merge(intercomm=%s, high=%d) @ a.c:7 [f]", c2.refs[r], h)
	})
}

func (j *job) free(c *jobComm) {
	for _, r := range c.all() {
		j.emit(r, "MPI_Comm_free(comm=%s)", c.refs[r])
		var n int
		fmt.Sscanf(c.refs[r], "comm#%d", &n)
		delete(j.ranks[r].used, n)
	}
	j.comms = slices.DeleteFunc(j.comms, func(o *jobComm) bool { return o == c })
}

func newJob(rng *rand.Rand, steps int) *job {
	j := &job{rng: rng, labels: map[string]*jobComm{}}
	world := &jobComm{refs: map[int]string{}}
	for r := range 1 + rng.IntN(9) {
		j.ranks = append(j.ranks, &jobRank{used: map[int]bool{}})
		world.groups[0] = append(world.groups[0], r)
		world.refs[r] = "MPI_COMM_WORLD"
	}
	for range steps {
		c := world
		if k := rng.IntN(len(j.comms) + 2); k < len(j.comms) {
			c = j.comms[k]
		}
		switch op := rng.IntN(8); {
		case op == 0:
			j.dup(c)
		case op == 1:
			j.split(c, 1+rng.IntN(3))
		case op >= 6 && c != world:
			j.free(c)
		case c.inter:
		case op == 2 || op == 3:
			j.create(c, op == 2)
		case op == 4:
			j.cart(c)
		case op == 5:
			j.inter(c)
		}
	}
	return j
}

// text describes the archive of the job.
func (j *job) text() string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r, rank := range j.ranks {
		fmt.Fprintf(&b, "rank %d of %d on n%d\n", r, len(j.ranks), r/2)
		for _, l := range rank.lines {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// Random programs: what is worked out is what the program did.
func TestRandomPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 120 {
		j := newJob(rng, 5+i%60)
		res, err := Analyze(archivetest.Archive(t, j.text()), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Notes) > 0 {
			t.Fatalf("notes %+v on\n%s", res.Notes, j.text())
		}
		found := map[string]bool{}
		for _, c := range res.Comms {
			for _, label := range c.Labels {
				want := j.labels[label]
				if found[label] || c.Inter != want.inter ||
					!slices.Equal(slices.Collect(c.Members.All()), want.groups[0]) ||
					!slices.Equal(slices.Collect(c.RemoteMembers.All()), want.groups[1]) {
					t.Fatalf("%s is %s | %s, want %v in\n%s", label, res.Text(c.Members, 0),
						res.Text(c.RemoteMembers, 0), want.groups, j.text())
				}
				found[label] = true
			}
			if c.How != "world" && len(c.Labels) != c.Times {
				t.Fatalf("%s was made %d times, but has %d names", c.Name, c.Times, len(c.Labels))
			}
		}
		if len(found) != len(j.labels) {
			t.Fatalf("%d of %d communicators were found in\n%s", len(found), len(j.labels), j.text())
		}
		for p, proc := range res.Processes {
			for _, o := range proc.Objects {
				groups := [2]*Members{o.Comm.Members, o.Comm.RemoteMembers}
				if groups[o.Side].At(o.Rank) != p {
					t.Fatalf("process %d is not rank %d of %s", p, o.Rank, o.Comm.Name)
				}
			}
		}
	}
}
