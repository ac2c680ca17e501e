"""Names for parts of a program, which tabard records among its calls: see docs/regions.md.

    import tabard

    with tabard.region("solve"):
        ...

    @tabard.region("step")
    def step(): ...

    tabard.mark("restart")
    tabard.value("error", e)

Without tabard nothing happens.
"""

import contextlib
import ctypes

try:
    _runtime = ctypes.PyDLL(None)
    _begin, _end, _mark, _value = (getattr(_runtime, "tabard_" + n) for n in ("begin", "end", "mark", "value"))
    for _f, _types in ((_begin, [ctypes.c_char_p]), (_end, []), (_mark, [ctypes.c_char_p]),
                       (_value, [ctypes.c_char_p, ctypes.c_double])):
        _f.argtypes, _f.restype = _types, None
except (AttributeError, OSError):
    _begin = None


class region(contextlib.ContextDecorator):
    """A part of the program: a context manager, and a decorator of functions."""

    def __init__(self, name):
        self._name = str(name).encode()

    def __enter__(self):
        if _begin:
            _begin(self._name)
        return self

    def __exit__(self, *_):
        if _begin:
            _end()
        return False


def mark(name):
    """A moment."""
    if _begin:
        _mark(str(name).encode())


def value(name, number):
    """A number at a moment."""
    if _begin:
        _value(str(name).encode(), number)
