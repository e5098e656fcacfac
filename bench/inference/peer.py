"""The peers' side of prediction on the CPU: PyTorch, or onnxruntime with PyTorch's own export. Prints what it measured as JSON.

    python bench/inference/peer.py pytorch|onnxruntime NETWORK BATCH REPEATS
"""

import json
import pathlib
import sys
import tempfile
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "networks"))
from hash_fill import images  # noqa: E402
from networks import create, fastest_layout  # noqa: E402

SIDE = 224


def in_pytorch(model, x):
    moved = fastest_layout(torch, model)
    model, x = moved(model), moved(x)

    def predict():
        with torch.inference_mode():
            model(x).numpy()

    return predict


def in_onnxruntime(model, x):
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.onnx"
        torch.onnx.export(model, (x,), path, dynamo=False, opset_version=17, input_names=["x"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    pixels = x.numpy()
    return lambda: session.run(None, {"x": pixels})


engine, name, batch, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
torch.set_num_threads(2)
if engine == "onnxruntime" and name.startswith("dinov3"):
    # The exporter cannot trace timm's call of the fused attention here; it writes others' as the same products.
    import torchvision_anywhere  # noqa: F401
    from timm.layers import set_fused_attn

    set_fused_attn(False)
model, x = create(name, 17, SIDE).eval(), images(batch, SIDE)
predict = (in_onnxruntime if engine == "onnxruntime" else in_pytorch)(model, x)
predict()
runs = []
for _ in range(repeats):
    start, cpu = time.perf_counter(), time.process_time()
    predict()
    runs.append(((time.perf_counter() - start) * 1e3 / batch, (time.process_time() - cpu) * 1e3 / batch))
# Noise only ever slows a run down.
print(json.dumps({"wall": min(wall for wall, _ in runs), "cpu": min(cpu for _, cpu in runs)}))
