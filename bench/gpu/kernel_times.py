"""Sums the kernels of the last of several equal rounds in ncu's CSV, by kind and by name.

    python3 bench/gpu/kernel_times.py PROFILE.csv
"""

import csv
import re
import sys
from collections import defaultdict

KINDS = [
    ("convolution and product", r"gemm|xmma|cutlass|cudnn|conv|implicit|wgrad|dgrad|nvjet|sm90|sm80|fprop"),
    ("batch norm", r"statisticsKernel|outputKernel|parameterGradientKernel|inputGradientKernel|batch_norm"),
    ("layer norm", r"[lL]ayerNorm|residualNorm"),
    ("attention", r"flash|fmha|attention|softmax"),
    ("optimizer and clipping", r"multi_tensor|lpnorm|foreach|FusedOptim"),
    ("augmentation and loss", r"anyClass|augment"),
    ("padding", r"reflection_pad"),
    ("pool and reduction", r"reduce|pool"),
    ("copy and cast", r"copy|Copy|CatArray|Memcpy|memset|fill|Fill|nchwToNhwc|nhwcToNchw"),
]


def kind(name):
    return next((title for title, pattern in KINDS if re.search(pattern, name)), "elementwise and other")


def short(name):
    return re.sub(r"\s+", " ", name)[:150]


with open(sys.argv[1]) as file:
    lines = [line for line in file if line.startswith('"')]
kernels = []
for row in csv.DictReader(lines):
    if row.get("Metric Name") != "gpu__time_duration.sum":
        continue
    value = float(row["Metric Value"].replace(",", ""))
    unit = row["Metric Unit"]
    micro = value / 1000 if unit in ("nsecond", "ns") else value * 1000 if unit in ("msecond", "ms") else value
    kernels.append((row["Kernel Name"], row.get("Grid Size", ""), micro))

names = [name for name, _, _ in kernels]
length = next((n for n in range(len(names) // 2, 0, -1) if names[-n:] == names[-2 * n : -n]), len(names))
last = kernels[-length:]
total = sum(micro for _, _, micro in last)
print(f"{length} kernels, {total / 1000:.3f} ms")
for title, of in (("by kind", lambda k: kind(k[0])), ("by kernel and grid", lambda k: f"{short(k[0])} {k[1]}")):
    sums = defaultdict(lambda: [0.0, 0])
    for kernel in last:
        entry = sums[of(kernel)]
        entry[0] += kernel[2]
        entry[1] += 1
    print(f"-- {title}")
    for name, (micro, count) in sorted(sums.items(), key=lambda item: -item[1][0])[:60]:
        print(f"{micro / 1000:8.3f} ms {100 * micro / total:5.1f}% {count:5d}x  {name}")
