"""MaxViT (arXiv 2204.01697) as plain PyTorch, with torchvision's names and order of operations."""

from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn

CHANNELS = {"maxvit-t": [64, 128, 256, 512], "maxvit-s": [96, 192, 384, 768]}
LAYERS = [2, 2, 5, 2]


def batch_norm(channels):
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.99)


class StochasticDepth(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        kept = x.new_empty([x.shape[0]] + [1] * (x.ndim - 1)).bernoulli_(1 - self.p).div_(1 - self.p)
        return x * kept


class SqueezeExcite(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.fc1 = nn.Conv2d(channels, hidden, 1)
        self.fc2 = nn.Conv2d(hidden, channels, 1)

    def forward(self, x):
        scale = F.silu(self.fc1(F.adaptive_avg_pool2d(x, 1)))
        return torch.sigmoid(self.fc2(scale)) * x


class MBConv(nn.Module):
    def __init__(self, inputs, outputs, stride, p):
        super().__init__()
        hidden = 4 * outputs
        if stride == 2:
            self.proj = nn.Sequential(nn.AvgPool2d(3, 2, 1), nn.Conv2d(inputs, outputs, 1))
        else:
            self.proj = nn.Identity()
        conv_a = nn.Sequential(nn.Conv2d(inputs, hidden, 1, bias=False), batch_norm(hidden), nn.GELU())
        conv_b = nn.Sequential(
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), batch_norm(hidden), nn.GELU()
        )
        self.layers = nn.Sequential(
            OrderedDict(
                pre_norm=batch_norm(inputs),
                conv_a=conv_a,
                conv_b=conv_b,
                squeeze_excitation=SqueezeExcite(hidden, outputs // 4),
                conv_c=nn.Conv2d(hidden, outputs, 1),
            )
        )
        self.stochastic_depth = StochasticDepth(p)

    def forward(self, x):
        return self.proj(x) + self.stochastic_depth(self.layers(x))


def relative_positions(side):
    coordinates = torch.stack(torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")).flatten(1)
    offsets = (coordinates[:, :, None] - coordinates[:, None, :]).permute(1, 2, 0) + side - 1
    return offsets[..., 0] * (2 * side - 1) + offsets[..., 1]


class RelativeAttention(nn.Module):
    def __init__(self, width, side, head=32):
        super().__init__()
        self.heads, self.scale = width // head, width**-0.5
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * side - 1) ** 2, self.heads))
        self.register_buffer("relative_position_index", relative_positions(side))
        self.to_qkv = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)

    def forward(self, x):
        b, g, p, d = x.shape
        q, k, v = torch.chunk(self.to_qkv(x), 3, dim=-1)
        q, k, v = (t.reshape(b, g, p, self.heads, -1).permute(0, 1, 3, 2, 4) for t in (q, k, v))
        scores = torch.einsum("b g h i d, b g h j d -> b g h i j", q, k * self.scale)
        bias = self.relative_position_bias_table[self.relative_position_index.view(-1)]
        bias = bias.view(p, p, -1).permute(2, 0, 1).contiguous()
        weights = F.softmax(scores + bias.unsqueeze(0), dim=-1)
        out = torch.einsum("b g h i j, b g h j d -> b g h i d", weights, v)
        return self.merge(out.permute(0, 1, 3, 2, 4).reshape(b, g, p, d))


class PartitionAttention(nn.Module):
    def __init__(self, width, side, axis, p):
        super().__init__()
        self.side, self.axis = side, axis
        self.attn_layer = nn.Sequential(nn.LayerNorm(width), RelativeAttention(width, side))
        self.mlp_layer = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.stochastic_dropout = StochasticDepth(p)

    def forward(self, x):
        b, c, h, w = x.shape
        window = self.side if self.axis == "window" else h // self.side
        rows, columns = h // window, w // window
        x = x.reshape(b, c, rows, window, columns, window).permute(0, 2, 4, 3, 5, 1)
        x = x.reshape(b, rows * columns, window * window, c)
        if self.axis == "grid":
            x = x.swapaxes(-2, -3)
        x = x + self.stochastic_dropout(self.attn_layer(x))
        x = x + self.stochastic_dropout(self.mlp_layer(x))
        if self.axis == "grid":
            x = x.swapaxes(-2, -3)
        x = x.reshape(b, rows, columns, window, window, c).permute(0, 5, 1, 3, 2, 4)
        return x.reshape(b, c, h, w)


class Layer(nn.Module):
    def __init__(self, inputs, outputs, stride, side, p):
        super().__init__()
        self.layers = nn.Sequential(
            OrderedDict(
                MBconv=MBConv(inputs, outputs, stride, p),
                window_attention=PartitionAttention(outputs, side, "window", p),
                grid_attention=PartitionAttention(outputs, side, "grid", p),
            )
        )

    def forward(self, x):
        return self.layers(x)


class Block(nn.Module):
    def __init__(self, inputs, outputs, side, probabilities):
        super().__init__()
        self.layers = nn.ModuleList(
            Layer(inputs if i == 0 else outputs, outputs, 2 if i == 0 else 1, side, p)
            for i, p in enumerate(probabilities)
        )

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class MaxViT(nn.Module):
    def __init__(self, name, classes, side=7, stochastic_depth=0.2):
        super().__init__()
        channels = CHANNELS[name]
        first = nn.Sequential(nn.Conv2d(3, 64, 3, 2, 1, bias=False), batch_norm(64), nn.GELU())
        self.stem = nn.Sequential(first, nn.Sequential(nn.Conv2d(64, 64, 3, 1, 1)))
        probabilities = iter(torch.linspace(0, stochastic_depth, sum(LAYERS)).tolist())
        self.blocks = nn.ModuleList(
            Block(inputs, outputs, side, [next(probabilities) for _ in range(count)])
            for inputs, outputs, count in zip([64] + channels, channels, LAYERS)
        )
        width = channels[-1]
        self.classifier = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(width), nn.Linear(width, width), nn.Tanh(),
            nn.Linear(width, classes, bias=False),
        )

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.classifier(x)
