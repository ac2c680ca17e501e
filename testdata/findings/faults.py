# A Python program with one planted fault, or none: see faults.c.
import signal
import sys
import time

from mpi4py import MPI

fault = sys.argv[1] if len(sys.argv) > 1 else "none"
if len(sys.argv) > 2:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(sys.argv[2]))
comm = MPI.COMM_WORLD
me, np = comm.Get_rank(), comm.Get_size()
buffer = bytearray(64)


def exchange(step):
    tag = 6 if fault == "tag" and me == 2 and step == 9 else 5
    q = comm.Isend(buffer, dest=(me + 1) % np, tag=tag)  # tag
    comm.Recv(bytearray(64), source=(me - 1) % np, tag=5)
    q.Wait()


def flood(n):
    one = bytearray(8)
    if me == 0:
        time.sleep(0.04 * n ** 0.2)
    for _ in range(n):
        if me == 1:
            comm.Send(one, dest=0, tag=8)  # flood
        if me == 0:
            comm.Recv(one, source=1, tag=8)


def total():
    value = bytearray(8)
    comm.Allreduce([bytearray(8), MPI.DOUBLE], [value, MPI.DOUBLE])  # slow


kept = []
for i in range(40):
    time.sleep(0.009 if fault == "slow" and me == 0 else 0.002)
    if fault == "comm-leak":
        kept.append(comm.Dup())  # comm-leak
    exchange(i)
    if i == 10 and fault.startswith("flood"):
        flood(5000 if fault == "flood" else 1)
    total()
