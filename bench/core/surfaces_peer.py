"""The twelve surfaces of the playground in numpy, float64: surfaces_peer.py STEPS LAMBDA ALPHA GAMMA REPEATS."""

import json
import sys
import time

import numpy as np

steps = int(sys.argv[1])
lam, alpha, gamma = map(float, sys.argv[2:5])
repeats = int(sys.argv[5])


def surfaces():
    """With the labels (1, 0)."""
    axis = np.linspace(0.01, 0.99, steps)
    p1, p2 = axis[None, :], axis[:, None]
    weight = 1 + lam

    def product(a, b):
        return a * b**lam

    plain, other = product(p1, p2), product(1 - p1, 1 - p2)
    mean, other_mean = plain ** (1 / weight), other ** (1 / weight)
    normalized, normalized_mean = plain / (plain + other), mean / (mean + other_mean)

    def loss(q):
        return -((1 - q) ** gamma) * np.log(q)

    bce = loss(p1) + loss(1 - p2)
    by_mean, by_product = loss(normalized_mean), loss(normalized)
    losses = [bce, by_mean, by_product, bce + alpha * by_mean]
    return [plain, mean, normalized, normalized_mean, *(np.exp(-one) for one in losses), *losses]


seconds = []
for run in range(-5, repeats):
    start = time.perf_counter()
    found = surfaces()
    if run >= 0:
        seconds.append(time.perf_counter() - start)
print(json.dumps({"seconds": seconds, "value": float(sum(one.sum() for one in found))}))
