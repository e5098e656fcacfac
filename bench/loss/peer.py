"""PyTorch's side of bench:loss on the CPU; prints what it measured as JSON."""

import json
import sys
import time

import torch
from paper_loss import AnyClassAsymmetricLoss, AnyClassFocalLoss, problem

torch.set_num_threads(2)


def median_time(rows, classes, base, repeats):
    loss = {"focal": AnyClassFocalLoss, "asl": AnyClassAsymmetricLoss}[base]
    module, logits, targets = problem(rows, classes, loss=loss)
    times = []
    for _ in range(repeats + 3):
        start = time.perf_counter()
        logits.grad = None
        module(logits, targets).backward()
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times[3:])[repeats // 2]


results = {}
for argument in sys.argv[1:]:
    base, shape = argument.split(" ")
    rows, classes = map(int, shape.split("x"))
    results[argument] = median_time(rows, classes, base, 200 if rows * classes < 100_000 else 7)
print(json.dumps(results))
