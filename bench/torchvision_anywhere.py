"""Imports torchvision even if its compiled operators do not load with the installed torch: its Python part only needs them to be
declared. Declaring them when the compiled ones are loaded too would crash the process."""

import sys

import torch

try:
    import torchvision  # noqa: F401
except RuntimeError:
    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision  # noqa: F401
