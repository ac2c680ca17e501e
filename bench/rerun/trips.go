package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/bench/internal/roundtrip"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// tested are the programs of testdata/mpi that end normally, with the ranks that they are made for
// and their arguments.
var tested = []struct {
	name  string
	ranks int
	args  []string
}{
	{"attrs", 4, nil}, {"buffers", 4, nil}, {"callsites", 4, nil}, {"collectives", 4, nil}, {"comms", 4, nil},
	{"cxx", 4, nil}, {"differ", 16, nil}, {"distances", 3, nil}, {"env", 4, nil},
	{"errors", 2, nil}, {"grequest", 2, nil}, {"groups", 4, nil}, {"halo1d", 4, nil}, {"halo2d", 4, nil},
	{"halo3d", 8, nil}, {"handles", 2, nil}, {"icollectives", 4, nil},
	{"info", 4, nil}, {"intercomm", 4, nil}, {"io", 4, nil}, {"large", 2, nil}, {"loops", 4, nil}, {"ignored", 4, nil},
	{"masterworker", 4, nil}, {"membership", 4, nil}, {"modes", 2, nil},
	{"mpit", 2, nil}, {"neighbor", 4, nil}, {"ops", 4, nil}, {"partitioned", 2, nil}, {"pcollectives", 4, nil},
	{"persistent", 2, nil}, {"pingpong", 2, nil}, {"polling", 2, nil},
	{"probe", 4, nil}, {"rma", 4, nil}, {"rmashared", 4, nil}, {"sessions", 4, nil}, {"spawn", 2, nil},
	{"shortthreads", 3, nil}, {"threads", 2, nil}, {"topo", 4, nil}, {"typeloop", 4, nil}, {"types", 4, nil},
	{"fortran77", 2, nil}, {"fortran90", 2, nil}, {"fortran08", 2, nil}, {"python", 4, nil},
}

// row is a program to run again. If it is not installed its command is empty, and why gives the
// reason.
type row struct {
	programs.Program
	why   string
	files map[string][]byte // that it reads in its working folder
}

// tripsTable runs recordings again in both ways.
func tripsTable(b *bench) (bool, error) {
	ways := []roundtrip.Way{roundtrip.Replay, roundtrip.Proxy}
	fmt.Print("Recorded, run again, recorded again, compared.\n\n" +
		"| MPI | program | ranks | calls | replay | proxy | lines of the proxy |\n|---|---|---|---|---|---|---|\n")
	all, equal := map[roundtrip.Way]int{}, map[roundtrip.Way]int{}
	for _, m := range b.libs {
		rows, err := b.rows(m)
		if err != nil {
			return false, err
		}
		for _, r := range rows {
			if r.Args == nil {
				fmt.Printf("| %s | %s | %d | - | %s | - | - |\n", m.Name, r.Name, r.Ranks, r.why)
				continue
			}
			outcomes, err := b.trip(m, &r, ways)
			if err != nil {
				return false, fmt.Errorf("%s, %s: %w", m.Name, r.Name, err)
			}
			calls, lines := uint64(0), "-"
			for i, w := range ways {
				all[w]++
				if outcomes[i].Equal {
					equal[w]++
				}
				calls = max(calls, outcomes[i].Calls)
				if n := outcomes[i].Lines; n > 0 {
					lines = programs.Commas(int64(n))
				}
			}
			fmt.Printf("| %s | %s | %d | %s | %s | %s | %s |\n", m.Name, r.Name, r.Ranks, programs.Commas(int64(calls)),
				outcomes[0], outcomes[1], lines)
		}
	}
	fmt.Println()
	met := true
	for _, w := range ways {
		met = verdict(equal[w] == all[w], "Equal by %s: %d of %d", w, equal[w], all[w]) && met
	}
	return met, nil
}

// trip runs a program, and its recording again.
func (b *bench) trip(m *mpirun.MPI, r *row, ways []roundtrip.Way) ([]*roundtrip.Outcome, error) {
	work, err := os.MkdirTemp(b.dir, "work-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	for name, text := range r.files {
		if err := os.WriteFile(filepath.Join(work, name), text, 0o666); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	x := b.runner(m)
	x.Work = work
	_, failed, err := x.Record(dir, r.Ranks, r.Args)
	if err != nil {
		return nil, err
	}
	var out []*roundtrip.Outcome
	for _, w := range ways {
		o := failed
		if o == nil {
			if o, err = x.Again(dir, r.Ranks, w); err != nil {
				return nil, err
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// rows are the programs of the table under an MPI.
func (b *bench) rows(m *mpirun.MPI) ([]row, error) {
	var rows []row
	for _, p := range tested {
		if b.only.MatchString(p.name) {
			rows = append(rows, b.testedRow(m, p.name, p.ranks, p.args))
		}
	}
	if m.Name == "openmpi" { // what Debian's programs are linked with
		installed, err := b.installed()
		if err != nil {
			return nil, err
		}
		rows = append(rows, installed...)
	}
	if b.list == "" {
		return rows, nil
	}
	listed, err := programs.ReadList(b.list)
	if err != nil {
		return nil, err
	}
	for _, p := range listed {
		if b.only.MatchString(p.Name) {
			rows = append(rows, row{Program: p})
		}
	}
	return rows, nil
}

// testedRow is one of testdata/mpi, compiled if need be.
func (b *bench) testedRow(m *mpirun.MPI, name string, ranks int, args []string) row {
	r := row{Program: programs.Program{Name: name, Ranks: ranks}}
	sources, err := filepath.Glob(filepath.Join(mpirun.Programs(), name+".*"))
	if err != nil || len(sources) != 1 {
		r.why = "not there"
		return r
	}
	if filepath.Ext(sources[0]) == ".py" {
		r.Name = "mpi4py"
		if m.Name != "openmpi" {
			r.why = "mpi4py is built for Open MPI"
			return r
		}
		r.Args = append([]string{"/usr/bin/python3", sources[0]}, args...)
		return r
	}
	path, err := b.compiled(m, sources[0])
	if err != nil {
		r.why = "the library lacks what it calls"
		return r
	}
	r.Args = append([]string{path}, args...)
	return r
}

// installed are HPL and LAMMPS, as the end-to-end tests run them.
func (b *bench) installed() ([]row, error) {
	var rows []row
	if path, err := exec.LookPath("hpcc"); err == nil && b.only.MatchString("HPL") {
		script, err := txtar.ParseFile(filepath.Join(mpirun.Root(), "testdata", "script", "hpl.txtar"))
		if err != nil {
			return nil, err
		}
		r := row{Program: programs.Program{Name: "HPL (hpcc)", Ranks: 4, Args: []string{path}},
			files: map[string][]byte{}}
		for _, f := range script.Files {
			r.files[filepath.Base(f.Name)] = f.Data
		}
		rows = append(rows, r)
	}
	if path, err := exec.LookPath("lmp"); err == nil && b.only.MatchString("LAMMPS") {
		rows = append(rows, row{Program: programs.Program{Name: "LAMMPS (melt)", Ranks: 4,
			Args: []string{path, "-log", "none", "-in", "/usr/share/lammps/examples/melt/in.melt"}}})
	}
	return rows, nil
}
