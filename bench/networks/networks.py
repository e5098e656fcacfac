"""The peer's networks, by the names of ours: plain modules for those of the paper, timm's and torchvision's for the others."""

import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / part) for part in (".", "loss")]

from maxvit import MaxViT
from paper_loss import AnyClassFocalLoss
from tresnet import TResNet
from vit import VisionTransformer

__all__ = ["AnyClassFocalLoss", "create", "fastest_layout", "targets"]


# Of networks that the two libraries share, timm's.
TIMM = {
    **{f"resnet-{depth}": f"resnet{depth}" for depth in (18, 34, 50, 101)},
    "convnext-t": "convnext_tiny",
    "convnext-s": "convnext_small",
    "convnext-b": "convnext_base",
    "convnextv2-t": "convnextv2_tiny",
    "densenet-121": "densenet121",
    "mobilenetv3-l": "mobilenetv3_large_100",
    "vit-s-16": "vit_small_patch16_224",
    "deit3-s-16": "deit3_small_patch16_224",
    "deit3-b-16": "deit3_base_patch16_224",
    "dinov2-s-14": "vit_small_patch14_dinov2",
    "dinov2-b-14": "vit_base_patch14_dinov2",
    "dinov2-s-14-reg": "vit_small_patch14_reg4_dinov2",
    "dinov2-b-14-reg": "vit_base_patch14_reg4_dinov2",
    "dinov3-s-16": "vit_small_patch16_dinov3_qkvb",
    "dinov3-s-plus-16": "vit_small_plus_patch16_dinov3_qkvb",
    "dinov3-b-16": "vit_base_patch16_dinov3_qkvb",
    "swin-t": "swin_tiny_patch4_window7_224",
    "swin-s": "swin_small_patch4_window7_224",
}
SIZED = ("vit", "deit3", "dinov2", "swin")
# Stochastic depth as in our networks, since it costs time in training; timm's default is 0 or 0.1.
DROP_PATH = {"convnext-t": 0.1, "convnext-s": 0.4, "convnext-b": 0.5, "convnextv2-t": 0.2, "swin-t": 0.2, "swin-s": 0.3}


def create(name, classes, size):
    if name.startswith("tresnet"):
        return TResNet(name, classes)
    if name.startswith("maxvit"):
        return MaxViT(name, classes)
    if name == "vit-b-16":
        return VisionTransformer(classes, size, 8 if size < 128 else 16)
    import torchvision_anywhere  # noqa: F401

    if name == "efficientnetv2-s":
        import torchvision

        return torchvision.models.efficientnet_v2_s(num_classes=classes)
    import timm

    sizes = {"img_size": size} if name.startswith(SIZED) else {}
    token = {"global_pool": "token"} if name.startswith("dinov3") else {}
    depth = {"drop_path_rate": DROP_PATH[name]} if name in DROP_PATH else {}
    return timm.create_model(TIMM[name], num_classes=classes, **sizes, **token, **depth)


def fastest_layout(torch, model):
    """What moves a network and its images to the memory layout that is fastest on a CPU: channels last for those of batch norms."""
    has_norms = any(isinstance(module, torch.nn.BatchNorm2d) for module in model.modules())
    layout = torch.channels_last if has_norms else torch.contiguous_format
    return lambda moved: moved.to(memory_format=layout)


def targets(torch, batch, classes):
    """Every second row has no class, the others have two."""
    rows = torch.zeros(batch, classes)
    for i in range(0, batch, 2):
        rows[i, i % classes] = 1
        rows[i, (3 * i + 1) % classes] = 1
    return rows
