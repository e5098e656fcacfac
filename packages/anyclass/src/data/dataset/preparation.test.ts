import { expect, test } from 'vitest';
import { photographPreparation } from './dataset.js';
import { changedPreparation, pixelFormat } from './preparation.js';

test('unchanged fields stay the same', () => {
  expect(changedPreparation(photographPreparation, {})).toEqual(photographPreparation);
  const changed = changedPreparation(photographPreparation, { mean: [0.1, 0.2, 0.3] });
  expect(changed).toEqual({ ...photographPreparation, mean: [0.1, 0.2, 0.3] });
});

test('statistics follow the channels: the luma of the colors, or the gray value for all', () => {
  const gray = changedPreparation(photographPreparation, { channels: 1 });
  expect(gray.mean).toHaveLength(1);
  expect(gray.mean[0]).toBeCloseTo(0.299 * 0.485 + 0.587 * 0.456 + 0.114 * 0.406, 12);
  const color = changedPreparation({ channels: 1, mean: [0.5], std: [0.2] }, { channels: 3 });
  expect(color).toEqual({ channels: 3, mean: [0.5, 0.5, 0.5], std: [0.2, 0.2, 0.2] });
});

test('statistics for another number of channels are refused with their field', () => {
  expect(() => changedPreparation(photographPreparation, { std: [0.1] })).toThrow(
    'data.std has 1 number; expected 3, one for each channel',
  );
  expect(() => changedPreparation(photographPreparation, { channels: 1, mean: [0.1, 0.2] })).toThrow(
    'data.mean has 2 numbers; expected 1',
  );
});

test('window and frame are kept unless changed, and are part of the format', () => {
  const scans = { ...photographPreparation, window: [0, 4095], frame: 'middle' } as const;
  expect(changedPreparation(scans, {})).toEqual(scans);
  const changed = changedPreparation(scans, { window: 'auto', channels: 1 });
  expect(pixelFormat(64, changed)).toEqual({
    width: 64,
    height: 64,
    channels: 1,
    window: 'auto',
    frame: 'middle',
  });
});
