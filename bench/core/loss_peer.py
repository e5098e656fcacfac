"""The any-class losses with gradient in PyTorch eager, on one thread: arguments are folder, classes, base, repeats."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
folder, classes, base, repeats = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
ALPHA, LAMBDA, GAMMA = 1.0, 0.02, 2.0
GAMMA_POSITIVE, GAMMA_NEGATIVE, CLIP = 1.0, 4.0, 0.05


def read(name):
    return torch.from_numpy(np.fromfile(folder / name, dtype=np.float32))


logits = read("logits").reshape(-1, classes)
targets = read("targets").reshape(-1, classes)
weights = read("weights")


def asymmetric(z, y):
    """As in the authors' code (arXiv 2009.14119), with gradients through the focusing weights."""
    p = torch.sigmoid(z)
    kept = (1 - p + CLIP).clamp(max=1)
    log_likelihood = y * torch.log(p.clamp(min=1e-8)) + (1 - y) * torch.log(kept.clamp(min=1e-8))
    truth = p * y + kept * (1 - y)
    return -log_likelihood * torch.pow(1 - truth, GAMMA_POSITIVE * y + GAMMA_NEGATIVE * (1 - y))


def terms(z, y):
    if base == "asl":
        return asymmetric(z, y)
    loss = F.binary_cross_entropy_with_logits(z, y, reduction="none")
    return loss if base == "bce" else (1 - torch.exp(-loss)) ** GAMMA * loss


def any_class_loss(z, y):
    positive = y.amax(dim=1)
    absent = torch.where(positive > 0, LAMBDA, 1.0).unsqueeze(1)
    w = torch.where(y > 0, 1.0, absent)
    any_logit = (w * z).sum(dim=1) / w.sum(dim=1)
    rows = terms(z, y).sum(dim=1) + ALPHA * terms(any_logit, positive)
    row_weights = y @ weights[:-1] + (1 - positive) * weights[-1]
    return (row_weights * rows).sum() / (y.sum() + (1 - positive).sum())


seconds = []
for run in range(-repeats, repeats):
    z = logits.clone().requires_grad_()
    start = time.perf_counter()
    loss = any_class_loss(z, targets)
    loss.backward()
    if run >= 0:
        seconds.append(time.perf_counter() - start)
print(json.dumps({"seconds": seconds, "value": loss.item()}))
