package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/spec"
)

// bench holds what all measurements share.
type bench struct {
	*options
	lib *mpirun.MPI
	dir string
}

func newBench(o *options) (*bench, error) {
	b := &bench{options: o}
	for _, file := range []*string{&o.tabard, &o.pilgrim, &o.keep} {
		if *file == "" {
			continue
		}
		abs, err := filepath.Abs(*file)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(abs); err != nil {
			return nil, err
		}
		*file = abs
	}
	if o.pilgrim != "" {
		if _, err := exec.LookPath("zstd"); err != nil {
			return nil, fmt.Errorf("%w: what Pilgrim writes is compared as zstd -19 shrinks it", err)
		}
	}
	var err error
	if b.lib, err = mpirun.Find(o.mpi); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp("", "tabard-size-"); err != nil {
		return nil, err
	}
	if o.mpi != "mpich" {
		return b, nil
	}
	if b.lib.YieldPreload, err = mpirun.BuildYield(b.dir); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// result is what was measured of a row, in bytes.
type result struct {
	row   row
	calls uint64 // of MPI, the recorder's own records left out
	// As stored; file is all of it, time stamps included.
	structure, columns, file int64
	// Structure and columns of another run, of which neither call sites nor times were recorded.
	bare int64
	// What Pilgrim writes, plain and after zstd -19. 0 is not measured; -1 means that the program
	// failed under Pilgrim.
	pilgrim, zstd int64
	// Information that depends on time alone, as far as it can be told: bits.
	polls float64
}

func (r *result) bytes() int64 { return r.structure + r.columns }

// measure runs a row, in a folder of its own.
func (b *bench) measure(r row) (result, error) {
	res := result{row: r}
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return res, err
	}
	defer os.RemoveAll(dir)
	if b.pilgrim != "" {
		if err := b.underPilgrim(&res, dir); err != nil {
			return res, err
		}
	}
	if err := b.measureBare(&res, dir); err != nil {
		return res, err
	}
	arch, err := b.record(r, dir, "out")
	if err != nil {
		return res, err
	}
	if b.keep != "" {
		name := fmt.Sprintf("%s-%d-%d.tabard", r.name, r.ranks, r.steps)
		if err := copyFile(arch, filepath.Join(b.keep, name)); err != nil {
			return res, err
		}
	}
	return res, res.read(arch)
}

// record gives a recording, of which it has proved that it has every call and value of the raw log.
func (b *bench) record(r row, dir, name string, flags ...string) (string, error) {
	arch, raw := filepath.Join(dir, name+".tabard"), filepath.Join(dir, name+".raw")
	record := append([]string{b.tabard, "record", "--quiet", "-o", arch, "--keep-raw", raw}, flags...)
	record = append(record, r.args...)
	done, err := b.run(r, dir, record)
	if err != nil {
		return "", err
	}
	if done.TimedOut || done.Code != 0 {
		return "", fmt.Errorf("%s: exit code %d, out of time: %t\n%s%s", strings.Join(record, " "), done.Code,
			done.TimedOut, done.Stdout, done.Stderr)
	}
	return arch, b.verify(arch, raw)
}

// measureBare records what other tracers keep, too.
func (b *bench) measureBare(res *result, dir string) error {
	arch, err := b.record(res.row, dir, "bare", "--callsites=off", "--timing=off")
	if err != nil {
		return err
	}
	a, err := archive.Open(arch)
	if err != nil {
		return err
	}
	defer a.Close()
	st := a.Stats()
	res.bare = st.Structure + st.Columns
	return nil
}

func (b *bench) run(r row, dir string, args []string) (*mpirun.Result, error) {
	j := &mpirun.Job{MPI: b.lib, Ranks: r.ranks, Args: args, Dir: dir, Timeout: b.timeout}
	return j.Start()
}

// verify proves that the archive has every call and value of the raw log.
func (b *bench) verify(arch, raw string) error {
	c := exec.Command(b.tabard, "verify", arch, raw)
	c.WaitDelay = time.Second
	stop := time.AfterFunc(b.timeout, func() { _ = c.Process.Kill() }) // an error only if it has ended
	defer stop.Stop()
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("the recording is not what happened: %w\n%s", err, out)
	}
	return nil
}

// underPilgrim runs the program with Pilgrim. If the program fails then, this is a result and not
// an error.
func (b *bench) underPilgrim(res *result, dir string) error {
	preload := strings.TrimSpace(b.pilgrim + " " + b.lib.YieldPreload)
	done, err := b.run(res.row, dir, append([]string{"env", "LD_PRELOAD=" + preload}, res.row.args...))
	if err != nil {
		return err
	}
	if done.TimedOut || done.Code != 0 {
		res.pilgrim, res.zstd = -1, -1
		return nil
	}
	logs := filepath.Join(dir, "pilgrim-logs")
	var all []byte
	err = filepath.WalkDir(logs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(all, text...)
		return err
	})
	if err != nil {
		return fmt.Errorf("what Pilgrim wrote: %w", err)
	}
	if len(all) == 0 {
		return errors.New("Pilgrim wrote nothing")
	}
	// One frame for all files is the best for Pilgrim: together they shrink further than apart.
	c := exec.Command("zstd", "-19", "-c")
	c.Stdin = strings.NewReader(string(all))
	small, err := c.Output()
	res.pilgrim, res.zstd = int64(len(all)), int64(len(small))
	return err
}

// read takes the sizes from an archive.
func (res *result) read(file string) error {
	a, err := archive.Open(file)
	if err != nil {
		return err
	}
	defer a.Close()
	st := a.Stats()
	res.structure, res.columns, res.file = st.Structure, st.Columns, st.Total
	if got := a.NumRanks(); got != res.row.ranks {
		return fmt.Errorf("the archive has %d ranks", got)
	}
	var runs lengths
	for s := range a.Streams() {
		counts, err := s.Counts()
		if err != nil {
			return err
		}
		for t, n := range counts {
			sig, err := s.Signature(uint32(t))
			if err != nil {
				return err
			}
			if !strings.HasPrefix(spec.ByID(sig.Func).Name, "tabard_") {
				res.calls += n
			}
			if err := runs.add(s, uint32(t), sig); err != nil {
				return err
			}
		}
	}
	res.polls = runs.entropy()
	return nil
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}
