import type { Line } from '../charts/line.js';
import { lineChart } from '../charts/lineChart.js';
import type { EpochRecord } from '../events/epochRecord.js';
import type { Chart } from '../pages/blocks.js';

/** Plots a run's losses and validation metrics by epoch. */
export function trainingCharts(epochs: readonly EpochRecord[]): Chart[] {
  const line = (name: string, value: (record: EpochRecord) => number | null): Line => ({
    name,
    points: epochs.map((record) => ({ x: record.epoch, y: value(record) })),
  });
  const share = (value: number | null) => (value === null ? null : 100 * value);
  const losses = [
    line('training loss', (record) => record.trainingLoss),
    line('validation loss', (record) => record.validationLoss),
    line('validation BCE', (record) => record.validationBce),
  ];
  const metrics = [
    line('F1', ({ validation }) => share(validation.macroF1)),
    line('F2', ({ validation }) => share(validation.macroF2)),
    line('mAP', ({ validation }) => share(validation.mAP)),
    line('F1-Neg', ({ validation }) => share(validation.f1Neg)),
  ];
  const chart = (name: string, title: string, lines: readonly Line[], y: string): Chart => ({
    name,
    title,
    svg: lineChart(lines, {
      title,
      x: 'epoch',
      y,
      xIsWhole: true,
      xRange: [1, Math.max(2, epochs.length)],
      yIsPercent: y === '%',
    }),
  });
  return [
    chart('losses', 'Losses', losses, 'loss'),
    chart('validation-metrics', 'Validation metrics', metrics, '%'),
  ];
}
