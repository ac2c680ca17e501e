"""For fault tests, as testdata/mpi/logged.c: functions of Python between calls of MPI, whose begins and ends are counted in a
file mapped shared when they have returned.
  logged.py DIRECTORY SECONDS"""
import mmap
import os
import sys
import time

from mpi4py import MPI


def inner(n):
    return n


def outer(n):
    for i in range(n):
        inner(i)


def main():
    rank = MPI.COMM_WORLD.Get_rank()
    file = os.open("%s/returned.%d" % (sys.argv[1], rank), os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(file, 8)
    returned = memoryview(mmap.mmap(file, 8)).cast("Q")
    returned[0] = 2  # the module and this function have begun
    end, step = time.monotonic() + float(sys.argv[2]), 0
    go = bytearray([1])
    while go[0]:
        outer(step % 7)
        returned[0] += 2 + 2 * (step % 7)
        if step % 16 == 0:
            go[0] = time.monotonic() < end
            MPI.COMM_WORLD.Bcast([go, MPI.BYTE], 0)
        step += 1
    if rank == 0:
        print("logged.py: done")


main()
