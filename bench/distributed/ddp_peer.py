# One rank of the same step with PyTorch's DistributedDataParallel over Gloo, on timm's networks. Prints the time of a step.
#
#   RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 python3 bench/distributed/ddp_peer.py NETWORK SIZE BATCH STEPS
import json
import os
import sys
import time

import torch
import torch.distributed as dist

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import torchvision_anywhere  # noqa: E402, F401  timm imports torchvision
import timm  # noqa: E402

name, size, batch, steps = (sys.argv[1:] + ["resnet-18", "64", "16", "12"][len(sys.argv) - 1:])[:4]
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
dist.init_process_group("gloo")
torch.manual_seed(1)
architecture = {"resnet-18": "resnet18", "vit-b-16": "vit_base_patch16_224"}[name]
options = {"img_size": int(size)} if name.startswith("vit") else {}
network = timm.create_model(architecture, num_classes=10, **options)
# Our step does not broadcast running statistics either; synchronized norms do not need it.
model = torch.nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=True, forward_sync_buffers=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
images = torch.randn(int(batch), 3, int(size), int(size))
targets = (torch.randn(int(batch), 10) > 0.5).float()
loss_of = torch.nn.BCEWithLogitsLoss()
times, processor = [], []
for i in range(int(steps) + 4):
    started, used = time.perf_counter(), time.process_time()
    optimizer.zero_grad()
    loss_of(model(images), targets).backward()
    optimizer.step()
    if i >= 4:
        times.append((time.perf_counter() - started) * 1000)
        processor.append((time.process_time() - used) * 1000)
if dist.get_rank() == 0:
    median = lambda values: sorted(values)[len(values) // 2]
    print(json.dumps({"name": name, "milliseconds": median(times), "processor": median(processor)}))
dist.destroy_process_group()
