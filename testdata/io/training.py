"""A training loop in small: each rank reads samples of a file in an order of its own, computes, and all reduce.
  training.py FILE"""
import array
import os
import random
import sys
import time

from mpi4py import MPI

SAMPLE, SAMPLES, STEPS = 65536, 64, 40


def load(file, sample):
    data = os.pread(file, SAMPLE, SAMPLE * sample)
    assert len(data) == SAMPLE and data[0] == sample
    return data


def train(data):
    time.sleep(random.random() * 0.004)
    return data[0]


def main():
    comm = MPI.COMM_WORLD
    if comm.Get_rank() == 0:
        with open(sys.argv[1], "wb") as out:
            for i in range(SAMPLES):
                out.write(bytes([i]) * SAMPLE)
    comm.Barrier()
    random.seed(comm.Get_rank())
    order = random.sample(range(SAMPLES), STEPS)
    file, grad, total = os.open(sys.argv[1], os.O_RDONLY), array.array("d", [0]), array.array("d", [0])
    for step in range(STEPS):
        grad[0] = train(load(file, order[step]))
        comm.Allreduce(grad, total)
    os.close(file)
    if comm.Get_rank() == 0:
        print("training.py: done", flush=True)


main()
