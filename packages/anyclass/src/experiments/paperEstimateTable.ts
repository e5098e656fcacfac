// A plan's estimate as a table for people.

import type { Table } from '../tables/index.js';
import type { EstimatedRuns, PlanEstimate } from './paperEstimatePlan.js';

/**
 * Returns the estimate as a table: a row for each network on each dataset, and the totals in a note below.
 *
 * @example
 * textTable(estimateTable(await estimatePlan(plan, { out: 'paper' }), 'Table 1'))
 */
export function estimateTable(estimate: PlanEstimate, title: string): Table {
  return {
    title,
    note: noteOf(estimate),
    columns: [
      { title: 'dataset', kind: 'text' },
      { title: 'network', kind: 'text' },
      { title: 'runs', kind: 'count' },
      { title: 'finished', kind: 'count' },
      { title: 'epochs', kind: 'count' },
      { title: 'images', kind: 'count' },
      { title: 'parameters', kind: 'count' },
      { title: 'images/s', kind: 'text', align: 'right' },
      { title: 'time left', kind: 'text', align: 'right' },
      { title: 'GiB', kind: 'number', digits: 1 },
    ],
    rows: estimate.rows.map((row) => [
      row.dataset,
      row.network,
      row.runs,
      row.finished,
      row.epochs,
      row.images,
      row.parameters,
      rateText(row),
      timeText(row.seconds),
      row.bytes / 2 ** 30,
    ]),
  };
}

/**
 * Formats a duration with a precision fit for an estimate.
 *
 * @example
 * timeText(16_000) // '4.4 h'
 */
export function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 100 * 3600 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} days`;
}

function rateText({ imagesPerSecond, isMeasured }: EstimatedRuns): string {
  const digits = imagesPerSecond < 10 ? 1 : 0;
  const rate = imagesPerSecond.toLocaleString('en-US', { maximumFractionDigits: digits });
  return isMeasured ? rate : `~${rate}`;
}

function noteOf(estimate: PlanEstimate): string {
  const { rows, devices, isOnGpu, seconds, bytes, freeBytes, cacheBytes, cacheFreeBytes } = estimate;
  const hardware = isOnGpu ? "an NVIDIA H200's rate" : 'a guess from the number of cores';
  const isAssumed = rows.some((row) => !row.isMeasured);
  return [
    `About ${timeText(seconds)} on ${isOnGpu ? devices.join(', ') : 'the CPU'}.`,
    ...(isAssumed ? [`~: assumed, ${hardware}; measured after the first epoch.`] : []),
    diskText('The runs', bytes, freeBytes),
    ...(cacheBytes > 0 ? [diskText('The preprocessed images', cacheBytes, cacheFreeBytes)] : []),
  ].join('\n');
}

function diskText(what: string, bytes: number, free: number): string {
  const gibibytes = (value: number) => `${(value / 2 ** 30).toFixed(1)} GiB`;
  const text = `${what} need ${gibibytes(bytes)} of disk space; ${gibibytes(free)} is free`;
  return bytes > free ? `Caution: ${text}.` : `${text}.`;
}
