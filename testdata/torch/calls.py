"""Each call of torch.distributed, under torchrun with any number of ranks from 2 on."""
import sys

import torch
import torch.distributed as dist


def reductions(rank, size):
    x = torch.ones(1000) * rank
    for _ in range(10):
        dist.all_reduce(x, op=dist.ReduceOp.MAX)
    dist.broadcast(x, src=1)
    dist.reduce(x, dst=0)
    dist.all_reduce(x, async_op=True).wait()
    evens = dist.new_group(list(range(0, size, 2)))
    if rank % 2 == 0:
        dist.all_reduce(x, group=evens)
    return x


def parts(rank, size):
    lists = [torch.ones(5) for _ in range(size)]
    dist.all_gather(lists, torch.ones(5))
    dist.all_gather_into_tensor(torch.empty(10 * size), torch.ones(10))
    dist.gather(torch.ones(5), lists if rank == 0 else None, dst=0)
    dist.scatter(torch.empty(5), lists if rank == 0 else None, src=0)
    dist.all_to_all_single(torch.empty(4 * size), torch.ones(4 * size))
    rows = [2 if other == rank else 1 for other in range(size)]
    dist.all_to_all_single(torch.empty(size + 1), torch.ones(size + 1), rows, rows)


def messages(rank, size):
    y = torch.empty(7, dtype=torch.int64)
    right, left = (rank + 1) % size, (rank - 1) % size
    sent, received = dist.isend(torch.arange(7), right, tag=3), dist.irecv(y, left, tag=3)
    sent.wait()
    received.wait()
    both = [dist.P2POp(dist.isend, torch.arange(7), right), dist.P2POp(dist.irecv, y, left)]
    for work in dist.batch_isend_irecv(both):
        work.wait()
    if rank == 0:
        dist.send(y, 1)
    if rank == 1:
        dist.recv(y, 0)


def objects(rank, size):
    all_of = [None] * size
    dist.all_gather_object(all_of, {"rank": rank})
    told = [all_of]
    dist.broadcast_object_list(told, src=0)
    return len(told[0])


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    x = reductions(rank, size)
    parts(rank, size)
    messages(rank, size)
    dist.barrier()
    dist.monitored_barrier()
    sys.stdout.write(f"rank {rank} {float(x.sum())} {objects(rank, size)}\n")  # as one, between those of others
    dist.destroy_process_group()


main()
