"""How Python users load images: Pillow's decoding and torchvision's transforms.

    python3 bench/data/pillow_peer.py make FOLDER COUNT WIDTH HEIGHT jpg|png   photographs as files
    python3 bench/data/pillow_peer.py rate FOLDER                      images per second of one core, as JSON
    python3 bench/data/pillow_peer.py augment SIDE [CASE] [CORES]      the same, of an augmentation of decoded images; on two cores, by the clock
    python3 bench/data/pillow_peer.py resize FOLDER OUT                224 x 224 pixels of every file, one after another
"""
import io
import json
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from PIL import Image

MEAN, STD = [0.47, 0.447, 0.408], [0.233, 0.228, 0.231]


def photographs():
    """The photographs in the folder PHOTOGRAPHS, else scikit-learn's two samples."""
    folder = os.environ.get('PHOTOGRAPHS')
    if folder is None:
        import sklearn

        folder = os.path.join(os.path.dirname(sklearn.__file__), 'datasets', 'images')
    names = sorted(name for name in os.listdir(folder) if name.endswith('.jpg'))
    return [Image.open(os.path.join(folder, name)).convert('RGB') for name in names]


def make(folder, count, width, height, extension):
    sources = photographs()
    for i in range(count):
        source = sources[i % len(sources)]
        # A different crop of the photograph each time, so no two files are the same.
        left, top = (i * 7) % 60, (i * 5) % 40
        part = source.crop((left, top, source.width - 60 + left, source.height - 40 + top))
        part.resize((width, height), Image.BICUBIC).save(os.path.join(folder, f'{i:05}.{extension}'), quality=90)


def transforms():
    sys.path.append(os.path.join(os.path.dirname(__file__), '..'))
    import torchvision_anywhere  # noqa: F401
    import torchvision.transforms

    return torchvision.transforms


def rate(folder):
    import torch
    T = transforms()
    torch.set_num_threads(1)
    transform = T.Compose([T.Resize((224, 224)), T.ToTensor(), T.Normalize(MEAN, STD)])
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(('.jpg', '.png'))]
    best = float('inf')
    for _ in range(3):
        start = time.process_time()
        for file in files:
            transform(Image.open(file).convert('RGB'))
        best = min(best, time.process_time() - start)
    print(json.dumps({'imagesPerCoreSecond': len(files) / best}))


def changes(T, name, side):
    """The same changes as in bench/data/augmenting.ts."""
    flip = T.RandomHorizontalFlip()
    bilinear = T.InterpolationMode.BILINEAR
    return {
        'jitter': lambda: [T.ColorJitter(0.1, 0.1, 0.1, 0.1), flip],
        'crops': lambda: [T.RandomResizedCrop(side, (0.35, 1)), T.RandomRotation(10, bilinear), T.ColorJitter(0.3, 0.3, 0.3), flip],
        'trivial': lambda: [flip, T.TrivialAugmentWide()],
        'blur': lambda: [flip, T.GaussianBlur(13, (0.1, 2))],
        'jpeg': lambda: [flip, T.Lambda(jpeg)],
    }[name]()


def jpeg(image):
    """As torchvision's v2.JPEG, whose encoder is not in every build: a file in memory and back."""
    file = io.BytesIO()
    image.save(file, 'jpeg', quality=random.randint(30, 90))
    return Image.open(file)


def augment_loop(side, name, rounds):
    import torch
    T = transforms()
    torch.set_num_threads(1)
    transform = T.Compose([*changes(T, name, side), T.ToTensor(), T.Normalize(MEAN, STD)])
    images = [image.resize((side, side)) for image in photographs()] * 64
    for image in images[:2]:
        transform(image)
    seconds = []
    for _ in range(rounds):
        cpu, clock = time.process_time(), time.perf_counter()
        for image in images:
            transform(image)
        seconds.append((time.process_time() - cpu, time.perf_counter() - clock))
    return len(images), seconds


def augment(side, name='jitter', cores='1'):
    if cores == '1':
        count, seconds = augment_loop(int(side), name, 3)
        print(json.dumps({'rate': count / min(cpu for cpu, _ in seconds)}))
        return
    with ProcessPoolExecutor(int(cores)) as pool:
        results = [pool.submit(augment_loop, int(side), name, 3) for _ in range(int(cores))]
        print(json.dumps({'rate': sum(count / min(clock for _, clock in seconds) for count, seconds in (r.result() for r in results))}))


def resize(folder, out):
    files = sorted(name for name in os.listdir(folder) if name.endswith(('.jpg', '.png')))
    images = [Image.open(os.path.join(folder, f)).convert('RGB').resize((224, 224), Image.BILINEAR) for f in files]
    np.stack([np.asarray(image) for image in images]).tofile(out)


if __name__ == '__main__':
    command, *arguments = sys.argv[1:]
    {
        'make': lambda folder, count, width, height, extension='jpg': make(folder, int(count), int(width), int(height), extension),
        'rate': rate,
        'augment': augment,
        'resize': resize,
    }[command](*arguments)
