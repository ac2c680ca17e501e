package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// test is one line of a testlist.
type test struct {
	dir, name string
	ranks     int
	args      []string
	limit     time.Duration
	xfail     bool
	status    bool // passes by its exit status alone, which must not be 0
}

func (t *test) String() string {
	return strings.TrimSpace(t.dir + "/" + t.name + " " + strconv.Itoa(t.ranks) + " " + strings.Join(t.args, " "))
}

// readList reads the testlist files of a folder. Lines that only vary
// environment variables are left out.
func readList(src, dir string) []test {
	var tests []test
	seen := map[string]bool{}
	for _, name := range []string{"testlist", "testlist.in"} {
		text, err := os.ReadFile(filepath.Join(src, dir, name))
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(text), "\n") {
			t, ok := parseLine(dir, line)
			if ok && !seen[t.String()] {
				seen[t.String()] = true
				tests = append(tests, t)
			}
		}
	}
	return tests
}

func parseLine(dir, line string) (test, bool) {
	line, _, _ = strings.Cut(line, "#")
	f := strings.Fields(line)
	if len(f) < 2 {
		return test{}, false
	}
	name := f[0]
	if i := strings.IndexByte(name, '@'); i >= 0 { // a configure variable that marks expected failures or comments
		name = name[strings.LastIndexByte(name, '@')+1:]
	}
	n, err := strconv.Atoi(f[1])
	if err != nil || name == "" || strings.Contains(name, "/") {
		return test{}, false
	}
	t := test{dir: dir, name: name, ranks: n}
	for _, w := range f[2:] {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "arg":
			t.args = append(t.args, v)
		case "env":
			return test{}, false
		case "timeLimit":
			if s, err := strconv.Atoi(v); err == nil {
				t.limit = time.Duration(s) * time.Second
			}
		case "xfail":
			t.xfail = true
		case "resultTest":
			t.status = v == "TestStatus" || v == "TestErrFatal"
		}
	}
	return t, true
}
