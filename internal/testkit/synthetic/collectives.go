package synthetic

import (
	"fmt"

	"github.com/tabard-hpc/tabard/spec"
)

var (
	fnCommRank   = define("MPI_Comm_rank", "comm", "rank")
	fnCommSize   = define("MPI_Comm_size", "comm", "size")
	fnCommSplit  = define("MPI_Comm_split", "comm", "color", "key", "newcomm")
	fnCommFree   = define("MPI_Comm_free", "comm")
	fnDimsCreate = define("MPI_Dims_create", "nnodes", "ndims", "dims", "dims")
	fnCartCreate = define("MPI_Cart_create", "comm_old", "ndims", "dims", "periods", "reorder", "comm_cart")
	fnCartShift  = define("MPI_Cart_shift", "comm", "direction", "disp", "rank_source", "rank_dest")
	fnBarrier    = define("MPI_Barrier", "comm")
	fnAllreduce  = define("MPI_Allreduce", "sendbuf", "recvbuf", "count", "datatype", "op", "comm")
	fnReduce     = define("MPI_Reduce", "sendbuf", "recvbuf", "count", "datatype", "op", "root", "comm")
	fnBcast      = define("MPI_Bcast", "buffer", "count", "datatype", "root", "comm")
	fnAlltoallv  = define("MPI_Alltoallv", "sendbuf", "sendcounts", "sdispls", "sendtype", "recvbuf", "recvcounts",
		"rdispls", "recvtype", "comm")
	fnTypeVector = define("MPI_Type_vector", "count", "blocklength", "stride", "oldtype", "newtype")
	fnTypeCommit = define("MPI_Type_commit", "datatype", "datatype")
	fnTypeFree   = define("MPI_Type_free", "datatype")
)

// together notes a collective call for Check.
func (r *Rank) together(c *Comm, format string, args ...any) {
	if r.log != nil {
		r.log.Collectives = append(r.log.Collectives, Collective{c.context, c.Size, fmt.Sprintf(format, args...)})
	}
}

// CommRank is MPI_Comm_rank, CommSize is MPI_Comm_size.
func (r *Rank) CommRank(line int, c *Comm) {
	r.begin(fnCommRank, line)
	r.obj(c.h)
	r.num(c.Rank)
	r.end()
}

// CommSize is MPI_Comm_size.
func (r *Rank) CommSize(line int, c *Comm) {
	r.begin(fnCommSize, line)
	r.obj(c.h)
	r.num(c.Size)
	r.end()
}

// Members describes a new communicator: the caller's rank, the size, and the rank of each
// member in the one that it was made from.
type Members struct {
	Rank, Size int
	Parent     func(int) int
}

// newComm makes the communicator that a collective call on c gives the members of colour.
func (r *Rank) newComm(c *Comm, m Members, colour int) *Comm {
	c.children++
	n := &Comm{h: r.newHandle(spec.Comm), Rank: m.Rank, Size: m.Size, world: m.Parent,
		context: mix(c.context, c.children, uint64(colour))}
	if above := c.world; above != nil {
		n.world = func(i int) int { return above(m.Parent(i)) }
	}
	return n
}

// CommSplit is MPI_Comm_split; m must be what follows from the colours and keys of all.
func (r *Rank) CommSplit(line int, c *Comm, colour, key int, m Members) *Comm {
	n := r.newComm(c, m, colour)
	r.begin(fnCommSplit, line)
	r.obj(c.h)
	r.num(colour)
	r.num(key)
	r.obj(n.h)
	r.busy = 20_000
	r.end()
	r.together(c, "split")
	return n
}

// CommFree is MPI_Comm_free.
func (r *Rank) CommFree(line int, c *Comm) {
	r.begin(fnCommFree, line)
	r.obj(c.h)
	r.end()
	r.freeHandle(c.h)
	r.together(c, "free")
}

// DimsCreate is MPI_Dims_create.
func (r *Rank) DimsCreate(line, n int, dims []int) {
	r.begin(fnDimsCreate, line)
	r.num(n)
	r.num(len(dims))
	r.ints(make([]int, len(dims)))
	r.ints(dims)
	r.end()
}

// CartCreate is MPI_Cart_create over all ranks of c.
func (r *Rank) CartCreate(line int, c *Comm, g *Grid) *Comm {
	n := r.newComm(c, Members{c.Rank, c.Size, func(i int) int { return i }}, 0)
	r.begin(fnCartCreate, line)
	r.obj(c.h)
	r.num(len(g.Dims))
	r.ints(g.Dims)
	periods := make([]int, len(g.Dims))
	for i := range periods {
		if g.Periodic {
			periods[i] = 1
		}
	}
	r.ints(periods)
	r.num(0)
	r.obj(n.h)
	r.busy = 20_000
	r.end()
	r.together(c, "cart %v", g.Dims)
	return n
}

// CartShift is MPI_Cart_shift by one.
func (r *Rank) CartShift(line int, c *Comm, direction, source, dest int) {
	r.begin(fnCartShift, line)
	r.obj(c.h)
	r.num(direction)
	r.num(1)
	r.num(source)
	r.num(dest)
	r.end()
}

// Barrier is MPI_Barrier.
func (r *Rank) Barrier(line int, c *Comm) {
	r.begin(fnBarrier, line)
	r.obj(c.h)
	r.end()
	r.together(c, "barrier")
}

// Allreduce is MPI_Allreduce with MPI_SUM.
func (r *Rank) Allreduce(line int, from Address, to Data, c *Comm) {
	r.begin(fnAllreduce, line)
	r.addr(from)
	r.data(to)
	r.obj(r.lib.sum)
	r.obj(c.h)
	r.end()
	r.together(c, "allreduce %d", to.Bytes())
}

// Reduce is MPI_Reduce with MPI_MAX.
func (r *Rank) Reduce(line int, from Address, to Data, root int, c *Comm) {
	r.begin(fnReduce, line)
	r.addr(from)
	if c.Rank == root {
		r.addr(to.Addr)
	} else {
		r.none()
	}
	r.num(to.Count)
	r.obj(to.Type.h)
	r.obj(r.lib.maxOp)
	r.num(root)
	r.obj(c.h)
	r.end()
	r.together(c, "reduce %d %d", to.Bytes(), root)
}

// Bcast is MPI_Bcast.
func (r *Rank) Bcast(line int, d Data, root int, c *Comm) {
	r.begin(fnBcast, line)
	r.data(d)
	r.num(root)
	r.obj(c.h)
	r.end()
	r.together(c, "bcast %d %d", d.Bytes(), root)
}

// Alltoallv is MPI_Alltoallv; the displacements are those of dense buffers.
func (r *Rank) Alltoallv(line int, from Address, sendCounts []int, to Address, recvCounts []int, t Type, c *Comm) {
	dense := func(counts []int) []int {
		d, n := make([]int, len(counts)), 0
		for i, c := range counts {
			d[i] = n
			n += c
		}
		return d
	}
	r.begin(fnAlltoallv, line)
	r.addr(from)
	r.ints(sendCounts)
	r.ints(dense(sendCounts))
	r.obj(t.h)
	r.addr(to)
	r.ints(recvCounts)
	r.ints(dense(recvCounts))
	r.obj(t.h)
	r.obj(c.h)
	r.end()
	r.together(c, "alltoallv")
}

// TypeVector makes and commits a vector type.
func (r *Rank) TypeVector(line, count, block, stride int, old Type) Type {
	t := Type{h: r.newHandle(spec.Type), bytes: count * block * old.bytes}
	r.begin(fnTypeVector, line)
	r.num(count)
	r.num(block)
	r.num(stride)
	r.obj(old.h)
	r.obj(t.h)
	r.end()
	r.begin(fnTypeCommit, line+1)
	r.obj(t.h)
	r.obj(t.h)
	r.end()
	return t
}

// TypeFree is MPI_Type_free.
func (r *Rank) TypeFree(line int, t Type) {
	r.begin(fnTypeFree, line)
	r.obj(t.h)
	r.end()
	r.freeHandle(t.h)
}
