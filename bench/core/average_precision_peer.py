"""mAP by scikit-learn, or by a Python loop over every sample as in the paper's evaluation script.

Arguments are folder, classes, method, repeats.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

folder, classes, method, repeats = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
scores = np.fromfile(folder / "scores", dtype=np.float32).reshape(-1, classes)
targets = np.fromfile(folder / "targets", dtype=np.uint8).reshape(-1, classes)


def loop_over_samples(y, s):
    present = y.sum()
    found, precisions = 0, 0.0
    for rank, sample in enumerate(s.argsort()[::-1], start=1):
        if y[sample] == 1:
            found += 1
            precisions += found / rank
        if found == present:
            break
    return precisions / found


def mean_average_precision():
    if method == "scikit-learn":
        return average_precision_score(targets, scores, average="macro")
    return np.mean([loop_over_samples(targets[:, j], scores[:, j]) for j in range(classes)])


seconds = []
for _ in range(repeats):
    start = time.perf_counter()
    value = mean_average_precision()
    seconds.append(time.perf_counter() - start)
print(json.dumps({"seconds": seconds, "value": float(value)}))
