import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelOrUnknown, scoredRows } from '../../test/scoredRows.js';
import { metricsOfDraws, prepareDraws } from './drawnMetrics.js';
import { metricsAt } from './measure.js';
import { type Measurement, prepareMeasurements } from './measurement.js';
import { addDraws, packDraws } from './packedDraws.js';
import type { Scored } from './scored.js';

const counts = (most: number) => fc.infiniteStream(fc.integer({ min: 0, max: most }));

function settingsOf(scored: Scored, passes: Iterator<number>): Measurement[] {
  const rows = scored.targets.length / scored.classNames.length;
  const groups = Array.from({ length: rows }, (_, row) => Math.floor(row / 2));
  const [half, quarter] = prepareMeasurements({ ...scored, groups }, [0.5, 0.25], {});
  return [half!, { ...quarter!, passes: Uint8Array.from({ length: rows }, () => passes.next().value) }];
}

test.each([
  { most: 4, drawn: 'usual' },
  { most: 700, drawn: 'above 255' },
])('metrics of several draws at once are exactly those of each alone; multiplicities $drawn', ({ most }) => {
  fc.assert(
    fc.property(
      scoredRows(labelOrUnknown),
      fc.integer({ min: 1, max: 4 }),
      counts(most),
      counts(1),
      (scored, replicates, times, passes) => {
        const settings = settingsOf(scored, passes);
        // Every row of a group counts equally often.
        const draws = Array.from({ length: replicates }, () => {
          const drawn = Uint16Array.from({ length: settings[0]!.ranked.rows }, () => times.next().value ?? 0);
          return drawn.map((_, row) => drawn[row - (row % 2)]!);
        });
        expect(metricsOfDraws(prepareDraws(settings), packDraws(draws))).toEqual(
          draws.map((draw) => metricsAt(settings, draw)),
        );
      },
    ),
  );
});

test('sums of many rows do not overflow a byte or half a word', () => {
  const rows = 100_000;
  const most = new Uint16Array(rows).fill(255);
  const { packed } = packDraws([most, new Uint16Array(rows).fill(1), most, most]);
  const sums = new Float64Array(4);
  addDraws(
    packed!,
    Uint32Array.from({ length: rows }, (_, row) => row << 4),
    4,
    0,
    rows,
    sums,
  );
  expect([...sums]).toEqual([25_500_000, 100_000, 25_500_000, 25_500_000]);
  expect(packDraws([Uint16Array.of(256)]).packed).toBeUndefined();
  expect([...packDraws([Uint16Array.of(1, 0), Uint16Array.of(2, 1)]).packed!]).toEqual([0x0201, 0x0100]);
});
