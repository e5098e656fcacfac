"""PyTorch's side of bench:engine; prints what it measured as JSON."""

import json
import os
import re
import sys
import time

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(int(os.environ.get("THREADS", 2)))


def median_time(fn, repeats=20, warm_up=3):
    for _ in range(warm_up):
        fn()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        fn()
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)[repeats // 2]


def resident(field):
    return int(re.search(field + r":\s+(\d+)", open("/proc/self/status").read()).group(1))


def call_overhead():
    a, b = torch.rand(2, 2), torch.rand(2, 2)

    def additions():
        for _ in range(1000):
            a.add(b)

    return median_time(additions, 200, 50) * 1e6 / 1000


def matmul():
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    return median_time(lambda: a.matmul(b))


def convolution():
    conv = nn.Conv2d(64, 64, 3, padding=1)
    x = torch.randn(8, 64, 56, 56, requires_grad=True)

    def step():
        conv.zero_grad(set_to_none=True)
        x.grad = None
        conv(x).sum().backward()

    return median_time(step)


def trainer(batch):
    network = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10),
    )
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    images, labels = torch.randn(batch, 1, 28, 28), torch.randint(0, 10, (batch,))

    def step():
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(network(images), labels).backward()
        optimizer.step()

    return step


def training_memory():
    step = trainer(512)
    open("/proc/self/clear_refs", "w").write("5")
    before = resident("VmRSS")
    for _ in range(5):
        step()
    return (resident("VmHWM") - before) / 1024


def adamw_step():
    layer = [[1776, 592], [1776], [592, 592], [592], [2368, 592], [2368], [592, 2368], [592], [592], [592]]
    parameters = [nn.Parameter(torch.randn(shape) * 0.02) for shape in layer * 12 + [[592, 592]]]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.05)
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    return median_time(optimizer.step, 10, 2)


measurements = {
    "call overhead": call_overhead,
    "matmul 1024³": matmul,
    "convolution, forward and backward": convolution,
    "CNN training step, batch 64": lambda: median_time(trainer(64), 50, 5),
    "AdamW step, 50.8M parameters": adamw_step,
    "peak memory, CNN training, batch 512": training_memory,
}
only = sys.argv[1] if len(sys.argv) > 1 else ""
print(json.dumps({name: measure() for name, measure in measurements.items() if only in name}))
