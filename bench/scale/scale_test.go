package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

func sized(program string, ranks, steps int, bytes int64) result {
	return result{Row: row{Program: program, Ranks: ranks, Steps: steps}, Structure: bytes - 10, Columns: 10}
}

func TestBars(t *testing.T) {
	hub := constant("hub", of("hub"))
	for name, c := range map[string]struct {
		b            bar
		rs           []result
		met, applies bool
	}{
		"at most":  {atMost("hub", 36, 10, 700), []result{sized("hub", 36, 10, 700)}, true, true},
		"too much": {atMost("hub", 36, 10, 700), []result{sized("hub", 36, 10, 701)}, false, true},
		"another row": {atMost("hub", 36, 10, 700), []result{sized("hub", 36, 20, 701), sized("ring", 36, 10, 701)},
			true, false},
		"constant":     {hub, []result{sized("hub", 36, 10, 200), sized("hub", 4096, 10, 210)}, true, true},
		"not constant": {hub, []result{sized("hub", 36, 10, 200), sized("hub", 4096, 10, 211)}, false, true},
		"shrinking":    {hub, []result{sized("hub", 36, 10, 211), sized("hub", 4096, 10, 200)}, false, true},
		"one row":      {hub, []result{sized("hub", 36, 10, 200)}, true, false},
		"logarithmic": {logarithmic("hub"), []result{sized("hub", 32, 10, 500), sized("hub", 1024, 10, 1000)}, true,
			true},
		"too steep": {logarithmic("hub"), []result{sized("hub", 32, 10, 500), sized("hub", 1024, 10, 1100)},
			false, true},
		"fast": {fastMerge("hub", 64, 10, 100),
			[]result{{Row: row{Program: "hub", Ranks: 64}, Merge: 9, Peak: 99}}, true, true},
		"slow": {fastMerge("hub", 64, 10, 100),
			[]result{{Row: row{Program: "hub", Ranks: 64}, Merge: 10, Peak: 99}}, false, true},
		"large": {fastMerge("hub", 64, 10, 100),
			[]result{{Row: row{Program: "hub", Ranks: 64}, Merge: 9, Peak: 100}}, false, true},
		"linear merge":    {linearMerge("hub"), merged(1000, 1, 16_000, 31), true, true},
		"steeper merge":   {linearMerge("hub"), merged(1000, 1, 16_000, 33), false, true},
		"merge too small": {linearMerge("hub"), merged(1000, 1, 16_000, 33)[:1], true, false},
	} {
		_, met, applies := c.b.verdict(c.rs)
		if met != c.met || applies != c.applies {
			t.Errorf("%s: met %v, applies %v", name, met, applies)
		}
	}
}

func merged(bytes1 int64, s1 float64, bytes2 int64, s2 float64) []result {
	a, b := sized("hub", 256, 10, bytes1), sized("hub", 4096, 10, bytes2)
	a.Merge, b.Merge = s1, s2
	return []result{a, b}
}

// Every row exists, and every bar has rows.
func TestTable(t *testing.T) {
	var all []result
	for _, r := range rows {
		p := synthetic.ByName(r.Program)
		if p == nil {
			t.Fatalf("no program %s", r.Program)
		}
		if _, err := synthetic.NewJob(p, synthetic.Params{Ranks: r.Ranks, Steps: r.Steps, Dims: r.Dims}); err != nil {
			t.Error(err)
		}
		all = append(all, sized(r.Program, r.Ranks, r.Steps, 100))
	}
	for _, b := range bars() {
		if _, _, applies := b.verdict(all); !applies {
			t.Errorf("%s: no rows", b.what)
		}
	}
}

func TestBatchesHaveEachRankOnce(t *testing.T) {
	for _, n := range []int{1, batchRanks, 10*batchRanks + 3} {
		for _, batches := range [][][]int{inOrder(n), shuffled(n, 1), shuffled(n, 2)} {
			ranks := slices.Concat(batches...)
			slices.Sort(ranks)
			for i, r := range ranks {
				if i != r || len(ranks) != n {
					t.Fatalf("%d ranks: %v", n, ranks)
				}
			}
		}
	}
}

func TestMeasure(t *testing.T) {
	res, err := measure(row{Program: "stencil-2d", Ranks: 100, Steps: 5, Workers: 2, Orders: 2})
	if err != nil {
		t.Fatal(err)
	}
	// 10 x 10 ranks with 180 pairs of neighbours: each end makes two segments once, and two calls a
	// step; Waitall; four more calls.
	if want := uint64(360*2 + 5*(360*2+100) + 4*100); res.Calls != want {
		t.Errorf("%d calls, want %d", res.Calls, want)
	}
	if res.Structure <= 0 || res.CompressionPeak == 0 || res.Peak < res.CompressionPeak || res.Merge <= 0 ||
		res.Entropy != 0 {
		t.Errorf("%+v", res)
	}
	if _, err := measure(row{Program: "nothing", Ranks: 1, Workers: 1}); err == nil {
		t.Error("no error for a program that does not exist")
	}
}

// TestHub tests the archive of a hub. Its size does not depend on steps, nor on ranks once there
// are so many sources that they are in a column. It has the ranks that rank 0 talks to.
func TestHub(t *testing.T) {
	var all []result
	for _, r := range []row{{Ranks: 36, Steps: 10}, {Ranks: 36, Steps: 300}, {Ranks: 200, Steps: 3},
		{Ranks: 1500, Steps: 4}, {Ranks: 9000, Steps: 5}} {
		r.Program, r.Workers, r.Keep = "hub", 2, t.TempDir()
		res, err := measure(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, res)
		files, err := filepath.Glob(filepath.Join(r.Keep, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v: %v", files, err)
		}
		a, err := archive.Open(files[0])
		if err != nil {
			t.Fatal(err)
		}
		i := uint64(0)
		for c, err := range a.Stream(0).Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			v, ok := c.In("source")
			if !ok {
				v, ok = c.In("dest")
			}
			if !ok {
				continue
			}
			others := uint64(r.Ranks - 1)
			if want := 1 + i%others; uint64(v.N) != want || (c.Func.Name == "MPI_Recv") != (i/others%2 == 0) {
				t.Fatalf("%d ranks: call %d with a peer is %v, want rank %d", r.Ranks, i, c, want)
			}
			i++
		}
		if want := uint64(2 * r.Steps * (r.Ranks - 1)); i != want {
			t.Errorf("%d ranks: %d messages, want %d", r.Ranks, i, want)
		}
		a.Close()
	}
	if verdict, met := constant("hub", of("hub")).check(all); !met {
		t.Error(verdict)
	}
}
