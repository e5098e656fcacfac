"""Decoding and hashing as imagehash.phash(image, hash_size=16) does, for comparison.

    python3 bench/data/hashing_peer.py FILE    images, each behind its length in four bytes; prints images per core-second as JSON
"""
import io
import json
import sys
import time

import numpy as np
import scipy.fftpack
from PIL import Image


def phash(image, hash_size=16, highfreq_factor=4):
    side = hash_size * highfreq_factor
    pixels = np.asarray(image.convert('L').resize((side, side), Image.Resampling.LANCZOS))
    dct = scipy.fftpack.dct(scipy.fftpack.dct(pixels, axis=0), axis=1)
    low = dct[:hash_size, :hash_size]
    return low > np.median(low)


content = open(sys.argv[1], 'rb').read()
images, at = [], 0
while at < len(content):
    length = int.from_bytes(content[at : at + 4], 'little')
    images.append(content[at + 4 : at + 4 + length])
    at += 4 + length
for one in images[:100]:
    phash(Image.open(io.BytesIO(one)))
start = time.process_time()
for one in images:
    phash(Image.open(io.BytesIO(one)))
print(json.dumps({'imagesPerCoreSecond': len(images) / (time.process_time() - start)}))
