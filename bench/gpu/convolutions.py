"""TResNet's convolutions on a GPU, one by one: time of forward and of both gradients beside the floor of their bytes and operations, also with more
channels than the network has.

    python3 bench/gpu/convolutions.py
"""

import torch
from triton.testing import do_bench

BATCH = 256
BANDWIDTH, OPERATIONS = 4.2e12, 790e12  # of a copy and of an 8192³ product on one H200
# inputs, outputs, kernel, side of the map, how often TResNet-L has it
SHAPES = [
    (48, 76, 3, 56, 1), (76, 76, 3, 56, 8), (80, 80, 3, 56, 0), (96, 96, 3, 56, 0), (76, 152, 3, 56, 1), (80, 152, 3, 56, 0),
    (152, 152, 3, 28, 9), (160, 160, 3, 28, 0), (152, 304, 1, 28, 1), (304, 304, 3, 28, 1), (304, 1216, 1, 14, 18), (1216, 304, 1, 14, 17),
    (304, 304, 3, 14, 17), (320, 320, 3, 14, 0), (1216, 608, 1, 14, 1), (608, 608, 3, 14, 1), (608, 2432, 1, 7, 3), (2432, 608, 1, 7, 2),
    (608, 608, 3, 7, 2),
]  # fmt: skip

torch.backends.cudnn.benchmark = True


def milliseconds(fn):
    return do_bench(fn, warmup=5, rep=25, return_mode="median")


for inputs, outputs, kernel, side, count in SHAPES:
    x = torch.randn(BATCH, inputs, side, side, device="cuda", dtype=torch.bfloat16).to(memory_format=torch.channels_last)
    weight = (torch.randn(outputs, inputs, kernel, kernel, device="cuda") * 0.05).bfloat16().to(memory_format=torch.channels_last)
    padding = kernel // 2
    y = torch.nn.functional.conv2d(x, weight, None, 1, padding)
    gradient = torch.randn_like(y)

    def backward(of_input, of_weight):
        torch.ops.aten.convolution_backward(
            gradient, x, weight, None, [1, 1], [padding] * 2, [1, 1], False, [0, 0], 1, [of_input, of_weight, False]
        )

    forward = milliseconds(lambda: torch.nn.functional.conv2d(x, weight, None, 1, padding))
    operations = 2 * y.numel() * inputs * kernel**2
    floor = 1000 * max(operations / OPERATIONS, 2 * (x.numel() + y.numel()) / BANDWIDTH)
    print(
        f"{inputs} -> {outputs}, {kernel}x{kernel}, {side} px, {count} times: forward {forward:.3f} ms ({operations / forward / 1e9:.0f} TFLOP/s, floor {floor:.3f}), "
        f"input gradient {milliseconds(lambda: backward(True, False)):.3f}, weight gradient {milliseconds(lambda: backward(False, True)):.3f}",
        flush=True,
    )
