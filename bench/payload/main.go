// Command payload measures what `tabard record --payload` costs:
//
//	go run ./bench/payload [-pairs N] [-mpi openmpi,mpich]
//
// How many bytes a second one core takes fingerprints of, by what the elements are; what a call costs with and
// without, in interleaved pairs of runs; and the bytes that hashes take in the file.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

func main() {
	pairs := flag.Int("pairs", 5, "pairs of runs per number")
	names := flag.String("mpi", "openmpi,mpich", "MPIs to measure with")
	flag.Parse()
	if err := run(max(*pairs, 1), strings.Split(*names, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "payload:", err)
		os.Exit(1)
	}
}

func run(pairs int, names []string) error {
	dir, err := os.MkdirTemp("", "tabard-payload-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := speed(dir); err != nil {
		return err
	}
	fmt.Println(
		"\n| MPI | message | contents | record | record --payload | bytes of hashes a message " +
			"|\n|---|---|---|---|---|---|",
	)
	for _, name := range names {
		m, err := mpirun.Find(name)
		if err != nil {
			return err
		}
		b := &bench{m, dir, filepath.Join(dir, "send."+name), pairs}
		if err := m.Build(source("payload.c"), b.exe, "-O2"); err != nil {
			return err
		}
		for _, bytes := range []string{"8", "1024", "65536", "1048576"} {
			for _, contents := range []string{"same", "random"} {
				if err := b.row(bytes, contents); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func source(name string) string { return filepath.Join(mpirun.Root(), "bench", "programs", name) }

// speed prints how fast fingerprints are taken.
func speed(dir string) error {
	exe := filepath.Join(dir, "speed")
	capture := filepath.Join(mpirun.Root(), "capture")
	build := exec.Command("gcc", "-std=gnu11", "-O2", "-I"+capture, "-pthread", "-o", exe, source("fingerprint.c"),
		filepath.Join(capture, "mpi", "fingerprint.c"))
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	out, err := exec.Command(exe).Output()
	fmt.Printf("%s", out)
	return err
}

type bench struct {
	m        *mpirun.MPI
	dir, exe string
	pairs    int
}

// row measures messages of one size.
func (b *bench) row(bytes, contents string) error {
	var without, with []float64
	var sizes [2]int64
	calls := 0.0
	for range b.pairs {
		for i, flags := range [][]string{nil, {"--payload"}} {
			file := filepath.Join(b.dir, "out.tabard")
			args := slices.Concat([]string{filepath.Join(mpirun.Root(), "bin", "tabard"), "record", "--quiet",
				"--force",
				"--timing=off", "-o", file}, flags, []string{b.exe, bytes, contents})
			r, err := (&mpirun.Job{MPI: b.m, Ranks: 1, Dir: b.dir, Args: args, Timeout: 2 * time.Minute}).Start()
			var n, ns float64
			if err == nil {
				_, err = fmt.Sscan(r.Stdout, &n, &ns)
			}
			if err != nil || r.Code != 0 {
				return fmt.Errorf("%v: %v, exit code %d\n%s", args, err, r.Code, r.Stderr)
			}
			to := []*[]float64{&without, &with}[i]
			*to = append(*to, ns/n)
			calls = n
			info, err := os.Stat(file)
			if err != nil {
				return err
			}
			sizes[i] = info.Size()
		}
	}
	fmt.Printf("| %s | %s B | %s | %s | %s | %.2f |\n", b.m.Name, bytes, contents, median(without), median(with),
		float64(sizes[1]-sizes[0])/calls)
	return nil
}

// median gives it in ns, with the least and the greatest.
func median(v []float64) string {
	slices.Sort(v)
	return fmt.Sprintf("%.0f (%.0f to %.0f) ns", v[len(v)/2], v[0], v[len(v)-1])
}
