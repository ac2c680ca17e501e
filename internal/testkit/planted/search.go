package planted

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Search is a fault of testdata/functions/search.c, in iteration 71 of rank 2, if not all have it.
type Search struct {
	Name string
	// Hangs says that the program is ended by a signal after two seconds.
	Hangs bool
	// Upgrade says that the fault is another version of the library; it shows in a comparison with the version before.
	Upgrade bool
	// Text is a pattern of what is first in the list of outliers, or of differences.
	Text string
}

// Searches are all of them.
var Searches = []Search{
	{Name: "bcast-size", Hangs: true, Text: `^rank 2: MPI_Bcast at .*\[agree\] was given count 2, not 1, in iteration 71 of`},
	{Name: "bcast-root", Hangs: true, Text: `^rank 2: MPI_Bcast at .*\[agree\] was given root 1, not 0, in iteration 71 of`},
	{Name: "reduce-size", Hangs: true, Text: `^rank 2: MPI_Reduce at .*\[agree\] was given count 2, not 1, in iteration 71 of`},
	{Name: "reduce-root", Hangs: true, Text: `^rank 2: MPI_Reduce at .*\[agree\] was given root 1, not 0, in iteration 71 of`},
	{Name: "gather-size", Hangs: true, Text: `^rank 2: MPI_Gather at .*\[agree\] was given sendcount 2, not 1, in iteration 71 of`},
	{Name: "gather-root", Hangs: true, Text: `^rank 2: MPI_Gather at .*\[agree\] was given root 1, not 0, in iteration 71 of`},
	{Name: "deadlock", Hangs: true, Text: `^rank 2: made MPI_Recv at .*\[exchange\] where the others made MPI_Send at .*, ` +
		`and did not return, in iteration 71 of`},
	{Name: "order", Text: `^rank 2: made MPI_Send at \S+:59 \[exchange\], MPI_Send at \S+:60 \[exchange\] where the others made ` +
		`MPI_Send at \S+:62 .*, MPI_Send at \S+:63 .*, in iteration 71 of 100`},
	{Name: "race", Text: `^rank 2 thread 1: made function .*\[keep\] where the others made omp_lock_begin at .*, in iteration 71 of 100`},
	{Name: "branch", Text: `^rank 2: made function .*\[restart\] where the others made function .*\[improve\], in iteration 71 of 100`},
	{Name: "upgrade", Upgrade: true, Text: `^ranks 0-3 call descend 3 times, anneal 2 times instead of descend 5 times in solve < .* < work, ` +
		`100 times, in iteration 0 of`},
}

// searchEvents is how the search is recorded.
var searchEvents = []string{"--events=mpi,openmp", "--functions=main,libsolver.so"}

// First records the program with the fault under a tabard, in a folder, and gives what is first in its answer: empty if
// there is nothing.
func (f *Search) First(m *mpirun.MPI, tabard, dir string) (string, error) {
	if f.Upgrade {
		before, err := (&Search{Name: "none"}).record(m, tabard, dir, 1)
		if err != nil {
			return "", err
		}
		after, err := (&Search{Name: "none"}).record(m, tabard, dir, 2)
		if err != nil {
			return "", err
		}
		return firstLine(`(?m)^  1\. (.*)$`, tabard, "diff", before, after)
	}
	file, err := f.record(m, tabard, dir, 1)
	if err != nil {
		return "", err
	}
	return firstLine(`(?m)^  (ranks? .*)$`, tabard, "outliers", file)
}

// firstLine is what a pattern finds first in what a command says. That files differ is no error.
func firstLine(pattern string, command ...string) (string, error) {
	out, err := exec.Command(command[0], command[1:]...).Output()
	if e, ok := err.(*exec.ExitError); err != nil && (!ok || e.ExitCode() != 1 || len(e.Stderr) > 0) {
		return "", fmt.Errorf("%v: %w", command, err)
	}
	if at := regexp.MustCompile(pattern).FindSubmatch(out); at != nil {
		return string(at[1]), nil
	}
	return "", nil
}

// record records the program with a version of its library.
func (f *Search) record(m *mpirun.MPI, tabard, dir string, version int) (string, error) {
	folder := filepath.Join(mpirun.Root(), "testdata", "functions")
	library := filepath.Join(dir, fmt.Sprintf("solver-%d", version))
	program := filepath.Join(dir, "search-"+m.Name)
	if _, err := os.Stat(program); err != nil {
		for v := 1; v <= 2; v++ {
			at := filepath.Join(dir, fmt.Sprintf("solver-%d", v))
			if err := os.MkdirAll(at, 0o700); err != nil {
				return "", err
			}
			if err := mpirun.BuildLibrary(filepath.Join(folder, "solver.c"), filepath.Join(at, "libsolver.so"), "-O2",
				"-g",
				fmt.Sprintf("-DVERSION=%d", v)); err != nil {
				return "", err
			}
		}
		if err := m.Build(filepath.Join(folder, "search.c"), program, "-O2", "-fopenmp", "-L"+library,
			"-lsolver"); err != nil {
			return "", err
		}
	}
	file := filepath.Join(dir, fmt.Sprintf("%s-%s-%d.tabard", m.Name, f.Name, version))
	if _, err := os.Stat(file); err == nil {
		return file, nil // made before, for a comparison
	}
	args := append([]string{tabard, "record", "--quiet", "-o", file}, searchEvents...)
	args = append(args, program, f.Name)
	if f.Hangs {
		args = append(args, "hangs")
	}
	job := &mpirun.Job{MPI: m, Ranks: 4, Args: args, Dir: dir, Timeout: 2 * time.Minute,
		Env: []string{"LD_LIBRARY_PATH=" + library, "OMP_WAIT_POLICY=passive"}}
	r, err := job.Start()
	if err != nil {
		return "", err
	}
	if !f.Hangs && (r.Code != 0 || strings.TrimSpace(r.Stdout) != "done") {
		return "", fmt.Errorf("search %s ends with code %d: %s%s", f.Name, r.Code, r.Stdout, r.Stderr)
	}
	for range 200 { // the collector of a job that was killed may come later
		if _, err := os.Stat(file); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return file, nil
}

// Check says what is wrong with the first of the answer, empty for nothing.
func (f *Search) Check(first string) string {
	switch {
	case first == "":
		return "nothing was found"
	case !regexp.MustCompile(f.Text).MatchString(first):
		return fmt.Sprintf("it does not say %q", f.Text)
	}
	return ""
}
