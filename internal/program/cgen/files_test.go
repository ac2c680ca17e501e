package cgen

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// Files that were there are made, as large as they were or as is read of them; those that were
// removed by other means than MPI are removed.
func TestFoundFiles(t *testing.T) {
	desc := "abi mpich\n"
	for _, rank := range []string{"0", "1"} {
		desc += "rank " + rank + ` of 2 on node
MPI_Init()
MPI_File_open(comm=MPI_COMM_WORLD, filename="/in/data", amode=MPI_MODE_RDONLY, info=MPI_INFO_NULL) ; fh=file#0
loop 4
  MPI_File_read_all(fh=file#0, count=25, datatype=MPI_INT, buf=stack#0) ; status={source=0 tag=0 bytes=100}
end
MPI_File_open(comm=MPI_COMM_WORLD, filename="other/data", amode=MPI_MODE_RDONLY, info=MPI_INFO_NULL) ; fh=file#1
MPI_File_get_size(fh=file#1) ; size=77
MPI_File_read_all(fh=file#1, count=25, datatype=MPI_INT, buf=stack#0)
MPI_File_open(comm=MPI_COMM_WORLD, filename="unknown", amode=MPI_MODE_RDONLY, info=MPI_INFO_NULL) ; fh=file#2
MPI_File_read_all(fh=file#2, count=3, datatype=MPI_INT, buf=stack#0)
MPI_File_open(comm=MPI_COMM_WORLD, filename="new", amode=MPI_MODE_CREATE|MPI_MODE_EXCL|MPI_MODE_RDWR, info=MPI_INFO_NULL) ; fh=file#3
MPI_File_open(comm=MPI_COMM_WORLD, filename="./new", amode=MPI_MODE_RDONLY, info=MPI_INFO_NULL) ; fh=file#4
MPI_File_open(comm=MPI_COMM_WORLD, filename="new", amode=MPI_MODE_RDWR, info=MPI_INFO_NULL) ; fh=file#4
MPI_File_get_size(fh=file#4) ; size=1000
MPI_File_delete(filename="old", info=MPI_INFO_NULL)
MPI_File_delete(filename="never", info=MPI_INFO_NULL) ; ret 37
loop 2
  MPI_File_open(comm=MPI_COMM_WORLD, filename="again", amode=MPI_MODE_CREATE|MPI_MODE_EXCL|MPI_MODE_RDWR, info=MPI_INFO_NULL) ; fh=file#5
  MPI_File_open(comm=MPI_COMM_SELF, filename="mine", amode=MPI_MODE_CREATE|MPI_MODE_EXCL|MPI_MODE_RDWR, info=MPI_INFO_NULL) ; fh=file#6
end
MPI_File_open(comm=MPI_COMM_SELF, filename="there", amode=MPI_MODE_CREATE|MPI_MODE_EXCL|MPI_MODE_RDWR, info=MPI_INFO_NULL) ; ret 25
MPI_Finalize()
`
	}
	text, _ := generate(t, archivetest.Archive(t, desc), Options{Name: "some/app.c"})
	checkSyntax(t, "found", text)
	for _, want := range []string{
		`MPI_File_open(MPI_COMM_WORLD, found_file("data"), MPI_MODE_RDONLY`, `found_file("data.2")`,
		`found_file("unknown")`,
		`scratch_file("new"), (MPI_MODE_CREATE`, `found_file("new"), MPI_MODE_RDWR`,
		`MPI_File_delete(found_file("old")`, `MPI_File_delete(scratch_file("never")`,
		`new_file("again", rank == 0)`, `new_file("mine", 1)`, `found_file("there")`, `#define FILES "app.files"`,
		"        {\"again\", -1},\n        {\"data\", 800},\n        {\"data.2\", 77},\n        {\"mine\", -1},\n" +
			"        {\"never\", -1},\n        {\"new\", -1},\n" +
			"        {\"old\", 0},\n        {\"there\", -1},\n        {\"unknown\", 48},\n    };",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Each rank has names of its own, in a column.
func TestFileNamesByRank(t *testing.T) {
	desc := "abi mpich\n"
	for _, rank := range []string{"0", "1", "2"} {
		desc += "rank " + rank + " of 3 on node\nMPI_Init()\n"
		for _, i := range []string{"x", "y", "x", "z"} {
			desc += `MPI_File_open(comm=MPI_COMM_SELF, filename=?"` + i + rank +
				`", amode=MPI_MODE_CREATE|MPI_MODE_WRONLY, info=MPI_INFO_NULL) @ a.c:1 [main] ; fh=file#0` + "\n"
		}
		desc += "MPI_Finalize()\n"
	}
	text, _ := generate(t, archivetest.Archive(t, desc), Options{})
	checkSyntax(t, "names", text)
	if want := `scratch_file((const char *[]){"x0", "y0", "z0", "x1", "y1", "z1", "x2", "y2", "z2"}[next(&filename)])`; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// Attribute callbacks fail where they did, those of the standard stay, and keyvals that are freed
// from copies keep their numbers.
func TestAttributeCallbacks(t *testing.T) {
	text, _ := generate(t, archivetest.Archive(t, `
abi mpich
rank 0 of 1 on node
MPI_Init()
MPI_Comm_create_keyval(comm_copy_attr_fn=module#0+0x10, comm_delete_attr_fn=NULL, extra_state=NULL) ; comm_keyval=keyval#0
MPI_Comm_set_attr(comm=MPI_COMM_SELF, comm_keyval=keyval#0, attribute_val=NULL)
MPI_Comm_set_attr(comm=MPI_COMM_SELF, comm_keyval=keyval#0, attribute_val=NULL) ; ret 15
MPI_Comm_size(comm=MPI_COMM_SELF) ; ret 5
MPI_Comm_free_keyval(comm_keyval=keyval#0)
MPI_Comm_free_keyval(comm_keyval=keyval#0)
MPI_Type_create_keyval(type_copy_attr_fn=NULL, type_delete_attr_fn=module#0+0x20, extra_state=NULL) ; type_keyval=keyval#1
MPI_Finalize()
`), Options{})
	checkSyntax(t, "attributes", strings.NewReplacer("MPI_COMM_NULL_DELETE_FN", "NULL", "MPI_TYPE_NULL_COPY_FN",
		"NULL").Replace(text))
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"copy_MPI_Comm, MPI_COMM_NULL_DELETE_FN, &keyval[0], NULL)",
		"MPI_TYPE_NULL_COPY_FN, delete_MPI_Datatype, &keyval[1], NULL)",
		"{ fails = MPI_ERR_OTHER; MPI_Comm_set_attr(MPI_COMM_SELF, keyval[0], NULL); fails = MPI_SUCCESS; }",
		"MPI_Comm_free_keyval(&(int){keyval[0]});",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "fails ="); n != 3 { // its declaration, too
		t.Errorf("%d of 3 places with fails in\n%s", n, text)
	}
}
