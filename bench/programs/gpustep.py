"""Steps of training on one GPU, as a rank of torchrun's with NCCL: gpustep.py STEPS [BATCH ...].

Prints, for each size of a batch, its name, the median time of a step in seconds, and the last loss."""
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WIDTH, DEPTH, WORDS, LENGTH = 768, 12, 32000, 512


class Model(nn.Module):
    """A transformer of some 110 million parameters."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 12, 4 * WIDTH, batch_first=True, norm_first=True, dropout=0)
        self.layers = nn.TransformerEncoder(layer, DEPTH, enable_nested_tensor=False)
        self.end = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, x):
        return self.end(self.layers(self.words(x)))


def main():
    steps, batches = int(sys.argv[1]), [int(b) for b in sys.argv[2:]] or [64]
    for name, value in {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1",
                        "MASTER_PORT": "29511"}.items():
        os.environ.setdefault(name, value)
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    torch.manual_seed(1)
    model = DistributedDataParallel(Model().cuda())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    for batch in batches:
        x = torch.randint(WORDS, (batch, LENGTH), device="cuda")
        times = []
        for _ in range(steps):
            begin = time.perf_counter()
            with torch.autocast("cuda", torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x).flatten(0, 1), x.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - begin)
        print(batch, statistics.median(times[steps // 4:]), f"{loss.item():.4f}", flush=True)
    dist.destroy_process_group()


main()
