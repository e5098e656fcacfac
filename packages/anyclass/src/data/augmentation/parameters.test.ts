import fc from 'fast-check';
import { expect, test } from 'vitest';
import { augmentations, drawParameters } from './parameters.js';

const all = {
  resizedCrop: { scale: [0.08, 1], ratio: [3 / 4, 4 / 3] },
  rotation: 5,
  jitter: { brightness: 0.1, contrast: 0.2, saturation: 0.3, hue: 0.1 },
  flip: 0.5,
  erasing: { probability: 0.25, scale: [0.02, 0.33], ratio: [0.3, 3.3] },
} as const;
const size = { width: 224, height: 192 };

test('parameters depend on seed, epoch and index alone', () => {
  const draw = (seed: number, epoch: number, index: number) =>
    drawParameters(all, { seed, epoch, index, ...size });
  expect(draw(1, 2, 3)).toEqual(draw(1, 2, 3));
  for (const other of [draw(2, 2, 3), draw(1, 3, 3), draw(1, 2, 4)]) expect(other).not.toEqual(draw(1, 2, 3));
});

test('every parameter stays within its range, and boxes within the image', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (epoch, index) => {
      const { crop, angle, colour, erase } = drawParameters(all, { seed: 0, epoch, index, ...size });
      for (const box of [crop, erase]) {
        if (!box) continue;
        expect(Math.min(box.top, box.left)).toBeGreaterThanOrEqual(0);
        expect(box.top + box.height).toBeLessThanOrEqual(size.height);
        expect(box.left + box.width).toBeLessThanOrEqual(size.width);
        expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(1);
      }
      expect(Math.abs(angle)).toBeLessThanOrEqual(5);
      for (const { kind, factor } of colour) {
        expect(Math.abs(kind === 'hue' ? factor : factor - 1)).toBeLessThanOrEqual(all.jitter[kind]);
      }
    }),
  );
});

test('flips, erasures, factors and orders have their frequencies', () => {
  const drawn = Array.from({ length: 4000 }, (_, index) =>
    drawParameters(all, { seed: 3, epoch: 0, index, ...size }),
  );
  const share = (of: (one: (typeof drawn)[number]) => boolean) => drawn.filter(of).length / drawn.length;
  expect(Math.abs(share(({ flip }) => flip) - 0.5)).toBeLessThan(0.03);
  expect(Math.abs(share(({ erase }) => erase !== undefined) - 0.25)).toBeLessThan(0.03);
  expect(Math.abs(share(({ angle }) => angle > 2.5) - 0.25)).toBeLessThan(0.03);
  const orders = new Map<string, number>();
  for (const { colour } of drawn) {
    const order = colour.map(({ kind }) => kind).join();
    orders.set(order, (orders.get(order) ?? 0) + 1);
  }
  expect(orders.size).toBe(24);
  expect(Math.min(...orders.values())).toBeGreaterThan(100);
});

test('without augmentation nothing happens', () => {
  expect(drawParameters(augmentations.none, { seed: 0, epoch: 0, index: 0, ...size })).toEqual({
    crop: undefined,
    angle: 0,
    colour: [],
    flip: false,
    erase: undefined,
  });
});
