package collect

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// A job of a script whose first name was held takes it in the end, if whoever held it had nothing to record.
func TestPlaceHeldForNothing(t *testing.T) {
	for name, c := range map[string]struct {
		released bool
		again    bool // written a second time
		want     string
	}{
		"nothing recorded": {true, false, "app.tabard"},
		"recorded":         {false, false, "app-2.tabard app.tabard"},
		"written before":   {true, true, "app.tabard"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newOutputDir(t, nil)
			first := filepath.Join(dir.dir, "app.tabard")
			for _, job := range []string{"one", "two"} {
				if _, err := Claim(first, job, SharedMode); err != nil {
					t.Fatal(err)
				}
			}
			if c.released {
				Release(first, "one")
			}
			j := &Job{Output: numbered(first, 2), First: first, Claim: "two", OfScript: true}
			for range map[bool]int{false: 1, true: 2}[c.again] {
				_, err := writeOutput(j.Output, SharedMode, func() {}, func(w io.Writer) error {
					_, err := io.WriteString(w, "recorded")
					return err
				}, func(o *safefile.Output) error { return j.place(o) })
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := dir.names(); got != c.want {
				t.Errorf("there are %s, want %s", got, c.want)
			}
		})
	}
}

// Two processes of a job claim a place at once, and one of them finds taken what is free to the other.
func TestTwoPlacesOfOneJob(t *testing.T) {
	dir := newOutputDir(t, nil)
	first := filepath.Join(dir.dir, "app.tabard")
	claim := func(job string) *Job {
		name, err := Claim(first, job, SharedMode)
		if err != nil {
			t.Fatal(err)
		}
		return &Job{Output: name, Claim: job}
	}
	claim("before")
	early := claim("job")
	Release(first, "before")
	late := claim("job")
	if early.Output == late.Output {
		t.Fatalf("both have %s", late.Output)
	}
	state := filepath.Join(t.TempDir(), "tabard-0", "state")
	for i, j := range []*Job{late, early} {
		if created, err := CreateState(state, j, ring.Config{}); err != nil || created != (i == 0) {
			t.Fatal(created, err)
		}
	}
	if got := dir.names(); got != "app.tabard" {
		t.Errorf("there are %s", got)
	}
}
