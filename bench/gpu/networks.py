"""PyTorch's side of the networks on a GPU, as plain modules: eager, eager in channels-last memory, or compiled; bf16
autocast, forward + loss + backward + clip + optimizer, and inference. Prints a line for each result, all as JSON at the end.

    python3 bench/gpu/networks.py eager,channels-last tresnet-l:224:256 maxvit-s:224:256      (name:pixels:batch)

The mode `fill` measures nothing: it compiles, so that a later process finds the compiled kernels in torch's cache.
"""

import gc
import json
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "networks"))
from hash_fill import fill
from networks import AnyClassFocalLoss, create, targets

CLASSES = 17
EVERYTHING = ["tresnet-l:224:256", "vit-b-16:224:256", "maxvit-s:224:256", "tresnet-m:64:256"]

torch.manual_seed(0)
torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
results = {}


def record(name, value):
    results[name] = value
    print(f"{name}: {value:.5g}", flush=True)


def images_per_second(batch, fn):
    def run(calls):
        start = time.perf_counter()
        for _ in range(calls):
            fn()
        torch.cuda.synchronize()
        return calls * batch / (time.perf_counter() - start)

    run(8)
    return sorted(run(10) for _ in range(3))[1]


def measure(mode, name, pixels, batch):
    title = f"{name} at {pixels} px, {mode}"
    network = fill(create(name, CLASSES, pixels)).cuda()
    images = torch.randn(batch, 3, pixels, pixels, device="cuda")
    labels = targets(torch, batch, CLASSES).cuda()
    if mode != "eager":
        network = network.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    parameters = list(network.parameters())
    if name.startswith("tresnet"):
        optimizer = torch.optim.SGD(parameters, lr=1e-3, momentum=0.9, weight_decay=1e-4)
    else:
        optimizer = torch.optim.AdamW(parameters, lr=1e-5, weight_decay=0.05)
    criterion = AnyClassFocalLoss(torch.linspace(2, 0.1, CLASSES), 0.1).cuda()
    model = torch.compile(network) if mode in ("compile", "fill") else network

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(images)
        criterion(logits.float(), labels).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()

    def predict():
        with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16):
            model(images)

    if mode == "fill":
        step()
        model.eval()
        predict()
        return
    torch.cuda.reset_peak_memory_stats()
    record(f"{title}, training (images/s)", images_per_second(batch, step))
    record(f"{title}, training peak memory (GiB)", torch.cuda.max_memory_allocated() / 2**30)
    optimizer.zero_grad(set_to_none=True)
    model.eval()
    record(f"{title}, inference (images/s)", images_per_second(batch, predict))


failed = False
modes = sys.argv[1].split(",") if len(sys.argv) > 1 else ["eager", "channels-last"]
for task in sys.argv[2:] or EVERYTHING:
    name, pixels, batch = task.split(":")
    for mode in modes:
        try:
            measure(mode, name, int(pixels), int(batch))
        except Exception as error:
            print(f"{name} at {pixels} px, {mode}: {type(error).__name__}: {str(error)[:600]}", file=sys.stderr, flush=True)
            failed = True
        # Networks of one library share code, which is compiled anew for only eight of them.
        torch._dynamo.reset()
        gc.collect()
        torch.cuda.empty_cache()
print(json.dumps(results))
sys.exit(failed)
