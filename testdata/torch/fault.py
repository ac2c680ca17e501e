"""Steps of all_reduce, in one of which rank 2 does something else: fault.py skip|other|count|sleep|exit."""
import datetime
import sys
import time

import torch
import torch.distributed as dist


def step(what):
    x = torch.ones(32 if what == "count" else 64)
    if what == "sleep":
        time.sleep(100)
    if what == "exit":
        sys.exit(3)
    if what == "other":
        dist.broadcast(x, src=0)
    elif what != "skip":
        dist.all_reduce(x)


dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
for i in range(10):
    step(sys.argv[1] if i == 7 and dist.get_rank() == 2 else "")
dist.barrier()
