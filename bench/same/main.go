// Command same proves that a change of the code changes nothing that users see. It records
// programs of testdata/mpi with an old tabard, lets the old and a new one answer questions about
// these recordings, and compares what both print and write, byte by byte.
//
//	same -old BIN -new BIN [-corpus DIR] [-only REGEXP] [-skip REGEXP]
//
// DIR keeps the recordings and the old answers, so that a second run compares only the new ones.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long one question may take. If it takes longer there is no answer, under either
// tabard.
const patience = 2 * time.Minute

// questions are asked about each recording A; B is the next recording of the corpus, OUT a file
// that the command writes.
var questions = []string{
	"info A", "info A --json", "info A --comms", "info A --comms --json", "info A --cost", "info A --cost --json",
	"report A", "report A --json", "report A --rank 0-1", "report A --function p2p",
	"profile A", "profile A --json", "profile A --by site", "profile A --by comm", "profile A --by rank --limit 0",
	"profile A --time 10%..60%", "profile A --steps 1-2",
	"matrix A", "matrix A --json", "matrix A --csv OUT", "matrix A --svg OUT", "matrix A --png OUT",
	"histogram A", "histogram A --json", "histogram A --durations", "histogram A --durations --json",
	"waits A", "waits A --json", "messages A", "messages A --json", "messages A --limit 0",
	"timeline A", "timeline A --svg OUT", "timeline A --png OUT",
	"dump A --limit 400", "dump A --rank 1 --from 3 --limit 50", "dump A --json --limit 100", "dump A --raw",
	"loops A", "loops A --all", "loops A --json", "loops A --depth 1",
	"diff A A", "diff A B", "diff A B --json", "diff A B --strict --limit 0", "diff A B --rerun",
	"merge A -o OUT", "merge A -o OUT --timing off",
	"scale A --ranks 9", "scale A --ranks 16 --program", "scale A --ranks 12 --json", "scale A --ranks 8 -o OUT",
	"proxy A -o -", "proxy A -o OUT --compute", "proxy A -o - --any-size", "proxy A -o - --ranks 16",
}

func main() {
	oldBin := flag.String("old", "", "the tabard of before")
	newBin := flag.String("new", "", "the tabard of now")
	dir := flag.String("corpus", "", "where recordings and old answers are kept (default: a temporary folder)")
	only := flag.String("only", "", "questions and recordings that match this regular expression")
	skip := flag.String("skip", "^$", "questions and recordings to leave out")
	flag.Parse()
	if err := run(*oldBin, *newBin, *dir, *only, *skip); err != nil {
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(1)
	}
}

// errDiffers is returned when the differences have been printed.
var errDiffers = errors.New("the answers differ")

func run(oldBin, newBin, dir, only, skip string) error {
	wanted, err := regexp.Compile(only)
	unwanted, err2 := regexp.Compile(skip)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if oldBin == "" || newBin == "" || flag.NArg() > 0 {
		return errors.New("usage: same -old BIN -new BIN [-corpus DIR] [-only REGEXP] [-skip REGEXP]")
	}
	for _, bin := range []*string{&oldBin, &newBin} {
		if *bin, err = filepath.Abs(*bin); err != nil {
			return err
		}
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "same-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if err := record(oldBin, dir); err != nil {
		return err
	}
	asked, differ, err := compare(oldBin, newBin, dir, func(s string) bool {
		return wanted.MatchString(s) && !unwanted.MatchString(s)
	})
	if err != nil {
		return err
	}
	fmt.Printf("%d answers, %d differ\n", asked, differ)
	if differ > 0 {
		return errDiffers
	}
	return nil
}

// compare asks both tabards all questions about all recordings of dir.
func compare(oldBin, newBin, dir string, choice func(string) bool) (asked, differ int64, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tabard"))
	if err != nil || len(files) == 0 {
		return 0, 0, fmt.Errorf("no recordings in %s: %w", dir, err)
	}
	type job struct{ a, b, question string }
	jobs := make(chan job)
	var wait sync.WaitGroup
	var print sync.Mutex
	for range runtime.NumCPU() {
		wait.Go(func() {
			for j := range jobs {
				report := ask(oldBin, newBin, dir, j.question, j.a, j.b)
				atomic.AddInt64(&asked, 1)
				if report != "" {
					print.Lock()
					fmt.Print(report)
					differ++
					print.Unlock()
				}
			}
		})
	}
	for i, file := range files {
		a, b := filepath.Base(file), filepath.Base(files[(i+1)%len(files)])
		for _, q := range questions {
			if choice(q + " " + a) {
				jobs <- job{a, b, q}
			}
		}
	}
	close(jobs)
	wait.Wait()
	return asked, differ, nil
}

// ask compares the two answers to one question and describes the first difference.
func ask(oldBin, newBin, dir, question, a, b string) string {
	key := strings.TrimSuffix(a, ".tabard") + "." + strings.Map(func(r rune) rune {
		if r == ' ' || r == '/' {
			return '_'
		}
		return r
	}, question)
	kept := filepath.Join(dir, "answers", key)
	want, err := os.ReadFile(kept)
	if err != nil {
		want = answer(oldBin, dir, question, a, b)
		if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, want, 0o644)); err != nil {
			return fmt.Sprintf("%s: %v\n", key, err)
		}
	}
	got := answer(newBin, dir, question, a, b)
	if bytes.Equal(got, want) || bytes.HasPrefix(want, []byte("too slow")) {
		return ""
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	n := 0
	for n < min(len(w), len(g)) && w[n] == g[n] {
		n++
	}
	line := func(l []string) string {
		if n < len(l) {
			return l[n]
		}
		return "(end)"
	}
	return fmt.Sprintf("%s (of %s), line %d:\n  old %.300q\n  new %.300q\n", question, a, n+1, line(w), line(g))
}

// answer is what a tabard prints and writes, and its exit code.
func answer(bin, dir, question, a, b string) []byte {
	tmp, err := os.MkdirTemp("", "same-out-")
	if err != nil {
		return []byte(err.Error())
	}
	defer os.RemoveAll(tmp)
	args := strings.Fields(question)
	out := ""
	for i, word := range args {
		switch word {
		case "A":
			args[i] = a
		case "B":
			args[i] = b
		case "OUT":
			out = filepath.Join(tmp, "out")
			args[i] = out
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = dir
	var text, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return []byte("too slow")
	}
	fmt.Fprintf(&text, "\n-- stderr --\n%s\n-- end: %v --\n", stderr.Bytes(), err)
	if file, err := os.ReadFile(out); err == nil {
		fmt.Fprintf(&text, "-- file of %d bytes --\n", len(file))
		text.Write(file)
	}
	return bytes.ReplaceAll(text.Bytes(), []byte(tmp), []byte("TMP"))
}
