// How an experiment goes: one row for each run, redrawn on a terminal; plain lines elsewhere.

import { liveLines } from '../commandLine/liveLines.js';
import { duration, type ProgressOutput } from '../commandLine/progressBar.js';
import { alignedColumns } from '../tables/index.js';
import type { RunRow } from './runAll.js';

export interface LiveOutput extends ProgressOutput {
  /** Lines that fit on the terminal. */
  readonly rows?: number;
}

export interface LiveTable {
  update(row: RunRow, rows: readonly RunRow[]): void;
  /** Leaves what is drawn as it is: something else was written below it. */
  leave(): void;
  /** Draws the last state. */
  finish(rows: readonly RunRow[]): void;
}

/**
 * @example
 * const table = liveTable(process.stderr);
 * table.update(row, rows);
 */
export function liveTable(output: LiveOutput, now = () => performance.now()): LiveTable {
  return output.isTTY ? redrawnTable(output, now) : plainLines(output, now);
}

/** The cells of a run: name, state, epoch, loss, mAP, rate and time left. */
function rowCells({ planned, state, progress, started, seconds }: RunRow, now: number): string[] {
  const { epoch, epochs, within, loss, mAP, imagesPerSecond } = progress;
  const isRunning = state === 'running';
  const left = started && isRunning ? secondsLeft(progress, started, now) : undefined;
  return [
    planned.name,
    state,
    isRunning && within > 0 ? `${(epoch + within).toFixed(1)}/${epochs}` : `${epoch}/${epochs}`,
    loss === null ? '' : loss.toFixed(4),
    mAP === null ? '' : (100 * mAP).toFixed(2),
    isRunning && imagesPerSecond !== null ? `${Math.round(imagesPerSecond).toLocaleString('en-US')}/s` : '',
    left === undefined ? (seconds > 0 ? duration(seconds) : '') : `${duration(left)} left`,
  ];
}

function redrawnTable(output: LiveOutput, now: () => number): LiveTable {
  const lines = liveLines(output, now);
  const show = (rows: readonly RunRow[]) =>
    lines.show(() => tableLines(rows, now(), (output.rows ?? 24) - 2));
  return {
    update: (_, rows) => show(rows),
    leave: () => lines.leave(),
    finish(rows) {
      show(rows);
      lines.finish();
    },
  };
}

/** Where not all rows fit, those that run come first. */
function tableLines(rows: readonly RunRow[], now: number, height: number): string[] {
  const order = ['running', 'failed', 'elsewhere', 'interrupted', 'waiting', 'finished', 'reused'];
  const shown =
    rows.length + 2 <= height
      ? rows
      : rows
          .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
          .slice(0, Math.max(1, height - 2));
  const header = ['run', 'state', 'epoch', 'loss', 'mAP', 'rate', 'time'];
  const table = alignedColumns([header, ...shown.map((row) => rowCells(row, now))], ['left', 'left']);
  return [...table.split('\n'), overall(rows)];
}

function plainLines(output: LiveOutput, now: () => number): LiveTable {
  const told = new Map<RunRow, string>();
  return {
    update(row, rows) {
      // A line when a run begins, ends, or has an epoch more.
      const key = `${row.state} ${row.progress.epoch}`;
      if (told.get(row) === key) return;
      told.set(row, key);
      const [name, state, epoch, loss, mAP, rate, time] = rowCells(row, now());
      const parts = [
        `epoch ${epoch}`,
        ...(loss ? [`loss ${loss}`] : []),
        ...(mAP ? [`mAP ${mAP}`] : []),
        ...(rate ? [rate] : []),
        ...(time ? [time] : []),
      ];
      output.write(`${name}: ${state}, ${parts.join(', ')}; ${overall(rows)}\n`);
    },
    leave() {},
    finish() {},
  };
}

function overall(rows: readonly RunRow[]): string {
  const count = (...states: RunRow['state'][]) => rows.filter(({ state }) => states.includes(state)).length;
  const failed = count('failed');
  return `${count('finished', 'reused')} of ${rows.length} runs done${failed > 0 ? `, ${failed} failed` : ''}`;
}

function secondsLeft(
  { epoch, within, epochs }: RunRow['progress'],
  started: NonNullable<RunRow['started']>,
  now: number,
): number | undefined {
  const done = epoch + within - started.epochs;
  return done > 0 ? (((now - started.at) / 1000) * (epochs - epoch - within)) / done : undefined;
}
