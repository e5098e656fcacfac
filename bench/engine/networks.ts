// The networks that the engine is measured with; peer.py has the same ones.

import { nn } from '@anyclass/torch';

const { Conv2d, Flatten, Linear, MaxPool2d, ReLU, Sequential } = nn;

/** Two convolutions and two linear layers over 28 x 28 pixels. */
export function smallNetwork(): nn.Layer {
  return new Sequential(
    new Conv2d(1, 16, { kernel: 3, padding: 1 }),
    new ReLU(),
    new MaxPool2d({ kernel: 2 }),
    new Conv2d(16, 32, { kernel: 3, padding: 1 }),
    new ReLU(),
    new MaxPool2d({ kernel: 2 }),
    new Flatten(),
    new Linear(32 * 7 * 7, 128),
    new ReLU(),
    new Linear(128, 10),
  );
}

/** The shapes of twelve transformer layers of width 592 and a head: 50.8 million parameters. */
export function largeShapes(): number[][] {
  const layer = [
    [1776, 592],
    [1776],
    [592, 592],
    [592],
    [2368, 592],
    [2368],
    [592, 2368],
    [592],
    [592],
    [592],
  ];
  return [...Array.from({ length: 12 }, () => layer).flat(), [592, 592]];
}
