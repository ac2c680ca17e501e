package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tabard-hpc/tabard/internal/render"
)

// Every command that reads recordings says how much memory it takes.
func TestBoundsInHelp(t *testing.T) {
	bounds := Bounds()
	for command := range bounds {
		var out bytes.Buffer
		if code := Run([]string{command, "--help"}, &out, io.Discard); code != 0 {
			t.Fatalf("%s: exit code %d", command, code)
		}
		if n := strings.Count(out.String(), "Memory: at most "); n != 1 {
			t.Errorf("the help of %s states a bound %d times", command, n)
		}
	}
	for _, c := range newRoot(&app{out: render.NewCleaner(io.Discard), err: render.NewCleaner(io.Discard)}).Commands() {
		_, ok := bounds[c.Name()]
		reads := strings.Contains(c.Use, "FILE") || strings.Contains(c.Use, " A B")
		if reads && !ok && c.Name() != "recover" {
			t.Errorf("%s reads recordings and states no bound", c.Name())
		}
	}
}

// A terminal shows the first lines, everything else all.
func TestHead(t *testing.T) {
	text := strings.Repeat("a line\n", 500)
	for _, c := range []struct{ left, want int }{{-1, 500}, {200, 200}, {499, 499}, {500, 500}, {1000, 500}} {
		var out, hint bytes.Buffer
		h := &head{w: &out, left: c.left}
		var err error
		for i := 0; i < len(text) && err == nil; i += 13 { // lines in pieces
			_, err = io.WriteString(h, text[i:min(i+13, len(text))])
		}
		if (err != nil) != (c.want < 500) || err != nil && !errors.Is(err, errHead) {
			t.Errorf("%d lines: %v", c.left, err)
		}
		a := &app{err: render.NewCleaner(&hint)}
		if err := errors.Join(h.end(a, err, "pipe it"), a.err.Flush()); err != nil {
			t.Error(err)
		}
		if n := strings.Count(out.String(), "\n"); n != c.want || out.Len() != 7*n {
			t.Errorf("%d lines: %d are shown", c.left, n)
		}
		if (hint.Len() > 0) != (c.want < 500) {
			t.Errorf("%d lines: the hint is %q", c.left, hint.String())
		}
	}
}

// TestInterrupted is a process of its own that is interrupted while it writes.
func TestInterrupted(t *testing.T) {
	if file := os.Getenv("TABARD_TEST_INTERRUPT"); file != "" {
		a := &app{stderr: os.Stderr}
		defer a.interruptible()()
		err := a.writeFile(file, aSVG, true, func(w io.Writer) error {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return err
			}
			fmt.Println("half")
			select {} // for ever
		})
		t.Fatal("not reached", err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.svg")
	if err := os.WriteFile(file, []byte("before"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestInterrupted$")
	cmd.Env = append(os.Environ(), "TABARD_TEST_INTERRUPT="+file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("it ended with %v, want exit code 130", err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "before" {
		t.Errorf("the file that was there is %q, %v", b, err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%d files are left, %v", len(list), err)
	}
}
