// Package programs reads lists of programs to measure and writes numbers as the tables of all measurements do.
package programs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A Program is one that is already built.
type Program struct {
	Name  string
	Ranks int
	Args  []string // the command
}

// ReadList reads the list in a file; see ParseList.
func ReadList(file string) ([]Program, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := ParseList(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

// ParseList reads a list of programs: each line is a name, a number of ranks and a command with
// its arguments; # begins a comment.
func ParseList(in io.Reader) ([]Program, error) {
	var list []Program
	s := bufio.NewScanner(in)
	for n := 1; s.Scan(); n++ {
		line, _, _ := strings.Cut(s.Text(), "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) < 3 {
			return nil, fmt.Errorf("line %d: not a name, a number of ranks and a command", n)
		}
		ranks, err := strconv.Atoi(f[1])
		if err != nil || ranks < 1 {
			return nil, fmt.Errorf("line %d: %q is no number of ranks", n, f[1])
		}
		list = append(list, Program{Name: f[0], Ranks: ranks, Args: f[2:]})
	}
	return list, s.Err()
}

// Commas writes a number of at least 0 with its digits in groups.
func Commas(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
