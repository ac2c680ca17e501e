package cgen

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// calls is a recording of n ranks with these calls.
func calls(n int, text func(rank int) string) string {
	var b strings.Builder
	b.WriteString("abi openmpi\ncommand ./app\n")
	for r := range n {
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init(argc=0) @ a.c:1 [main]\n%sMPI_Finalize() @ a.c:99 [main]\n", r,
			n, text(r))
	}
	return b.String()
}

// pair is a datatype of two blocks at a distance, sent from a place and freed.
func pair(buffer, displacements string) string {
	return `MPI_Type_create_struct(count=2, array_of_blocklengths=[4, 10], array_of_displacements=` + displacements + `, array_of_types=[MPI_DOUBLE, MPI_INT]) @ a.c:5 [f] ; newtype=type#0
MPI_Type_commit(datatype=type#0) @ a.c:6 [f] ; datatype=type#0
MPI_Send(buf=` + buffer + `, count=1, datatype=type#0, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:7 [f]
MPI_Type_free(datatype=type#0) @ a.c:8 [f]
`
}

func allocated(number, bytes string) string {
	return "tabard_segment(segment=" + number + ", kind=1, bytes=" + bytes + ")\n"
}

// distant has blocks that datatypes lead out of, with values in columns.
var distant = allocated("0", "?64") + pair("heap#0", "?[0, -9000]") + "tabard_segment_end(segment=0)\n" +
	allocated("0", "?100") + pair("heap#0", "?[0, 46179488366592]")

// What datatypes use around a block is there, and other blocks are as they were.
func TestReaches(t *testing.T) {
	const end0, end1 = "tabard_segment_end(segment=0)\n", "tabard_segment_end(segment=1)\n"
	// All numbers are used again; only one of the blocks is led out of.
	again := allocated("0", "?64") + allocated("1", "4096") + pair("heap#1", "[0, 1000]") + end0 +
		allocated("0", "?100") + pair("heap#0+8", "[0, 60]") + end0 + end1
	for _, c := range []struct {
		name, text    string
		want, wantNot []string
	}{
		{"inside", allocated("0", "4096") + pair("heap#0", "[0, 1000]") + end0,
			[]string{"heap[0] = memory(4096);", "free(heap[0]);"}, []string{"mmap", "release"}},
		{"behind", allocated("0", "4096") + pair("heap#0+8", "[0, 9000]") + end0,
			[]string{"heap[0] = memory(4096 + 4992);", "free(heap[0]);"}, []string{"mmap"}},
		{"before", allocated("0", "4096") + pair("heap#0+8", "[0, -9000]") + end0,
			[]string{"heap[0] = memory_around(0, 4096, 9024, 0, NULL);", "release(0, heap[0]);",
				"#define _DEFAULT_SOURCE", "(MPI_Aint[]){0, -9000}"}, nil},
		{"other block", allocated("0", "4096") + pair("heap#0+8", "[0, -9000]") + allocated("1", "64") + end1 + end0,
			[]string{"heap[1] = memory(64);", "free(heap[1]);"}, nil},
		{"far", allocated("0", "4096") + pair("heap#0", "[0, 46179488366592]") + end0,
			[]string{"memory_around(0, 4096, 0, 0, far_table)", "1, 46179488366592L, 46179488432128L",
				"46179488366592L"}, nil},
		// The block is what is used of the stack, and begins at 640: places are counted from there.
		{"far from a stack", pair("stack#0+640", "[0, -46179488366992]"),
			[]string{"static char *stack0;", "stack0 = memory_around(-1, ", ", 0, 0, far_table)",
				"1, -46179488432128L, -46179488366592L"}, nil},
		{"nothing far", allocated("0", "4096") + strings.Replace(pair("heap#0", "[0, 46179488366592]"), "[4, 10]",
			"[4, 0]", 1) + end0, []string{"heap[0] = memory(4096);"}, []string{"mmap"}},
		{"stride", allocated("0", "80") + `MPI_Type_create_hvector(count=2, blocklength=10, stride=-1099511627776, oldtype=MPI_DOUBLE) @ a.c:5 [f] ; newtype=type#0
MPI_Send(buf=heap#0, count=1, datatype=type#0, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:7 [f]
`, []string{"-1099511627776L, MPI_DOUBLE", "memory_around(0, 80, 0, 0, far_table)", "1, -1099511627776L, -1099511562240L"}, nil},
		{"nested", allocated("0", "4096") + strings.Replace(pair("heap#0", "[0, -9000]"),
			"MPI_Type_commit(datatype=type#0)",
			"MPI_Type_contiguous(count=1, oldtype=type#0) @ a.c:6 [f] ; newtype=type#1\n"+
				"MPI_Type_commit(datatype=type#1)", 1) +
			"MPI_Send(buf=heap#0+8, count=1, datatype=type#1, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:9 [f]\n",
			[]string{"memory_around(0, 4096, 9024, 0, NULL)"}, nil},
		{"not known", pair("heap#3", "[0, -9000]"), []string{"heap[3] = memory_around(-1, "}, nil},
		{"in columns", again, []string{"heap[0] = memory(next(&bytes) + next(&behind));", "free(heap[0]);",
			"heap[1] = memory(4096);"}, []string{"mmap"}},
		{"numbers in columns", strings.ReplaceAll(allocated("?0", "64")+allocated("?1", "64")+pair("heap#1",
			"[0, -9000]")+end0+end1, "_end(segment=", "_end(segment=?"),
			[]string{"heap[n] = own[n] = memory_around(n, 64, next(&before), 0, NULL);", "release(n, own[n]);"}, nil},
	} {
		text, r := generate(t, archivetest.Archive(t, calls(2, func(int) string { return c.text })), Options{})
		for _, s := range c.want {
			if !strings.Contains(text, s) {
				t.Errorf("%s: no %q in\n%s", c.name, s, text)
			}
		}
		for _, s := range c.wantNot {
			if strings.Contains(text, s) {
				t.Errorf("%s: %q in\n%s", c.name, s, text)
			}
		}
		if len(r.Notes) > 0 {
			t.Errorf("%s: %q", c.name, r.Notes)
		}
		checkSyntax(t, c.name, text)
	}
	byRank := calls(4, func(r int) string {
		return allocated("0", "4096") + pair("heap#0", fmt.Sprintf("[0, %d]", -64*(r+1))) + end0
	})
	if text, _ := generate(t, archivetest.Archive(t, byRank), Options{}); !strings.Contains(text,
		"memory_around(0, 4096, 64 * rank + 64, 0, NULL)") {
		t.Errorf("by rank:\n%s", text)
	}
	mpi := calls(1, func(int) string {
		return "tabard_segment(segment=0, kind=3, bytes=64)\n" + pair("heap#0", "[0, -9000]")
	})
	if _, err := Generate(archivetest.Archive(t, mpi), io.Discard, Options{}); err == nil ||
		!strings.Contains(err.Error(), "memory that the MPI library allocates") {
		t.Errorf("memory of MPI: %v", err)
	}
}

// The functions of programs give memory where it is asked for, and take it back.
func TestMemoryAround(t *testing.T) {
	g := bare(1)
	g.memory.Heaps = 3
	g.used["release"], g.used["release_later"] = true, true
	text := "#define _DEFAULT_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n" + g.declareAround() + g.local(helpers(g.used)) + `
static const long places[] = {2, -46179488366592, -46179488301056, 46179488366592, 46179488432128}, small[] = {1, 137438953472, 137439019008};
int main(void)
{
    for (int i = 0; i < 10000; i++) { /* more than there is room for at a time */
        char *a = memory_around(0, 100, 70000, 5000, NULL), *b = memory_around(1, 1000, 64, 0, places), *c = memory_around(2, 64, 0, 0, small), *d = memory_around(1, 8, 0, 0, NULL);
        a[-70000] = a[5099] = b[-64] = b[999] = b[places[1]] = b[places[2] - 1] = b[places[3]] = b[places[4] - 1] = c[small[1]] = d[0] = d[7] = 1;
        if (a[0] || b[1] || d[1]) return 1;
        release(0, a);
        release(1, b);
        release_later(2, c);
        release(1, d);
        release(0, NULL);
    }
    char *fixed = memory_around(-1, 100, 0, 0, places);
    fixed[places[4] - 1] = 1;
    return 0;
}
`
	dir := t.TempDir()
	source, program := filepath.Join(dir, "x.c"), filepath.Join(dir, "x")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler(t), "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", program,
		source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
