"""TResNet (arXiv 2003.13630) as plain PyTorch, with the published names, and our small one."""

from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn

# Blocks by stage, width, and the side of the squares that the stem moves into the channels.
SHAPES = {
    "tresnet-s": ([2, 2, 4, 2], 0.5, 2),
    "tresnet-m": ([3, 4, 11, 3], 1.0, 4),
    "tresnet-l": ([4, 5, 18, 3], 1.2, 4),
    "tresnet-xl": ([4, 5, 24, 3], 1.3, 4),
}


class ActivatedBatchNorm(nn.BatchNorm2d):
    def __init__(self, channels, slope=None):
        super().__init__(channels)
        self.slope = slope

    def forward(self, x):
        if self.training:
            self.num_batches_tracked.add_(1)
        scale = self.weight.abs() + self.eps
        x = F.batch_norm(
            x, self.running_mean, self.running_var, scale, self.bias, self.training, self.momentum, self.eps
        )
        return x if self.slope is None else F.leaky_relu(x, self.slope, inplace=True)


class SpaceToDepth(nn.Module):
    def __init__(self, square):
        super().__init__()
        self.square = square

    def forward(self, x):
        n, c, h, w = x.shape
        s = self.square
        x = x.view(n, c, h // s, s, w // s, s).permute(0, 3, 5, 1, 2, 4).contiguous()
        return x.view(n, c * s * s, h // s, w // s)


class Downsample(nn.Module):
    def __init__(self, channels):
        super().__init__()
        row = torch.tensor([1.0, 2.0, 1.0]) / 4
        self.register_buffer("filt", torch.outer(row, row).expand(channels, 1, 3, 3).clone())

    def forward(self, x):
        return F.conv2d(F.pad(x, (1, 1, 1, 1), "reflect"), self.filt, stride=2, groups=x.shape[1])


class BlurPool(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.op = Downsample(channels)

    def forward(self, x):
        return self.op(x)


class SqueezeExcite(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.fc1 = nn.Conv2d(channels, hidden, 1)
        self.fc2 = nn.Conv2d(hidden, channels, 1)

    def forward(self, x):
        scale = x.mean((2, 3), keepdim=True)
        return x * torch.sigmoid(self.fc2(F.relu(self.fc1(scale), inplace=True)))


def conv_norm(inputs, outputs, kernel, slope=None):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False), ActivatedBatchNorm(outputs, slope)
    )


def blurred(layer, channels, stride):
    return layer if stride == 1 else nn.Sequential(layer, BlurPool(channels))


def shortcut(inputs, outputs, stride):
    if stride == 1:
        return None
    pool = nn.AvgPool2d(2, 2, ceil_mode=True, count_include_pad=False)
    return nn.Sequential(pool, conv_norm(inputs, outputs, 1))


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inputs, planes, stride, use_se):
        super().__init__()
        self.conv1 = blurred(conv_norm(inputs, planes, 3, 1e-3), planes, stride)
        self.conv2 = conv_norm(planes, planes, 3)
        self.downsample = shortcut(inputs, planes, stride)
        self.se = SqueezeExcite(planes, max(planes // 4, 64)) if use_se else None

    def forward(self, x):
        residual = x if self.downsample is None else self.downsample(x)
        out = self.conv2(self.conv1(x))
        if self.se is not None:
            out = self.se(out)
        out += residual
        return F.relu(out, inplace=True)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, planes, stride, use_se):
        super().__init__()
        self.conv1 = conv_norm(inputs, planes, 1, 1e-3)
        self.conv2 = blurred(conv_norm(planes, planes, 3, 1e-3), planes, stride)
        self.conv3 = conv_norm(planes, planes * 4, 1)
        self.downsample = shortcut(inputs, planes * 4, stride)
        self.se = SqueezeExcite(planes, max(planes * 4 // 8, 64)) if use_se else None

    def forward(self, x):
        residual = x if self.downsample is None else self.downsample(x)
        out = self.conv2(self.conv1(x))
        if self.se is not None:
            out = self.se(out)
        out = self.conv3(out) + residual
        return F.relu(out, inplace=True)


def stage(block, inputs, planes, count, stride, use_se):
    blocks = [block(inputs, planes, stride, use_se)]
    blocks += [block(planes * block.expansion, planes, 1, use_se) for _ in range(count - 1)]
    return nn.Sequential(*blocks)


class TResNet(nn.Module):
    def __init__(self, name, classes):
        super().__init__()
        counts, width, square = SHAPES[name]
        planes = int(64 * width)
        self.body = nn.Sequential(
            OrderedDict(
                [
                    ("SpaceToDepth", SpaceToDepth(square)),
                    ("conv1", conv_norm(3 * square**2, planes, 3, 1e-2)),
                    ("layer1", stage(BasicBlock, planes, planes, counts[0], 1, True)),
                    ("layer2", stage(BasicBlock, planes, planes * 2, counts[1], 2, True)),
                    ("layer3", stage(Bottleneck, planes * 2, planes * 4, counts[2], 2, True)),
                    ("layer4", stage(Bottleneck, planes * 16, planes * 8, counts[3], 2, False)),
                ]
            )
        )
        self.head = nn.Sequential(OrderedDict([("fc", nn.Linear(planes * 32, classes))]))

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))
