"""PyTorch's own ONNX exports of the timm or torchvision twins, and their latency in onnxruntime, compared with ours.

peer.py export NAME SIZE FILE     writes the twin (random weights, same shapes)
peer.py latency OURS PEER SIZE    best times of both files in turn, in milliseconds, as JSON
"""

import json
import os
import sys
import time


def twin(name, size):
    sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
    import torchvision_anywhere  # noqa: F401

    if name == "maxvit-t":
        import torchvision

        return torchvision.models.maxvit_t(num_classes=17, input_size=(size, size))
    import timm

    names = {
        "resnet-18": "resnet18",
        "tresnet-m": "tresnet_m",
        "tresnet-l": "tresnet_l",
        "tresnet-xl": "tresnet_xl",
        "vit-b-16": "vit_base_patch16_224",
    }
    extra = {"img_size": size} if name == "vit-b-16" else {}
    return timm.create_model(names[name], num_classes=17, **extra)


def export(name, size, file):
    import torch

    model = twin(name, size).eval()
    image = torch.randn(1, 3, size, size)
    torch.onnx.export(
        model,
        (image,),
        file,
        dynamo=False,
        opset_version=17,
        input_names=["pixel_values"],
        output_names=["logits"],
        dynamic_axes={"pixel_values": {0: "batch"}, "logits": {0: "batch"}},
    )


def latency(ours, peer, size, rounds=25):
    import numpy
    import onnxruntime

    sessions = {}
    for key, file in (("ours", ours), ("peer", peer)):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        sessions[key] = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    pixels = numpy.random.default_rng(1).standard_normal((1, 3, size, size), numpy.float32)
    times = {key: [] for key in sessions}
    for _ in range(rounds + 2):
        for key, session in sessions.items():
            start = time.process_time()
            session.run(["logits"], {"pixel_values": pixels})
            times[key].append(1000 * (time.process_time() - start))
    # Noise only ever slows a run down.
    print(json.dumps({key: min(values[2:]) for key, values in times.items()}))


if sys.argv[1] == "export":
    export(sys.argv[2], int(sys.argv[3]), sys.argv[4])
else:
    latency(sys.argv[2], sys.argv[3], int(sys.argv[4]))
