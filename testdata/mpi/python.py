"""mpi4py: pickled objects, buffers, collectives, windows, and a communicator
with an attribute whose deletion callback runs inside MPI_Finalize."""
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()

objects = comm.allgather({"rank": rank, "text": "x" * rank})
assert [o["rank"] for o in objects] == list(range(size))

right, left = (rank + 1) % size, (rank - 1) % size
for step in range(20):
    out, into = array("d", [rank + step] * 8), array("d", [0.0] * 8)
    requests = [comm.Irecv(into, left, 3), comm.Isend(out, right, 3)]
    MPI.Request.Waitall(requests)
    assert into[7] == left + step

half = comm.Split(rank % 2, rank)
total = half.allreduce(rank)
half.Free()

memory = array("i", [rank] * 4)
window = MPI.Win.Create(memory, 4, comm=comm)
got = array("i", [0])
window.Fence()
window.Get([got, MPI.INT], right, 1)
window.Fence()
assert got[0] == right
window.Free()

keyval = MPI.Comm.Create_keyval(delete_fn=lambda c, k, v: None)
MPI.COMM_SELF.Set_attr(keyval, "kept until the end")

if rank == 0:
    print("python:", sum(o["rank"] for o in objects), total)
