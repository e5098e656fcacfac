"""Hashing as imagehash.phash(image, hash_size=16) does, for comparison.

    python3 bench/data/hashing_peer.py FILE    RGB pixels of 64x64, one image after another; prints images per core-second as JSON
"""
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


images = [Image.fromarray(pixels) for pixels in np.fromfile(sys.argv[1], np.uint8).reshape(-1, 64, 64, 3)]
best = 0
for _ in range(3):
    start = time.process_time()
    for image in images:
        phash(image)
    best = max(best, len(images) / (time.process_time() - start))
print(json.dumps({'imagesPerCoreSecond': best}))
