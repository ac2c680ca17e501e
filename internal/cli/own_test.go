package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exchange is two ranks that exchange messages. The lines with %s are where records of Tabard's own may lie.
const exchange = `abi mpich
command ./exchange
rank 0 of 2 on node1
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init()
%[1]s1000+100 MPI_Send(buf=heap#0, count=3, datatype=MPI_INT, dest=1, tag=2, comm=MPI_COMM_WORLD) @ a.c:7 [main]
%[2]s2000+100 MPI_Send(buf=heap#0, count=3, datatype=MPI_INT, dest=1, tag=2, comm=MPI_COMM_WORLD) @ a.c:7 [main]
3000+100 MPI_Barrier(comm=MPI_COMM_WORLD)
9000+1000 MPI_Finalize()
%[3]srank 1 of 2 on node1
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init()
%[1]s1000+200 MPI_Recv(buf=heap#0, count=3, datatype=MPI_INT, source=0, tag=2, comm=MPI_COMM_WORLD) @ a.c:9 [main] ; status=?{source=0 tag=2 bytes=12}
%[2]s2000+200 MPI_Recv(buf=heap#0, count=3, datatype=MPI_INT, source=0, tag=2, comm=MPI_COMM_WORLD) @ a.c:9 [main] ; status=?{source=0 tag=2 bytes=12}
3000+100 MPI_Barrier(comm=MPI_COMM_WORLD)
9000+1000 MPI_Finalize()
%[3]s`

// figures collects what a document says of calls, by path: numbers and shares of calls, and names of functions.
func figures(path string, v any, to map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, w := range v {
			if k != "own_records" {
				figures(path+"."+k, w, to)
			}
		}
	case []any:
		for i, w := range v {
			figures(fmt.Sprintf("%s[%d]", path, i), w, to)
		}
	default:
		key := path[strings.LastIndexByte(path, '.')+1:]
		text := fmt.Sprint(v)
		if strings.Contains(key, "calls") || key == "share" || strings.Contains(path, ".functions") ||
			strings.Contains(text, "tabard_") {
			to[path] = text
		}
	}
}

// Records of Tabard's own are no calls: whatever counts calls says the same with and without them.
func TestOwnRecordsAreNoCalls(t *testing.T) {
	plain := file(t, fmt.Sprintf(exchange, "", "", ""))
	with := file(t, fmt.Sprintf(exchange, "100+0 tabard_segment(segment=0, kind=1, bytes=12)\n",
		"1500+0 tabard_segment(segment=1, kind=1, bytes=400)\n1600+0 tabard_segment_end(segment=1)\n",
		"10500+0 tabard_segment_end(segment=0)\n"))
	for _, args := range []string{"info FILE", "report FILE", "loops FILE", "profile FILE", "profile FILE --by rank",
		"messages FILE", "timeline FILE", "waits FILE", "matrix FILE", "diff FILE FILE"} {
		var got [2]map[string]string
		for i, path := range []string{plain, with} {
			code, stdout, stderr := run(append(strings.Fields(strings.ReplaceAll(args, "FILE", path)), "--json")...)
			if code != exitOK {
				t.Fatalf("tabard %s: code %d, %s", args, code, stderr)
			}
			var doc any
			if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
				t.Fatal(err)
			}
			got[i] = map[string]string{}
			figures("", doc, got[i])
		}
		if len(got[0]) == 0 && !strings.Contains(args, "matrix") && !strings.Contains(args, "waits") {
			t.Errorf("tabard %s says nothing of calls", args)
		}
		for k, v := range got[0] {
			if got[1][k] != v {
				t.Errorf("tabard %s: %s is %q with own records, %q without", args, k, got[1][k], v)
			}
			delete(got[1], k)
		}
		for k, v := range got[1] {
			t.Errorf("tabard %s: %s is %q with own records, nothing without", args, k, v)
		}
	}
	for _, args := range []string{"info FILE", "report FILE", "loops FILE"} {
		for _, path := range []string{plain, with} {
			_, stdout, _ := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
			if !regexp.MustCompile(`\b(10|5) calls|calls +10 `).MatchString(stdout) ||
				strings.Contains(stdout, "tabard_") {
				t.Errorf("tabard %s: %s", args, stdout)
			}
		}
	}
}

// dump leaves own records out unless they are asked for, and does not count them.
func TestDumpOwnRecords(t *testing.T) {
	path := file(t, fmt.Sprintf(exchange, "100+0 tabard_segment(segment=0, kind=1, bytes=12)\n", "",
		"10500+0 tabard_segment_end(segment=0)\n"))
	names := regexp.MustCompile(`(?m)(tabard|MPI)_\w+`)
	for args, want := range map[string]string{
		"":                              "Init Send Send Barrier Finalize",
		"--own":                         "Init tabard_segment Send Send Barrier Finalize tabard_segment_end",
		"--last 2":                      "Barrier Finalize",
		"--last 5":                      "Init Send Send Barrier Finalize",
		"--last 9":                      "Init Send Send Barrier Finalize",
		"--last 4 --own":                "tabard_segment Send Send Barrier Finalize tabard_segment_end",
		"--last 0":                      "",
		"--limit 2":                     "Init Send",
		"--limit 2 --own":               "Init tabard_segment Send",
		"--from 1 --limit 1":            "Send",
		"--json":                        "Init tabard_segment Send Send Barrier Finalize tabard_segment_end",
		"--json --last 1":               "Finalize tabard_segment_end",
		"--json --limit 1 --from 5":     "Finalize tabard_segment_end",
		"--json --own --limit 1":        "Init tabard_segment",
		"--limit 0 --own":               "",
		"--own --limit 1 --from 6":      "tabard_segment_end",
		"--thread 0 --limit 1 --from 2": "Send",
	} {
		code, stdout, stderr := run(append([]string{"dump", path, "--rank", "0"}, strings.Fields(args)...)...)
		var got []string
		for line := range strings.Lines(stdout) {
			got = append(got, strings.TrimPrefix(names.FindString(line), "MPI_"))
			if own := strings.Contains(line, "tabard_"); strings.Contains(args, "json") &&
				own != strings.Contains(line, `"flags":["own"]`) {
				t.Errorf("dump %s: %s", args, line)
			}
		}
		if code != exitOK || !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("dump %s: code %d, %q, want %q; %s", args, code, got, want, stderr)
		}
	}
}
