"""PyTorch's side of the engine benchmark on a GPU; the same measurements as engine.ts."""

import json
import sys
import time

import torch
import torchvision
from torch import nn

torch.manual_seed(0)
torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
device = "cuda"
only = sys.argv[1] if len(sys.argv) > 1 else ""
results = {}


def measure(name, fn):
    if only not in name:
        return
    results[name] = fn()
    print(f"{name}: {results[name]:.5g}", flush=True)
    torch.cuda.empty_cache()


def gpu_time(fn, repeats=30, warm_up=10):
    for _ in range(warm_up):
        fn()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(10):
            fn()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 10)
    return sorted(times)[repeats // 2]


def call_overhead():
    a, b = torch.rand(2, 2, device=device), torch.rand(2, 2, device=device)

    def additions():
        for _ in range(10_000):
            a.add(b)
        torch.cuda.synchronize()

    additions()
    times = []
    for _ in range(10):
        start = time.perf_counter()
        additions()
        times.append((time.perf_counter() - start) * 1e9 / 10_000)
    return sorted(times)[5]


def matmul():
    a = torch.randn(8192, 8192, device=device, dtype=torch.bfloat16)
    b = torch.randn(8192, 8192, device=device, dtype=torch.bfloat16)
    return 2 * 8192**3 / (gpu_time(lambda: a.matmul(b)) * 1e9)


def convolution(channels, size):
    conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
    conv = conv.to(device, torch.bfloat16).to(memory_format=torch.channels_last)
    x = torch.randn(256, channels, size, size, device=device, dtype=torch.bfloat16)
    x = x.to(memory_format=torch.channels_last).requires_grad_()
    gradient = conv(x).detach().clone()

    def step():
        x.grad = None
        conv.zero_grad()
        conv(x).backward(gradient)

    return gpu_time(step)


def training():
    batch = 256
    network = torchvision.models.resnet18(num_classes=10).to(device).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    images = torch.randn(batch, 3, 64, 64, device=device).to(memory_format=torch.channels_last)
    labels = torch.randint(0, 10, (batch,), device=device)

    def run(count):
        for _ in range(count):
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(network(images), labels)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
        torch.cuda.synchronize()

    run(20)
    rates = []
    for _ in range(5):
        start = time.perf_counter()
        run(40)
        rates.append(40 * batch / (time.perf_counter() - start))
    return sorted(rates)[2]


def training_memory():
    torch.cuda.reset_peak_memory_stats()
    training()
    return torch.cuda.max_memory_allocated() / 2**20


measure("call overhead (ns)", call_overhead)
measure("matmul 8192³ bf16 (TFLOP/s)", matmul)
for channels, size in [(64, 56), (256, 28), (512, 14)]:
    measure(f"convolution {channels} at {size} bf16 (ms)", lambda: convolution(channels, size))
measure("ResNet-18 step, eager (images/s)", training)
measure("ResNet-18 peak memory (MiB)", training_memory)
print(json.dumps(results))
