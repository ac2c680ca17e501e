"""Asks a question of a recording: ask.py QUESTION FILE. Prints seconds, rows and memory of this process as JSON."""

import json
import sys
import time

question, file = sys.argv[1:]
rows = 0
if question != "import":
    import numpy  # noqa: F401
    import tabard

    if question in ("profile", "matrix", "events", "calls"):
        run = tabard.open(file)
        repr(run)
begin = time.perf_counter()
if question == "import":
    import tabard
elif question == "open":
    repr(tabard.open(file))
elif question == "profile":
    repr(run.profile())
elif question == "matrix":
    rows = run.matrix().nnz
elif question == "events":
    for batch in run.events().batches():
        rows += len(next(iter(batch.values())).values)
elif question == "calls":
    rows = len(next(iter(run.events().numpy().values())))
seconds = time.perf_counter() - begin
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({"seconds": seconds, "rows": rows, "memory": 1024 * peak}))
