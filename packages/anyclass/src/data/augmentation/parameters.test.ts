import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Affine, type Box, colorKinds, numbersPerImage } from './changes.js';
import { type Augmentation, augmentations, drawChanges, drawOne } from './parameters.js';

const all = {
  resizedCrop: { scale: [0.08, 1], ratio: [3 / 4, 4 / 3] },
  rotation: 5,
  zoom: [0.5, 2],
  jitter: { brightness: 0.1, contrast: 0.2, saturation: 0.3, hue: 0.1 },
  flip: 0.5,
  verticalFlip: 0.2,
  erasing: { probability: 0.25, scale: [0.02, 0.33], ratio: [0.3, 3.3] },
} as const satisfies Augmentation;
const size = { width: 224, height: 192 };

function draw(augmentation: Augmentation, seed: number, epoch: number, index: number) {
  return drawOne(augmentation, index, { seed, epoch, size });
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
  const options = { seed: 1, epoch: 2, size };
  const together = drawChanges(all, Int32Array.of(8, 3, 5), options);
  expect(together.slice(2 * numbersPerImage)).toEqual(drawChanges(all, [5], options));
});

test('every parameter stays within its range, and boxes within the image', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (epoch, index) => {
      const { map, part, colors: color, erased } = draw(all, 0, epoch, index);
      for (const box of [part, erased]) {
        if (!box) continue;
        expect(Math.min(box.top, box.left)).toBeGreaterThanOrEqual(0);
        expect(box.top + box.height).toBeLessThanOrEqual(size.height);
        expect(box.left + box.width).toBeLessThanOrEqual(size.width);
        expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(1);
      }
      const { angle, zoom } = turnOf(map, part);
      expect(Math.abs(angle)).toBeLessThanOrEqual(5 + 1e-9);
      expect(Math.abs(Math.log2(zoom))).toBeLessThanOrEqual(1 + 1e-9);
      expect(color.map(({ kind }) => kind).sort()).toEqual([...colorKinds].sort());
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
  expect(Math.abs(share(({ map }) => map[0] < 0) - 0.5)).toBeLessThan(0.03);
  expect(Math.abs(share(({ map }) => map[4] < 0) - 0.2)).toBeLessThan(0.03);
  expect(Math.abs(share(({ erased }) => erased !== undefined) - 0.25)).toBeLessThan(0.03);
  expect(Math.abs(share(({ map, part }) => turnOf(map, part).angle > 2.5) - 0.25)).toBeLessThan(0.03);
  expect(Math.abs(share(({ map, part }) => turnOf(map, part).zoom > 1) - 0.5)).toBeLessThan(0.03);
  const orders = new Map<string, number>();
  for (const { colors } of drawn) {
    const order = colors.map(({ kind }) => kind).join();
    orders.set(order, (orders.get(order) ?? 0) + 1);
  }
  expect(orders.size).toBe(24);
  expect(Math.min(...orders.values())).toBeGreaterThan(100);
});

test('a change with a range of 0 is not applied', () => {
  const jitter = { brightness: 0, contrast: 0.2, saturation: 0, hue: 0.1 };
  expect(
    draw({ jitter }, 0, 0, 7)
      .colors.map(({ kind }) => kind)
      .sort(),
  ).toEqual(['contrast', 'hue']);
});

test('without augmentation nothing happens', () => {
  expect(draw(augmentations.none, 0, 0, 0)).toEqual({
    map: [1, 0, 0, 0, 1, 0],
    part: { top: 0, left: 0, ...size },
    interpolation: 'bilinear',
    colors: [],
    erased: undefined,
  });
});

/** The angle and zoom of a map, whatever is mirrored; both are taken in the result, before the part is stretched. */
function turnOf([xx, , , yx]: Affine, part: Box): { angle: number; zoom: number } {
  const [cosine, sine] = [(xx * size.width) / part.width, (yx * size.height) / part.height];
  const sign = Math.sign(cosine);
  return {
    angle: (Math.atan2(sign * sine, sign * cosine) * 180) / Math.PI,
    zoom: 1 / Math.hypot(cosine, sine),
  };
}

test('a trivial augmentation makes one change of nine, up to its strength, and leaves the other draws as they are', () => {
  const whole: Box = { top: 0, left: 0, ...size };
  const counts = new Map<string, number>();
  for (let index = 0; index < 1800; index++) {
    const { map, part, colors } = draw({ trivial: 0.5 }, 1, 0, index);
    expect(part).toEqual(whole);
    const [xx, xy, x0, yx, yy, y0] = map;
    const isMoved = xx !== 1 || xy !== 0 || x0 !== 0 || yx !== 0 || yy !== 1 || y0 !== 0;
    expect(isMoved && colors.length > 0).toBe(false);
    for (const { factor } of colors) expect(Math.abs(factor - 1)).toBeLessThanOrEqual(0.495);
    const kind = !isMoved
      ? (colors[0]?.kind ?? 'none')
      : xx !== 1
        ? 'rotation'
        : xy !== 0
          ? 'shear x'
          : yx !== 0
            ? 'shear y'
            : x0 !== 0
              ? 'shift x'
              : 'shift y';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (kind === 'shear x') expect(Math.abs(xy)).toBeLessThanOrEqual(0.495);
    if (kind === 'shift x') expect(Math.abs(x0)).toBeLessThanOrEqual((0.5 * size.width) / 7);
  }
  expect([...counts.keys()].sort()).toEqual([
    'brightness',
    'contrast',
    'none',
    'rotation',
    'saturation',
    'shear x',
    'shear y',
    'shift x',
    'shift y',
  ]);
  for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(70);
  const { part, erased } = draw({ ...all, trivial: 1 }, 3, 0, 5);
  expect({ part, erased }).toEqual((({ part, erased }) => ({ part, erased }))(draw(all, 3, 0, 5)));
});
