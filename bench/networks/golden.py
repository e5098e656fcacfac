"""Golden values of a network in the form that `anyclass verify` reads, computed in float64 by the peer's modules (ResNet-18:
torchvision's). Made so, with torch 1.13:

    cd bench/networks; out=../../packages/anyclass/test/vectors
    python3 golden.py resnet_18 64 0 plain > $out/network_resnet_18.json
    python3 golden.py tresnet_m 64 12345 negative > $out/network_tresnet_m_negative.json
    python3 golden.py maxvit_t 64 99 negative > $out/network_maxvit_t_negative.json
"""

import json
import sys

import torch
from hash_fill import fill, images
from maxvit import MaxViT
from networks import AnyClassFocalLoss, create, targets

CLASSES, BATCH, BETA = 5, 3, 0.9999
CLASS_COUNTS, NEGATIVE_COUNT = [100.0, 200.0, 300.0, 400.0, 500.0], 5000.0


def network_of(name, size):
    if name == "resnet_18":
        import torchvision

        return torchvision.models.resnet18(num_classes=CLASSES)
    if name.startswith("maxvit"):
        return MaxViT(name.replace("_", "-"), CLASSES, side=2, stochastic_depth=0)
    return create(name.replace("_", "-"), CLASSES, size)


def balance():
    effective = [(1 - BETA) / (1 - BETA**count) for count in CLASS_COUNTS + [NEGATIVE_COUNT]]
    weights = [(CLASSES + 1) * e / sum(effective) for e in effective]
    return torch.tensor(weights[:-1], dtype=torch.float64), weights[-1]


def norms(entries):
    return {name: entry.norm().item() for name, entry in entries}


name, size, salt, negative = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "negative"
torch.set_default_dtype(torch.float64)
network = fill(network_of(name, size), salt, negative)
x, y = images(BATCH, size, salt).double(), targets(torch, BATCH, CLASSES).double()
with torch.no_grad():
    eval_logits = network.eval()(x)
logits = network.train()(x)
# The focal loss without focusing is binary cross-entropy.
loss = AnyClassFocalLoss(*balance(), gamma=0.0, epsilon=0.0)(logits, y)
loss.backward()
gradients = norms((n, p.grad) for n, p in network.named_parameters())
state = network.state_dict()
print(
    json.dumps(
        {
            "network": name,
            "classes": CLASSES,
            "batch": BATCH,
            "salt": salt,
            "negativeNormWeights": negative,
            "inputSize": size,
            "parameters": sum(p.numel() for p in network.parameters()),
            "stateDict": [[n, list(entry.shape)] for n, entry in state.items()],
            "evalLogits": eval_logits.tolist(),
            "targets": y.tolist(),
            "classCounts": CLASS_COUNTS,
            "negativeCount": NEGATIVE_COUNT,
            "loss": {"base": "bce", "alpha": 1, "lambda": 0.02, "beta": BETA},
            "trainLogits": logits.tolist(),
            "trainLoss": loss.item(),
            "gradNorm": sum(n**2 for n in gradients.values()) ** 0.5,
            "gradNorms": gradients,
            "runningMeanNorms": norms((n, e) for n, e in state.items() if n.endswith("running_mean")),
            "runningVarNorms": norms((n, e) for n, e in state.items() if n.endswith("running_var")),
        }
    )
)
