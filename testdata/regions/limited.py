"""Regions of a Python program, left by exceptions, too."""
import tabard
from mpi4py import MPI

comm = MPI.COMM_WORLD.Dup()


@tabard.region("solve")
def solve(i):
    comm.allreduce(i)
    if i % 2:
        raise ValueError(i)


for i in range(10):
    with tabard.region("step"):
        comm.Barrier()
        try:
            solve(i)
        except ValueError:
            comm.bcast(i)
    comm.Barrier()
