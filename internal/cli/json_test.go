package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/verify"
)

// schemaOf reads the schema that docs/ has of a document.
func schemaOf(t *testing.T, d *report.Document) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs/schema", d.Name()+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", d.Name(), err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", d.Name(), err)
	}
	return r
}

// What every command prints with --json is what docs/schema says: plainly for each of a few
// recordings, if it takes one and can say something of it, and with flags that make more members
// appear.
func TestSchemas(t *testing.T) {
	dir := t.TempDir()
	otf2 := filepath.Join(dir, "otf2")
	if code, _, errs := run("export", "otf2", file(t, halo), "-o", otf2); code != exitOK {
		t.Fatal(errs)
	}
	flags := map[string][]string{
		"profile":   {"profile RING --json --by rank,comm --quantiles --steps 3-9"},
		"matrix":    {"matrix RING --json --value time --bins 2"},
		"histogram": {"histogram RING --json --by site"},
		"durations": {"histogram FAULTY --durations --json --by site"},
		"waits":     {"waits FAULTY --json --cause 3"},
		"openmp":    {"openmp THREADS --json"},
		"timeline":  {"timeline FAULTY --json --rows 2"},
		"loops":     {"loops FAULTY --json --depth 1"},
		"diff": {"diff RING RING2 --json --limit 2", "diff RING RING --json",
			"diff HALO FAULTY --json --what time"},
		"check": {"check RING2 --against RING --json",
			"check HALO --against HALO,HALO,HALO --json --tolerance time=off",
			"check FAULTY --against FAULTY --json"},
		"trend": {"trend FAULTY HALO FAULTY RING --json", "trend EMPTY --json"},
		"merge": {"merge " + filepath.Join(dir, "all.tabard") + " HALO --json"},
		"scale": {"scale SAME --json --program", "scale SAME --json --ranks 8 -o " +
			filepath.Join(dir, "s.tabard")},
		"import":   {"import " + otf2 + " --json -o " + filepath.Join(dir, "i.tabard")},
		"doctor":   {"doctor --no-trial --json"},
		"version":  {"version --json"},
		"licenses": {"version --licenses --json"},
	}
	recordings := strings.NewReplacer(
		"RING2",
		file(t, strings.Replace(around(), "count=3,", "count=4,", 1)),
		"RING",
		file(t, around()),
		"HALO",
		file(t, halo),
		"FAULTY",
		file(t, faultyRun(slowRank)),
		"EMPTY",
		file(t, "abi mpich\nrank 0 of 1 on n"),
		"SAME",
		file(t, same),
		"THREADS",
		file(t, threads),
	)
	for _, d := range report.Documents() {
		s := schemaOf(t, &d)
		if d.Name() == "verify" { // needs a raw log
			r := &verify.Report{Differences: 1, First: []verify.Difference{{What: "x"}}}
			checkJSON(t, "verify", s, report.NewVerify(archivetest.Archive(t, halo), r))
			continue
		}
		name, options, _ := strings.Cut(d.Command, " ")
		all := flags[d.Name()]
		for _, r := range []string{"RING", "HALO", "FAULTY", "EMPTY"} {
			all = append(all, name+" "+r+" "+options)
		}
		printed := false
		for _, args := range all {
			_, stdout, stderr := run(strings.Fields(recordings.Replace(args))...)
			if stdout == "" && slices.Contains(flags[d.Name()], args) {
				t.Errorf("tabard %s: %s", args, stderr)
			}
			for dec := json.NewDecoder(strings.NewReader(stdout)); dec.More(); printed = true {
				var doc any
				if err := dec.Decode(&doc); err != nil {
					t.Fatalf("tabard %s: %v", args, err)
				}
				checkJSON(t, args, s, doc)
			}
		}
		if !printed {
			t.Errorf("no command prints %s here", d.Schema)
		}
	}
}

// checkJSON validates what a document looks like as JSON.
func checkJSON(t *testing.T, what string, s *jsonschema.Resolved, doc any) {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var x any
	if err := json.Unmarshal(text, &x); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(x); err != nil {
		t.Errorf("tabard %s: %v", what, err)
	}
}

// same is a job whose ranks do the same, which follows from rank and size.
const same = `
abi mpich
mpi MPICH
rank 0 of 4 on n
MPI_Init(argc=1)
MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
MPI_Finalize()
rank 1 of 4 on n
MPI_Init(argc=1)
MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
MPI_Finalize()
rank 2 of 4 on n
MPI_Init(argc=1)
MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
MPI_Finalize()
rank 3 of 4 on n
MPI_Init(argc=1)
MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
MPI_Finalize()
`

// The type of a call has all members that dump --json writes without it.
func TestCallHasAllMembers(t *testing.T) {
	for _, desc := range []string{halo, around(), faultyRun(slowRank)} {
		_, stdout, _ := run("dump", "--json", file(t, desc))
		for line := range bytes.Lines([]byte(stdout)) {
			var c report.Call
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&c); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
	}
}
