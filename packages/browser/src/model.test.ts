import { expect, test } from 'vitest';
import { checkModel } from './exportedModel.js';
import { heatMapOf } from './heatMap.js';
import { jpegComponents } from './images/jpegComponents.js';
import { turned } from './images/turn.js';
import { normalizePixels } from './normalizePixels.js';

const model = {
  format: 'anyclass',
  network: 'tresnet-s',
  precision: 'float32',
  classes: ['crack'],
  preprocessing: {
    width: 4,
    height: 4,
    fit: 'fill',
    resize: 'triangle',
    channels: 3,
    mean: [0.5],
    std: [0.25],
  },
  calibration: null,
  decision: { thresholds: [0.5], presence: 0 },
};

test.each([
  ['another program’s file', { name: 'x' }, /does not describe an exported model/],
  ['a number', 7, /config\.json does not describe/],
  ['no classes', { ...model, classes: undefined }, /classes/],
  ['no decision', { ...model, decision: {} }, /decision/],
  ['another filter', { ...model, preprocessing: { ...model.preprocessing, resize: 'cubic' } }, /cubic/],
  ['feature vectors', { ...model, preprocessing: { features: ['width'] } }, /feature vectors/],
  ['no size', { ...model, preprocessing: { ...model.preprocessing, width: 0 } }, /size/],
])('a configuration with %s is refused with the reason', (_, value, message) => {
  expect(() => checkModel(value, 'config.json')).toThrow(message);
});

test('what export writes passes the check', () => {
  expect(() => checkModel(model, 'config.json')).not.toThrow();
});

test('bytes become floats on three planes', () => {
  const gray = normalizePixels(Uint8Array.of(0, 51), { channels: 1, mean: [0.1], std: [0.5] });
  expect([...gray]).toEqual([-0.2, 0.2, -0.2, 0.2, -0.2, 0.2].map((value) => expect.closeTo(value, 6)));
  const color = normalizePixels(Uint8Array.of(255, 0, 51), {
    channels: 3,
    mean: [0, 0.5, 0],
    std: [1, 0.5, 2],
  });
  expect([...color]).toEqual([1, -1, 0.1].map((value) => expect.closeTo(value, 6)));
});

test('a heat map shows only evidence for its class', () => {
  const cam = Float32Array.of(9, 9, 9, 9, -1, 0, 2, 4);
  expect(heatMapOf(cam, [1, 2, 2, 2], 1)).toEqual({
    width: 2,
    height: 2,
    values: Float32Array.of(0, 0, 0.5, 1),
    peak: 4,
  });
  expect(
    heatMapOf(
      cam.map((value) => -Math.abs(value)),
      [1, 2, 2, 2],
      0,
    ).values,
  ).toEqual(new Float32Array(4));
});

test('pictures are turned clockwise, then mirrored', () => {
  const stored = Uint8Array.of(1, 2, 3, 4, 5, 6); // two rows of three
  const upright = { width: 2, height: 3, channels: 1 } as const;
  expect([...turned(stored, { quarters: 1, isMirrored: false }, upright)]).toEqual([4, 1, 5, 2, 6, 3]);
  expect([...turned(stored, { quarters: 1, isMirrored: true }, upright)]).toEqual([1, 4, 2, 5, 3, 6]);
  expect([...turned(stored, { quarters: 3, isMirrored: false }, upright)]).toEqual([3, 6, 2, 5, 1, 4]);
  const wide = { width: 3, height: 2, channels: 1 } as const;
  expect([...turned(stored, { quarters: 2, isMirrored: false }, wide)]).toEqual([6, 5, 4, 3, 2, 1]);
});

test('the number of JPEG components is read from the frame, after other segments', () => {
  const comment = [0xff, 0xfe, 0, 4, 1, 2];
  const frame = [0xff, 0xc2, 0, 17, 8, 0, 1, 0, 1, 3, 0, 0];
  expect(jpegComponents(Uint8Array.of(0xff, 0xd8, ...comment, 0xff, ...frame))).toBe(3);
  expect(jpegComponents(Uint8Array.of(0xff, 0xd8, ...comment))).toBeUndefined();
  expect(jpegComponents(Uint8Array.of(137, 80, 78, 71))).toBeUndefined();
});
