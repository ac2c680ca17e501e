package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A line of a testlist: a program, its ranks and arguments.
type line struct {
	dir, program string
	ranks        int
	args         []string
	env          bool    // sets environment variables of MPICH
	memory       float64 // GB
	limit        int     // seconds, 0 unknown
	xfail        bool
	result       string // another result than "No Errors" is expected
}

func (l *line) String() string {
	return strings.Join(append([]string{l.dir + "/" + l.program, strconv.Itoa(l.ranks)}, l.args...), " ")
}

// parseLine reads one line; ok is false if it names no program. Fields that
// are not known concern only how MPICH's own script runs the program.
func parseLine(dir, text string) (l line, ok bool) {
	// @largetest@ and the like are replaced by "" or "#" when the suite is configured.
	text = variable.ReplaceAllString(text, "")
	f := strings.Fields(text)
	if len(f) < 2 || strings.HasPrefix(f[0], "#") {
		return line{}, false
	}
	ranks, err := strconv.Atoi(f[1])
	if err != nil {
		return line{}, false
	}
	l = line{dir: dir, program: f[0], ranks: ranks}
	for _, field := range f[2:] {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "arg":
			l.args = append(l.args, value)
		case "env":
			l.env = true
		case "mem":
			l.memory, _ = strconv.ParseFloat(value, 64) // no number: no need
		case "timeLimit":
			l.limit, _ = strconv.Atoi(value)
		case "xfail":
			l.xfail = true
		case "resultTest":
			l.result = value
		}
	}
	return l, true
}

var variable = regexp.MustCompile(`@\w+@`)

func readLines(root, dir string) ([]line, error) {
	var text []byte
	var err error
	for _, name := range []string{"testlist", "testlist.in"} {
		if text, err = os.ReadFile(filepath.Join(root, dir, name)); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	var lines []line
	for t := range strings.Lines(string(text)) {
		if l, ok := parseLine(dir, t); ok {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// A recipe says how a program is compiled.
type recipe struct {
	sources []string
	flags   []string
}

// readRecipes reads the SOURCES and CPPFLAGS of a Makefile.am.
func readRecipes(root, dir string) (map[string]recipe, error) {
	text, err := os.ReadFile(filepath.Join(root, dir, "Makefile.am"))
	if err != nil {
		return nil, err
	}
	recipes := map[string]recipe{}
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for _, m := range rule.FindAllStringSubmatch(joined, -1) {
		r := recipes[m[1]]
		var words []string
		for _, w := range strings.Fields(m[3]) {
			if !strings.HasPrefix(w, "$") {
				words = append(words, w)
			}
		}
		if m[2] == "SOURCES" {
			r.sources = words
		} else {
			r.flags = words
		}
		recipes[m[1]] = r
	}
	return recipes, nil
}

var rule = regexp.MustCompile(`(?m)^(\w+)_(SOURCES|CPPFLAGS)\s*=(.*)$`)
