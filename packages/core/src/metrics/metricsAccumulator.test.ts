import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { measure } from './measure.js';
import { MetricsAccumulator } from './metricsAccumulator.js';

test('batches in merged accumulators give the same metrics as all rows at once', () => {
  fc.assert(
    fc.property(scoredRows(labelOrUnknown), fc.nat(30), fc.nat(30), (rows, a, b) => {
      const { scores, targets, classNames } = rows;
      const rowCount = scores.length / classNames.length;
      const cuts = [0, ...[a % (rowCount + 1), b % (rowCount + 1)].sort((x, y) => x - y), rowCount];
      const [first, second] = [new MetricsAccumulator(classNames), new MetricsAccumulator(classNames)];
      cuts.slice(1).forEach((end, part) => {
        const from = cuts[part]! * classNames.length;
        const accumulator = part === 1 ? second : first;
        const until = end * classNames.length;
        accumulator.add(scores.slice(from, until), targets.slice(from, until));
      });
      second.merge(first);
      expect(second.rows).toBe(rowCount);
      expect(second.metrics({ threshold: 0.4 })).toEqual(measure(rows, { threshold: 0.4 }));
    }),
  );
});

test("the caller's arrays may be reused", () => {
  const accumulator = new MetricsAccumulator(['a']);
  const scores = new Float32Array([0.9]);
  const targets = new Uint8Array([1]);
  accumulator.add(scores, targets);
  scores[0] = 0;
  targets[0] = 0;
  accumulator.add(scores, targets);
  const { scores: kept, targets: labels } = accumulator.scored();
  expect(kept).toEqual(new Float32Array([0.9, 0]));
  expect([...Array.from(labels)]).toEqual([1, 0]);
});

test('float64 batches among float32 ones keep their digits', () => {
  const accumulator = new MetricsAccumulator(['a']);
  accumulator.add(new Float32Array([0.5]), [1]);
  accumulator.add(new Float64Array([0.1]), [0]);
  expect(accumulator.scored().scores).toEqual(new Float64Array([0.5, 0.1]));
});

test('mismatched input is refused', () => {
  const accumulator = new MetricsAccumulator(['a', 'b']);
  expect(() => accumulator.add(new Float64Array(3), [0, 0, 0])).toThrow(
    '3 entries, which are not whole rows of 2',
  );
  expect(() => accumulator.add(new Float64Array(2), [0])).toThrow('targets has 1 entries; expected 2');
  expect(() => accumulator.merge(new MetricsAccumulator(['b', 'a']))).toThrow(
    'cannot merge the classes b, a into a, b',
  );
  expect(() => accumulator.metrics()).toThrow('scores is empty');
});
