package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/report"
)

// loopsRun3 is three ranks with nested loops, a trip count that depends on the
// rank, a part without order, and a thread.
func loopsRun3() string {
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./app\n")
	for r := range 3 {
		fmt.Fprintf(&b, "rank %d of 3 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n", r)
		b.WriteString("MPI_Init(argc=1) @ app.c:10 [main]\n")
		for i := range 60 {
			fmt.Fprintf(&b, "%s @ app.c:%d [setup]\n", []string{"MPI_Info_create()",
				"MPI_Comm_rank(comm=MPI_COMM_WORLD)", "MPI_Comm_size(comm=MPI_COMM_WORLD)"}[i*i%7%3], 100+i*i%11)
		}
		fmt.Fprintf(&b, `loop 200
  MPI_Irecv(buf=heap#0, count=8, datatype=MPI_DOUBLE, source=%d, tag=1, comm=MPI_COMM_WORLD) @ app.c:20 [step] ; request=request#0
  MPI_Send(buf=heap#0+64, count=8, datatype=MPI_DOUBLE, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ app.c:21 [step]
  poll 3 MPI_Test(request=request#0) @ app.c:22 [step] ; flag=0
  MPI_Test(request=request#0) @ app.c:22 [step] ; flag=1
  loop %d
    MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=comm#%d) @ app.c:30 [solve]
    MPI_Bcast(count=%d, datatype=MPI_INT, root=0, comm=comm#%d) @ app.c:31 [solve]
  end
end
MPI_Finalize() @ app.c:40 [main]
`, (r+2)%3, (r+1)%3, 4+r/2, r, r, r)
		if r == 1 {
			b.WriteString("thread 1\nloop 5\n  MPI_Barrier(comm=MPI_COMM_SELF) @ app.c:50 [helper]\nend\n")
		}
	}
	return b.String()
}

// nestedRun is two ranks with functions around calls, between them, in themselves and around loops.
func nestedRun() string {
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./app\n")
	for r := range 2 {
		fmt.Fprintf(&b, `rank %d of 2 on n
function_calls(times=1) @ app.c:3 [before]
function_open() @ app.c:10 [main]
MPI_Init(argc=1) @ app.c:11 [main]
loop 50
  function_open() @ app.c:20 [step]
  function_calls(times=4) @ app.c:30 [work]
  loop 3
    MPI_Barrier(comm=MPI_COMM_WORLD) @ app.c:21 [step]
    function_calls(times=1) @ app.c:30 [work]
  end
  function_open() @ app.c:40 [down]
  function_open() @ app.c:40 [down]
  MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) @ app.c:41 [down]
  function_inside(times=2) @ app.c:90 [library]
  function_close()
  function_close()
  function_close()
end
MPI_Finalize() @ app.c:12 [main]
function_close()
`, r)
	}
	return b.String()
}

// Calls stand below the functions that they are in, if these are asked for.
func TestLoopsFunctions(t *testing.T) {
	path := file(t, nestedRun())
	for name, args := range map[string][]string{"loops-nested.txt": {"--with-functions"}, "loops-not-nested.txt": nil} {
		code, stdout, stderr := run(append([]string{"loops", path}, args...)...)
		if code != exitOK || stderr != "" {
			t.Errorf("%s: code %d, stderr %q", name, code, stderr)
		}
		golden(t, name, strings.ReplaceAll(stdout, path, "FILE"))
	}
}

func TestLoops(t *testing.T) {
	path := file(t, loopsRun3())
	for name, args := range map[string]string{
		"loops.txt":          "loops FILE",
		"loops-depth.txt":    "loops FILE --depth 1 --rank 0",
		"loops-function.txt": "loops FILE --function collective",
		"loops-all.txt":      "loops FILE --all --rank 2 --function Info_create,Test",
		"loops.json":         "loops FILE --json --function Test,Allreduce",
	} {
		code, stdout, stderr := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
		if code != exitOK || stderr != "" {
			t.Errorf("tabard %s: code %d, stderr %q", args, code, stderr)
		}
		for _, line := range strings.Split(stdout, "\n") {
			if len(line) > 120 && !strings.HasSuffix(name, "json") {
				t.Errorf("tabard %s: line of %d columns: %s", args, len(line), line)
			}
		}
		golden(t, name, strings.ReplaceAll(stdout, path, "app.tabard"))
	}
}

// The members that other programs rely on.
func TestLoopsJSON(t *testing.T) {
	_, stdout, _ := run("loops", "--json", "--all", file(t, loopsRun3()))
	type node struct {
		Kind string  `json:"kind"`
		Min  *uint64 `json:"min"`
		Func string  `json:"func"`
		Step bool    `json:"time_step"`
		Site []struct {
			File string `json:"file"`
			Line int    `json:"line"`
		} `json:"site"`
		Body []json.RawMessage `json:"body"`
	}
	var got struct {
		Schema  string `json:"schema"`
		Classes []struct {
			Ranks    string   `json:"ranks"`
			Thread   int      `json:"thread"`
			Variants []string `json:"variants"`
			Body     []node   `json:"body"`
		} `json:"classes"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != report.LoopsSchema || len(got.Classes) != 2 || got.Classes[0].Ranks != "0-2" ||
		len(got.Classes[0].Variants) != 2 || got.Classes[1].Thread != 1 {
		t.Fatalf("%+v", got)
	}
	steps := 0
	for _, n := range got.Classes[0].Body {
		if n.Step {
			steps++
			if n.Kind != "loop" || *n.Min != 200 || len(n.Body) != 4 {
				t.Errorf("%+v", n)
			}
		}
	}
	if first := got.Classes[0].Body[0]; steps != 1 || first.Func != "MPI_Init" || first.Site[0].Line != 10 {
		t.Errorf("%d steps, begins with %+v", steps, first)
	}
}

func TestLoopsErrors(t *testing.T) {
	path := file(t, loopsRun3())
	for args, want := range map[string]string{
		"--rank 7": "has no calls of rank 7", "--function MPI_Put": "has no calls of MPI_Put",
	} {
		code, _, stderr := run(append([]string{"loops", path}, strings.Fields(args)...)...)
		if code != exitFailure || !strings.Contains(stderr, want) {
			t.Errorf("loops %s: code %d, stderr %q", args, code, stderr)
		}
	}
	if code, _, stderr := run("loops", path, "--depth", "0"); code != exitUsage ||
		!strings.Contains(stderr, "less than 1") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
	if code, stdout, _ := run("loops", file(t, "abi mpich\nrank 0 of 1 on n")); code != exitOK ||
		!strings.Contains(stdout, "holds no calls") {
		t.Errorf("code %d, stdout %q", code, stdout)
	}
}
