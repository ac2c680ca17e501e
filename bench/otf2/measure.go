package main

import (
	"archive/tar"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// bench holds what all measurements share.
type bench struct {
	pairs                  int
	tabard, dir            string
	mpi                    *mpirun.MPI
	patterns, loop, reader string // compiled programs
}

// program is one to record.
type program struct {
	name  string
	ranks int
	args  []string
}

// result is what was measured of a program.
type result struct {
	calls                        uint64
	otf2, packed, file, lossless int64         // bytes
	plain, eztrace, tabard       time.Duration // CPU time, medians
	matrixOTF2, matrixTabard     time.Duration // CPU time, medians
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// prepare compiles the programs and the reader.
func (b *bench) prepare() (err error) {
	// Collectors outlive their launcher. This process reaps them, and so learns their CPU time.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the reaper of detached processes: %w", err)
	}
	if b.mpi, err = mpirun.Find("openmpi"); err != nil {
		return err
	}
	for _, need := range []string{"eztrace", b.tabard} {
		if _, err := exec.LookPath(need); err != nil {
			return fmt.Errorf("%w: install eztrace and libotf2-trace-dev, and run make first", err)
		}
	}
	if b.dir, err = os.MkdirTemp("", "tabard-otf2-"); err != nil {
		return err
	}
	b.patterns, b.loop = filepath.Join(b.dir, "patterns"), filepath.Join(b.dir, "loop")
	b.reader = filepath.Join(b.dir, "matrix")
	sources := filepath.Join(mpirun.Root(), "bench")
	if err := b.mpi.Build(filepath.Join(sources, "programs", "patterns.c"), b.patterns, "-O2"); err != nil {
		return err
	}
	if err := b.mpi.Build(filepath.Join(sources, "programs", "loop.c"), b.loop, "-O2"); err != nil {
		return err
	}
	cc := exec.Command("cc", "-O2", "-o", b.reader, filepath.Join(sources, "otf2", "matrix.c"), "-lotf2")
	if out, err := cc.CombinedOutput(); err != nil {
		return fmt.Errorf("matrix.c: %w (libotf2-trace-dev has what it needs)\n%s", err, out)
	}
	return nil
}

// measure runs a program in all variants.
func (b *bench) measure(p program) (r result, err error) {
	otf2, file := filepath.Join(b.dir, "ez"), filepath.Join(b.dir, "out.tabard")
	var plain, eztrace, tabard, matrixOTF2, matrixTabard []time.Duration
	for range b.pairs {
		for _, v := range []struct {
			to     *[]time.Duration
			makes  string
			before []string
		}{
			{&plain, "", nil},
			{&eztrace, otf2, []string{"eztrace", "-t", "openmpi", "-o", otf2}},
			{&tabard, file, []string{b.tabard, "record", "--quiet", "-o", file}},
		} {
			cpu, err := b.start(p, v.makes, v.before)
			if err != nil {
				return r, err
			}
			*v.to = append(*v.to, cpu)
		}
	}
	r.plain, r.eztrace, r.tabard = median(plain), median(eztrace), median(tabard)
	anchors, err := filepath.Glob(filepath.Join(otf2, "*", "*.otf2"))
	if err != nil || len(anchors) != 1 {
		return r, fmt.Errorf("eztrace left %d archives (%v)", len(anchors), err)
	}
	if r.otf2, r.packed, err = packed(otf2); err != nil {
		return r, err
	}
	var theirs, ours []byte
	for range b.pairs {
		var a, c time.Duration
		if theirs, a, err = output(b.reader, anchors[0]); err != nil {
			return r, err
		}
		if ours, c, err = output(b.tabard, "matrix", "--csv", file); err != nil {
			return r, err
		}
		matrixOTF2, matrixTabard = append(matrixOTF2, a), append(matrixTabard, c)
	}
	r.matrixOTF2, r.matrixTabard = median(matrixOTF2), median(matrixTabard)
	if err := same(theirs, ours); err != nil {
		return r, err
	}
	if r.calls, r.file, err = b.size(file); err != nil {
		return r, err
	}
	lossless := []string{b.tabard, "record", "--quiet", "--timing=lossless", "-o", file}
	if _, err := b.start(p, file, lossless); err != nil {
		return r, err
	}
	_, r.lossless, err = b.size(file)
	return r, err
}

// start runs a program once, with the words of before in front of it, and returns the CPU time of
// all processes. First it removes what an earlier run made.
func (b *bench) start(p program, makes string, before []string) (time.Duration, error) {
	if makes != "" {
		if err := os.RemoveAll(makes); err != nil {
			return 0, err
		}
	}
	j := &mpirun.Job{MPI: b.mpi, Ranks: p.ranks, Dir: b.dir, Timeout: 5 * time.Minute,
		Args: append(slices.Clone(before), p.args...)}
	res, err := j.Start()
	if err != nil {
		return 0, err
	}
	if res.Code != 0 || res.TimedOut {
		return 0, fmt.Errorf("%s: exit code %d\n%s%s", strings.Join(j.Args, " "), res.Code, res.Stdout, res.Stderr)
	}
	cpu := res.CPU
	for {
		var usage syscall.Rusage
		_, err := syscall.Wait4(-1, nil, 0, &usage)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ECHILD):
			return cpu, nil
		case err != nil:
			return 0, err
		default:
			cpu += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
}

// packed is the size of all files of a folder, and of a compressed tar archive of them.
func packed(dir string) (plain, compressed int64, err error) {
	var all bytes.Buffer
	w := tar.NewWriter(&all)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		return 0, 0, err
	}
	if err := w.Close(); err != nil {
		return 0, 0, err
	}
	err = filepath.Walk(dir, func(_ string, st os.FileInfo, err error) error {
		if err == nil && st.Mode().IsRegular() {
			plain += st.Size()
		}
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(19)))
	if err != nil {
		return 0, 0, err
	}
	defer enc.Close()
	return plain, int64(len(enc.EncodeAll(all.Bytes(), nil))), nil
}

// output runs a command and returns what it wrote and its CPU time.
func output(name string, args ...string) ([]byte, time.Duration, error) {
	var errText bytes.Buffer
	c := exec.Command(name, args...)
	c.Stderr = &errText
	out, err := c.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errText.Bytes())
	}
	return out, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

// same compares the matrices: lines of source, destination, messages, bytes, separated by spaces, and
// the CSV of tabard matrix with these columns.
func same(theirs, ours []byte) error {
	want := map[[2]int][2]int64{}
	for line := range strings.Lines(string(theirs)) {
		var from, to int
		var n [2]int64
		if _, err := fmt.Sscan(line, &from, &to, &n[0], &n[1]); err != nil {
			return fmt.Errorf("line %q: %w", line, err)
		}
		want[[2]int{from, to}] = n
	}
	r := csv.NewReader(bytes.NewReader(ours))
	head, err := r.Read()
	if err != nil {
		return err
	}
	var col [4]int
	for i, name := range []string{"from", "to", "messages", "bytes"} {
		if col[i] = slices.Index(head, name); col[i] < 0 {
			return fmt.Errorf("tabard matrix --csv has no column %q: %v", name, head)
		}
	}
	got := map[[2]int][2]int64{}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		var v [4]int64
		for i, c := range col {
			if v[i], err = strconv.ParseInt(row[c], 10, 64); err != nil {
				return err
			}
		}
		if v[0] != v[1] { // loop.c begins with MPI_Sendrecv to itself
			got[[2]int{int(v[0]), int(v[1])}] = [2]int64{v[2], v[3]}
		}
	}
	if !maps.Equal(want, got) {
		return fmt.Errorf("the matrices differ: OTF2 %v, Tabard %v", want, got)
	}
	return nil
}

// size is the number of calls in an archive and its bytes.
func (b *bench) size(file string) (calls uint64, bytes int64, err error) {
	// The command waits for a recording that is still being written.
	if _, _, err := output(b.tabard, "info", file); err != nil {
		return 0, 0, err
	}
	a, err := archive.Open(file)
	if err != nil {
		return 0, 0, err
	}
	defer a.Close()
	for s := range a.Streams() {
		calls += s.Calls()
	}
	return calls, a.Stats().Total, nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}
