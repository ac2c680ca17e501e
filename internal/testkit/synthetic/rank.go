package synthetic

import (
	"fmt"
	"math"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// Params are what a synthetic job can vary. The zero value of everything but Ranks and Steps is
// a sensible one.
type Params struct {
	Ranks, Steps int
	// Seed decides everything that is random.
	Seed uint64
	// Dims is the shape of the process grid, as balanced as possible if nil. Its product is Ranks.
	Dims []int
	// ABI is the MPI in use, spec.MPICH if zero.
	ABI spec.ABI
	// Timing adds time stamps and clocks.
	Timing bool
}

// Rank is one rank of a job: its methods are the calls that it makes.
type Rank struct {
	Params
	Rank int
	// World is MPI_COMM_WORLD.
	World *Comm
	// Int and Double are datatypes, Byte another.
	Byte, Int, Double Type
	// Calls counts the calls so far.
	Calls uint64
	// Bits is the information in the random decisions so far, in bits: what a
	// code that knew the program and its probabilities, but not the seed, would need. Each end
	// of a message accounts for half of what both know.
	Bits float64

	prog *Program
	lib  *library
	sink func(ring.Record) error
	log  *Log
	err  error

	rec    ring.Record // the record in the making
	fn     *function
	slot   int
	absent uint32

	timed   bool
	clock   uint64
	busy    uint64 // extra ticks of the call in the making
	jitter  uint64 // state of noise
	random  uint64 // state of Choose
	serial  int
	pools   [spec.NumClasses]pool
	spare   []*Request
	stats   []Status
	segNext int
	segFree []int
}

// created is when synthetic jobs are recorded: equal jobs make equal archives.
var created = time.Unix(1_790_000_000, 0).UTC()

// mix hashes numbers (the finaliser of SplitMix64).
func mix(seed uint64, vs ...uint64) uint64 {
	h := seed
	for _, v := range vs {
		h = (h ^ v) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// noise is for values that no other rank needs to know: times, undefined memory.
func (r *Rank) noise(n uint64) uint64 {
	r.jitter = r.jitter*6364136223846793005 + 1442695040888963407
	return (r.jitter >> 33) % n
}

// Choose is a random number from 0 to n-1 that only this rank knows.
func (r *Rank) Choose(n int) int {
	r.random = mix(r.random, 1)
	r.Bits += math.Log2(float64(n))
	return int(r.random % uint64(n))
}

// Geometric counts failures before a success of probability 1/(mean+1), at most 30*mean.
func (r *Rank) Geometric(mean int) int {
	n := 0
	for ; n < 30*mean; n++ {
		r.random = mix(r.random, 1)
		if r.random%uint64(mean+1) == 0 {
			break
		}
	}
	p := 1 / float64(mean+1)
	r.Bits += -math.Log2(p) - float64(n)*math.Log2(1-p)
	return n
}

// Shared is a random number from 0 to n-1 that all ranks agree on that ask with the same keys.
// It does not count as information; see Know.
func (r *Rank) Shared(n int, keys ...uint64) int { return int(mix(r.Seed, keys...) % uint64(n)) }

// Know adds to Bits the information in a value.
func (r *Rank) Know(bits float64) { r.Bits += bits }

// player makes ranks of one job, one after the other.
type player struct {
	prog   *Program
	params Params
	lib    *library
}

func newPlayer(p *Program, params Params) (*player, error) {
	if params.ABI == spec.UnknownABI {
		params.ABI = spec.MPICH
	}
	if params.Ranks < 1 || params.Ranks > 1<<24 || params.Steps < 0 {
		return nil, fmt.Errorf("%s: %d ranks, %d steps", p.Name, params.Ranks, params.Steps)
	}
	if params.ABI != spec.MPICH && params.ABI != spec.OpenMPI {
		return nil, fmt.Errorf("%s: no handles of %v known", p.Name, params.ABI)
	}
	if params.Dims == nil {
		params.Dims = Balanced(params.Ranks, max(1, p.Dims))
	}
	product := 1
	for _, d := range params.Dims {
		product *= d
	}
	if product != params.Ranks || len(params.Dims) != max(1, p.Dims) {
		return nil, fmt.Errorf("%s: a grid of %v is none of %d ranks in %d dimensions", p.Name, params.Dims,
			params.Ranks, max(1, p.Dims))
	}
	if p.Fits != nil {
		if err := p.Fits(params); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return &player{prog: p, params: params, lib: newLibrary(params.ABI)}, nil
}

// play makes the records of one rank, from the first to the last; a record is
// valid until sink returns. log may be nil.
func (pl *player) play(rank int, log *Log, sink func(ring.Record) error) (*Rank, error) {
	if rank < 0 || rank >= pl.params.Ranks {
		return nil, fmt.Errorf("rank %d of %d", rank, pl.params.Ranks)
	}
	r := &Rank{Params: pl.params, Rank: rank, prog: pl.prog, lib: pl.lib, sink: sink, log: log, timed: pl.params.Timing}
	own := mix(r.Seed, 0x52414e4b, uint64(rank))
	r.jitter, r.random = mix(own, 1), mix(own, 2)
	if r.timed {
		r.clock = 1_000_000_000 + r.noise(50_000_000)
	}
	for c := range r.pools {
		r.pools[c] = pool{next: pl.lib.first[c], step: pl.lib.step[c]}
		if pl.lib.addresses {
			r.pools[c].next += own % (1 << 20) << 12 // as the address space of each process lies elsewhere
		}
	}
	r.World = &Comm{h: pl.lib.world, Rank: rank, Size: r.Ranks, context: 1}
	r.Byte = Type{pl.lib.byteT, typeBytes["MPI_BYTE"]}
	r.Int = Type{pl.lib.intT, typeBytes["MPI_INT"]}
	r.Double = Type{pl.lib.doubleT, typeBytes["MPI_DOUBLE"]}
	r.initialize()
	r.CommRank(2, r.World)
	r.CommSize(3, r.World)
	pl.prog.Body(r)
	r.finalize()
	return r, r.err
}

// base is the load address of the program.
func (r *Rank) base() uint64 {
	return 0x555500000000 + mix(r.Seed, 0x42415345, uint64(r.Rank))%(1<<24)<<12
}

// host is the node of a rank.
func host(rank int) string { return fmt.Sprintf("n%d", rank/ranksPerHost) }

const ranksPerHost = 64

// about writes the facts that a process reports first.
func (r *Rank) about() []uint64 {
	return ring.AppendStrings(nil, []string{
		"exe=" + r.prog.path(), "host=" + host(r.Rank), "lib=" + r.lib.version, "mpi=" + r.lib.name,
		"cwd=/synthetic", fmt.Sprint("pid=", pid(r.Rank)), "cmd=" + r.prog.path(),
	})
}

// pid is the process id of a rank: those of a node are consecutive.
func pid(rank int) int {
	return 20_000 + int(mix(7, uint64(rank/ranksPerHost))%10_000) + rank%ranksPerHost
}
