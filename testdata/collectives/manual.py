"""Collectives made of messages: manual.py NAME. Checks itself."""
import array
import sys

from mpi4py import MPI

N = 96
comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
data, got = array.array("d", [0] * N), array.array("d", [0] * N)


def fill(step, of):
    for i in range(N):
        data[i] = step * 7.25 + i * i + of


def ring(root):
    v = (rank - root) % size
    if v > 0:
        comm.Recv([data, MPI.DOUBLE], source=(rank - 1) % size, tag=1)
    if v < size - 1:
        comm.Send([data, MPI.DOUBLE], dest=(rank + 1) % size, tag=1)


def doubling():
    mask = 1
    while mask < size:
        comm.Sendrecv([data, MPI.DOUBLE], dest=rank ^ mask, recvbuf=[got, MPI.DOUBLE], source=rank ^ mask)
        for i in range(N):
            data[i] = max(data[i], got[i])
        mask *= 2


def halo():
    comm.Sendrecv([data, MPI.DOUBLE], dest=(rank + 1) % size, recvbuf=[got, MPI.DOUBLE], source=(rank - 1) % size)


for step in range(3):
    if sys.argv[1] == "broadcast":
        fill(step, rank)
        ring(2)
        assert data[5] == step * 7.25 + 27
    elif sys.argv[1] == "allreduce":
        fill(step, 1000 * (rank * 7 % 3) if rank % 2 else 500 * rank)
        for i in range(N):
            data[i] *= 1 if (i + rank) % 2 else -1
        doubling()
    else:
        fill(step, rank * 1000)
        halo()
    comm.Barrier()
