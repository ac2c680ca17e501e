"""Twenty steps of DistributedDataParallel on a small model, under torchrun."""
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train():
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    layers = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
    model = DistributedDataParallel(layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(20):
        loss = model(torch.randn(16, 32)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    sys.stdout.write(f"rank {dist.get_rank()} {loss.item():.5f}\n")  # as one, between those of others
    dist.destroy_process_group()


train()
