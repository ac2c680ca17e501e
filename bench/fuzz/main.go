// Command fuzz runs every fuzz target of the project for a while and prints how many inputs each
// tries in a second of one core. A target that is slower than the bar explores next to nothing:
// rebuild it so that an execution does less. How long is counted in time of the processor: where
// others use the machine, a target begins again with more, since its first inputs, which are all
// new to it, would be most of what it does.
//
//	go run ./bench/fuzz [-for 5s] [-bar 1000] [-only REGEXP]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a fuzz test of a package.
type target struct{ dir, name string }

func (t target) String() string { return t.dir + " " + t.name }

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)

// targets finds the fuzz tests below a folder.
func targets(root string) (list []target, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			list = append(list, target{"./" + filepath.Dir(path), string(m[1])})
		}
		return err
	})
	return list, err
}

// build compiles the tests of a folder for fuzzing.
func build(dir, binary string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command("go", "test", "-c", "-fuzz=.", "-toolexec="+self+" "+asTool, "-o", binary, dir)
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", dir, err, out)
	}
	return nil
}

// executions are the lines in which a test says how far it has come.
var executions = regexp.MustCompile(`execs: (\d+) \(`)

var lateOnly = regexp.MustCompile(`--- FAIL: \w+ \([\d.]+s\)\n    context deadline exceeded\nFAIL\n`)

// atMost bounds how long a target may run, as a multiple of the time of the processor that it is to have.
const atMost = 30

// measure fuzzes a target for about so much time of the processor, and returns its executions in a second of that: what
// else the machine does at the time does not matter.
func measure(t target, binary, cache string, wanted time.Duration) (perSecond float64, err error) {
	for length := wanted; ; {
		n, cpu, err := run(t, binary, cache, length)
		if err != nil || cpu >= wanted*9/10 || length == atMost*wanted {
			return n / cpu.Seconds(), err
		}
		length = min(time.Duration(1.2*float64(length)*float64(wanted)/float64(cpu)), atMost*wanted)
	}
}

// run fuzzes a target and returns its executions, and the time of the processor that they took. What is interesting is
// not made shorter: that takes up to a minute each time, and what it executes is not counted before its end.
func run(t target, binary, cache string, length time.Duration) (n float64, cpu time.Duration, err error) {
	cmd := exec.Command(binary, "-test.run=^$", "-test.fuzz=^"+t.name+"$",
		"-test.fuzztime="+length.String(), "-test.fuzzminimizetime=0x", "-test.parallel=1",
		"-test.fuzzcachedir="+filepath.Join(cache, t.dir))
	cmd.Dir, cmd.Env = t.dir, append(os.Environ(), "GOGC=400")
	out, err := cmd.CombinedOutput()
	// On a busy machine a worker is late at the end, which Go calls a failure.
	if err != nil && !lateOnly.Match(out) {
		return 0, 0, fmt.Errorf("%v: %w\n%s", t, err, out)
	}
	cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	all := executions.FindAllSubmatch(out, -1)
	if len(all) == 0 { // it has not tried all that it begins with
		return 0, cpu, nil
	}
	n, err = strconv.ParseFloat(string(all[len(all)-1][1]), 64)
	return n, cpu, err
}

// asTool is the first argument with which go runs this program around the tools of a build.
const asTool = "tool"

// tool runs a tool of a build. The compiler is told to count what is executed in packages of this project only: counts
// of the libraries that it uses make inputs interesting that do nothing new here, and to hand all counts from process
// to process, which is done for each of them by code that is counted, too, would take most of the time.
func tool(args []string) error {
	kept := args[:0:0]
	for _, a := range args {
		if a != "-d=libfuzzer" || own(args) {
			kept = append(kept, a)
		}
	}
	cmd := exec.Command(kept[0], kept[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.Output()
	if slices.Contains(args, "-V=full") { // what the build cache takes for the version of the compiler
		out = append(bytes.TrimSpace(out), " own counts\n"...)
	}
	os.Stdout.Write(out)
	return err
}

// own tells whether the compiler compiles a package of this project.
func own(args []string) bool {
	i := slices.Index(args, "-p")
	return i >= 0 && i+1 < len(args) && strings.HasPrefix(args[i+1], module)
}

const module = "github.com/tabard-hpc/tabard"

func main() {
	if len(os.Args) > 2 && os.Args[1] == asTool {
		if tool(os.Args[2:]) != nil {
			os.Exit(1)
		}
		return
	}
	length := flag.Duration("for", 5*time.Second, "how long each target runs, in time of the processor")
	bar := flag.Float64("bar", 1000, "executions in a second of one core that each target has to reach")
	only := flag.String("only", "", "targets: a regular expression over FOLDER NAME")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz: -only:", err)
		os.Exit(2)
	}
	list, err := targets(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
	tmp, err := os.MkdirTemp("", "fuzz-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
	failed := all(list, wanted, tmp, *length, *bar)
	os.RemoveAll(tmp)
	if failed {
		os.Exit(1)
	}
}

// all runs the wanted targets and tells whether one failed or is too slow.
func all(list []target, wanted *regexp.Regexp, tmp string, length time.Duration, bar float64) (failed bool) {
	binary, built := filepath.Join(tmp, "fuzz.test"), ""
	for _, t := range list {
		if !wanted.MatchString(t.String()) {
			continue
		}
		var n float64
		var err error
		if t.dir != built {
			err, built = build(t.dir, binary), t.dir
		}
		if err == nil {
			n, err = measure(t, binary, tmp, length)
		}
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			failed = true
		case n < bar:
			fmt.Printf("%8.0f /s  %v: below %.0f\n", n, t, bar)
			failed = true
		default:
			fmt.Printf("%8.0f /s  %v\n", n, t)
		}
	}
	return failed
}
