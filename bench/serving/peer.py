# The peer of bench/serving: FastAPI, uvicorn (uvloop, httptools) and onnxruntime, with the batching rule of `anyclass serve`:
# an idle model starts immediately with the waiting images; while it is busy, images queue up. Pillow decodes in threads.
#
#   python peer.py MODEL.onnx PORT

import asyncio
import io
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime
import uvicorn
from fastapi import FastAPI, Request
from PIL import Image

path, port = sys.argv[1], int(sys.argv[2])
options = onnxruntime.SessionOptions()
# As in ours: threads that spin while they wait take cores from decoding. PEER_SPINS=1 keeps the default.
if os.environ.get("PEER_SPINS") != "1":
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
metadata = session.get_modelmeta().custom_metadata_map
classes = json.loads(metadata["classes"])
preparation = json.loads(metadata["preprocessing"])
decision = json.loads(metadata["decision"])
mean = np.array(preparation["mean"], np.float32).reshape(-1, 1, 1)
std = np.array(preparation["std"], np.float32).reshape(-1, 1, 1)
thresholds = np.array([2.0 if t is None else t for t in decision["thresholds"]])
gate = float("inf") if decision["presence"] is None else decision["presence"]
size = (preparation["width"], preparation["height"])
max_batch = 32

decoders = ThreadPoolExecutor(2 * os.cpu_count())
inference = ThreadPoolExecutor(1)
app = FastAPI()
waiting = []
busy = False


def decode(data):
    image = Image.open(io.BytesIO(data)).convert("RGB").resize(size, Image.BILINEAR)
    pixels = np.asarray(image, np.float32).transpose(2, 0, 1) / 255
    return (pixels - mean) / std


def compute(images):
    return session.run(["probabilities", "presence_score"], {"pixel_values": np.stack(images)})


async def work():
    global busy
    loop = asyncio.get_running_loop()
    while waiting:
        batch = waiting[:max_batch]
        del waiting[:max_batch]
        try:
            probabilities, presence = await loop.run_in_executor(inference, compute, [image for image, _ in batch])
            for row, (_, future) in enumerate(batch):
                future.set_result((probabilities[row], presence[row]))
        except Exception as error:
            for _, future in batch:
                future.set_exception(error)
    busy = False


@app.post("/v1/predict")
async def predict(request: Request):
    global busy
    data = await request.body()
    loop = asyncio.get_running_loop()
    image = await loop.run_in_executor(decoders, decode, data)
    future = loop.create_future()
    waiting.append((image, future))
    if not busy:
        busy = True
        asyncio.ensure_future(work())
    probabilities, presence = await future
    labels = [name for name, p, t in zip(classes, probabilities, thresholds) if presence >= gate and p >= t]
    return {
        "predictions": [
            {
                "labels": labels,
                "isNegative": not labels,
                "probabilities": {name: float(p) for name, p in zip(classes, probabilities)},
                "presence": float(presence),
            }
        ]
    }


@app.get("/health/live")
async def live():
    return "ok"


uvicorn.run(app, port=port, loop="uvloop", http="httptools", access_log=False, log_level="warning")
