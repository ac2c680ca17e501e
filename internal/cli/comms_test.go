package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// grids is a small run of four ranks with the communicators of a two-dimensional code.
func grids() string {
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./grid\n")
	for r := range 4 {
		fmt.Fprintf(&b, `rank %d of 4 on node%d
MPI_Comm_dup(comm=MPI_COMM_SELF) @ grid.c:5 [setup] ; newcomm=comm#0
MPI_Comm_set_name(comm=comm#0, comm_name="mine %[1]d")
MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=2, dims=[2, 2], periods=[1, 0], reorder=1) @ grid.c:10 [setup] ; comm_cart=comm#1
MPI_Comm_set_name(comm=comm#1, comm_name="grid")
MPI_Cart_sub(comm=comm#1, remain_dims=[0, 1]) @ grid.c:12 [setup] ; newcomm=comm#2
MPI_Comm_split_type(comm=MPI_COMM_WORLD, split_type=MPI_COMM_TYPE_SHARED, key=0) @ grid.c:14 [setup] ; newcomm=comm#3
loop 20
  MPI_Comm_idup(comm=comm#1) @ grid.c:20 [step] ; newcomm=comm#4 ; request=request#0
  MPI_Wait(request=request#0) @ grid.c:21 [step]
  MPI_Comm_free(comm=comm#4) @ grid.c:25 [step]
end
MPI_Intercomm_create(local_comm=comm#3, local_leader=0, peer_comm=MPI_COMM_WORLD, remote_leader=%[3]d, tag=1) @ grid.c:30 [couple] ; newintercomm=comm#4
MPI_Comm_rank(comm=comm#3) ; rank=?%[4]d
`, r, r/2, 2-r/2*2, r%2)
	}
	return b.String()
}

func TestCommsOutput(t *testing.T) {
	path := file(t, grids())
	for name, args := range map[string][]string{
		"comms.txt":  {"info", path, "--comms"},
		"comms.json": {"info", path, "--comms", "--json"},
	} {
		code, stdout, stderr := run(args...)
		if code != exitOK || stderr != "" {
			t.Errorf("tabard %s: code %d, stderr %q", args, code, stderr)
		}
		golden(t, name, strings.ReplaceAll(stdout, path, "app.tabard"))
	}
}

// The members that other programs rely on.
func TestCommsJSON(t *testing.T) {
	_, stdout, _ := run("info", "--comms", "--json", file(t, grids()))
	var info struct {
		Schema string `json:"schema"`
		Comms  []struct {
			ID      int      `json:"id"`
			Name    string   `json:"name"`
			Parent  *int     `json:"parent"`
			Members string   `json:"members"`
			Remote  string   `json:"remote_members"`
			Made    int      `json:"made"`
			Labels  []string `json:"labels"`
		} `json:"communicators"`
		Processes []struct {
			Rank    int `json:"rank"`
			Objects []struct {
				Object string `json:"object"`
				Comm   *int   `json:"communicator"`
				Rank   int    `json:"rank"`
			} `json:"objects"`
		} `json:"processes"`
		Notes []struct {
			Kind string `json:"kind"`
		} `json:"notes"`
	}
	if err := json.Unmarshal([]byte(stdout), &info); err != nil {
		t.Fatal(err)
	}
	if info.Schema != "tabard.comms/1" || len(info.Processes) != 4 || info.Notes == nil || len(info.Notes) != 0 {
		t.Errorf("%+v", info)
	}
	seen := map[string]string{}
	for i, c := range info.Comms {
		if c.ID != i || c.Parent != nil && *c.Parent >= i {
			t.Errorf("communicator %d: %+v", i, c)
		}
		seen[c.Name] = fmt.Sprintf("%s|%s x%d %v", c.Members, c.Remote, c.Made, c.Labels)
	}
	for name, want := range map[string]string{
		"world/cart0":             "0-3| x1 [grid]",
		"world/cart0/cart_sub0:1": "2-3| x1 []",
		"world/cart0/idup1":       "0-3| x20 []",
		"world/split_type1:node1": "2-3| x1 []",
		"world/split_type1:node0/intercomm0~world/split_type1:node1/intercomm0": "0-1|2-3 x1 []",
	} {
		if seen[name] != want {
			t.Errorf("%s: %q, want %q", name, seen[name], want)
		}
	}
	last := info.Processes[3].Objects
	if o := last[len(last)-1]; o.Object != "comm#4" || o.Comm == nil || o.Rank != 1 {
		t.Errorf("%+v", o)
	}
}

// What is not known is said below the tree.
func TestCommsNotes(t *testing.T) {
	code, stdout, _ := run("info", "--comms", file(t, `abi mpich
rank 0 of 2 on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=comm#0
MPI_Comm_dup(comm=comm#9) ; newcomm=comm#1
`))
	for _, want := range []string{"split0:0    ?     0  ", "incomplete: not all members of world were recorded",
		"unknown: objects that no recorded call made"} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("code %d, no %q in\n%s", code, want, stdout)
		}
	}
}
