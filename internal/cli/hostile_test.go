package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// poison is added to strings of a recording: what terminals obey, what turns text around, what is no text, and lines
// that look like ours.
const poison = "\x1b[2J\x1b]0;owned\a\r\b\x7f\u009b31m\u202eevil\u2066\xff\ncomplete   yes\n\tRank 0"

// poisoned writes a recording whose strings all end in something.
func poisoned(t *testing.T, desc, with string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.tabard")
	if err := os.WriteFile(path, archivetest.Poisoned(t, archivetest.Bytes(t, desc), with), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Nothing in a recording reaches the terminal as a terminal would obey it, and no string pretends to be a line of ours:
// there are as many lines as with harmless strings.
func TestHostileStrings(t *testing.T) {
	bad, good := poisoned(t, halo, poison), poisoned(t, halo, "X")
	for _, cmd := range []string{"info", "info --comms", "info --cost", "report", "report --steps 0-1", "dump",
		"dump --raw", "dump --json",
		"info --json", "report --json", "loops", "loops --json", "loops --all", "profile", "profile --by site",
		"profile --by comm", "profile --by rank", "profile --json", "waits", "waits --json", "matrix", "matrix --csv",
		"histogram", "histogram --by site", "histogram --json", "messages", "messages --json", "timeline",
		"timeline --by function",
		"timeline --json", "durations", "proxy -o -", "timeline --svg -", "scale --program", "verify", "replay", "diff",
		"merge"} {
		words := strings.Fields(cmd)
		args := append([]string{words[0], bad}, words[1:]...)
		clean := append([]string{words[0], good}, words[1:]...)
		if words[0] == "diff" {
			args, clean = append(args, good), append(clean, bad)
		}
		_, out, errs := run(args...)
		_, wantOut, wantErrs := run(clean...)
		for what, text := range map[string][2]string{"output": {out, wantOut}, "messages": {errs, wantErrs}} {
			if i := strings.IndexFunc(text[0], func(r rune) bool {
				return r != '\n' && r != '\t' && !unicode.IsGraphic(r)
			}); i >= 0 || !utf8.ValidString(text[0]) {
				t.Errorf("%s: %s hold %q", cmd, what, text[0][max(0, i-20):i+20])
			}
			if got, want := strings.Count(text[0], "\n"), strings.Count(text[1], "\n"); got != want &&
				words[0] != "diff" {
				t.Errorf("%s: %s: %d lines, %d without the poison:\n%s", cmd, what, got, want, text[0])
			}
			if regexp.MustCompile(`(?m)^(complete   yes|\tRank 0)`).MatchString(text[0]) {
				t.Errorf("%s: %s: a string became a line:\n%s", cmd, what, text[0])
			}
		}
		if out == "" && errs == "" {
			t.Errorf("%s says nothing", cmd)
		}
	}
}

// injection ends what a string may stand in, in C and in shells.
const injection = "*/ system(\"id\"); /* \"; system(\"id\"); // ??/\" \\\" %n $(id) `id` ../../x"

// outsideOfTexts is C without its comments and strings.
func outsideOfTexts(c string) string {
	return regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'`).ReplaceAllString(c, " ")
}

// hostileJob is a job of six ranks with strings that the caller chooses: a name, a file, an info.
func hostileJob(partner func(rank int) int) string {
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./job\n")
	for r := range 6 {
		fmt.Fprintf(&b, "rank %d of 6 on node\nMPI_Init(argc=0) @ j.c:1 [main]\n"+
			"MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=\"name\") @ j.c:2 [main]\n"+
			"MPI_File_delete(filename=\"/data/file\") @ j.c:3 [main]\n"+
			"MPI_Sendrecv(sendbuf=heap#0, sendcount=4, sendtype=MPI_INT, dest=%d, sendtag=1, recvbuf=heap#1, "+
			"recvcount=4, "+
			"recvtype=MPI_INT, source=%d, recvtag=1, comm=MPI_COMM_WORLD) @ j.c:4 [main]\nMPI_Finalize() @ j.c:9 "+
			"[main]\n",
			r, partner(r), partner(r))
	}
	return b.String()
}

// What a recording holds is text in the programs and jobs that are made of it, also of another size; what is refused
// leaves no file, and leaves one that is there as it was.
func TestHostileMade(t *testing.T) {
	regular := func(r int) int { return r ^ 1 }
	irregular := func(r int) int { return []int{4, 2, 1, 5, 0, 3}[r] }
	refusals := 0
	for name, partner := range map[string]func(int) int{"regular": regular, "irregular": irregular} {
		file := poisoned(t, hostileJob(partner), injection)
		for _, cmd := range []string{"proxy", "proxy --ranks 3", "proxy --ranks 4", "proxy --any-size",
			"scale --ranks 3",
			"scale --ranks 4"} {
			dir := t.TempDir()
			t.Chdir(dir)
			out := filepath.Join(dir, "out")
			words := strings.Fields(cmd)
			code, _, errs := run(append(append([]string{words[0], file}, words[1:]...), "-o", out)...)
			text, err := os.ReadFile(out)
			switch {
			case code != exitOK:
				refusals++
				if err == nil || errs == "" {
					t.Errorf("%s, %s: refused with %q, and the file is there: %v", name, cmd, errs, err == nil)
				}
				if err := os.WriteFile(out, []byte("before"), 0o600); err != nil {
					t.Fatal(err)
				}
				run(append(append([]string{words[0], file}, words[1:]...), "--force", "-o", out)...)
				if now, _ := os.ReadFile(out); string(now) != "before" {
					t.Errorf("%s, %s: refused, and the file that was there is %.40q", name, cmd, now)
				}
			case err != nil:
				t.Errorf("%s, %s: %v", name, cmd, err)
			case words[0] == "proxy" && strings.Contains(outsideOfTexts(string(text)), "system"):
				t.Errorf("%s, %s: a string became a call:\n%s", name, cmd, text)
			case words[0] == "proxy" && !strings.Contains(string(text), "system"):
				t.Errorf("%s, %s: the strings are not there", name, cmd)
			}
			if list, err := os.ReadDir(dir); err != nil || len(list) > 1 {
				t.Errorf("%s, %s: %v, %v", name, cmd, list, err)
			}
		}
	}
	if refusals < 4 {
		t.Errorf("%d refusals", refusals)
	}
}
