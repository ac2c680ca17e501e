# The program of heat.c in Python, with one fault: rank 0 reads its input while the others wait.
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size


def read_input():
    if rank == 0:
        time.sleep(0.02)
    return world.bcast({"step": 0.1}, root=0)


for step in range(30):
    read_input()
    time.sleep(0.005)
    world.sendrecv([rank] * 10, dest=(rank + 1) % size, source=(rank - 1) % size)
    world.allreduce(rank)
if rank == 0:
    print("30 steps on", size, "ranks")
