package main

import (
	"bytes"
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
	files, err := Generate(load(t))
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
		{"unknown kind", "kinds.txt", "\nTAG ", "\nTOG ", "unknown kind TAG"},
		{"unknown codec", "kinds.txt", "TAG                            Int", "TAG                            Number", "unknown codec Number"},
		{"buffer without transfer rule", "mpi.json", send, strings.Replace(send, `, "xfer": {"count": "count", "type": "datatype"}`, "", 1), "buffer without transfer rule"},
		{"transfer rule names nothing", "mpi.json", send, strings.Replace(send, `"count": "count"`, `"count": "size"`, 1), `no parameter "size"`},
		{"unknown sentinel", "mpi.json", send, strings.Replace(send, "MPI_BOTTOM", "MPI_TOP", 1), "unknown sentinel MPI_TOP"},
		{"unknown field", "mpi.json", send, strings.Replace(send, `"dir"`, `"direction"`, 1), `unknown field "direction"`},
		{"unknown direction", "mpi.json", send, strings.Replace(send, `"dir": "in"`, `"dir": "sideways"`, 1), "unknown direction"},
		{"missing length rule", "mpi.json", `{"name": "ranks2", "kind": "RANK", "type": "int[]", "dir": "out", "len": {"rule": "param", "arg": "n"}}`,
			`{"name": "ranks2", "kind": "RANK", "type": "int[]", "dir": "out"}`, "length rule missing"},
		{"unknown length rule", "mpi.json", `"rule": "null_terminated"`, `"rule": "until_null"`, "unknown length rule"},
		{"length of nothing", "mpi.json", `"rule": "peer_size", "arg": "comm"`, `"rule": "peer_size", "arg": "com"`, `no parameter "com"`},
		{"string without limit", "mpi.json", `"len": {"rule": "string", "max": "MPI_MAX_PORT_NAME"}`, `"len": {"rule": "string"}`, "without a limit"},
		{"unknown limit", "mpi.json", `"max": "MPI_MAX_PORT_NAME"`, `"max": "MPI_MAX_PORT"`, "unknown limit"},
		{"missing life rule", "mpi.json", `{"name": "newcomm", "kind": "COMMUNICATOR", "type": "MPI_Comm*", "dir": "out", "object": "comm", "life": "new"}`,
			`{"name": "newcomm", "kind": "COMMUNICATOR", "type": "MPI_Comm*", "dir": "out", "object": "comm", "life": "use"}`, "no life rule"},
		{"unknown object", "mpi.json", `"object": "message"`, `"object": "mail"`, "unknown object"},
		{"unknown category", "mpi.json", `"category": "pt2pt"`, `"category": "p2p"`, "unknown category"},
		{"function twice", "mpi.json", `"name": "MPI_Wtick"`, `"name": "MPI_Wtime"`, "twice"},
		{"large form", "mpi.json", `"large": "MPI_Send_c"`, `"large": "MPI_Bsend_c"`, "large form"},
		{"function without id", "ids.txt", " MPI_Send\n", " MPI_Sent\n", "MPI_Send: has no id"},
		{"id out of order", "ids.txt", "65 MPI", "63 MPI", "does not follow"},
		{"id twice", "ids.txt", " MPI_Wtick\n", " MPI_Wtime\n", "two ids"},
		{"correction of nothing", "overlay.json", `"MPI_Init_thread.argv"`, `"MPI_Init_thread.args"`, "no such parameter"},
		{"correction that is stale", "overlay.json", `"MPI_Init_thread.argv"`, `"MPI_Init.argv"`, "changes nothing"},
		{"correction without reason", "overlay.json", `"why": "maxindex is a capacity."`, `"why": ""`, "gives no reason"},
		{"unknown count", "overlay.json", `"count": "graph_nodes"`, `"count": "nodes"`, "unknown count"},
		{"flag is no flag", "overlay.json", `"when": "flag"`, `"when": "status"`, "no flag"},
		{"excluded with id", "ids.txt", " MPI_Send\n", " MPI_Comm_c2f\n", "excluded, but has an id"},
		{"unknown class", "predefined.txt", "MPI_INT Type", "MPI_INT Number", "unknown class"},
		{"unknown object name", "predefined.txt", "MPI_INT Type", "MPI_INTT Type", "no ABI defines MPI_INTT"},
		{"unknown constant", "constants.txt", "MPI_ANY_TAG", "MPI_EVERY_TAG", "no ABI defines MPI_EVERY_TAG"},
		{"kind in two groups", "constants.txt", "[tag]: TAG", "[tag]: TAG RANK", "in two groups"},
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
