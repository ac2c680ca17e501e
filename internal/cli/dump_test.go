package cli

import (
	"slices"
	"strings"
	"testing"
)

// What is selected of a dump is those of its lines, in their order; --from, --limit and --last count what is selected.
func TestDumpSelected(t *testing.T) {
	f := file(t, around())
	lines := func(args ...string) []string {
		t.Helper()
		code, out, errs := run(append([]string{"dump", f}, args...)...)
		if code != exitOK || errs != "" {
			t.Fatalf("%v: exit code %d, %s", args, code, errs)
		}
		return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	}
	all := lines("--rank", "1")
	var calls []string
	for _, l := range all {
		if strings.Contains(l, "MPI_Allreduce(") {
			calls = append(calls, l)
		}
	}
	if len(calls) < 8 || len(calls) == len(all) {
		t.Fatalf("%d of %d are MPI_Allreduce", len(calls), len(all))
	}
	one := []string{"--rank", "1", "--function", "MPI_Allreduce"}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, calls}, {[]string{"--limit", "3"}, calls[:3]}, {[]string{"--last", "2"}, calls[len(calls)-2:]},
		{[]string{"--steps", "2-4"}, calls[2:5]}, {[]string{"--steps", "2-4", "--last", "1"}, calls[4:5]},
		{[]string{"--time", "0%..100%"}, calls}, {[]string{"--comm", "1,2"}, calls},
		{[]string{"--comm", "MPI_COMM_WORLD"}, []string{""}},
		{[]string{"--last", "0"}, []string{""}},
	} {
		if got := lines(append(slices.Clone(one), c.args...)...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.args, got, c.want)
		}
	}
	for args, want := range map[string]string{
		"--time 100s..": "behind the end of the recording", "--steps 9999": "there is no step 9999",
		"--comm 77": "no communicator 77",
		"--rank 99": "no calls of rank 99", "--raw --steps 3": "does not go with --steps",
	} {
		if code, out, errs := run(append([]string{"dump", f}, strings.Fields(args)...)...); code == exitOK ||
			out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %q, %q", args, code, out, errs)
		}
	}
}
