package selection

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/spec"
)

func TestParseFunctions(t *testing.T) {
	for list, want := range map[string]string{
		"MPI_Send":               "MPI_Send",
		"send":                   "MPI_Send torch_send",
		"mpi_SEND,Recv":          "MPI_Recv MPI_Send torch_recv",
		"MPI_Wait*":              "MPI_Wait MPI_Waitall MPI_Waitany MPI_Waitsome",
		"start":                  "MPI_Start MPI_Startall",
		"MPI_Send,MPI_Send":      "MPI_Send",
		"MPI_Bcast, MPI_Barrier": "MPI_Barrier MPI_Bcast",
	} {
		f, err := ParseFunctions(list)
		if err != nil {
			t.Errorf("%s: %v", list, err)
			continue
		}
		var names []string
		for _, id := range f.IDs() {
			names = append(names, spec.ByID(id).Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
	for _, c := range [][2]string{{"p2p", "pt2pt"}, {"coll", "collective"}, {"WAIT", "completion"}} {
		a, err := ParseFunctions(c[0])
		b, _ := ParseFunctions(c[1])
		if err != nil || !slices.Equal(a.IDs(), b.IDs()) {
			t.Errorf("%s is not %s: %v", c[0], c[1], err)
		}
	}
	for list, want := range map[string]string{"MPI_Sned": "did you mean MPI_Send",
		"colective": "did you mean collective", "MPI_Z*": "matches no function", "": "no function",
		"[": "no function"} {
		if _, err := ParseFunctions(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
	if !(*Functions)(nil).Contains(spec.FirstFunction) {
		t.Error("nil is not all")
	}
	if g := GroupOf(spec.ByName("MPI_Waitall")); g != "completion" {
		t.Errorf("MPI_Waitall is in %s", g)
	}
}

// Every group has members, and every function is in a group.
func TestGroups(t *testing.T) {
	covered := map[spec.ID]bool{}
	for _, g := range Groups() {
		f, err := ParseFunctions(g.Name)
		if err != nil || len(f.IDs()) == 0 {
			t.Fatalf("group %s: %v", g.Name, err)
		}
		for _, id := range f.IDs() {
			covered[id] = true
		}
	}
	for _, f := range Recordable() {
		if !covered[f.ID] {
			t.Errorf("%s is in no group", f.Name)
		}
	}
	for group, want := range map[string][]string{
		"pt2pt":      {"MPI_Send", "MPI_Irecv", "MPI_Mprobe", "MPI_Send_init"},
		"collective": {"MPI_Bcast", "MPI_Neighbor_alltoall", "MPI_Ibarrier"},
		"rma":        {"MPI_Put", "MPI_Win_fence", "MPI_Win_create"}, "io": {"MPI_File_open", "MPI_File_write_at"},
		"completion": {"MPI_Waitall", "MPI_Test"}, "comm": {"MPI_Comm_dup", "MPI_Comm_rank", "MPI_Comm_split"},
		"type":  {"MPI_Type_vector", "MPI_Pack"},
		"group": {"MPI_Group_incl"}, "info": {"MPI_Info_set"}, "topology": {"MPI_Cart_create"},
		"process": {"MPI_Init", "MPI_Comm_spawn"},
		"env":     {"MPI_Wtime", "MPI_Get_processor_name"}, "tool": {"MPI_T_init_thread"}, "op": {"MPI_Op_create"},
	} {
		f, _ := ParseFunctions(group)
		for _, name := range want {
			if !f.Contains(spec.ByName(name).ID) {
				t.Errorf("%s is not in group %s", name, group)
			}
		}
	}
}
