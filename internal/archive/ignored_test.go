package archive_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// What the program ignored is a status; anything else that says so is broken, in signatures,
// templates and text.
func TestIgnoredIsAStatus(t *testing.T) {
	recv := spec.ByName("MPI_Recv")
	for i := range recv.Slots {
		s := archive.Signature{Func: recv.ID, Slots: make([]archive.Value, len(recv.Slots))}
		s.Slots[i] = archive.Value{Kind: archive.Hole, Ignored: true}
		got, err := archive.ParseSignature(s.Append(nil))
		if (err == nil) != (recv.Slots[i].Codec == spec.Status) {
			t.Errorf("%s: %v", archive.SlotName(recv, &recv.Slots[i]), err)
		}
		if err == nil && (!got.Slots[i].Ignored || got.Slots[i].Kind != archive.Hole) {
			t.Errorf("%s became %+v", archive.SlotName(recv, &recv.Slots[i]), got.Slots[i])
		}
		if n := len(got.Columns()); err == nil && n != 4 {
			t.Errorf("%d columns", n)
		}
	}
	var text strings.Builder
	a := archivetest.Archive(t, "abi openmpi\nrank 0 of 1 on n\n"+
		"MPI_Recv(source=MPI_ANY_SOURCE, tag=5, comm=MPI_COMM_WORLD) ; status=ignored{source=0 tag=5 bytes=8}\n")
	if err := archive.WriteText(&text, a); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "status=ignored?") {
		t.Errorf("nothing is ignored in\n%s", text.String())
	}
	for _, change := range [][2]string{{"tag=5", "tag=ignored?"}, {"ignored?", "ignored"},
		{"ignored?", "ignoredignored?"}} {
		var file bytes.Buffer
		err := archive.ParseText(&file, strings.NewReader(strings.Replace(text.String(), change[0], change[1], 1)))
		if err == nil {
			t.Errorf("%s instead of %s is taken", change[1], change[0])
		}
	}
	// Nesting is bounded.
	v := strings.Repeat("ignored[", 1000)
	if _, _, err := archive.ParseValue(spec.OpenMPI, recv, &recv.Slots[len(recv.Slots)-1], v); err == nil {
		t.Error("a value without an end is taken")
	}
}
