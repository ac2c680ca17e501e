// Command findings measures whether reports tell the truth: each planted fault (internal/testkit/planted) has to be the
// first finding, with rank, line and time step, faults of a search the first outlier or difference, and healthy
// programs must have no finding of consequence, that is none but notes.
//
//	findings [-mpi NAME] [-only TEXT] [-healthy FILE [-times N]]
//
// FILE lists programs that are believed to be healthy, one a line: a name, the MPI, the number of ranks, and the
// command. Each is run N times. What the machine does to a run, findings may and should say; what they say of the
// program comes back in every run, with the same kind, rank and call, slow time steps with their number. Jitter is the
// machine's: the finding says so. It prints a table in Markdown; a bar that is missed gives exit code 1.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

func main() {
	only := flag.String("only", "", "only faults whose name and source contain `TEXT`")
	name := flag.String("mpi", "", "only with the MPI `NAME`")
	healthy := flag.String("healthy", "", "also the programs that `FILE` lists")
	times := flag.Int("times", 3, "run healthy programs `N` times")
	flag.Parse()
	ok, err := run(*only, *name, *healthy, max(1, *times))
	if err != nil {
		fmt.Fprintln(os.Stderr, "findings:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(only, name, healthy string, times int) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "tabard-findings-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	tabard := filepath.Join(mpirun.Root(), "bin", "tabard")
	yield, err := mpirun.BuildYield(dir)
	if err != nil {
		return false, err
	}
	mpis, err := chosen(name)
	if err != nil {
		return false, err
	}
	ok = true
	total, good := 0, 0
	fmt.Println("| program | fault | MPI | first finding | |\n|---|---|---|---|---|")
	for _, m := range mpis {
		m.YieldPreload = yield
		for i := range planted.Faults {
			f := &planted.Faults[i]
			if !f.Runs(m) || !strings.Contains(f.Source+" "+f.Name, only) {
				continue
			}
			file, err := f.Record(m, tabard, dir)
			if err != nil {
				return false, err
			}
			all, err := planted.Findings(tabard, file)
			if err != nil {
				return false, err
			}
			total++
			verdict := "found"
			if bad := cmp.Or(f.Check(all), hint(all, tabard, file)); bad != "" {
				verdict, ok = "**"+bad+"**", false
			} else {
				good++
			}
			first := ""
			if len(all) > 0 {
				first = shown(&all[0])
			}
			fmt.Printf("| %s | %s | %s | %s | %s |\n", f.Source, f.Name, m.Name, first, verdict)
		}
		for i := range planted.Controls {
			f := &planted.Controls[i]
			if !f.Runs(m) || !strings.Contains(f.Source+" "+f.Name, only) {
				continue
			}
			file, err := f.Record(m, tabard, dir)
			if err != nil {
				return false, err
			}
			healthy, err := control(f.Source, f.Name, m.Name, tabard, file)
			if err != nil {
				return false, err
			}
			ok = ok && healthy
		}
	}
	fmt.Printf("\n%d of %d faults are the first finding.\n", good, total)
	same, err := searches(mpis, only, tabard, dir)
	if ok = ok && same; err != nil {
		return false, err
	}
	if healthy == "" {
		return ok, nil
	}
	none, err := programs(healthy, tabard, dir, times)
	return ok && none, err
}

// hint is what is wrong with the commands that findings offer.
func hint(all []planted.Finding, tabard, file string) string {
	for i := range all {
		if bad := all[i].Hint(tabard, file); bad != "" {
			return bad
		}
	}
	return ""
}

// chosen are the MPIs of a name, all if it is empty.
func chosen(name string) (mpis []*mpirun.MPI, err error) {
	for _, n := range mpirun.Names {
		if name != "" && n != name {
			continue
		}
		m, err := mpirun.Find(n)
		if err != nil {
			return nil, err
		}
		mpis = append(mpis, m)
	}
	return mpis, nil
}

// searches prints which faults of a search are the first in the list of outliers or differences.
func searches(mpis []*mpirun.MPI, only, tabard, dir string) (ok bool, err error) {
	ok = true
	fmt.Println("\n| fault of search.c | MPI | first outlier, or difference | |\n|---|---|---|---|")
	for _, m := range mpis {
		for i := range planted.Searches {
			f := &planted.Searches[i]
			if !strings.Contains("search.c "+f.Name, only) {
				continue
			}
			first, err := f.First(m, tabard, dir)
			if err != nil {
				return false, err
			}
			verdict := "found"
			if bad := f.Check(first); bad != "" {
				verdict, ok = "**"+bad+"**", false
			}
			fmt.Printf("| %s | %s | %s | %s |\n", f.Name, m.Name, first, verdict)
		}
		none, err := (&planted.Search{Name: "none"}).First(m, tabard, dir)
		if err != nil {
			return false, err
		}
		ok = ok && none == ""
		fmt.Printf("| none | %s | %s | |\n", m.Name, none)
	}
	return ok, nil
}

func shown(n *planted.Finding) string {
	site, _, _ := strings.Cut(n.Site, " ")
	text := n.Kind
	if n.Process >= 0 {
		text += fmt.Sprintf(", rank %d", n.Process)
	}
	if site != "" {
		text += ", " + n.Func + " at " + site
	}
	if n.Step >= 0 {
		text += fmt.Sprintf(", step %d", n.Step)
	}
	return text
}

// control prints the row of a program that should have no finding of consequence, and tells whether it has none.
func control(source, name, mpi, tabard, file string) (ok bool, err error) {
	all, err := planted.Findings(tabard, file)
	if err != nil {
		return false, err
	}
	notes, verdict := 0, ""
	for i := range all {
		if all[i].Severity == "note" {
			notes++
			continue
		}
		if verdict == "" {
			verdict = "**" + shown(&all[i]) + "**: " + all[i].Text
		}
	}
	if ok = verdict == ""; ok {
		verdict = "none of consequence"
	}
	fmt.Printf("| %s | %s, no fault | %s | %d notes | %s |\n", source, name, mpi, notes, verdict)
	return ok, nil
}

// programs records those of a list, and tells whether none of them has a finding of consequence in all runs.
func programs(list, tabard, dir string, times int) (ok bool, err error) {
	ok = true
	f, err := os.Open(list)
	if err != nil {
		return false, err
	}
	defer f.Close()
	fmt.Printf("\n| program | MPI | ranks | calls | in one of %d runs | in all |\n|---|---|---|---|---|---|\n", times)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || strings.HasPrefix(words[0], "#") {
			continue
		}
		p := &program{name: words[0], args: words[3:], seen: map[string]int{}}
		if p.mpi, err = mpirun.Find(words[1]); err != nil {
			return false, err
		}
		if p.ranks, err = strconv.Atoi(words[2]); err != nil {
			return false, err
		}
		for range times {
			if err := p.run(tabard, dir); err != nil {
				return false, err
			}
		}
		ok = p.row(times) && ok
	}
	return ok, nil
}

// program is one that is believed to be healthy, with what was found in its runs.
type program struct {
	name  string
	mpi   *mpirun.MPI
	ranks int
	args  []string
	calls uint64
	seen  map[string]int // in how many runs a finding of consequence was: kind, rank and call
}

// run records the program once.
func (p *program) run(tabard, dir string) error {
	file := filepath.Join(dir, p.name+".tabard")
	job := &mpirun.Job{MPI: p.mpi, Ranks: p.ranks, Dir: dir, Timeout: 5 * time.Minute,
		Args: append([]string{tabard, "record", "--quiet", "-o", file}, p.args...)}
	if err := os.RemoveAll(file); err != nil { // of the run before, which record would not replace
		return err
	}
	r, err := job.Start()
	if err != nil {
		return err
	}
	if r.Code != 0 {
		return fmt.Errorf("%s: exit code %d\n%s", p.name, r.Code, r.Stderr)
	}
	all, err := planted.Findings(tabard, file)
	if err != nil {
		return err
	}
	a, err := archive.Open(file)
	if err != nil {
		return err
	}
	defer a.Close()
	p.calls = 0
	for s := range a.Streams() {
		p.calls += s.Calls()
	}
	here := map[string]bool{}
	for i := range all {
		if n := all[i]; n.Severity != "note" {
			if n.Kind != string(findings.SlowStep) {
				n.Step = -1 // where it is worst
			}
			if key := shown(&n); !here[key] {
				here[key] = true
				p.seen[key]++
			}
		}
	}
	return nil
}

// row prints the program's row, and tells whether there is nothing that all runs have.
func (p *program) row(times int) (ok bool) {
	some, every := "", ""
	for _, key := range slices.Sorted(maps.Keys(p.seen)) {
		if p.seen[key] == times && !strings.HasPrefix(key, string(findings.Jitter)) {
			every += "**" + key + "** "
		} else {
			some += key + "; "
		}
	}
	ok = every == ""
	if ok {
		every = "none"
	}
	fmt.Printf("| %s | %s | %d | %d | %s | %s |\n", p.name, p.mpi.Name, p.ranks, p.calls,
		cmp.Or(strings.TrimSuffix(some, "; "), "none"), strings.TrimSpace(every))
	return ok
}
