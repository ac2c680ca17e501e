"""Calls of a function that does nothing, whose cost is measured with and without recording. Prints how many there were, and
the nanoseconds of processor that the loop took."""
import sys
import time


def nothing():
    pass


def loop(n):
    for _ in range(n):
        nothing()


loop(1000)
n = int(sys.argv[1])
begin = time.thread_time_ns()
loop(n)
print(n, time.thread_time_ns() - begin)
