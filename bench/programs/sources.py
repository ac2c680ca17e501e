"""Calls of a function that does nothing, whose cost is measured with and without recording. Prints how many there were, and
the nanoseconds of processor that the loop took. With BENCH_HOOK=LIBRARY (emptyhook.c) the interpreter tells a function
that does nothing, in the way that recording uses with this version."""
import os
import sys
import time


def nothing():
    pass


def loop(n):
    for _ in range(n):
        nothing()


def hook(path):
    import ctypes
    library = ctypes.PyDLL(path)
    if sys.version_info >= (3, 12):
        m = sys.monitoring
        new = ctypes.pythonapi.PyCFunction_NewEx
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
        told = new(ctypes.addressof(ctypes.c_char.in_dll(library, "method")), None, None)
        m.use_tool_id(4, "empty")
        for event in m.events.PY_START, m.events.PY_RETURN:
            m.register_callback(4, event, told)
        m.set_events(4, m.events.PY_START | m.events.PY_RETURN)
    elif (3, 11) <= sys.version_info < (3, 11, 4):
        ctypes.pythonapi.PyEval_SetProfile(ctypes.cast(library.profile, ctypes.c_void_p), None)
    else:
        library.set_evaluate()


if "BENCH_HOOK" in os.environ:
    hook(os.environ["BENCH_HOOK"])
loop(1000)
n = int(sys.argv[1])
begin = time.thread_time_ns()
loop(n)
print(n, time.thread_time_ns() - begin)
