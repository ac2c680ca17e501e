package launch

import (
	"fmt"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/collect"
)

// TestShare splits local ranks over collectors: consecutive ones stay together, and
// each collector is told how many it has.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		collectors, localSize int
		want                  string
	}{
		{0, 4, "0 0 0 0"}, {1, 4, "0 0 0 0"}, {2, 4, "0 0 1 1"}, {3, 7, "0 0 0 1 1 2 2"}, {7, 4, "0 1 2 3"},
	} {
		got, ranks := "", map[int]int{}
		var shares []share
		for r := range c.localSize {
			l := &launcher{o: &Options{Collectors: c.collectors},
				env: rankEnv{rank: r, localRank: r, size: c.localSize, localSize: c.localSize}}
			s := l.share()
			got += fmt.Sprint(" ", s.index)
			ranks[s.index]++
			shares = append(shares, s)
		}
		if got[1:] != c.want {
			t.Errorf("%d collectors, %d ranks:%s, want %s", c.collectors, c.localSize, got, c.want)
		}
		for r, s := range shares {
			if s.ranks != ranks[s.index] || s.count != len(ranks) {
				t.Errorf("%d collectors, rank %d: %+v, but there are %d with %d ranks here", c.collectors, r, s,
					len(ranks), ranks[s.index])
			}
		}
	}
	// Without a place among the local ranks, the rank decides; without any, there is one collector.
	l := &launcher{o: &Options{Collectors: 3}, env: rankEnv{rank: 5, localRank: -1, size: 8, localSize: -1}}
	if s := l.share(); s != (share{2, 3, 0}) {
		t.Errorf("rank only: %+v", s)
	}
	l.env.rank = -1
	if s := l.share(); s != (share{0, 1, 0}) {
		t.Errorf("nothing known: %+v", s)
	}
}

// TestMerges: what decides is the same for all processes of a job.
func TestMerges(t *testing.T) {
	t.Setenv("SLURM_HET_SIZE", "")
	env := rankEnv{rank: 1, localRank: 1, size: 4, localSize: 4, programs: -1}
	for name, c := range map[string]struct {
		o    Options
		set  func(e *rankEnv)
		want bool
		// clocks is whether clocks are measured, which merging usually implies
		clocks bool
		wait   time.Duration
	}{
		"one collector": {want: false},
		"several":       {o: Options{Collectors: 2}, want: true, clocks: true, wait: waitUnsure},
		"several nodes": {set: func(e *rankEnv) { e.size = 8 }, want: true, clocks: true, wait: waitUnsure},
		"one command": {set: func(e *rankEnv) { e.size, e.programs = 8, 1 }, want: true, clocks: true,
			wait: waitTraced},
		"no times":         {o: Options{Collectors: 2, NoTiming: true}, want: true, wait: waitUnsure},
		"several commands": {set: func(e *rankEnv) { e.size, e.programs = 8, 2 }, want: false},
		"some ranks":       {o: Options{Collectors: 2, Ranks: "0-1"}, want: false},
		"when read":        {o: Options{Collectors: 2, NoMerge: true}, want: false, clocks: true, wait: waitClocks},
		"long wait": {o: Options{Collectors: 2, NoMerge: true, MergeWait: time.Hour}, want: false,
			clocks: true, wait: time.Hour},
		"local size unsure": {set: func(e *rankEnv) { e.size, e.localSize = 8, -1 }, want: false},
	} {
		e := env
		if c.set != nil {
			c.set(&e)
		}
		l := &launcher{o: &c.o, env: e}
		if on, clocks, wait := l.meets(); on != c.want || clocks != c.clocks || (on || clocks) && wait != c.wait {
			t.Errorf("%s: %v, %v, %v", name, on, clocks, wait)
		}
	}
}

func TestShareJob(t *testing.T) {
	job := func(l *launcher) *collect.Job {
		j := &collect.Job{Host: "n1"}
		l.shareJob(j)
		return j
	}
	env := rankEnv{rank: 3, localRank: 3, size: 4, localSize: 4, world: "77"}
	if j := job(&launcher{o: &Options{}, env: env}); j.Shared || j.Node != "" || j.Run != "" {
		t.Errorf("one collector: %+v", j)
	}
	a, b := job(&launcher{o: &Options{Collectors: 2}, env: env}), env
	b.size = 8
	other := job(&launcher{o: &Options{}, env: b})
	if !a.Shared || a.Node != "n1-1" || a.Run == "" || !other.Shared || other.Node != "n1" || other.Run == a.Run {
		t.Errorf("several: %+v, %+v", a, other)
	}
}
