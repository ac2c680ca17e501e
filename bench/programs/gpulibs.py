"""A library that uses the GPU, by its name; prints results that are the same in each run."""
import sys


def cupy():
    import cupy
    x = cupy.arange(1 << 16, dtype=cupy.int64)
    twice = cupy.ElementwiseKernel("int64 x", "int64 y", "y = 2 * x", "twice")
    print(int(twice(x).sum()))


def jax():
    import jax
    import jax.numpy as jnp
    f = jax.jit(lambda x: (x * 2 + 1).sum())
    print(int(f(jnp.arange(1 << 12))))


def triton():
    import torch
    f = torch.compile(lambda x: (x * 2 + 1).relu())
    print(int(f(torch.arange(1 << 12, device="cuda")).sum()))


def graph():
    import torch
    x = torch.ones(1 << 12, device="cuda")
    y = x * 2 + 1  # before it is captured
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = (x * 2 + 1).relu()
    for i in range(10):
        x.fill_(i)
        g.replay()
    print(int(y.sum()))


def loader():
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    torch.ones(1, device="cuda")
    data = DataLoader(TensorDataset(torch.arange(1 << 10)), batch_size=64, num_workers=2, pin_memory=True)
    print(sum(int(x.cuda(non_blocking=True).sum()) for _ in range(2) for x, in data))


def profiler():
    import torch
    from torch.profiler import ProfilerActivity, profile
    x = torch.ones(1 << 12, device="cuda")
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
        for _ in range(10):
            x = x * 2
        torch.cuda.synchronize()
    print(int(x.sum()))


def nvtx():
    import torch
    for i in range(5):
        with torch.cuda.nvtx.range("step"):
            x = torch.ones(1 << 12, device="cuda") * i
    print(int(x.sum()))


def failing():
    import torch
    torch.ones(1, device="cuda")
    raise SystemExit(11)


globals()[sys.argv[1]]()
