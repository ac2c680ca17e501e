package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// row is a job to measure.
type row struct {
	Program string
	Ranks   int
	Steps   int
	Dims    []int
	Workers int
	Orders  int    // how many random orders of merging to try
	Keep    string // directory for the archive, empty: none
}

// result is what was measured of a row.
type result struct {
	Row   row
	Calls uint64
	// Bytes of structure and columns, as stored.
	Structure, Columns int64
	// Entropy is the information in the program's random decisions, in bytes.
	Entropy float64
	// Seconds of processor time: for making the records and compressing them, and for merging and
	// writing. The time of the garbage collector is divided between them in proportion.
	Compression, Merge float64
	// Peak memory in bytes: of compression alone, and of all.
	CompressionPeak, Peak uint64
}

func (r *result) bytes() int64 { return r.Structure + r.Columns }

// batchRanks is the number of ranks that are merged before parts are merged with each other, as
// those of a node are.
const batchRanks = 64

// measure runs a row.
func measure(r row) (result, error) {
	debug.SetGCPercent(200)
	res := result{Row: r}
	p := synthetic.ByName(r.Program)
	if p == nil {
		return res, fmt.Errorf("no program %s", r.Program)
	}
	job, err := synthetic.NewJob(p, synthetic.Params{Ranks: r.Ranks, Steps: r.Steps, Dims: r.Dims, Seed: 1})
	if err != nil {
		return res, err
	}
	// Ranks are compressed one by one, so that a few of them show how much memory this takes.
	for rank := range min(r.Ranks, 4*batchRanks) {
		if _, _, _, err := job.Rank(rank, nil); err != nil {
			return res, err
		}
	}
	res.CompressionPeak = collect.PeakMemory()
	before := processorTime(syscall.RUSAGE_SELF)
	w := &work{job: job, res: &res, level: map[int]*node{}}
	arch, err := w.archive(r.Workers, inOrder(r.Ranks))
	if err != nil {
		return res, err
	}
	res.Peak = collect.PeakMemory()
	scale := (processorTime(syscall.RUSAGE_SELF) - before) / (res.Compression + res.Merge)
	res.Compression *= scale
	res.Merge *= scale
	if r.Keep != "" {
		name := fmt.Sprintf("%s-%d-%d.tabard", r.Program, r.Ranks, r.Steps)
		if err := os.WriteFile(filepath.Join(r.Keep, name), arch, 0o666); err != nil {
			return res, err
		}
	}
	a, err := archive.OpenReader(bytes.NewReader(arch), int64(len(arch)), archive.MaxSection(4<<30))
	if err != nil {
		return res, err
	}
	st := a.Stats()
	res.Structure, res.Columns = st.Structure, st.Columns
	if got := uint64(a.NumRanks()); got != uint64(r.Ranks) {
		return res, fmt.Errorf("the archive has %d ranks", got)
	}
	calls := uint64(0)
	for s := range a.Streams() {
		calls += s.Calls()
	}
	if calls != res.Calls {
		return res, fmt.Errorf("the archive has %d calls of %d", calls, res.Calls)
	}
	return res, w.otherOrders(r, sha256.Sum256(arch))
}

// otherOrders merges the job again with ranks in other batches and batches in other orders.
func (w *work) otherOrders(r row, want [32]byte) error {
	for seed := range r.Orders {
		var res result
		again := &work{job: w.job, res: &res, level: map[int]*node{}}
		arch, err := again.archive(1, shuffled(r.Ranks, uint64(seed)))
		if err != nil {
			return err
		}
		if sha256.Sum256(arch) != want {
			return fmt.Errorf("another order of merging (seed %d) gives other bytes", seed)
		}
	}
	return nil
}

// inOrder cuts the ranks into batches.
func inOrder(ranks int) [][]int {
	var bs [][]int
	for at := 0; at < ranks; at += batchRanks {
		var b []int
		for rank := at; rank < min(ranks, at+batchRanks); rank++ {
			b = append(b, rank)
		}
		bs = append(bs, b)
	}
	return bs
}

// shuffled puts the ranks in random batches of random sizes.
func shuffled(ranks int, seed uint64) [][]int {
	rng := rand.New(rand.NewPCG(seed, 1))
	left := rng.Perm(ranks)
	var bs [][]int
	for len(left) > 0 {
		n := 1 + rng.IntN(min(len(left), 2*batchRanks))
		bs = append(bs, left[:n])
		left = left[n:]
	}
	return bs
}

// work makes the archive of a job.
type work struct {
	job *synthetic.Job

	mu    sync.Mutex
	res   *result
	next  int           // batch
	level map[int]*node // parts without a partner, by height of the tree
	err   error
	made  int
}

// node is a part in the tree of merges.
type node struct {
	height int
	p      part
}

// archive makes all ranks, merges batches as a tree and gives the archive.
func (w *work) archive(workers int, batches [][]int) ([]byte, error) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for {
				b := w.take(batches)
				if b == nil {
					return
				}
				p := newPart()
				err := w.batch(p, b)
				if err == nil {
					err = w.climb(&node{0, p})
				}
				w.fail(err)
			}
		})
	}
	wg.Wait()
	if w.err != nil {
		return nil, w.err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := processorTime(rusageThread)
	root := newPart()
	for h := range 64 {
		if n := w.level[h]; n != nil {
			var err error
			if root, err = mergeParts(root, n.p); err != nil {
				return nil, err
			}
		}
	}
	var buf bytes.Buffer
	err := writePart(root, w.job.Meta(), &buf)
	w.res.Merge += processorTime(rusageThread) - start
	return buf.Bytes(), err
}

func (w *work) take(batches [][]int) []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.next == len(batches) {
		return nil
	}
	w.next++
	return batches[w.next-1]
}

func (w *work) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// batch makes ranks and adds them to p.
func (w *work) batch(p part, ranks []int) error {
	var compression, merge float64
	var calls uint64
	var bits float64
	for _, rank := range ranks {
		start := processorTime(rusageThread)
		d, streams, size, err := w.job.Rank(rank, nil)
		if err != nil {
			return err
		}
		calls += size.Calls
		bits += size.Bits
		middle := processorTime(rusageThread)
		if err := addRank(p, d, streams); err != nil {
			return err
		}
		compression += middle - start
		merge += processorTime(rusageThread) - middle
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.res.Calls += calls
	w.res.Entropy += bits / 8
	w.res.Compression += compression
	w.res.Merge += merge
	return nil
}

// climb merges a part with one of the same height until there is none.
func (w *work) climb(n *node) error {
	for {
		w.mu.Lock()
		other := w.level[n.height]
		if other == nil {
			w.level[n.height] = n
			w.mu.Unlock()
			return nil
		}
		delete(w.level, n.height)
		w.mu.Unlock()
		start := processorTime(rusageThread)
		p, err := mergeParts(other.p, n.p)
		if err != nil {
			return err
		}
		n = &node{n.height + 1, p}
		w.mu.Lock()
		w.res.Merge += processorTime(rusageThread) - start
		w.mu.Unlock()
	}
}

const rusageThread = 1 // RUSAGE_THREAD of getrusage(2)

// processorTime is the time that the process or the calling thread has run, in seconds.
func processorTime(who int) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
