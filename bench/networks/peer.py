"""PyTorch's side of the networks' training steps on the CPU; prints what it measured as JSON."""

import json
import sys
import time

import torch
from hash_fill import fill, images
from networks import AnyClassFocalLoss, create, fastest_layout, targets

torch.set_num_threads(2)

CLASSES = 17


def measure(name, batch, size, steps, mode):
    network = fill(create(name, CLASSES, size))
    moved = fastest_layout(torch, network)
    moved(network)
    forward = torch.compile(network) if mode == "compile" else network
    parameters = list(network.parameters())
    if name.startswith("tresnet"):
        optimizer = torch.optim.SGD(parameters, lr=1e-3, momentum=0.9, weight_decay=1e-4)
    else:
        optimizer = torch.optim.AdamW(parameters, lr=1e-5, weight_decay=0.05)
    criterion = AnyClassFocalLoss(torch.linspace(2, 0.1, CLASSES), 0.1)
    x, y = moved(images(batch, size)), targets(torch, batch, CLASSES)
    times, cpu_times, losses = [], [], []
    for _ in range(steps + 2):
        start, cpu = time.perf_counter(), time.process_time()
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(forward(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        losses.append(loss.item())
        times.append((time.perf_counter() - start) * 1e3)
        cpu_times.append((time.process_time() - cpu) * 1e3)
    # Noise only ever slows a run down.
    return {
        f"{name} at {size} px, first loss": losses[0],
        f"{name} at {size} px, training step": min(times[2:]),
        f"{name} at {size} px, training step, CPU time": min(cpu_times[2:]),
    }


name, batch, size, steps, mode = sys.argv[1:]
print(json.dumps(measure(name, int(batch), int(size), int(steps), mode)))
