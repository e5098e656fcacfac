// Calls to network layers and losses.

import { constant, each, integers, type OperatorExample, smooth, t } from './example.js';

export const layers: readonly OperatorExample[] = [
  smooth('conv2d', t(2, 2, 5, 4), t(4, 1, 3, 2), t(4), [2, 1], [1, 0], [1, 2], 2),
  smooth(
    'batchNorm',
    t(4, 3, 2, 2),
    t(3),
    t(3),
    constant([3], [0, 1, 2]),
    constant([3], [1, 2, 3]),
    true,
    0.1,
    1e-5,
    true,
  ),
  smooth(
    'batchNorm',
    t(4, 3),
    t(3),
    t(3),
    constant([3], [0, 1, 2]),
    constant([3], [1, 2, 3]),
    false,
    0.1,
    1e-5,
    true,
  ),
  smooth('layerNorm', t(2, 3, 4), [3, 4], t(3, 4), t(3, 4), 1e-5, true),
  smooth('groupNorm', t(2, 4, 3), 2, t(4), t(4), 1e-5, true),
  smooth('maxPool2d', t(1, 2, 5, 5), [3, 2], [2, 1], [1, 0], [1, 2], true),
  smooth('avgPool2d', t(1, 2, 5, 5), [3, 2], [2, 1], [1, 0], true, false, 5),
  smooth('adaptiveAvgPool2d', t(1, 2, 5, 5), [2, 3]),
  smooth('adaptiveMaxPool2d', t(1, 2, 5, 5), [2, 3]),
  smooth('pad', t(1, 2, 3, 3), [1, 2, 0, 1], 'constant', 0.5),
  smooth('pad', t(1, 2, 3, 3), [1, 2, 0, 1], 'reflect'),
  smooth('pad', t(1, 2, 3, 3), [1, 2, 0, 1], 'replicate'),
  smooth('pad', t(1, 2, 3, 3), [1, 2, 0, 1], 'circular'),
  smooth('pixelShuffle', t(1, 4, 2, 2), 2),
  smooth('pixelUnshuffle', t(1, 1, 4, 4), 2),
  smooth('gridSampler', t(1, 2, 4, 4), { shape: [1, 3, 3, 2], scale: 0.9 }, 0, 0, false),
  smooth('gridSampler', t(1, 2, 4, 4), { shape: [1, 3, 3, 2], scale: 0.9 }, 2, 2, true),
  smooth('affineGridGenerator', t(1, 2, 3), [1, 2, 3, 3], false),
  smooth('upsampleBicubic2d', t(1, 2, 3, 3), [5, 4], true, null, null),
  smooth('upsampleBilinear2d', t(1, 2, 3, 3), [5, 4], false, 1.7, 1.4),
  smooth('upsampleNearest2d', t(1, 2, 3, 3), [5, 4], null, null),
];

export const losses: readonly OperatorExample[] = [
  smooth('crossEntropyLoss', t(3, 4), integers([3], [0, 3, 2]), constant([4], [1, 2, 0.5, 1]), 1, -100, 0.1),
  smooth('crossEntropyLoss', t(2, 4, 3), integers([2, 3], [0, 3, 2, 1, -100, 1]), null, 2, -100, 0),
  smooth(
    'binaryCrossEntropyWithLogits',
    t(3, 4),
    constant([3, 4], [0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0]),
    constant([4], [1, 2, 0.5, 1]),
    constant([4], [1, 2, 0.5, 1]),
    0,
  ),
  ...each(['mseLoss', 'l1Loss'], t(2, 3), t(2, 3), 2),
  smooth('smoothL1Loss', t(2, 3), t(2, 3), 1, 0.7),
];
