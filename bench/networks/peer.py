"""PyTorch's side of the networks' training steps on the CPU; prints its figures as JSON."""

import json
import sys
import time

import torch
from hash_fill import fill, images
from networks import AnyClassFocalLoss, create, targets

torch.set_num_threads(2)

CLASSES, SIZE = 17, 64


def measure(name, batch, steps):
    network = fill(create(name, CLASSES, SIZE))
    parameters = list(network.parameters())
    if name.startswith("tresnet"):
        optimizer = torch.optim.SGD(parameters, lr=1e-3, momentum=0.9, weight_decay=1e-4)
    else:
        optimizer = torch.optim.AdamW(parameters, lr=1e-5, weight_decay=0.05)
    criterion = AnyClassFocalLoss(torch.linspace(2, 0.1, CLASSES), 0.1)
    x, y = images(batch, SIZE), targets(torch, batch, CLASSES)
    times, losses = [], []
    for _ in range(steps + 2):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(network(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        losses.append(loss.item())
        times.append((time.perf_counter() - start) * 1e3)
    return losses[0], min(times[2:])  # noise only ever slows


name, batch, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
loss, milliseconds = measure(name, batch, steps)
print(json.dumps({f"{name} first loss": loss, f"{name} training step": milliseconds}))
