import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readDigits } from './digits.js';
import { readMnist } from './mnist.js';
import { sceneDigits } from './scene.js';

const digits = readDigits({});

test("55 to 60% of each split's scenes are negative, and most of those are not empty", () => {
  const { splits } = digits.fixedSplits!;
  for (const [code, rows] of [splits.train, splits.validation, splits.test].entries()) {
    const negative = rows.filter((row) => digits.labels.presence(row) === 'negative');
    expect(negative.length / rows.length).toBeGreaterThan(0.55);
    expect(negative.length / rows.length).toBeLessThan(0.6);
    const empty = negative.filter((row) => sceneDigits(0, code, row - rows[0]!).length === 0);
    expect(empty.length / negative.length).toBeLessThan(0.3);
  }
});

test('the six classes have a long tail', () => {
  const counts = digits.classes.map(
    (_, j) => digits.fixedSplits!.splits.train.filter((row) => digits.labels.at(row, j) === 1).length,
  );
  expect(counts).toEqual([...counts].sort((a, b) => b - a));
  expect(counts[0]! / counts[5]!).toBeGreaterThan(10);
});

test('scenes are the same bytes on every machine', async () => {
  const hash = createHash('sha256');
  for (const row of [0, 19_999, 20_000, 24_000, 27_999]) {
    const image = await digits.images.read(row);
    if (image.kind !== 'pixels') throw new Error('expected pixels');
    expect([image.width, image.height, image.pixels.length]).toEqual([64, 64, 4096]);
    hash.update(image.pixels);
  }
  expect(hash.digest('hex')).toMatchInlineSnapshot(
    `"d9059df7a36793cbd8858dddf006a3ab2b3b0d1f5f709498fa68b55102a1c156"`,
  );
});

test("MNIST's first test images show 7, 2, 1, 0, 4", async () => {
  const { labels, pixels } = await readMnist('test');
  expect([...labels.subarray(0, 5)]).toEqual([7, 2, 1, 0, 4]);
  expect(pixels.length).toBe(10_000 * 784);
});
