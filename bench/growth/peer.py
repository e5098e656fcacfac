"""The peers of bench:growth: `peer.py KIND SIZE [FILE…]` prints processor time in seconds."""

import json
import sys
import time

kind, size, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def elapsed(call, calls=1):
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls


def per_call(call):
    call()
    return elapsed(call, 5)


def mostly_negative(rows, classes):
    import numpy

    random = numpy.random.default_rng(1)
    positive = random.random((rows, 1)) < 0.4
    targets = (random.random((rows, classes)) < 0.12) & positive
    scores = 1 / (1 + numpy.exp(4 - 2.5 * targets - 3 * (random.random((rows, classes)) - 0.5)))
    return targets, scores.astype("float32")


if kind == "index":
    import pandas

    def work():
        pandas.read_csv(files[0])

    seconds = elapsed(work)
elif kind == "metrics":
    from sklearn.metrics import average_precision_score, f1_score

    targets, scores = mostly_negative(4096, size)

    def work():
        average_precision_score(targets, scores)
        f1_score(targets, scores > 0.5, average="macro", zero_division=0)

    seconds = elapsed(work)
elif kind == "evaluate":
    import pandas
    from sklearn.metrics import average_precision_score, f1_score

    def work():  # reads all four tables; fits nothing and draws no bootstrap
        for labels, scores in (files[:2], files[2:]):
            targets = pandas.read_csv(labels).iloc[:, 1:].to_numpy()
            values = pandas.read_csv(scores).iloc[:, 1:].to_numpy()
            average_precision_score(targets, values)
            f1_score(targets, values > 0.5, average="macro", zero_division=0)

    seconds = elapsed(work)
else:
    import torch

    torch.set_num_threads(1)
    if kind == "fused loss":
        logits = torch.randn(256, size, requires_grad=True)
        targets = torch.zeros(256, size)

        def work():
            # The any-class term beside binary cross-entropy, as the paper writes it, for negatives.
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="none").sum(1)
            presence = torch.sigmoid(logits.mean(1))
            (loss - torch.log1p(-presence)).mean().backward()

    elif kind == "linear head":
        head = torch.nn.Linear(2048, size)
        maps = torch.randn(16, 2048, 7, 7)

        def work():
            head(maps.mean((2, 3))).sum().backward()

    else:
        sys.exit(f"no peer for {kind}")
    seconds = per_call(work)

print(json.dumps({"seconds": seconds}))
