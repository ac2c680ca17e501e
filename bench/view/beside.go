package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/recordings"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// besideRows are recordings that other tools open, too.
var besideRows = []row{
	{"64 x 10^4", 64, 10_000},
	{"1,000 x 10^4", 1000, 10_000},
}

// usage is what a program took.
type usage struct {
	cpu    time.Duration
	memory int64
}

func (u usage) String() string {
	return fmt.Sprintf("%.3g s, %.0f MB", u.cpu.Seconds(), float64(u.memory)/1e6)
}

// used runs a program whose output nobody reads.
func used(name string, args ...string) (u usage, err error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return u, fmt.Errorf("%s: %w", name, err)
	}
	r := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return usage{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), r.Maxrss << 10}, nil
}

// beside sets what the viewer's server takes for the first exact picture beside what readers of the same run take in
// formats of other tools, which `tabard export` writes. That of OTF2 is its own library, by otf2-print.
func beside(only *regexp.Regexp, dir string) (ok bool, err error) {
	cache, err := os.MkdirTemp("", "tabard-cache-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(cache)
	fmt.Println("| ranks x calls | tabard MB | first picture, exact | once more | OTF2 MB | otf2-print | Perfetto MB |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, r := range besideRows {
		if !only.MatchString(r.Name) {
			continue
		}
		if err := oneBeside(&r, dir, cache); err != nil {
			return false, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	return true, nil
}

func oneBeside(r *row, dir, cache string) error {
	file, err := r.file(dir)
	if err != nil {
		return err
	}
	first, err := inChild(file, cache, firstVariable+"=1")
	if err != nil {
		return err
	}
	again, err := inChild(file, cache, firstVariable+"=1")
	if err != nil {
		return err
	}
	sizes := map[string]int64{}
	for _, format := range []string{"otf2", "perfetto"} {
		out := file + "." + format
		if _, err := os.Stat(out); err != nil {
			tabard := filepath.Join(mpirun.Root(), "bin", "tabard")
			if _, err := used(tabard, "export", format, file, "-o", out, "--force"); err != nil {
				return err
			}
		}
		if sizes[format], err = recordings.Bytes(out); err != nil {
			return err
		}
	}
	read, err := used("otf2-print", filepath.Join(file+".otf2", "traces.otf2"))
	if err != nil {
		return err
	}
	mb := func(n int64) float64 { return float64(n) / 1e6 }
	fmt.Printf("| %s | %.2g | %v | %v | %.3g | %v | %.3g |\n", r.Name, mb(first.File),
		usage{first.ExactCPU, first.ExactMemory},
		usage{again.FirstCPU, again.ExactMemory}, mb(sizes["otf2"]), read, mb(sizes["perfetto"]))
	return nil
}
