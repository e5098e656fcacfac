"""PyTorch's batch norm and leaky ReLU in training on a GPU (batch 256, bfloat16, channels-last), each shape captured in a
CUDA graph; prints milliseconds as JSON.

    python3 bench/gpu/activatedBatchNorm.py '76x56 leaky' '76x56 plain'      (channels x side)
"""

import json
import sys

import torch
from torch.nn.functional import leaky_relu

BATCH = 256


def captured(fn):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            fn()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = fn()
    return graph, kept


def replay_time(fn):
    graph, kept = captured(fn)
    for _ in range(10):
        graph.replay()
    runs = []
    for _ in range(5):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(20):
            graph.replay()
        end.record()
        end.synchronize()
        runs.append(start.elapsed_time(end) / 20)
    return min(runs)


def measure(channels, side, leaky):
    def maps():
        return torch.randn(BATCH, channels, side, side, device="cuda").bfloat16().to(memory_format=torch.channels_last)

    norm = torch.nn.BatchNorm2d(channels).cuda()
    x, dy = maps().requires_grad_(), maps()

    def forward():
        y = norm(x)
        return leaky_relu(y, 1e-3, inplace=True) if leaky else y

    def forward_alone():
        with torch.no_grad():
            return forward()

    def both():
        return torch.autograd.grad(forward(), [x, norm.weight, norm.bias], dy)

    return replay_time(forward_alone), replay_time(both)


figures = {}
for name in sys.argv[1:]:
    shape, kind = name.split()
    channels, side = map(int, shape.split("x"))
    figures[f"{name} forward"], figures[f"{name} both"] = measure(channels, side, kind == "leaky")
    torch.cuda.empty_cache()
print(json.dumps(figures))
