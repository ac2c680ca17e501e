package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

func load(t *testing.T) *API {
	t.Helper()
	api, err := Load(filepath.Join(root, "spec"))
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// TestUpToDate regenerates the committed files and compares.
func TestUpToDate(t *testing.T) {
	files, err := generateAll(root, load(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		old, err := os.ReadFile(filepath.Join(root, f.Path))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(old, f.Text) {
			t.Errorf("%s is not what the data in spec/ give: run make gen", f.Path)
		}
	}
}

// TestRefuses breaks the data in one place and expects the generator to say so.
func TestRefuses(t *testing.T) {
	send := `{"name": "buf", "kind": "BUFFER", "type": "const void*", "dir": "in", "sentinels": ["MPI_BOTTOM"], "xfer": {"count": "count", "type": "datatype"}}`
	tests := []struct{ name, file, old, new, want string }{
		{"unknown kind", "mpi/kinds.txt", "\nTAG ", "\nTOG ", "unknown kind TAG"},
		{"unknown codec", "mpi/kinds.txt", "TAG                            Int",
			"TAG                            Number", "unknown codec Number"},
		{"buffer without transfer rule", "mpi/functions.json", send,
			strings.Replace(send, `, "xfer": {"count": "count", "type": "datatype"}`, "", 1),
			"buffer without transfer rule"},
		{"transfer rule names nothing", "mpi/functions.json", send,
			strings.Replace(send, `"count": "count"`, `"count": "size"`, 1), `no parameter "size"`},
		{"unknown sentinel", "mpi/functions.json", send, strings.Replace(send, "MPI_BOTTOM", "MPI_TOP", 1),
			"unknown sentinel MPI_TOP"},
		{"unknown field", "mpi/functions.json", send, strings.Replace(send, `"dir"`, `"direction"`, 1),
			`unknown field "direction"`},
		{"unknown direction", "mpi/functions.json", send, strings.Replace(send, `"dir": "in"`, `"dir": "sideways"`, 1),
			"unknown direction"},
		{"missing length rule", "mpi/functions.json",
			`{"name": "ranks2", "kind": "RANK", "type": "int[]", "dir": "out", "len": {"rule": "param", "arg": "n"}}`,
			`{"name": "ranks2", "kind": "RANK", "type": "int[]", "dir": "out"}`, "length rule missing"},
		{"unknown length rule", "mpi/functions.json", `"rule": "null_terminated"`, `"rule": "until_null"`,
			"unknown length rule"},
		{"length of nothing", "mpi/functions.json", `"rule": "peer_size", "arg": "comm"`,
			`"rule": "peer_size", "arg": "com"`, `no parameter "com"`},
		{"string without limit", "mpi/functions.json", `"len": {"rule": "string", "max": "MPI_MAX_PORT_NAME"}`,
			`"len": {"rule": "string"}`, "without a limit"},
		{"unknown limit", "mpi/functions.json", `"max": "MPI_MAX_PORT_NAME"`, `"max": "MPI_MAX_PORT"`, "unknown limit"},
		{"missing life rule", "mpi/functions.json",
			`{"name": "newcomm", "kind": "COMMUNICATOR", "type": "MPI_Comm*", "dir": "out", "object": "comm", "life": "new"}`, `{"name": "newcomm", "kind": "COMMUNICATOR", "type": "MPI_Comm*", "dir": "out", "object": "comm", "life": "use"}`, "no life rule"},
		{"unknown object", "mpi/functions.json", `"object": "message"`, `"object": "mail"`, "unknown object"},
		{"unknown category", "mpi/functions.json", `"category": "pt2pt"`, `"category": "p2p"`, "unknown category"},
		{"function twice", "mpi/functions.json", `"name": "MPI_Wtick"`, `"name": "MPI_Wtime"`, "twice"},
		{"large form", "mpi/functions.json", `"large": "MPI_Send_c"`, `"large": "MPI_Bsend_c"`, "large form"},
		{"function without id", "ids.txt", " MPI_Send\n", " MPI_Sent\n", "MPI_Send: has no id"},
		{"id out of order", "ids.txt", "66 MPI", "64 MPI", "does not follow"},
		{"id twice", "ids.txt", " MPI_Wtick\n", " MPI_Wtime\n", "two ids"},
		{"correction of nothing", "mpi/overlay.json", `"MPI_Init_thread.argv"`, `"MPI_Init_thread.args"`,
			"no such parameter"},
		{"correction that is stale", "mpi/overlay.json", `"MPI_Init_thread.argv"`, `"MPI_Init.argv"`,
			"changes nothing"},
		{"correction without reason", "mpi/overlay.json", `"why": "maxindex is a capacity."`, `"why": ""`,
			"gives no reason"},
		{"unknown count", "mpi/overlay.json", `"count": "graph_nodes"`, `"count": "nodes"`, "unknown count"},
		{"flag is no flag", "mpi/overlay.json", `"when": "flag"`, `"when": "status"`, "no flag"},
		{"excluded with id", "ids.txt", " MPI_Send\n", " MPI_Comm_c2f\n", "excluded, but has an id"},
		{"unknown class", "predefined.txt", "MPI_INT Type", "MPI_INT Number", "unknown class"},
		{"unknown object name", "predefined.txt", "MPI_COMM_SELF Comm", "MPI_COMM_OWN Comm",
			"no ABI defines MPI_COMM_OWN"},
		{"unknown constant", "mpi/constants.txt", "MPI_ANY_TAG", "MPI_EVERY_TAG", "no ABI defines MPI_EVERY_TAG"},
		{"id of another API", "apis.txt", "mpi 64 2047", "mpi 64 700", "is not one of mpi"},
		{"kind of events", "apis.txt", "2047 mpi", "2047 mpl", "unknown kind of events"},
		{"ids of two APIs", "apis.txt", "mpi 64 2047 mpi P", "mpi 64 2047 mpi P\nmpi 2000 2100 mpi",
			"are used by others"},
		{"size of no datatype", "mpi/typesizes.txt", "MPI_LB", "MPI_SUM", "MPI_SUM is no predefined datatype"},
		{"unknown operation", "mpi/meaning.txt", "cancel  ", "recall  ", `unknown operation "recall"`},
		{"unknown attribute", "mpi/meaning.txt", "send mode=ready", "send speed=ready", "unknown attribute"},
		{"unknown word", "mpi/meaning.txt", "send mode=ready", "send mode=eager", `unknown sendmode "eager"`},
		{"unknown flag", "mpi/meaning.txt", "+unordered", "+unsorted", "unknown flag"},
		{"flag of nothing", "mpi/meaning.txt", "+unordered : MPI_Dist", "+unordered : MPI_List",
			"no function gets flag Unordered"},
		{"function without meaning", "mpi/meaning.txt", "MPI_Waitany ", "", "MPI_Waitany: meaning.txt does not say"},
		{"meaning of nothing", "mpi/meaning.txt", "MPI_Bsend\n", "MPI_Bsend MPI_Bring\n", "MPI_Bring is no function"},
		{"meaning twice", "mpi/meaning.txt", "MPI_Bsend\n", "MPI_Bsend MPI_Ssend\n", "MPI_Ssend is explained twice"},
		{"pattern for nothing", "mpi/meaning.txt", "MPIX_GPU_*", "MPIX_GPU_* MPIX_CPU_*",
			"MPIX_CPU_* explains nothing"},
		{"flow without its root", "mpi/meaning.txt", "flow=to_all                         :", "flow=to_root :",
			"no parameter for it"},
		{"unknown role", "mpi/roles.txt", "peer_comm ", "other_comm ", `unknown role "other_comm"`},
		{"parameter that is missing", "mpi/roles.txt", "dest target_rank", "dest",
			`"put" needs a parameter for "send_peer"`},
		{"unknown rule of a group", "mpi/groups.txt", "chapter=topologies", "part=topologies", "unknown rule"},
		{"word twice", "vocabulary.txt", "buffered    :", "standard    :", "standard occurs twice"},
		{"unknown need", "vocabulary.txt", "(on send_peer)", "(on target)", "unknown role target"},
		{"kind in two groups", "mpi/constants.txt", "[tag]: TAG", "[tag]: TAG RANK", "in two groups"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "spec"))); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, tt.file)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(b, []byte(tt.old)) {
				t.Fatalf("%s does not contain %q: adapt the test", tt.file, tt.old)
			}
			if err := os.WriteFile(path, bytes.Replace(b, []byte(tt.old), []byte(tt.new), 1), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one about %q", err, tt.want)
			}
		})
	}
}

// TestSecondAPI adds a small API beside MPI and expects its functions in the same tables, wrappers
// and documentation.
func TestSecondAPI(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "spec"))); err != nil {
		t.Fatal(err)
	}
	add := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		old, _ := os.ReadFile(path)
		if err := os.WriteFile(path, append(old, text...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	add("apis.txt", "toy 65000 65499 io\n")
	add("ids.txt", "65000 toy_open\n65001 toy_read\n65002 toy_close\n")
	add("toy/kinds.txt", "TOY_FD Int\nTOY_PATH String\n")
	add("toy/functions.json", `{"functions": [
		{"name": "toy_open", "ret": "int", "chapter": "files", "category": "io_mgmt", "blocking": "local", "params": [
			{"name": "path", "kind": "TOY_PATH", "type": "const char*", "dir": "in", "len": {"rule": "string"}}]},
		{"name": "toy_read", "ret": "int", "chapter": "files", "category": "io_data", "blocking": "blocking",
			"params": [{"name": "fd", "kind": "TOY_FD", "type": "int", "dir": "in"}]},
		{"name": "toy_close", "ret": "int", "chapter": "files", "category": "io_mgmt", "blocking": "local",
			"means": "none", "params": [{"name": "fd", "kind": "TOY_FD", "type": "int", "dir": "in"}]}]}`)
	add("toy/meaning.txt", "read : toy_read\nnone : toy_*\n+environment : toy_open\n")
	add("toy/roles.txt", "on in fd\n")
	add("toy/groups.txt",
		"[groups]\nio - : category=io_data : files\ntoy - : name=toy_* : the toy\n[activities]\nio :\n")
	api, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Generate(api)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(files[2].Text, []byte("TB_EXPORT int toy_read(int fd)")) ||
		bytes.Contains(files[2].Text, []byte("Ptoy_read")) {
		t.Errorf("%s: no wrapper of toy_read, or one of a twin that it does not have", files[2].Path)
	}
	for _, want := range []string{`ID: 65001, Name: "toy_read", API: "toy", Kind: 2`,
		"Op: OpRead, Activity: ActivityIo",
		"RoleOn: 1", `{Name: "toy", Alias: "", About: "the toy"}`} {
		if !bytes.Contains(files[0].Text, []byte(want)) {
			t.Errorf("%s lacks %s", files[0].Path, want)
		}
	}
}

// TestSmallestAPI: two files say all of a new API that does nothing that an analysis of MPI asks for; ids are given.
// Its functions may return what is no error code.
func TestSmallestAPI(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "spec"))); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string, flags int) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|flags, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	write("apis.txt", "toy 65000 65015 io\n", os.O_APPEND)
	write("toy/functions.json", `{"functions": [{"name": "toy_write", "ret": "long", "ret_kind": "INTEGER",
		"category": "local", "blocking": "local", "means": "none", "params": [
			{"name": "fd", "kind": "INTEGER", "type": "int", "dir": "in"},
			{"name": "buf", "kind": "BUFFER", "type": "const void*", "dir": "in", "xfer": {"none": true}},
			{"name": "n", "kind": "INTEGER", "type": "size_t", "dir": "in"}]}]}`, 0)
	if err := giveIDs(dir); err != nil {
		t.Fatal(err)
	}
	api, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := api.byName["toy_write"]
	if f.ID != 65000 {
		t.Errorf("its id is %d", f.ID)
	}
	result := f.Slots[len(f.Slots)-1]
	if result.Codec != "Int" || result.Bits != 64 || f.Twin != "" {
		t.Errorf("the result is %+v, the twin %q", result, f.Twin)
	}
	if g := api.FunctionGroups[bits.TrailingZeros32(f.Meaning.Groups)]; g.Name != "other" {
		t.Errorf("it is in group %s, want that of all else", g.Name)
	}
	code, err := cWrappers(api)
	if err != nil || !bytes.Contains(code, []byte("long toy_write(int fd, const void *buf, size_t n)\n")) {
		t.Errorf("no wrapper of toy_write, or error %v", err)
	}
}

// TestOnlyAppended: numbers that recordings hold cannot be given to something else.
func TestOnlyAppended(t *testing.T) {
	api := load(t)
	now, err := goTables(api)
	if err != nil {
		t.Fatal(err)
	}
	if err := onlyAppended(now, now); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`{ID: 64, Name: "MPI_Abi_get`, `{ID: 64, Name: "MPI_Abj_get`, "ids.txt: 64 was"},
		{`{"MPI_COMM_WORLD", Comm`, `{"MPI_COMM_ALL", Comm`, "predefined.txt"},
	} {
		old := bytes.Replace(now, []byte(tt.old), []byte(tt.new), 1)
		if err := onlyAppended(old, now); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want one about %q", err, tt.want)
		}
	}
}

// Functions without an id get the next one of their API, and the others keep theirs.
func TestGiveIDs(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "spec"))); err != nil {
		t.Fatal(err)
	}
	before, err := loadIDs(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "ids.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for name, id := range before {
		if strings.HasPrefix(name, "MPI") && (last == "" || id > before[last]) {
			last = name
		}
	}
	line := fmt.Sprintf("%d %s\n", before[last], last)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), line, "", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to do
		if err := giveIDs(dir); err != nil {
			t.Fatal(err)
		}
		if now, err := loadIDs(dir); err != nil || !maps.Equal(now, before) {
			t.Fatalf("%v; the ids differ", err)
		}
	}
}
