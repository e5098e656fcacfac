"""PyTorch's side of losses.ts: prints both losses of every step.

    python3 bench/networks/losses.py OUT [cuda]
"""

import json
import pathlib
import struct
import sys

import numpy
import torch
from hash_fill import fill
from networks import AnyClassFocalLoss, create, targets


def read(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        values = numpy.frombuffer(data[start:end], dtype=numpy.float32).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(values.copy())
    return tensors


folder = pathlib.Path(sys.argv[1])
device = "cuda" if "cuda" in sys.argv[2:] else "cpu"
ours = json.loads((folder / "losses.json").read_text())
batches = read(folder / "batches.safetensors")
classes = 17
network = fill(create("tresnet-m", classes, 64)).to(device).train()
labels = targets(torch, batches["0"].shape[0], classes).to(device)
optimizer = torch.optim.SGD(network.parameters(), lr=1e-3, momentum=0.9, weight_decay=1e-4)
criterion = AnyClassFocalLoss(torch.linspace(2, 0.1, classes), 0.1).to(device)
for step, expected in enumerate(ours):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        logits = network(batches[str(step)].to(device))
    loss = criterion(logits.float(), labels)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    print(f"step {step + 1:2}: ours {expected:.5f}, PyTorch {loss.item():.5f}, ratio {expected / loss.item():.5f}", flush=True)
