package program

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// teller passes parameters as what it was asked for. Slots have values of the kinds in kinds, else
// integers.
type teller struct{ kinds map[int]archive.Kind }

func (t teller) Kind(_ *Param, slot int) archive.Kind {
	if k, ok := t.kinds[slot]; ok {
		return k
	}
	return archive.Int
}

func (teller) Absent(*Param) string        { return "absent" }
func (teller) Sentinel(*Param, int) string { return "sentinel" }
func (teller) Number(*Param) string        { return "number" }
func (teller) NumberIO(*Param) string      { return "&number" }
func (teller) Numbers(*Param) string       { return "numbers" }
func (teller) Displacement(*Param) string  { return "displacement" }
func (teller) Displacements(*Param) string { return "displacements" }
func (teller) Object(*Param) string        { return "object" }
func (teller) ObjectIO(*Param) string      { return "&object" }
func (teller) ObjectNew(*Param) string     { return "new" }
func (teller) Objects(*Param) string       { return "objects" }
func (teller) ObjectsNew(*Param) string    { return "news" }
func (teller) Buffer(*Param) string        { return "buffer" }
func (teller) BufferNew(*Param) string     { return "memory" }
func (teller) Text(*Param) string          { return "text" }
func (teller) Texts(*Param) string         { return "texts" }
func (teller) Arguments(*Param) string     { return "arguments" }
func (teller) Status(*Param) string        { return "status" }
func (teller) StatusIn(*Param) string      { return "known" }
func (teller) Callback(*Param) string      { return "callback" }
func (teller) Result(*Param) string        { return "result" }

// What is done with a parameter follows from its role, unless the program passed nothing or a
// constant.
func TestPass(t *testing.T) {
	for _, x := range []struct {
		function, want string
		kinds          map[int]archive.Kind
	}{
		{"MPI_Init", "&number arguments", nil},
		{"MPI_Init", "absent absent", map[int]archive.Kind{0: archive.Absent, 1: archive.Absent}},
		{"MPI_Send", "buffer number object number number object", nil},
		{"MPI_Recv", "buffer number object number number object status", nil},
		{"MPI_Waitany", "number objects result status", nil},
		{"MPI_Wait", "&object status", nil},
		{"MPI_Get_count", "known object result", nil},
		{"MPI_Comm_split", "object number number new", nil},
		{"MPI_Type_create_struct", "number numbers displacements objects new", nil},
		{"MPI_Dist_graph_create_adjacent", "object number numbers sentinel number numbers numbers object number new",
			map[int]archive.Kind{3: archive.Sentinel}},
		{"MPI_Win_allocate", "number number object object memory new", nil},
		{"MPI_Put", "buffer number object number number number object object", nil},
		{"MPI_Op_create", "callback number new", nil},
		{"MPI_Info_set", "object text text", nil},
		{"MPI_Comm_spawn", "text texts number object number object new result", nil},
		{"MPI_Get_processor_name", "result result", nil},
		{"MPI_Pcontrol", "number", nil}, // and variable arguments
		{"MPI_Type_get_contents", "object number number number result result news", nil},
	} {
		f := FuncOf(spec.ByName(x.function).ID)
		if got := strings.Join(Pass[string](f, teller{x.kinds}), " "); got != x.want {
			t.Errorf("%s: %s instead of %s", x.function, got, x.want)
		}
	}
}
