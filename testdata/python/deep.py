"""Calls itself as deeply as the stack allows without a recorder: since Python 3.11 such calls need none of it."""
import sys
import threading

DEPTH = 50000 if sys.version_info >= (3, 11) else 8000


def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


def step():
    return down(3)


sys.setrecursionlimit(DEPTH + 1000)
print(down(DEPTH))
threading.stack_size(1 << 20)
other = threading.Thread(target=lambda: print(down(DEPTH // 10)))
other.start()
other.join()
for _ in range(10):
    step()
