// Command scale shows how small archives of jobs are that are larger than this machine:
// it makes the ranks of synthetic programs (internal/testkit/synthetic), sends them through the real
// compression and merge, and prints what came out:
//
//	go run ./bench/scale [-min RANKS] [-max RANKS] [-only REGEXP] [-workers N] [-orders N] [-keep DIR]
//
// Each row runs in a process of its own, so that its peak memory is its own. The bars that the
// rows have to meet are printed below the table; if one is missed, the exit code is 1.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
)

// rowVariable holds the row that a child process is to measure.
const rowVariable = "TABARD_SCALE_ROW"

func main() {
	if text := os.Getenv(rowVariable); text != "" {
		if err := child(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	least := flag.Int("min", 1, "leave out rows with fewer ranks")
	most := flag.Int("max", 1<<20, "leave out rows with more ranks")
	only := flag.String("only", "", "rows of programs whose name matches this regular expression")
	workers := flag.Int("workers", runtime.NumCPU(), "ranks made at the same time")
	orders := flag.Int("orders", 2,
		"merge jobs of at most 4096 ranks again in so many random orders: the bytes must be the same")
	keep := flag.String("keep", "", "keep the archives in this directory")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 || *most < 1 || *workers < 1 || *orders < 0 {
		fmt.Fprintln(os.Stderr, "scale: wrong arguments; see -help")
		os.Exit(2)
	}
	ok, err := run(*least, *most, pattern, row{Workers: *workers, Orders: *orders, Keep: *keep})
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run measures the rows by how, and checks the bars.
func run(least, most int, only *regexp.Regexp, how row) (ok bool, err error) {
	fmt.Println(header)
	var results []result
	for _, r := range rows {
		if r.Ranks < least || r.Ranks > most || !only.MatchString(r.Program) {
			continue
		}
		r.Workers, r.Keep = how.Workers, how.Keep
		if r.Ranks <= 4096 {
			r.Orders = how.Orders
		}
		res, err := inChild(r)
		if err != nil {
			return false, fmt.Errorf("%s, %d ranks, %d steps: %w", r.Program, r.Ranks, r.Steps, err)
		}
		fmt.Println(res.line())
		results = append(results, res)
	}
	fmt.Println()
	ok = true
	for _, b := range bars() {
		verdict, met, applies := b.verdict(results)
		if !applies {
			continue
		}
		mark := "ok    "
		if !met {
			mark, ok = "MISSED", false
		}
		fmt.Printf("%s  %s: %s\n", mark, b.what, verdict)
	}
	return ok, nil
}

// inChild measures a row in a process of its own.
func inChild(r row) (result, error) {
	exe, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return result{}, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), rowVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return result{}, err
	}
	var res result
	err = json.Unmarshal(out, &res)
	return res, err
}

func child(text string) error {
	var r row
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return err
	}
	res, err := measure(r)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(res)
}
