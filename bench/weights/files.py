"""Writes files of weights as timm, torchvision and transformers save them, with random values: python3 files.py OUT. Each is named after our
network and the library, such as convnext-t@timm-convnext_tiny.safetensors; those of transformers are folders."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import torchvision_anywhere  # noqa: E402, F401  timm imports torchvision, too
import timm  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402
import transformers  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
torch.manual_seed(0)

TIMM = [
    ("resnet-50", "resnet50", {}),
    ("convnext-t", "convnext_tiny", {}),
    ("convnext-t", "convnext_tiny.dinov3_lvd1689m", {}),
    ("convnextv2-t", "convnextv2_tiny", {}),
    ("densenet-121", "densenet121", {}),
    ("vit-s-16", "vit_small_patch16_224", {}),
    ("deit3-s-16", "deit3_small_patch16_224", {}),
    ("dinov2-s-14", "vit_small_patch14_dinov2", {"img_size": 224}),
    ("dinov2-s-14-reg", "vit_small_patch14_reg4_dinov2", {"img_size": 224}),
    ("dinov3-s-16", "vit_small_patch16_dinov3", {}),
    ("swin-t", "swin_tiny_patch4_window7_224", {}),
    ("mobilenetv3-l", "mobilenetv3_large_100", {}),
    ("tresnet-m", "tresnet_m", {}),
]
TORCHVISION = [
    ("resnet-18", "resnet18"),
    ("resnet-50", "resnet50"),
    ("convnext-t", "convnext_tiny"),
    ("densenet-121", "densenet121"),
    ("efficientnetv2-s", "efficientnet_v2_s"),
    ("mobilenetv3-l", "mobilenet_v3_large"),
    ("swin-t", "swin_t"),
    ("vit-b-16", "vit_b_16"),
    ("maxvit-t", "maxvit_t"),
]
SMALL = {"hidden_size": 384, "num_attention_heads": 6}
HUGGING_FACE = [
    ("resnet-50", "ResNetForImageClassification", "ResNetConfig", {}),
    ("convnext-t", "ConvNextForImageClassification", "ConvNextConfig", {}),
    ("convnext-t", "DINOv3ConvNextModel", "DINOv3ConvNextConfig", {}),
    ("convnextv2-t", "ConvNextV2ForImageClassification", "ConvNextV2Config", {}),
    ("vit-s-16", "ViTForImageClassification", "ViTConfig", {**SMALL, "intermediate_size": 1536}),
    ("swin-t", "SwinForImageClassification", "SwinConfig", {}),
    ("dinov2-s-14", "Dinov2Model", "Dinov2Config", {**SMALL, "image_size": 224, "patch_size": 14}),
    (
        "dinov2-s-14-reg",
        "Dinov2WithRegistersModel",
        "Dinov2WithRegistersConfig",
        {**SMALL, "image_size": 224, "patch_size": 14, "num_register_tokens": 4},
    ),
    (
        "dinov3-s-16",
        "DINOv3ViTModel",
        "DINOv3ViTConfig",
        {**SMALL, "intermediate_size": 1536, "image_size": 224, "num_register_tokens": 4},
    ),
]

for network, name, arguments in TIMM:
    weights = timm.create_model(name, pretrained=False, **arguments).state_dict()
    path = f"{out}/{network}@timm-{name}.safetensors"
    save_file({key: value.contiguous() for key, value in weights.items()}, path)
for network, name in TORCHVISION:
    torch.save(torchvision.models.get_model(name).state_dict(), f"{out}/{network}@torchvision-{name}.pth")
for network, name, config, arguments in HUGGING_FACE:
    model = getattr(transformers, name)(getattr(transformers, config)(**arguments))
    model.save_pretrained(f"{out}/{network}@transformers-{name}")
