import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Augmentation,
  augmentations,
  colorChanges,
  drawParameters,
  type Jitter,
  pixelChangesPerImage,
} from './parameters.js';

const all = {
  resizedCrop: { scale: [0.08, 1], ratio: [3 / 4, 4 / 3] },
  rotation: 5,
  jitter: { brightness: 0.1, contrast: 0.2, saturation: 0.3, hue: 0.1 },
  flip: 0.5,
  erasing: { probability: 0.25, scale: [0.02, 0.33], ratio: [0.3, 3.3] },
} as const;
const size = { width: 224, height: 192 };

const kinds: readonly (keyof Jitter)[] = ['brightness', 'contrast', 'saturation', 'hue'];

/** The parameters of one image, decoded from the rows of numbers. */
function draw(augmentation: Augmentation, seed: number, epoch: number, index: number) {
  const { crops, angles, pixelChanges, erased } = drawParameters(augmentation, {
    seed,
    epoch,
    indices: [index],
    ...size,
  });
  const color = [1, 3, 5, 7].flatMap((at) => {
    const kind = kinds.find((one) => colorChanges[one] === pixelChanges[at]);
    return kind ? [{ kind, factor: pixelChanges[at + 1]! }] : [];
  });
  return {
    crop: crops?.[0],
    angle: angles?.[0] ?? 0,
    flip: pixelChanges[0] === 1,
    color,
    erase: erased?.[0],
  };
}

test('parameters depend only on seed, epoch, and index', () => {
  expect(draw(all, 1, 2, 3)).toEqual(draw(all, 1, 2, 3));
  for (const [seed, epoch, index] of [
    [2, 2, 3],
    [1, 3, 3],
    [1, 2, 4],
  ] as const) {
    expect(draw(all, seed, epoch, index)).not.toEqual(draw(all, 1, 2, 3));
  }
});

test('an image has the same parameters in every batch', () => {
  const together = drawParameters(all, { seed: 1, epoch: 2, indices: Int32Array.of(8, 3, 5), ...size });
  const alone = drawParameters(all, { seed: 1, epoch: 2, indices: [5], ...size });
  expect(together.crops?.[2]).toEqual(alone.crops?.[0]);
  expect(together.angles?.[2]).toBe(alone.angles?.[0]);
  expect(together.pixelChanges.slice(2 * pixelChangesPerImage)).toEqual(alone.pixelChanges);
  expect(together.erased?.[2]).toEqual(alone.erased?.[0]);
});

test('every parameter stays within its range, and boxes within the image', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (epoch, index) => {
      const { crop, angle, color, erase } = draw(all, 0, epoch, index);
      for (const box of [crop, erase]) {
        if (!box) continue;
        expect(Math.min(box.top, box.left)).toBeGreaterThanOrEqual(0);
        expect(box.top + box.height).toBeLessThanOrEqual(size.height);
        expect(box.left + box.width).toBeLessThanOrEqual(size.width);
        expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(1);
      }
      expect(Math.abs(angle)).toBeLessThanOrEqual(5);
      expect(color.map(({ kind }) => kind).sort()).toEqual([...kinds].sort());
      for (const { kind, factor } of color) {
        const most = all.jitter[kind] + 1e-7; // factors are float32
        expect(Math.abs(kind === 'hue' ? factor : factor - 1)).toBeLessThanOrEqual(most);
      }
    }),
  );
});

test('flips, erasures, angles, and orders have the expected frequencies', () => {
  const drawn = Array.from({ length: 4000 }, (_, index) => draw(all, 3, 0, index));
  const share = (of: (one: (typeof drawn)[number]) => boolean) => drawn.filter(of).length / drawn.length;
  expect(Math.abs(share(({ flip }) => flip) - 0.5)).toBeLessThan(0.03);
  expect(Math.abs(share(({ erase }) => erase !== undefined) - 0.25)).toBeLessThan(0.03);
  expect(Math.abs(share(({ angle }) => angle > 2.5) - 0.25)).toBeLessThan(0.03);
  const orders = new Map<string, number>();
  for (const { color } of drawn) {
    const order = color.map(({ kind }) => kind).join();
    orders.set(order, (orders.get(order) ?? 0) + 1);
  }
  expect(orders.size).toBe(24);
  expect(Math.min(...orders.values())).toBeGreaterThan(100);
});

test('a change with a range of 0 is not applied', () => {
  const jitter = { brightness: 0, contrast: 0.2, saturation: 0, hue: 0.1 };
  expect(
    draw({ jitter }, 0, 0, 7)
      .color.map(({ kind }) => kind)
      .sort(),
  ).toEqual(['contrast', 'hue']);
});

test('without augmentation nothing happens', () => {
  expect(draw(augmentations.none, 0, 0, 0)).toEqual({
    crop: undefined,
    angle: 0,
    color: [],
    flip: false,
    erase: undefined,
  });
});
