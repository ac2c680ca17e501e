// Command view measures the server of the viewer, on synthetic recordings:
//
//	go run ./bench/view [-rows REGEXP] [-keep DIR] [-tiles N] [-overview=false] [-tables]
//	go run ./bench/view [-rows REGEXP] [-keep DIR] -page | -beside | -faults DIR
//
// Each row is a process of its own that opens the recording and answers requests as the page makes them: the overview
// and the tile of the whole run, random tiles of all levels (cold: asked for the first time; warm: once more, of those
// that are exact within two seconds, whose share is told), random iterations. Times are of the handler, without the
// network. A tile that cannot be exact within its time is answered with what is there, and says so; "exact" is how long
// it takes until the first picture is. "Again" is the first picture of a later start, with what the first one left in
// the cache. "Overview" is what it takes to make one (see tabard merge --overview), its share of the file, and the
// first picture of a start with it, without a cache; that has to be exact. Each time is on the clock and, after the
// slash, of processors. Of tiles and iterations it is the 95th percentile. If a bar is missed, the exit code is 1.
//
// With -tables it asks at the end also for what the tables of the first screen show, all at once. That goes over all
// calls, and takes gigabytes for 100,000 ranks.
//
// With -beside it sets the first picture beside what a reader of OTF2 (otf2-tools of Debian) takes for the same run,
// and the bytes that Perfetto would have to open.
//
// With -faults it records programs with planted faults instead (REGEXP chooses some), and looks for each on the page
// from the first screen: at most three clicks may be needed. Pictures of what they show go to DIR.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/bench/internal/recordings"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// Bars.
const (
	mostFirst  = time.Second
	mostWarm   = 10 * time.Millisecond
	mostCold   = 150 * time.Millisecond
	mostJump   = 50 * time.Millisecond
	mostMemory = 512e6
)

// row is a recording.
type row struct {
	Name         string
	Ranks, Calls int
}

var rows = []row{
	{"1,000 x 10^6", 1000, 1_000_000},
	{"1,000 x 10^5", 1000, 100_000},
	{"100,000 x 10^3", 100_000, 1000},
	{"20,000 x 10^3", 20_000, 1000},
	{"64 x 10^4", 64, 10_000},
}

// result is what a process measured, in nanoseconds and bytes.
type result struct {
	Open, First, Exact, Cold, Warm, Jump time.Duration
	// The same in time of processors, of which other programs take nothing.
	FirstCPU, ExactCPU, ColdCPU, WarmCPU, JumpCPU time.Duration
	// Read is the share of the run's threads that the first picture has, Blur its longest stretch.
	Read float64
	// ExactTiles is the share of the tiles that were exact in time: only these can be warm.
	ExactTiles float64
	Blur       time.Duration
	Memory     int64
	// ExactMemory is that up to the first exact picture.
	ExactMemory int64
	// Tables is how long the first screen's tables take, TablesMemory the memory up to then.
	Tables, TablesCPU time.Duration
	TablesMemory      int64
	File              int64
}

// childVariable holds the file that a child process is to measure; firstVariable is set if that is the first picture
// alone, tilesVariable is how many tiles are asked for, and tablesVariable is set if it is the tables, too.
const (
	childVariable  = "TABARD_VIEW_FILE"
	firstVariable  = "TABARD_VIEW_FIRST"
	tilesVariable  = "TABARD_VIEW_TILES"
	tablesVariable = "TABARD_VIEW_TABLES"
)

func main() {
	if file := os.Getenv(childVariable); file != "" {
		r, err := measure(file)
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(r)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "view:", err)
			os.Exit(1)
		}
		return
	}
	only := flag.String("rows", "", "rows whose name matches this regular expression")
	keep := flag.String("keep", "", "make the recordings in this directory, or use those that are there")
	page := flag.Bool("page", false, "measure the page in Chromium, with bin/tabard as the server")
	tiles := flag.Int("tiles", 40, "ask for `N` random tiles")
	overviews := flag.Bool("overview", true, "make an overview, too, and measure the first picture with it")
	tables := flag.Bool("tables", false, "ask for the tables of the first screen, too")
	other := flag.Bool("beside", false, "compare with readers of other formats")
	pictures := flag.String("faults", "", "look for planted faults on the page, and put pictures into `DIR`")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "view: wrong arguments; see -help")
		os.Exit(2)
	}
	ok, err := inFolder(*keep, func(dir string) (bool, error) {
		if *pictures != "" {
			return faults(pattern, *pictures)
		}
		if *other {
			return beside(pattern, dir)
		}
		if *page {
			return pages(pattern, dir)
		}
		options := []string{fmt.Sprint(tilesVariable, "=", max(1, *tiles))}
		if *tables {
			options = append(options, tablesVariable+"=1")
		}
		return run(pattern, dir, *overviews, options)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "view:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// inFolder does something with the folder of the recordings, a temporary one for "".
func inFolder(dir string, do func(dir string) (bool, error)) (ok bool, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "tabard-view-"); err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		return false, err
	}
	return do(dir)
}

func run(only *regexp.Regexp, dir string, overviews bool, options []string) (ok bool, err error) {
	cache, err := os.MkdirTemp("", "tabard-cache-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(cache)
	fmt.Println(
		"| ranks x calls | file MB | first picture ms | of threads | exact s | tile cold ms | warm ms | jump ms | " +
			"again ms | MB | tables s | MB with them | overview |",
	)
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	ok = true
	for _, r := range rows {
		if !only.MatchString(r.Name) {
			continue
		}
		file, err := r.file(dir)
		if err != nil {
			return false, err
		}
		good, err := r.measure(file, cache, overviews, options)
		if err != nil {
			return false, fmt.Errorf("%s: %w", r.Name, err)
		}
		ok = ok && good
	}
	if !ok {
		fmt.Println("\nA bar is missed.")
	}
	return ok, nil
}

// measure prints the line of a recording; options are variables of the process that measures. It is ok if all bars are
// met.
func (r *row) measure(file, cache string, overviews bool, options []string) (ok bool, err error) {
	first, err := inChild(file, cache, options...)
	if err != nil {
		return false, err
	}
	again, err := inChild(file, cache, firstVariable+"=1")
	if err != nil {
		return false, err
	}
	overview := "not made"
	if overviews {
		if overview, err = r.overview(file); err != nil {
			return false, err
		}
	}
	both := func(wall, cpu, unit time.Duration) string {
		return fmt.Sprintf("%.3g / %.3g", float64(wall)/float64(unit), float64(cpu)/float64(unit))
	}
	ms := func(wall, cpu time.Duration) string { return both(wall, cpu, time.Millisecond) }
	fmt.Printf("| %s | %.1f | %s | %.0f %% | %s | %s | %s, %.0f %% | %s | %s | %.0f | %s | %.0f | %s |\n", r.Name,
		float64(first.File)/1e6,
		ms(first.Open+first.First, first.FirstCPU), 100*first.Read, both(first.Exact, first.ExactCPU, time.Second),
		ms(first.Cold, first.ColdCPU), ms(first.Warm, first.WarmCPU), 100*first.ExactTiles,
		ms(first.Jump, first.JumpCPU),
		ms(again.Open+again.First, again.FirstCPU), float64(first.Memory)/1e6,
		both(first.Tables, first.TablesCPU, time.Second), float64(first.TablesMemory)/1e6, overview)
	return first.Open+first.First <= mostFirst && first.Warm <= mostWarm && first.Cold <= mostCold &&
		first.Jump <= mostJump && max(first.Memory, first.TablesMemory) <= mostMemory, nil
}

// file is the recording, which is made if it is not there.
func (r *row) file(dir string) (string, error) {
	file := filepath.Join(dir, fmt.Sprintf("%d-%d.tabard", r.Ranks, r.Calls))
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	return file, recordings.Write(file, r.Ranks, r.Calls)
}

// overview makes an overview, and measures the first picture with it.
func (r *row) overview(file string) (string, error) {
	dir, err := os.MkdirTemp("", "tabard-overview-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	with := filepath.Join(dir, "with.tabard")
	if err := os.WriteFile(with, b, 0o600); err != nil {
		return "", err
	}
	a, err := archive.Open(with)
	if err != nil {
		return "", err
	}
	defer a.Close()
	used := cputime.Used()
	o, err := timeline.MakeOverview(a, nil)
	if errors.Is(err, timeline.ErrSmall) || errors.Is(err, timeline.ErrNoRoom) {
		return "none", nil
	}
	if err != nil {
		return "", err
	}
	took := cputime.Since(used)
	if _, err := collect.SetOverview(with, o); err != nil {
		return "", err
	}
	first, err := inChild(with, filepath.Join(dir, "cache"), firstVariable+"=1")
	if err == nil && (first.Read < 1 || first.Blur > 0) {
		err = errors.New("the first picture is not exact in spite of an overview")
	}
	return fmt.Sprintf("%.1f s, %.2f %%, %.3g / %.3g ms", took.Seconds(), 100*float64(o.Size())/float64(len(b)),
		float64(first.Open+first.First)/1e6, float64(first.FirstCPU)/1e6), err
}

// inChild measures in a process of its own, with further variables of the environment.
func inChild(file, cache string, options ...string) (r result, err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childVariable+"="+file, "XDG_CACHE_HOME="+cache), options...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}
