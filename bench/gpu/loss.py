"""The paper's formulation of the loss in PyTorch eager on a GPU, forward and backward; prints milliseconds as JSON."""

import json
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "loss"))
from paper_loss import problem


def median_time(rows, classes, repeats=50, warm_up=10):
    module, logits, targets = problem(rows, classes, "cuda")
    times = []
    for _ in range(warm_up + repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        logits.grad = None
        module(logits, targets).backward()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times[warm_up:])[repeats // 2]


shapes = [tuple(map(int, shape.split("x"))) for shape in sys.argv[1:]]
print(json.dumps({f"{rows}x{classes}": median_time(rows, classes) for rows, classes in shapes}))
