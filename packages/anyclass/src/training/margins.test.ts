import { expect, test } from 'vitest';
import { readDigits } from '../data/digits/digits.js';
import { createMargins } from './margins.js';

const { names, classes } = readDigits({ scenes: { train: 4, validation: 0, test: 0 } });
const data = { dataset: { names, classes }, trainingRows: Int32Array.of(1, 3) };
const logits = (first: number) => Float32Array.from({ length: classes.length }, (_, j) => first + j);

test('means over epochs are those of the images that were seen, and go on after a restart', () => {
  const whole = createMargins(data, undefined)!;
  whole.add(Int32Array.of(3), logits(1));
  const resumed = createMargins(data, undefined)!;
  resumed.restore(whole.save());
  for (const margins of [whole, resumed]) {
    // Row 0 is not trained on.
    margins.add(Int32Array.of(0, 3), [...logits(9), ...logits(3)]);
    const { rows, values } = margins.means();
    expect(rows).toEqual([3]);
    expect(Array.from(values)).toEqual(Array.from(logits(2)));
  }
});

test('epochs that only memorize do not count, also after a restart', () => {
  const margins = createMargins(data, undefined)!;
  margins.add(Int32Array.of(3), logits(1));
  margins.endEpoch(2);
  margins.add(Int32Array.of(3), logits(3));
  // A quarter of the first loss is 0.5.
  margins.endEpoch(0.4);
  const resumed = createMargins(data, undefined)!;
  resumed.restore(margins.save());
  for (const each of [margins, resumed]) {
    each.add(Int32Array.of(3), logits(99));
    each.endEpoch(1.9);
    each.add(Int32Array.of(3), logits(99));
    expect(Array.from(each.means().values)).toEqual(Array.from(logits(2)));
  }
});
