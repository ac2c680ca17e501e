"""Functions of all kinds: recursion, generators that end, are closed and thrown into, exceptions that pass through,
threads, a fork, lambdas, comprehensions, coroutines, methods, those that operators and attributes call. Prints one line. With COUNT=FILE it counts its own calls by
sys.setprofile instead, and writes "name count" for each function to the file."""
import os
import sys
import threading


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers(n):
    try:
        for i in range(n):
            yield i
    except KeyError:
        yield -1


def deep(n):
    if n == 0:
        raise ValueError("deep")
    deep(n - 1)


class Thing:
    def __init__(self, x):
        self.x = x

    def twice(self):
        return [y * 2 for y in (self.x, self.x)]

    async def later(self):
        return self.x


class Squares:
    def __getitem__(self, i):
        return i * i

    @property
    def first(self):
        return self[1]

    def __iter__(self):
        yield from numbers(3)


def operators():
    squares = Squares()
    return sum(squares[i] + squares.first for i in range(50)) + sum(squares)


def generators():
    total = sum(numbers(10))
    g = numbers(5)
    total += next(g)
    total += g.throw(KeyError())
    h = numbers(3)
    total += next(h)
    h.close()
    return total


def exceptions():
    caught = 0
    for i in range(20):
        try:
            deep(i)
        except ValueError:
            caught += 1
    return caught


def work(results, i):
    results[i] = fib(8) + exceptions()


def threads():
    results = [0] * 4
    ts = [threading.Thread(target=work, args=(results, i)) for i in range(4)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    return sum(results)


def coroutine():
    c = Thing(3).later()
    try:
        c.send(None)
    except StopIteration as e:
        return e.value


def fork():
    child = os.fork()
    if child == 0:
        os._exit(fib(6))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main():
    key = lambda v: -v
    print("results", fib(12), generators(), exceptions(), threads(), coroutine(), fork(), sum(Thing(4).twice()), operators(),
          sorted([3, 1, 2], key=key))
    sys.stdout.flush()


if __name__ == "__main__":
    counts = {}
    lock = threading.Lock()

    def count(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename == __file__:
            with lock:
                name = getattr(code, "co_qualname", code.co_name)
                counts[name] = counts.get(name, 0) + 1

    if "COUNT" in os.environ:
        threading.setprofile(count)
        sys.setprofile(count)
    main()
    if "COUNT" in os.environ:
        sys.setprofile(None)
        with open(os.environ["COUNT"], "w") as f:
            for name, n in sorted(counts.items()):
                print("__main__." + name, n, file=f)
    sys.exit(3)
