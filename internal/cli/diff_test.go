package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

func TestDiff(t *testing.T) {
	a := file(t, around())
	changed := strings.Replace(around(), "MPI_Sendrecv(sendcount=102", "MPI_Sendrecv(sendcount=202", 1)
	changed = strings.Replace(changed, "loop 21", "loop 22", 1)
	b := filepath.Join(t.TempDir(), "b.tabard")
	raw, err := os.ReadFile(file(t, changed))
	if err == nil {
		err = os.WriteFile(b, raw, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		out  []string
		err  string
	}{
		{"diff A A", exitOK, []string{"the same in structure and parameters (4 ranks"}, ""},
		{"diff A B", exitDifferent, []string{
			"2 differences in structure and parameters",
			"1. rank 2 passes sendcount = 202 instead of 102 to MPI_Sendrecv at ring.c:20 [step] (50 of 50 times)\n",
			"2. rank 0 calls MPI_Recv at ring.c:32 [collect] 22 times in a row instead of 21\n",
		}, ""},
		{"diff B A --limit 1", exitDifferent, []string{"passes sendcount = 102 instead of 202",
			"... and 1 more (--limit 0 shows all)"}, ""},
		{"diff A B --what structure", exitDifferent, []string{"1 difference in structure (", "rank 0 calls MPI_Recv"},
			""},
		{"diff A B --what params", exitDifferent, []string{"1 difference in parameters (", "rank 2 passes"}, ""},
		{"diff A B --what time --rank 1", exitOK, []string{"time: "}, ""},
		{"diff A B --rank 1,3", exitOK, []string{"the same in structure and parameters (2 ranks"}, ""},
		{"diff A B --function MPI_Allreduce", exitOK, []string{"the same"}, ""},
		{"diff A", exitUsage, nil, "B is missing"},
		{"diff A B --limit=-1", exitUsage, nil, "less than 0"},
		{"diff A none.tabard", exitUsage, nil, "none.tabard does not exist"},
	} {
		args := filled(c.args, map[string]string{"A": a, "B": b})
		code, stdout, stderr := run(args...)
		if code != c.code || !strings.Contains(stderr, c.err) || (c.err == "") != (stderr == "") {
			t.Errorf("%s: code %d, stderr %q\n%s", c.args, code, stderr, stdout)
		}
		for _, want := range c.out {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", c.args, want, stdout)
			}
		}
	}
	// Numbers of requests say nothing.
	began := func(request string) string {
		path := filepath.Join(t.TempDir(), "r.tabard")
		raw, err := os.ReadFile(file(t, strings.Replace(around(), "loop 50",
			"MPI_Start(request="+request+") @ ring.c:15 [main]\nloop 50", 1)))
		if err == nil {
			err = os.WriteFile(path, raw, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	x, y := began("request#0"), began("request#5")
	if code, stdout, _ := run("diff", x, y); code != exitOK ||
		!strings.Contains(stdout, "  request of MPI_Start at ring.c:15 [main]: 1 time at 1 rank\n") {
		t.Errorf("code %d\n%s", code, stdout)
	}
	if code, _, _ := run("diff", x, y, "--strict"); code != exitDifferent {
		t.Errorf("--strict: code %d", code)
	}
	code, stdout, _ := run("diff", "--json", a, b)
	var j struct {
		Schema      string
		Same        bool
		Differences []struct {
			Kind, Ranks, Func, Site, Param, A, B, Text string
			Count                                      uint64
		}
	}
	if err := json.Unmarshal([]byte(stdout), &j); err != nil || code != exitDifferent {
		t.Fatal(err, code)
	}
	if j.Schema != report.DiffSchema || j.Same || len(j.Differences) != 2 {
		t.Fatalf("%s", stdout)
	}
	d := j.Differences[0]
	if d.Kind != "parameter" || d.Ranks != "2" || d.Func != "MPI_Sendrecv" || d.Site != "ring.c:20 [step]" ||
		d.Param != "sendcount" || d.A != "102" || d.B != "202" || d.Count != 50 || d.Text == "" {
		t.Errorf("%+v", d)
	}
}

// A rerun makes the same calls from elsewhere; an edited source has them at other lines.
func TestDiffSites(t *testing.T) {
	a := file(t, around())
	write := func(old, new string) string {
		path := filepath.Join(t.TempDir(), "b.tabard")
		raw, err := os.ReadFile(file(t, strings.ReplaceAll(around(), old, new)))
		if err == nil {
			err = os.WriteFile(path, raw, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	moved, elsewhere := write("ring.c:20 [step]", "ring.c:18 [step]"), write("ring.c:20 [step]", "player.c:7 [play]")
	for _, c := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"diff", a, moved}, exitOK,
			"moved: 1 call site\n  MPI_Sendrecv at ring.c:20 [step]: now at ring.c:18 [step]\n"},
		{[]string{"diff", a, moved, "--strict"}, exitDifferent, "moved: 1 call site\n"},
		{[]string{"diff", a, moved, "--json"}, exitOK, `"b": "ring.c:18 [step]"`},
		{[]string{"diff", a, elsewhere}, exitDifferent, "do not call MPI_Sendrecv"},
		{[]string{"diff", a, elsewhere, "--ignore-sites", "--strict"}, exitOK, "the same in"},
		{[]string{"diff", a, elsewhere, "--rerun", "--strict"}, exitOK, "the same in"},
		{[]string{"diff", a, moved, "--steps", "3-5"}, exitOK, "the same in"},
		{[]string{"diff", a, moved, "--comm", "nothing"}, exitUsage, ""},
		{[]string{"diff", a, moved, "--time", "a..b"}, exitUsage, ""},
	} {
		if code, stdout, stderr := run(c.args...); code != c.code || !strings.Contains(stdout, c.out) {
			t.Errorf("%v: code %d, want %d\n%s%s", c.args, code, c.code, stdout, stderr)
		}
	}
}

// filled is the words of a command line, with files in the place of names.
func filled(line string, files map[string]string) []string {
	words := strings.Fields(line)
	for i, w := range words {
		if file, ok := files[w]; ok {
			words[i] = file
		}
	}
	return words
}

// A recording that is compared with itself is the same, and that is said in the words of the whole comparison.
func TestDiffItself(t *testing.T) {
	for i, b := range damageSamples(t) {
		for _, what := range []string{"all", "structure", "params", "time"} {
			x, again := archivetest.Open(t, b), archivetest.Open(t, b)
			v := &report.DiffView{A: "a", B: "a", What: what, Limit: 20}
			var texts [2]strings.Builder
			for k, y := range []*archive.Archive{again, x} {
				r, err := diff.Of(x, y, v.Options())
				if err != nil {
					t.Fatal(err)
				}
				text.Diff(&texts[k], v, r)
			}
			if texts[0].String() != texts[1].String() {
				t.Errorf("sample %d, --what %s:\n%s\nand by itself:\n%s", i, what, texts[0].String(), texts[1].String())
			}
		}
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.tabard"), filepath.Join(dir, "b.tabard")
	for _, path := range []string{a, b} {
		if err := os.WriteFile(path, archivetest.Bytes(t, halo), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link.tabard")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	other := file(t, everything())
	for names, want := range map[[2]string]bool{{a, a}: true, {a, link}: true, {a, b}: true, {a, other}: false,
		{a, filepath.Join(dir, "none")}: false} {
		if got := sameRecording(names[0], names[1]); got != want {
			t.Errorf("%v: %t", names, got)
		}
	}
}
