package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
	"github.com/tabard-hpc/tabard/spec"
)

// rawLogs are raw logs of the ranks of a job.
func rawLogs(t *testing.T, name string, params synthetic.Params) (logs [][]byte) {
	t.Helper()
	job, err := synthetic.NewJob(synthetic.ByName(name), params)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range job.Params().Ranks {
		words := []uint64{0x31574152424154ff, 1, uint64(1000 + rank), 5, 0, uint64(1000 + rank), 77, 0}
		if err := job.Records(rank, func(r ring.Record) error { words = append(words, r...); return nil }); err != nil {
			t.Fatal(err)
		}
		var b []byte
		for _, w := range words {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		logs = append(logs, b)
	}
	return logs
}

// logs writes raw logs, most of them damaged.
func (h *hostile) logs(logs [][]byte) {
	os.RemoveAll(h.raw)
	if err := os.Mkdir(h.raw, 0o700); err != nil {
		h.t.Fatal(err)
	}
	for i, b := range logs {
		b = slices.Clone(b)
		for range h.rng.IntN(3) {
			at := h.rng.IntN(len(b))
			word := b[at&^7:] // of which a log that was cut may have a part only
			switch h.rng.IntN(4) {
			case 0:
				b[at] ^= 1 << h.rng.IntN(8)
			case 1:
				copy(word, binary.LittleEndian.AppendUint64(nil, h.rng.Uint64()>>h.rng.IntN(64)))
			case 2:
				b = b[:max(1, at)]
			default:
				copy(word, word[min(8*h.rng.IntN(20), len(word)):])
			}
		}
		h.write(filepath.Join(h.raw, fmt.Sprintf("%d-5.0.raw", 1000+i)), b)
	}
}

// visits are what the page of a recording asks for first, and what its panels do.
var visits = []string{"/", "/api/overview", "/api/tiles?level=1&x=0&rows=8", "/api/bands?level=3&x=1&rows=8",
	"/api/lines", "/api/info", "/api/report", "/api/profile?by=function,rank&quantiles=1", "/api/waits",
	"/api/matrix?kind=all&bins=3",
	"/api/histogram", "/api/messages", "/api/comms", "/api/loops", "/api/outliers", "/api/classes", "/api/spent",
	"/api/functions?rank=0", "/api/steps", "/api/step?k=1", "/api/inflight?bins=7&rows=1", "/api/arrows?max=5",
	"/api/lanes?rank=0&max=50", "/api/calls?rank=0&limit=5", "/api/search?q=send", "/api/code", "/api/diff"}

var (
	visitAddress = regexp.MustCompile(`http://(\S+)/\?token=(\w+)`)
	visitPlace   = regexp.MustCompile(`url=(/\w+/)"`)
	visitSocket  = regexp.MustCompile(`-L \d+:(\S+) `)
)

// visited is the output of a command. If it is the address of a page, somebody visits that, and ends the server then.
type visited struct {
	bytes.Buffer
	ended chan string
}

// Write takes output; tabard view writes what there is to say at once.
func (v *visited) Write(b []byte) (int, error) {
	v.Buffer.Write(b)
	if m := visitAddress.FindSubmatch(b); m != nil && v.ended == nil {
		socket := ""
		if s := visitSocket.FindSubmatch(b); s != nil {
			socket = string(s[1])
		}
		v.ended = make(chan string, 1)
		go func() {
			defer syscall.Kill(os.Getpid(), syscall.SIGTERM) // the server waits for it
			v.ended <- visit(string(m[1]), string(m[2]), socket)
		}()
	}
	return len(b), nil
}

// problem says what was wrong with the answers, "" if nothing was.
func (v *visited) problem() string {
	if v.ended == nil {
		return ""
	}
	return <-v.ended
}

// visit asks for all visits, and says what is wrong with an answer.
func visit(host, token, socket string) string {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err.Error()
	}
	transport := &http.Transport{DisableKeepAlives: true}
	if socket != "" {
		transport.Dial = func(string, string) (net.Conn, error) { return net.Dial("unix", socket) }
	}
	client := &http.Client{Jar: jar, Transport: transport, Timeout: hostileWall}
	place := "/"
	for _, path := range append([]string{"/?token=" + token}, visits...) {
		for begin := time.Now(); ; {
			r, err := client.Get("http://" + host + place + path[1:])
			if err != nil {
				return err.Error()
			}
			text, err := io.ReadAll(r.Body)
			r.Body.Close()
			if r.StatusCode == http.StatusAccepted && time.Since(begin) < hostileWall {
				continue // it is being worked out
			}
			isJSON := r.Header.Get("Content-Type") == "application/json"
			if err != nil || isJSON && !json.Valid(text) || bytes.Contains(text, []byte("mistake")) ||
				r.StatusCode == http.StatusAccepted || r.StatusCode == http.StatusUnauthorized {
				return fmt.Sprintf("%s: %s, %v: %.500s", path, r.Status, err, text)
			}
			if m := visitPlace.FindSubmatch(text); m != nil {
				place = string(m[1])
			}
			break
		}
	}
	return ""
}

// fakeMPI makes a library that has all functions of MPI, as far as replay looks.
func fakeMPI(t *testing.T, path string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("int MPII_Version_string;\n")
	for _, f := range spec.Functions() {
		if strings.HasPrefix(f.Name, "MPI_") {
			fmt.Fprintf(&b, "int %s(void) { return 0; }\n", f.Name)
		}
	}
	cmd := exec.Command("gcc", "-w", "-shared", "-fPIC", "-Wl,-soname,libmpich.so.12", "-o", path, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// notStarted is what replay says when it cannot become the program that makes the calls.
const notStarted = "argument list too long"

// rankOfReplay makes this process the first rank of a job, until it is told otherwise, with an environment that no
// program can be started with: replay does all that it does before that.
func rankOfReplay() (restore func()) {
	for name, value := range map[string]string{"PMI_RANK": "0", "TABARD_TEST_TOO_LONG": strings.Repeat("x", 1<<18)} {
		if err := os.Setenv(name, value); err != nil {
			panic(err) // there is no such error
		}
	}
	return func() { os.Unsetenv("PMI_RANK"); os.Unsetenv("TABARD_TEST_TOO_LONG") }
}
