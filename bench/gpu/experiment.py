"""PyTorch's side of examples/paper/experiments.sh on coco64: the same images, splits, network, loss, schedule and
augmentation, in eager mode in channels-last memory, everything on the GPU from the start. Prints each epoch's validation
and at the end the test results.

    node bench/dist/gpu/experimentArrays.js DATA SPLITS ARRAYS
    python3 bench/gpu/experiment.py ARRAYS coco-animals bce 1 [--lam 0.2] [--jitter brightness,contrast]      (labels, loss, seed)

On a CPU: --size 32 --epochs 2 --batch 128 --milestones 1, with arrays of that size. --recipe quick is our recipe of that name: TResNet-S, AdamW,
a cosine by step after an epoch of warm-up, no balancing, the last weights; --instances draws a part of the training images.
"""

import argparse
import pathlib
import sys
import time

import numpy
import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "networks"))
from networks import AnyClassFocalLoss, create

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("keep")
parser.add_argument("loss")
parser.add_argument("seed", type=int)
parser.add_argument("--lam", type=float, default=0.02)
parser.add_argument("--jitter", default="brightness,contrast,saturation,hue", help="changes of color, with commas")
parser.add_argument("--size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--batch", type=int, default=256)
parser.add_argument("--milestones", type=int, nargs="*", default=[5, 7])
parser.add_argument("--recipe", choices=["paper", "quick"], default="paper")
parser.add_argument("--instances", type=int, default=None)
parser.add_argument("--warm-up", type=int, default=1, help="epochs of quick's warm-up")
given = parser.parse_args()
is_quick = given.recipe == "quick"
folder, keep, loss_name, seed = given.folder, given.keep, given.loss, given.seed
changes = [name for name in given.jitter.split(",") if name]
device = "cuda" if torch.cuda.is_available() else "cpu"
channels_last = {"memory_format": torch.channels_last}

torch.manual_seed(seed)
torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True


def read():
    images = numpy.fromfile(folder / "images.u8", numpy.uint8).reshape(-1, given.size, given.size, 3)
    labels = numpy.fromfile(folder / f"{keep}.u8", numpy.uint8).reshape(len(images), -1)
    rows = {split: numpy.fromfile(folder / f"{split}.i32", numpy.int32) for split in ("train", "validation", "test")}
    return {
        split: (
            torch.from_numpy(images[chosen]).to(device).permute(0, 3, 1, 2),
            torch.from_numpy(labels[chosen]).to(device).float(),
        )
        for split, chosen in rows.items()
    }


def initialize(network):
    """Initialization as in arXiv 2003.13630."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, 0, 0.01)
    for name, module in network.named_modules():
        last = getattr(module, "conv3", None) or getattr(module, "conv2", None)
        if name.startswith("body.layer") and last is not None:
            # Nearly zero, because |weight| has no gradient at 0.
            nn.init.constant_(last[1].weight, 1e-12)
    return network


def factors(count, spread):
    return 1 + (2 * torch.rand(count, 1, 1, 1, device=device) - 1) * spread


def jitter(x):
    """Jitter by up to 0.1 with torchvision's formulas, one factor per image; the order is drawn per batch."""
    gray = lambda x: (0.2989 * x[:, :1] + 0.587 * x[:, 1:2] + 0.114 * x[:, 2:])
    for place in torch.randperm(len(changes)).tolist():
        change = changes[place]
        if change == "hue":
            x = shift_hue(x, factors(len(x), 0.1)[:, 0] - 1)
            continue
        factor = factors(len(x), 0.1)
        other = {"brightness": lambda: 0, "contrast": lambda: gray(x).mean((1, 2, 3), keepdim=True), "saturation": lambda: gray(x)}
        x = (factor * x + (1 - factor) * other[change]()).clamp(0, 1)
    return x


def shift_hue(x, turns):
    red, green, blue = x.unbind(1)
    high, low = x.amax(1), x.amin(1)
    chroma = high - low
    divisor = torch.where(chroma == 0, torch.ones_like(chroma), chroma)
    hue = torch.where(
        high == red,
        ((green - blue) / divisor) % 6,
        torch.where(high == green, (blue - red) / divisor + 2, (red - green) / divisor + 4),
    )
    hue = (hue / 6 + turns) % 1 * 6
    part = lambda n: high - chroma * torch.minimum((hue + n) % 6, 4 - (hue + n) % 6).clamp(0, 1)
    return torch.stack([part(5), part(3), part(1)], 1)


def normalized(x):
    mean, std = (torch.tensor(values, device=device).view(1, 3, 1, 1) for values in (MEAN, STD))
    return ((x - mean) / std).contiguous(**channels_last)


def augmented(images):
    x = jitter(images.float() / 255)
    flip = torch.rand(len(x), 1, 1, 1, device=device) < 0.5
    return normalized(torch.where(flip, x.flip(3), x))


def quick_loss(logits, targets):
    """The any-class loss without balancing: the mean over images of the sum over classes."""
    positive = targets.sum(1) > 0
    weights = torch.where((targets == 1) | ~positive.unsqueeze(1), 1.0, given.lam)
    any_logit = (weights * logits).sum(1) / weights.sum(1)
    bce = nn.functional.binary_cross_entropy_with_logits
    any_class = bce(any_logit, positive.float()) if loss_name.startswith("any") else 0
    return bce(logits, targets, reduction="sum") / len(logits) + any_class


def schedule_of(optimizer, steps):
    if not is_quick:
        return torch.optim.lr_scheduler.MultiStepLR(optimizer, given.milestones, 0.01)
    warm = given.warm_up * steps
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, given.epochs * steps - warm)
    if warm == 0:
        return cosine
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, 1, warm)
    return torch.optim.lr_scheduler.SequentialLR(optimizer, [warm_up, cosine], [warm])


def criterion_for(labels):
    if is_quick:
        return quick_loss
    counts = torch.cat([labels.sum(0), (labels.sum(1) == 0).sum().view(1)]).double()
    effective = (1 - 0.9999) / (1 - 0.9999**counts)
    weights = len(counts) * effective / effective.sum()
    alpha = 1.0 if loss_name.startswith("any") else 0.0
    return AnyClassFocalLoss(weights[:-1].float(), weights[-1].item(), alpha=alpha, lam=given.lam, gamma=0.0).to(device)


@torch.no_grad()
def scores(network, images):
    network.eval()
    result = []
    for part in images.split(500):
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            result.append(network(normalized(part.float() / 255)).float().sigmoid())
    network.train()
    return torch.cat(result)


def average_precision(scores, labels):
    order = scores.argsort(0, descending=True)
    hits = labels.gather(0, order)
    precision = hits.cumsum(0) / torch.arange(1, len(hits) + 1, device=device).view(-1, 1)
    return ((precision * hits).sum(0) / hits.sum(0)).mean().item()


def results(scores, labels):
    predicted = (scores >= 0.5).float()
    right, said, true = (predicted * labels).sum(0), predicted.sum(0), labels.sum(0)
    f = lambda beta: ((1 + beta**2) * right / (beta**2 * true + said).clamp(min=1)).mean().item()
    empty, none = (labels.sum(1) == 0).float(), (predicted.sum(1) == 0).float()
    negative = (2 * (empty * none).sum() / (empty.sum() + none.sum())).item()
    return [100 * value for value in (f(1), f(2), average_precision(scores, labels), negative)]


data = read()
images, labels = (part[torch.randperm(len(part), generator=torch.Generator().manual_seed(0))[: given.instances]] for part in data["train"])
network = initialize(create("tresnet-s" if is_quick else "tresnet-m", labels.shape[1], given.size)).to(device).to(**channels_last)
criterion = criterion_for(labels)
optimizer = (
    torch.optim.AdamW(network.parameters(), lr=0.002, weight_decay=0.02)
    if is_quick
    else torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
)
scheduler = schedule_of(optimizer, len(images) // given.batch)
best, best_state, seconds = -1.0, None, []
title = f"{keep} {loss_name} seed {seed}"
for epoch in range(given.epochs):
    start = time.perf_counter()
    total = torch.zeros((), device=device)
    steps = torch.randperm(len(images), device=device).split(given.batch)[: len(images) // given.batch]
    for rows in steps:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            logits = network(augmented(images[rows]))
        loss = criterion(logits.float(), labels[rows])
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        if is_quick:
            scheduler.step()
        total += loss.detach()
    mean_loss = total.item() / len(steps)
    seconds.append(time.perf_counter() - start)
    if not is_quick:
        scheduler.step()
    mean_ap = results(scores(network, data["validation"][0]), data["validation"][1])[2]
    print(f"{title}, epoch {epoch + 1}: loss {mean_loss:.4f}, validation mAP {mean_ap:.2f}, {seconds[-1]:.1f} s", flush=True)
    if mean_ap > best or is_quick:
        best, best_state = mean_ap, {name: value.clone() for name, value in network.state_dict().items()}
network.load_state_dict(best_state)
f1, f2, mean_ap, negative = results(scores(network, data["test"][0]), data["test"][1])
print(f"{title}, test: F1 {f1:.2f}, F2 {f2:.2f}, mAP {mean_ap:.2f}, F1-Neg {negative:.2f}; {sorted(seconds)[len(seconds) // 2]:.2f} s per epoch (median)", flush=True)
