// Training and calibration: how it got there, and whether its probabilities mean what they say.

import {
  presenceOfRows,
  presenceProbability,
  presenceScores,
  ROW_NEGATIVE,
  ROW_POSITIVE,
  type Scored,
} from '@anyclass/core';
import { type CalibrationBin, calibrationChart, type Line, lineChart, note, panel } from '@anyclass/kit';
import type { EpochRecord } from '../../events/epochRecord.js';

/** Losses and validation metrics by epoch, with the chosen epoch marked. */
export function trainingPanels(epochs: readonly EpochRecord[], bestEpoch: number, bestBy: string): string[] {
  const line = (name: string, value: (record: EpochRecord) => number | null): Line => ({
    name,
    points: epochs.map((record) => ({ x: record.epoch, y: value(record) })),
  });
  const share = (value: number | null) => (value === null ? null : 100 * value);
  const shared = {
    x: 'epoch',
    xIsWhole: true,
    xRange: [1, Math.max(2, epochs.length)],
    mark: { at: bestEpoch, text: '' },
  } as const;
  const losses = [
    line('validation', (record) => record.validationLoss),
    line('training', (record) => record.trainingLoss),
  ];
  const metrics = [
    line('mAP', ({ validation }) => share(validation.mAP)),
    line('F1 at 0.5', ({ validation }) => share(validation.macroF1)),
    line('F1-Neg', ({ validation }) => share(validation.f1Neg)),
  ];
  return [
    panel(
      'Loss',
      `epoch ${bestEpoch} chosen`,
      lineChart(losses, { ...shared, label: 'Loss by epoch', y: 'loss' }),
    ),
    panel(
      'Validation',
      `best ${bestBy} at epoch ${bestEpoch}`,
      lineChart(metrics, { ...shared, label: 'Validation metrics by epoch', y: '%', yIsPercent: true }),
    ),
  ];
}

/** How often an image with a presence of p is truly positive, in bins of equal counts. */
export function calibrationPanel(scored: Scored, split: string): string {
  const bins = presenceBins(scored);
  if (bins.length === 0) return '';
  const size = Math.round(bins.reduce((sum, { count }) => sum + count, 0) / bins.length);
  const remark = `${split === '' ? '' : `${split}, `}${bins.length} bins of about ${size.toLocaleString('en-US')}`;
  return panel(
    'Calibration of presence',
    remark,
    `${calibrationChart('presence', bins)}${note('Presence is the probability that any class is present. Above the line, more are positive than it says. Whiskers: 95% intervals; numbers: positives of all in the bin.')}`,
  );
}

/** Bins of equal counts, so that none is empty. */
export function presenceBins({ scores, targets, classNames }: Scored, most = 9): CalibrationBin[] {
  const kinds = presenceOfRows(targets, classNames.length);
  const presence = presenceScores(scores, classNames.length);
  const rows = Array.from(kinds.keys())
    .filter((row) => kinds[row] === ROW_POSITIVE || kinds[row] === ROW_NEGATIVE)
    .sort((a, b) => presence[a]! - presence[b]!);
  const count = Math.min(most, Math.floor(rows.length / 10));
  return Array.from({ length: count }, (_, bin) => {
    const own = rows.slice(
      Math.floor((bin * rows.length) / count),
      Math.floor(((bin + 1) * rows.length) / count),
    );
    const positive = own.filter((row) => kinds[row] === ROW_POSITIVE).length;
    const meanProbability =
      own.reduce((sum, row) => sum + presenceProbability(presence[row]!), 0) / own.length;
    return { count: own.length, positive, meanProbability, ...wilson(positive, own.length) };
  });
}

/** Wilson's 95% interval of a share. */
function wilson(hits: number, count: number): { readonly low: number; readonly high: number } {
  const z = 1.959964;
  const share = hits / count;
  const denominator = 1 + z ** 2 / count;
  const center = (share + z ** 2 / (2 * count)) / denominator;
  const half = (z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))) / denominator;
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
