"""How Python users read scans: pydicom and tifffile with numpy's window and Pillow's resizing.

    python bench/data/scans_peer.py make FOLDER COUNT SIDE   12-bit scans in several formats, a folder each
    python bench/data/scans_peer.py rate FOLDER              images per second of one core, as JSON
    python bench/data/scans_peer.py resize FOLDER OUT        224 x 224 pixels of every file, one after another
"""
import json
import pathlib
import sys
import time

import numpy as np
import pydicom
import tifffile
from PIL import Image
from pydicom.dataset import FileMetaDataset
from pydicom.pixels import apply_modality_lut, apply_voi_lut
from pydicom.uid import ExplicitVRLittleEndian, RLELossless


def scan(number, side):
    """Smooth shapes with the noise of a detector, 12 bits."""
    random = np.random.default_rng(number)
    y, x = np.mgrid[:side, :side] / side
    shapes = sum(np.exp(-((x - a) ** 2 + (y - b) ** 2) / c) for a, b, c in random.random((6, 3)) * [1, 1, 0.1] + [0, 0, 0.01])
    return np.clip(600 * shapes + random.normal(400, 12, (side, side)), 0, 4095).astype(np.uint16)


def dicom(pixels, path, runs):
    dataset = pydicom.Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.SOPClassUID, dataset.SOPInstanceUID = "1.2.840.10008.5.1.4.1.1.1.1", pydicom.uid.generate_uid()
    dataset.Rows, dataset.Columns = pixels.shape
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 16, 12, 11, 0
    dataset.RescaleSlope, dataset.RescaleIntercept = "1", "-100"
    dataset.WindowCenter, dataset.WindowWidth = "1500", "3000"
    dataset.PixelData = pixels.tobytes()
    if runs:
        dataset.compress(RLELossless)
    dataset.save_as(path, enforce_file_format=True)


def make(folder, count, side):
    writers = {
        "dicom": lambda pixels, path: dicom(pixels, path.with_suffix(".dcm"), False),
        "dicom-rle": lambda pixels, path: dicom(pixels, path.with_suffix(".dcm"), True),
        "tiff": lambda pixels, path: tifffile.imwrite(path.with_suffix(".tif"), pixels),
        "tiff-deflate": lambda pixels, path: tifffile.imwrite(path.with_suffix(".tif"), pixels, compression="zlib", predictor=True),
    }
    for i in range(count):
        pixels = scan(i, side)
        for name, write in writers.items():
            (pathlib.Path(folder) / name).mkdir(exist_ok=True)
            write(pixels, pathlib.Path(folder) / name / f"{i:05}")


def small(path):
    if path.suffix == ".dcm":
        dataset = pydicom.dcmread(path)
        shown = apply_voi_lut(apply_modality_lut(dataset.pixel_array, dataset), dataset)
        low, high = -100, 4095 - 100  # what the window's output spans
    else:
        shown, low, high = tifffile.imread(path), 0, 4095
    bytes_ = np.clip((shown - low) * (255 / (high - low)) + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(Image.fromarray(bytes_).resize((224, 224), Image.BILINEAR))


def files(folder):
    return sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix in (".dcm", ".tif"))


def rate(folder):
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for path in files(folder):
            small(path)
        best = min(best, time.process_time() - start)
    print(json.dumps({"imagesPerCoreSecond": len(files(folder)) / best}))


command, folder, *rest = sys.argv[1:]
if command == "make":
    make(folder, int(rest[0]), int(rest[1]))
elif command == "rate":
    rate(folder)
else:
    np.stack([small(path) for path in files(folder)]).tofile(rest[0])
