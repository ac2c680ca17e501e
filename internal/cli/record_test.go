package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/spec"
)

// recordArgs parses a record command line and gives its flags and what it
// would run. env is the environment.
func recordArgs(t *testing.T, env map[string]string, args ...string) (*recordFlags, []string, error) {
	t.Helper()
	f := &recordFlags{}
	cmd := f.command(&app{})
	if err := cmd.ParseFlags(args); err != nil {
		return nil, nil, flagError(cmd, err)
	}
	err := applyEnv(cmd.Flags(), func(name string) string { return env[name] })
	return f, cmd.Flags().Args(), err
}

func TestRecordFlags(t *testing.T) {
	f, args, err := recordArgs(t, nil, "-o", "x.tabard", "--callsites=stack", "--timing", "off", "--ranks",
		"0,4-7,8-63:8", "--keep-raw", "raw",
		"--start=off", "-q", "--state", "/tmp", "./app", "-x", "--output", "y")
	if err != nil {
		t.Fatal(err)
	}
	if f.output != "x.tabard" || f.callsites.value != "stack" || f.timing.value != "off" || f.keepRaw != "raw" ||
		f.start.value != "off" || !f.quiet || f.state != "/tmp" {
		t.Errorf("flags %+v", f)
	}
	if want := []string{"./app", "-x", "--output", "y"}; !slices.Equal(args, want) {
		t.Errorf("program %q, want %q", args, want)
	}
	var ranks []int
	for r := range 70 {
		if f.ranks.Contains(r) {
			ranks = append(ranks, r)
		}
	}
	if want := []int{0, 4, 5, 6, 7, 8, 16, 24, 32, 40, 48, 56}; !slices.Equal(ranks, want) {
		t.Errorf("ranks %v, want %v", ranks, want)
	}
}

func TestRecordIn(t *testing.T) {
	f, _, err := recordArgs(t, map[string]string{"TABARD_IN": "nix"}, "--in", "step/solve, a", "--in=a,b*", "./app")
	if err != nil || f.in.text != "a,b*,step/solve" || f.settings()["in"] != f.in.text {
		t.Errorf("in %q: %v", f.in.text, err)
	}
	for _, bad := range []string{"", "a,,b", "a//b", "/a", "a/", strings.Repeat("x", 1000)} {
		if _, _, err := recordArgs(t, nil, "--in", bad, "./app"); err == nil {
			t.Errorf("--in %q was accepted", bad)
		}
	}
}

func TestRecordDefaults(t *testing.T) {
	f, args, err := recordArgs(t, nil, "--", "-strange-name", "--quiet")
	if err != nil || len(args) != 2 || f.quiet {
		t.Fatalf("args %q, flags %+v, error %v", args, f, err)
	}
	if f.callsites.value != "caller" || f.timing.value != "lossy:1%,1us" || f.start.value != "on" ||
		!f.ranks.Contains(12345) {
		t.Errorf("flags %+v", f)
	}
	if ids := filteredOut(&f.only, &f.except, &eventList{kinds: 1}); len(ids) != 0 {
		t.Errorf("%d functions are left out", len(ids))
	}
}

func TestRecordEnvironment(t *testing.T) {
	env := map[string]string{
		"TABARD_OUTPUT": "e.tabard", "TABARD_CALLSITES": "off", "TABARD_TIMING": "off", "TABARD_RANKS": "1",
		"TABARD_ONLY":   "pt2pt",
		"TABARD_EXCEPT": "MPI_Send", "TABARD_KEEP_RAW": "r", "TABARD_START": "off", "TABARD_QUIET": "1",
		"TABARD_STATE": "/s",
	}
	f, _, err := recordArgs(t, env, "--callsites=stack", "./app")
	if err != nil {
		t.Fatal(err)
	}
	if f.output != "e.tabard" || f.timing.value != "off" || f.ranks.Contains(0) || !f.ranks.Contains(1) ||
		f.keepRaw != "r" ||
		f.start.value != "off" || !f.quiet || f.state != "/s" || len(f.only.selected.IDs()) == 0 ||
		len(f.except.selected.IDs()) != 1 {
		t.Errorf("flags %+v", f)
	}
	if f.callsites.value != "stack" {
		t.Error("the flag does not win over the environment")
	}
	for name, value := range map[string]string{
		"TABARD_CALLSITES": "x", "TABARD_TIMING": "x", "TABARD_RANKS": "x", "TABARD_ONLY": "x", "TABARD_EXCEPT": "x",
		"TABARD_START": "x", "TABARD_QUIET": "x",
	} {
		_, _, err := recordArgs(t, map[string]string{name: value}, "./app")
		if err == nil || !strings.Contains(err.Error(), name+"="+value) {
			t.Errorf("%s=%s: error %v", name, value, err)
		}
	}
	for setting, want := range map[string]string{
		"DEPTH=-1":         "it takes a whole number from 0 to 4294967295",
		"QUIET=maybe":      "it takes true or false",
		"COLLECTORS=two":   "it takes a whole number",
		"COLLECTOR_CPUS=x": "it takes a number",
		"MERGE_WAIT=30":    "it takes a time such as 500ms, 30s or 5m",
	} {
		name, value, _ := strings.Cut(setting, "=")
		_, _, err := recordArgs(t, map[string]string{"TABARD_" + name: value}, "./app")
		if want := "environment variable TABARD_" + setting + ": " + want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		flag := "--" + strings.ToLower(strings.ReplaceAll(name, "_", "-")) + "=" + value
		if _, _, err := recordArgs(t, nil, flag, "./app"); err == nil || err.Error() != flag+": "+want {
			t.Errorf("%s: %v", flag, err)
		}
	}
	if _, _, err := recordArgs(t, map[string]string{"TABARD_TIMING": ""}, "./app"); err != nil {
		t.Errorf("an empty variable counts as unset: %v", err)
	}
}

func TestFilteredOut(t *testing.T) {
	var only, except functionList
	if err := only.Set("MPI_Send,MPI_Recv,completion"); err != nil {
		t.Fatal(err)
	}
	if err := except.Set("MPI_Wait*"); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	out := filteredOut(&only, &except, &eventList{kinds: 1})
	for _, f := range selection.Recordable() {
		if !slices.Contains(out, f.ID) {
			left[f.Name] = true
		}
	}
	for name, want := range map[string]bool{"MPI_Send": true, "MPI_Recv": true, "MPI_Test": true,
		"MPI_Waitall": false, "MPI_Bcast": false} {
		if left[name] != want {
			t.Errorf("%s shown: %v, want %v", name, left[name], want)
		}
	}
	for _, id := range out {
		if spec.ByID(id).Own() {
			t.Errorf("%s is filtered out", spec.ByID(id).Name)
		}
	}
}

func TestDefaultOutput(t *testing.T) {
	for command, want := range map[string]string{
		"./app":                             "app.tabard",
		"/opt/x/lmp -in in.melt":            "lmp.tabard",
		"python3 solve.py -n 4":             "solve.tabard",
		"python3.11 -m mpi4py dir/solve.py": "solve.tabard",
		"python3 -u solve.py":               "solve.tabard",
		"python3 -m package":                "package.tabard",
		"python3 -c pass":                   "python3.tabard",
		"bash run.sh":                       "run.tabard",
		"./my.prog":                         "my.prog.tabard",
	} {
		if got := defaultOutput(strings.Fields(command)); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
