package suggest

import (
	"slices"
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	names := []string{"MPI_Send", "MPI_Ssend", "MPI_Recv", "MPI_Sendrecv", "record", "recover", "x"}
	for _, c := range []struct {
		word string
		most int
		want []string
	}{
		{"MPI_Sned", 1, []string{"MPI_Send"}},
		{"mpi_recv", 1, []string{"MPI_Recv"}},
		{"rec", 3, []string{"record", "recover"}},
		{"recrod", 1, []string{"record"}},
		{"MPI_Allreduce", 3, nil},
		{"y", 3, []string{"x"}},
		{"", 3, []string{"x"}},
	} {
		if got := Closest(c.word, names, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.word, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if d, e := distance(c.a, c.b), distance(c.b, c.a); d != c.want || e != d {
			t.Errorf("%q %q: %d and %d, want %d", c.a, c.b, d, e, c.want)
		}
	}
}

func TestCommands(t *testing.T) {
	names := []string{"record", "recover", "info", "dump", "verify"}
	for word, want := range map[string]string{
		"recrod": "record", "dmup": "dump", "INFO": "info", "veriffy": "verify", "rec": "record recover", "x": "",
		"mpirun": "",
	} {
		if got := strings.Join(Closest(word, names, 2), " "); got != want {
			t.Errorf("closest(%q) = %q, want %q", word, got, want)
		}
	}
}
