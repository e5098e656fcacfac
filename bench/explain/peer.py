"""Heat maps by hooks on a timm or torchvision network, apart from anyclass: Grad-CAM (Selvaraju et al.) of the last maps (where timm
splits the network in two, of what `forward_features` returns), and for a vision transformer Grad-CAM of the last block's first norm and relevance through attention (Chefer et al.).

    python3 peer.py timm|torchvision FOLDER IMAGES.safetensors OUT.safetensors

FOLDER is what `anyclass export --format timm` wrote. IMAGES has `images` [N, C, H, W], normalized, and `targets` [N], class numbers; -1 is
presence, the sum of the logits' softplus. OUT gets `logits`, `gradCam` and, for a transformer, `tokens`, each [N, rows, columns].
"""

import json
import math
import os
import sys

import torch
from safetensors.torch import load_file, save_file

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import torchvision_anywhere  # noqa: E402, F401  timm imports torchvision, too


def load(library, folder):
    if library == "timm":
        import timm

        return timm.create_model(f"local-dir:{folder}", pretrained=True).eval()
    import torchvision

    config = json.load(open(f"{folder}/config.json"))
    model = torchvision.models.get_model(config["architecture"], **config["arguments"])
    model.load_state_dict(load_file(f"{folder}/model.safetensors"))
    return model.eval()


def score(logits, targets):
    presence = torch.nn.functional.softplus(logits).sum(1)
    own = logits.gather(1, targets.clamp(min=0)[:, None])[:, 0]
    return torch.where(targets < 0, presence, own).sum()


def watched(modules):
    """Keeps each module's output with its gradient."""
    kept = []

    def hook(_module, _inputs, output):
        output.retain_grad()
        kept.append(output)

    return kept, [module.register_forward_hook(hook) for module in modules]


def grid(tokens):
    side = math.isqrt(tokens.shape[1])
    cells = tokens[:, tokens.shape[1] - side * side :]
    return cells.reshape(len(tokens), side, side)


def main():
    library, folder, images_path, out = sys.argv[1:]
    torch.set_num_threads(1)
    given = load_file(images_path)
    images, targets = given["images"], given["targets"]
    model = load(library, folder)
    images.requires_grad_()
    if hasattr(model, "blocks") and hasattr(model, "cls_token"):
        for block in model.blocks:
            block.attn.fused_attn = False
        attention, hooks = watched([block.attn.attn_drop for block in model.blocks])
        normed, last = watched([model.blocks[-1].norm1])
        logits = model(images)
        score(logits, targets).backward()
        relevance = torch.eye(attention[0].shape[-1]).expand(len(images), -1, -1)
        for weights in attention:
            passed = (weights * weights.grad).clamp(min=0).mean(1)
            relevance = relevance + passed @ relevance
        values, gradient = normed[0][:, 1:], normed[0].grad[:, 1:]
        maps = (values * gradient.mean(1, keepdim=True)).sum(2).clamp(min=0)
        found = {"gradCam": grid(maps), "tokens": grid(relevance[:, 0, 1:])}
        hooks += last
    elif hasattr(model, "forward_features") and not hasattr(model, "layer4") and not hasattr(model, "body"):
        # timm's own split of a network: the last maps, and the head on top of them.
        maps = model.forward_features(images)
        maps.retain_grad()
        logits = model.forward_head(maps)
        score(logits, targets).backward()
        channels_last = getattr(model, "output_fmt", "NCHW") == "NHWC"
        values, gradient = (t.permute(0, 3, 1, 2) if channels_last else t for t in (maps, maps.grad))
        found = {"gradCam": (values * gradient.mean((2, 3), keepdim=True)).sum(1).clamp(min=0)}
        hooks = []
    else:
        layer = model.layer4 if hasattr(model, "layer4") else model.body.layer4 if hasattr(model, "body") else model.features if hasattr(model, "features") else model.blocks[-1]
        kept, hooks = watched([layer])
        logits = model(images)
        score(logits, targets).backward()
        weights = kept[0].grad.mean((2, 3), keepdim=True)
        found = {"gradCam": (kept[0] * weights).sum(1).clamp(min=0)}
    for hook in hooks:
        hook.remove()
    tensors = {"logits": logits, **found}
    save_file({name: values.detach().contiguous() for name, values in tensors.items()}, out)


main()
