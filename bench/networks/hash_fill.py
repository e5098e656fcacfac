"""The weights that both sides of a comparison start from: a hash of each entry's name and position."""

import numpy as np
import torch


def hash_uniform(name, count, salt=0):
    seed = 0x811C9DC5
    for byte in name.encode():
        seed = ((seed ^ byte) * 0x01000193) & 0xFFFFFFFF
    h = (np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x9E3779B1)) ^ np.uint32(seed ^ salt)
    h = (h ^ (h >> np.uint32(15))) * np.uint32(0x85EBCA77)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE3D)
    return (h ^ (h >> np.uint32(16))).astype(np.float64) / 2**32


def scaled(name, shape, u, negative_norm_weights):
    if len(shape) >= 2:
        return (u - 0.5) * 2 * np.sqrt(3 / (u.size / shape[0]))
    if name.endswith("weight"):
        return np.where(negative_norm_weights & (u < 0.3), -(0.5 + u), 0.5 + u)
    return 0.5 + u if name.endswith("running_var") else (u - 0.5) * 0.2


@torch.no_grad()
def fill(module, salt=0, negative_norm_weights=False):
    for name, entry in module.state_dict().items():
        if entry.is_floating_point():
            u = hash_uniform(name, entry.numel(), salt)
            values = scaled(name, entry.shape, u, negative_norm_weights).astype(np.float32)
            entry.copy_(torch.from_numpy(values).reshape(entry.shape))
    return module


def images(batch, size, salt=0):
    values = 2 * hash_uniform("input", batch * 3 * size * size, salt) - 1
    return torch.from_numpy(values).float().reshape(batch, 3, size, size)
