// Package recordings writes recordings of synthetic jobs with times, of any size, in seconds.
package recordings

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// timed is how many ranks of a job have times of their own: eight, or as many as make a million calls together, so that
// the file is not smaller than one of a real job by orders of magnitude. Rank r of a larger job has those of rank r mod
// timed. The server knows nothing of that, and treats every rank for itself.
func timed(ranks, calls int) int {
	n := 8
	for 2*n <= ranks && n*calls < 1<<20 {
		n *= 2
	}
	return n
}

// program is what the synthetic ranks do: each exchanges messages with two neighbours and takes part in a reduction.
const program = "stencil-1d-periodic"

// small makes a job of a few ranks.
func small(ranks, steps int) (*archive.Content, error) {
	p := synthetic.ByName(program)
	if p == nil {
		return nil, fmt.Errorf("there is no program %s", program)
	}
	job, err := synthetic.NewJob(p, synthetic.Params{Ranks: ranks, Steps: steps, Seed: 1, Timing: true})
	if err != nil {
		return nil, err
	}
	b, err := job.Recording()
	if err != nil {
		return nil, err
	}
	a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	return a.Content()
}

// callsOf is how many calls a rank makes.
func callsOf(c *archive.Content) (uint64, error) {
	a, err := c.Archive()
	if err != nil {
		return 0, err
	}
	return a.Stream(0).Calls(), nil
}

// Write writes the recording of a job of so many ranks with about so many calls each.
func Write(file string, ranks, calls int) error {
	few, err := small(8, 10)
	if err != nil {
		return err
	}
	more, err := small(8, 20)
	if err != nil {
		return err
	}
	a, err := callsOf(few)
	if err != nil {
		return err
	}
	b, err := callsOf(more)
	if err != nil {
		return err
	}
	perStep := float64(b-a) / 10
	own := timed(ranks, calls)
	from, err := small(own, max(10, int((float64(calls)-float64(a))/perStep)+10))
	if err != nil {
		return err
	}
	c, _, err := infer.Of(from, ranks, infer.Options{})
	if err != nil {
		return err
	}
	if len(c.Classes) != 1 || len(from.Timings) != own {
		return fmt.Errorf("%d classes, %d timings", len(c.Classes), len(from.Timings))
	}
	c.Timings = from.Timings
	times := archive.Cases[int]{}
	for k := range own {
		var members []int
		for r := k; r < ranks; r += own {
			members = append(members, r)
		}
		times.Sets = append(times.Sets, rankfunc.NewSet(members))
		times.Values = append(times.Values, k)
	}
	c.Classes[0].Timing = times
	clocks, group := make([][]int64, ranks), c.Groups[0]
	for r := range clocks {
		clocks[r] = slices.Clone(from.Groups[0].Clocks.At(r % own))
		// synthetic ranks start up to 50 ms apart: they start together here
		clocks[r][1] = from.Groups[0].Clocks.At(0)[1]
	}
	group.Clocks = rankfunc.FitVec(&rankfunc.Context{Size: ranks}, group.Ranks, clocks)
	var out bytes.Buffer
	if err := c.Write(&out); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o600)
}

// Bytes is how large a file is, or all files of a folder together.
func Bytes(path string) (sum int64, err error) {
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
