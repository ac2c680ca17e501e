package cgen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// printing is an MPI whose calls print what they are given.
const printing = `#include <stdio.h>
typedef int MPI_Comm, MPI_Datatype, MPI_Request, MPI_Status;
#define MPI_COMM_WORLD 0
#define MPI_REQUEST_NULL 0
#define MPI_COMM_NULL 0
#define MPI_INT 4
#define MPI_BYTE 1
#define MPI_STATUS_IGNORE NULL
#define MPI_PROC_NULL -1
static int MPI_Init(int *c, char ***v) { (void)c, (void)v; return 0; }
static int MPI_Comm_rank(MPI_Comm c, int *r) { (void)c; return *r = 0; }
static int MPI_Comm_size(MPI_Comm c, int *n) { (void)c; *n = 2; return 0; }
static int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) { (void)b, (void)c; printf("send %d %d %d %d\n", n, t, to, tag); return 0; }
static int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c) { (void)b, (void)c; printf("bcast %d %d %d\n", n, t, root); return 0; }
static int MPI_Barrier(MPI_Comm c) { (void)c; printf("barrier\n"); return 0; }
static int MPI_Finalize(void) { printf("finalize\n"); return 0; }
`

// runPrinting compiles a program for that MPI and gives what it prints.
func runPrinting(t *testing.T, text string, rank int) []string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "proxy.c"), filepath.Join(dir, "proxy")
	for file, s := range map[string]string{filepath.Join(dir, "mpi.h"): printing, source: text} {
		if err := os.WriteFile(file, []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(compiler(t), "-std=c99", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-I",
		dir, "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Env = []string{"PMI_SIZE=2", fmt.Sprintf("PMI_RANK=%d", rank)}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// wild is two ranks that make some thousand calls in random order, some of them often in a row, and
// what they print. loops are around all.
func wild(seed uint64, loops int) (desc string, want [2][]string) {
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./wild\n")
	for rank := range 2 {
		rng := rand.New(rand.NewPCG(seed, uint64(rank)))
		fmt.Fprintf(&b, "rank %d of 2 on node\nMPI_Init(argc=0)\nloop %d\n", rank, loops)
		var once []string
		call := func() (text, line string) {
			n := 1 + rng.IntN(40)
			switch rng.IntN(6) {
			case 0:
				return "MPI_Barrier(comm=MPI_COMM_WORLD) @ w.c:1 [wild]", "barrier"
			case 1:
				return fmt.Sprintf("MPI_Bcast(buffer=NULL, count=%d, datatype=MPI_INT, root=0, "+
					"comm=MPI_COMM_WORLD) @ w.c:2 [wild]", n), fmt.Sprintf("bcast %d 4 0", n)
			case 2:
				return fmt.Sprintf("MPI_Send(buf=NULL, count=%d, datatype=MPI_BYTE, dest=MPI_PROC_NULL, tag=%d, "+
					"comm=MPI_COMM_WORLD) @ w.c:3 [wild]", n, n%3), fmt.Sprintf("send %d 1 -1 %d", n, n%3)
			case 3:
				tag := rng.IntN(1000)
				return fmt.Sprintf("MPI_Send(buf=NULL, count=%d, datatype=MPI_INT, dest=%d, tag=?%d, "+
						"comm=MPI_COMM_WORLD) @ w.c:4 [wild]", n, 1-rank, tag),
					fmt.Sprintf("send %d 4 %d %d", n, 1-rank, tag)
			}
			return fmt.Sprintf("MPI_Send(buf=NULL, count=%d, datatype=MPI_INT, dest=%d, tag=%d, "+
				"comm=MPI_COMM_WORLD) @ w.c:5 [wild]", n%9, 1-rank, n), fmt.Sprintf("send %d 4 %d %d", n%9, 1-rank, n)
		}
		for range 6000 {
			text, line := call()
			times := 1
			if rng.IntN(10) == 0 {
				times = 2 + rng.IntN(5)
			}
			for range times {
				b.WriteString(text + "\n")
				once = append(once, line)
			}
		}
		for range loops {
			want[rank] = append(want[rank], once...)
		}
		want[rank] = append(want[rank], "finalize")
		b.WriteString("end\nMPI_Finalize()\n")
	}
	return b.String(), want
}

// TestLists runs programs of traces without a pattern, which make their calls from lists.
func TestLists(t *testing.T) {
	for loops := 1; loops <= 3; loops += 2 {
		desc, want := wild(uint64(loops), loops)
		text, r := generate(t, archivetest.Archive(t, desc), Options{})
		for _, s := range []string{"static const int sequences[]", "_rows[] = {", "row->tag", "#define CALLS "} {
			if !strings.Contains(text, s) {
				t.Errorf("no %q in the program", s)
			}
		}
		if loops > 1 && !strings.Contains(text, "for (long i = 0; i < 3; i++)") &&
			!regexp.MustCompile(`-3, \d+`).MatchString(text) {
			t.Error("no loop")
		}
		if r.Lines > 5000 {
			t.Errorf("%d lines", r.Lines)
		}
		for rank := range 2 {
			got := runPrinting(t, text, rank)
			if !slices.Equal(got, want[rank]) {
				at := 0
				for at < min(len(got), len(want[rank])) && got[at] == want[rank][at] {
					at++
				}
				t.Fatalf("%d loops, rank %d: %d calls instead of %d, the first other one is %d: %s", loops, rank,
					len(got), len(want[rank]), at, got[min(at, len(got)-1)])
			}
		}
		checkSyntax(t, "wild "+strconv.Itoa(loops), text)
	}
}

// TestManyCalls has more calls than a switch has cases, that are alike in their numbers or not at
// all.
func TestManyCalls(t *testing.T) {
	var b strings.Builder
	var want []string
	b.WriteString("abi mpich\nrank 0 of 2 on node\nMPI_Init(argc=0)\n")
	for i := range 7000 {
		fmt.Fprintf(&b, "MPI_Send(buf=NULL, count=%d, datatype=MPI_INT, dest=1, tag=%d, comm=MPI_COMM_WORLD) @ "+
			"w.c:%d [f]\n", i*i%1013, i, i%500)
		want = append(want, fmt.Sprintf("send %d 4 1 %d", i*i%1013, i))
	}
	b.WriteString("MPI_Finalize()\nrank 1 of 2 on node\nMPI_Init(argc=0)\nMPI_Finalize()\n")
	text, r := generate(t, archivetest.Archive(t, b.String()), Options{})
	if r.Lines > 3000 {
		t.Errorf("%d lines for 7000 different calls", r.Lines)
	}
	if got := runPrinting(t, text, 0); !slices.Equal(got, append(want, "finalize")) {
		t.Errorf("other calls: %d instead of %d", len(got), len(want)+1)
	}
}

// TestLeaves finds what may differ between statements that are alike, and what members of a row are
// called that have it.
func TestLeaves(t *testing.T) {
	send := func(args ...*cc.Expr) *cc.Expr { return cc.Call("MPI_Send", args...) }
	count, dest := cc.Column("count_3", "count"), cc.Table("dest_table_2", "dest")
	object := func(array string, n int) *cc.Expr { return cc.Index(cc.Name(array), cc.Int(n)) }
	null, one := cc.Null, cc.Int(1)
	for want, e := range map[string]*cc.Expr{
		"MPI_Send(heap[<block 3>] + <offset 16>, next(<count &count_3>), MPI_INT, (<dest dest_table_2>[rank]), <tag " +
			"-1>, comm[<comm 0>]);": send(
			cc.Infix(object("heap", 3), "+", cc.Int(16)), cc.Call("next", count), cc.Name("MPI_INT"),
			cc.Paren(cc.Index(dest, rankVar)), cc.Int(-1), object("comm", 0)),
		`f("3, \"4", (int[][3]){{<number 1>, <number 7L>}}, 0x10);`: cc.Call("f", cString(`3, "4`),
			cc.List("int[][3]", cc.Row(one, cc.Long(7))),
			cc.Name("0x10")),
		"compute(<seconds 1.5e-06>);": cc.Call("compute", cc.Real("1.5e-06")),
		"MPI_Wait(&request[<request 12>], MPI_STATUS_IGNORE);": cc.Call("MPI_Wait", cc.Addr(object("request", 12)),
			cc.Name("MPI_STATUS_IGNORE")),
		"x = rank - <offset 5> * rank;": cc.Assign(cc.Name("x"),
			cc.Infix(rankVar, "-", cc.Infix(cc.Int(5), "*", rankVar))),
		"keep(<kept 3>, (int[]){<kept 4>}, <kept 2> * sizeof(int));": cc.Call("keep", cc.Int(3),
			cc.List("int[]", cc.Int(4)),
			cc.Infix(cc.Int(2), "*", cc.Sizeof("int"))),
		"MPI_Group_incl(group[<group 1>], <n 2>, (int[]){<ranks -1>}, NULL);": cc.Call("MPI_Group_incl",
			object("group", 1),
			cc.Int(2),
			cc.List("int[]", cc.Int(-1)), null),
	} {
		list := []*cc.Stmt{cc.Do(e)}
		leaves := leavesOf(list)
		got := cc.Lines(list, func(e *cc.Expr) string {
			x := leaves[0]
			leaves = leaves[1:]
			return "<" + x.member + " " + x.text + ">"
		})[0]
		if got = strings.ReplaceAll(got, "\x01", " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestManyColumns declares more columns than are set one by one.
func TestManyColumns(t *testing.T) {
	var b strings.Builder
	var want [2][]string
	b.WriteString("abi mpich\n")
	for rank := range 2 {
		fmt.Fprintf(&b, "rank %d of 2 on node\nMPI_Init(argc=0)\n", rank)
		for i := range 150 {
			for k := range 2 {
				tag := i + k*k + rank*i%7
				fmt.Fprintf(&b, "MPI_Send(buf=NULL, count=1, datatype=MPI_INT, dest=0, tag=?%d, "+
					"comm=MPI_COMM_WORLD) @ w.c:%d [f]\n", tag, i)
				want[rank] = append(want[rank], fmt.Sprintf("send 1 4 0 %d", tag))
			}
		}
		b.WriteString("MPI_Finalize()\n")
		want[rank] = append(want[rank], "finalize")
	}
	text, _ := generate(t, archivetest.Archive(t, b.String()), Options{})
	for _, s := range []string{"struct column *column; const long *code; } columns[]", "{.code = tag_"} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q", s)
		}
	}
	for rank := range 2 {
		if got := runPrinting(t, text, rank); !slices.Equal(got, want[rank]) {
			t.Errorf("rank %d: other calls", rank)
		}
	}
}
