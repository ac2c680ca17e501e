package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/bench/internal/roundtrip"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// scaling is a program that is recorded with some numbers of ranks and inferred for another.
type scaling struct {
	name string
	from []int
	to   int
	args []string
}

// parseScalings reads lines of name, small sizes, large size and command.
func parseScalings(in io.Reader) (list []scaling, err error) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if len(f) < 4 {
			return nil, fmt.Errorf("%q: not a name, small sizes, a large size and a command", lines.Text())
		}
		s := scaling{name: f[0], args: f[3:]}
		for _, n := range strings.Split(f[1], ",") {
			size, err := strconv.Atoi(n)
			if err != nil {
				return nil, err
			}
			s.from = append(s.from, size)
		}
		if s.to, err = strconv.Atoi(f[2]); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, lines.Err()
}

// Bar.
const maxScale = 10.0 // seconds of processor time until a job is inferred, or refused

// scaleTable infers jobs and compares them with recorded ones.
func scaleTable(b *bench) (bool, error) {
	if b.scale == "" {
		return true, nil
	}
	f, err := os.Open(b.scale)
	if err != nil {
		return false, err
	}
	defer f.Close()
	list, err := parseScalings(f)
	if err != nil {
		return false, err
	}
	fmt.Print("Inferred and recorded jobs, compared.\n\n| MPI | program | from ranks | to | seconds | outcome |\n" +
		"|---|---|---|---|---|---|\n")
	wrong, longest := 0, 0.0
	for _, m := range b.libs {
		for _, s := range list {
			if !b.only.MatchString(s.name) {
				continue
			}
			o, seconds, err := b.scaled(m, &s)
			if err != nil {
				return false, fmt.Errorf("%s, %s: %w", m.Name, s.name, err)
			}
			if o.Stage == "diff" {
				wrong++
			}
			longest = max(longest, seconds)
			fmt.Printf("| %s | %s | %s | %d | %.1f | %s |\n", m.Name, s.name,
				strings.Trim(strings.ReplaceAll(fmt.Sprint(s.from), " ", ", "), "[]"), s.to, seconds, o)
		}
	}
	fmt.Println()
	ok := verdict(wrong == 0, "Inferred jobs that differ from the recorded one: %d", wrong)
	return verdict(longest <= maxScale, "The longest inference or refusal: %.1f s", longest) && ok, nil
}

// scaled records all sizes of a program, infers the large one and compares.
func (b *bench) scaled(m *mpirun.MPI, s *scaling) (*roundtrip.Outcome, float64, error) {
	var dirs []string
	for _, n := range append(s.from[:len(s.from):len(s.from)], s.to) {
		dir, failed, err := b.kept(m, s, n)
		if b.keep == "" && dir != "" {
			defer os.RemoveAll(dir)
		}
		if failed != nil || err != nil {
			return failed, 0, err
		}
		dirs = append(dirs, dir)
	}
	last := len(dirs) - 1
	o, took, err := b.runner(m).Scaled(dirs[:last], dirs[last], s.to)
	return o, took.Seconds(), err
}

// kept is a folder with the recording of a program on n ranks: the one that an earlier run left, or a new one.
func (b *bench) kept(m *mpirun.MPI, s *scaling, n int) (dir string, failed *roundtrip.Outcome, err error) {
	if b.keep == "" {
		return b.recorded(m, n, s.args)
	}
	if dir, err = filepath.Abs(filepath.Join(b.keep, fmt.Sprintf("%s-%s-%d", m.Name, s.name, n))); err != nil {
		return "", nil, err
	}
	if _, err = os.Stat(dir); err == nil {
		return dir, nil, nil
	}
	made, failed, err := b.recorded(m, n, s.args)
	if failed != nil || err != nil {
		os.RemoveAll(made)
		return "", failed, err
	}
	return dir, nil, os.Rename(made, dir)
}
