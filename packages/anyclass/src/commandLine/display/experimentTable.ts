// The progress of an experiment: one row per run, redrawn on a terminal; plain lines elsewhere.

import { type ChildRow, firstRow, rowAfter } from '../../children/childRow.js';
import type { RunEventListener } from '../../events/runEvent.js';
import type { PlannedRun } from '../../experiments/plannedRun.js';
import { alignedColumns } from '../../tables/index.js';
import { liveLines } from './liveLines.js';
import { columnsOf, duration, type ProgressOutput } from './progressBar.js';

export interface LiveOutput extends ProgressOutput {
  /** Number of lines that fit on the terminal. */
  readonly rows?: number;
}

export interface ExperimentTable {
  /** Follows the runs of the plan; ignores other events. */
  readonly onEvent: RunEventListener;
  /** Leaves the drawn table in place, because something else was written below it. */
  leave(): void;
  /** Draws the last state. */
  finish(): void;
}

/** A planned run and its state. */
interface Row extends ChildRow {
  readonly planned: PlannedRun;
}

/**
 * Shows the progress of the planned runs on `output`.
 *
 * @example
 * const table = experimentTable(plan, process.stderr);
 * table.onEvent({ type: 'child', name: plan[0].name, state: 'running' });
 */
export function experimentTable(
  plan: readonly PlannedRun[],
  output: LiveOutput,
  now = () => performance.now(),
): ExperimentTable {
  const rows = new Map<string, Row>(
    plan.map((planned) => [
      planned.name,
      { ...firstRow(planned.name, planned.configuration.epochs), planned },
    ]),
  );
  const shown = output.isTTY ? redrawn(output, now) : plainLines(output, now);
  return {
    onEvent(event) {
      const row = event.type === 'child' ? rows.get(event.name) : undefined;
      if (event.type !== 'child' || !row) return;
      const changed = { ...rowAfter(row, event, now()), planned: row.planned };
      rows.set(event.name, changed);
      shown.update(changed, [...rows.values()]);
    },
    leave: () => shown.leave(),
    finish: () => shown.finish([...rows.values()]),
  };
}

interface Shown {
  update(row: Row, rows: readonly Row[]): void;
  leave(): void;
  finish(rows: readonly Row[]): void;
}

/** The cells of a run: name, state, epoch, loss, mAP, rate and time left. */
function rowCells({ name, state, progress, started, seconds }: Row, now: number): string[] {
  const { epoch, epochs, within, loss, mAP, imagesPerSecond } = progress;
  const isRunning = state === 'running';
  const left = started && isRunning ? secondsLeft(progress, started, now) : undefined;
  return [
    name,
    state,
    isRunning && within > 0 ? `${(epoch + within).toFixed(1)}/${epochs}` : `${epoch}/${epochs}`,
    loss === null ? '' : loss.toFixed(4),
    mAP === null ? '' : (100 * mAP).toFixed(2),
    isRunning && imagesPerSecond !== null ? `${Math.round(imagesPerSecond).toLocaleString('en-US')}/s` : '',
    left === undefined ? (seconds > 0 ? duration(seconds) : '') : `${duration(left)} left`,
  ];
}

function redrawn(output: LiveOutput, now: () => number): Shown {
  const lines = liveLines(output, now);
  const show = (rows: readonly Row[]) =>
    lines.show(() =>
      tableLines(rows, now(), { width: columnsOf(output) - 1, height: (output.rows ?? 24) - 2 }),
    );
  return {
    update: (_, rows) => show(rows),
    leave: () => lines.leave(),
    finish(rows) {
      show(rows);
      lines.finish();
    },
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The lines of the table. If not all rows fit, running ones come first. */
function tableLines(rows: readonly Row[], now: number, { width, height }: Size): string[] {
  const order = ['running', 'failed', 'elsewhere', 'interrupted', 'waiting', 'finished', 'reused'];
  const shown =
    rows.length + 2 <= height
      ? rows
      : rows
          .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
          .slice(0, Math.max(1, height - 2));
  const header = ['run', 'state', 'epoch', 'loss', 'mAP', 'rate', 'time'];
  const cells = shown.map((row) => rowCells(row, now));
  return [...fittingTable([header, ...cells], ['run', ...shortNames(shown, rows)], width), overall(rows)];
}

/**
 * Lays the table out within a width. Numbers are never truncated: if space is tight, names are shortened,
 * then the training loss is dropped.
 */
function fittingTable(
  table: readonly (readonly string[])[],
  names: readonly string[],
  width: number,
): string[] {
  const short = table.map(([, ...cells], i) => [names[i]!, ...cells]);
  const lossColumn = 3;
  const narrow = short.map((cells) =>
    cells.toSpliced(lossColumn, 1).map((cell) => cell.replace(/ left$/, '')),
  );
  const lines = (cells: readonly (readonly string[])[]) =>
    alignedColumns(cells, ['left', 'left']).split('\n');
  const missing = (cells: readonly (readonly string[])[]) =>
    Math.max(...lines(cells).map((line) => [...line].length)) - width;
  const fitting = [table, short, narrow].find((cells) => missing(cells) <= 0);
  if (fitting) return lines(fitting);
  const longest = Math.max(...names.map((name) => [...name].length)) - missing(narrow);
  return lines(narrow.map(([name, ...cells]) => [withoutMiddle(name!, Math.max(5, longest)), ...cells]));
}

/**
 * Returns names without the dataset and the network if all runs share them: `any-bce λ=0.02 seed1` for
 * `coco64@coco-41-tresnet-m-any-bce@lambda=0.02-seed1`.
 */
function shortNames(shown: readonly Row[], rows: readonly Row[]): string[] {
  const all = rows.map(nameParts);
  const isShared = (part: number) => all.every((parts) => parts[part] === all[0]![part]);
  const kept = [...(isShared(0) ? [] : [0]), ...(isShared(1) ? [] : [1]), 2];
  return shown.map((row) => {
    const parts = nameParts(row);
    return kept
      .map((part) => parts[part]!)
      .join(' ')
      .replaceAll('@lambda=', ' λ=')
      .replaceAll(/@(loss\.)?|-(?=seed\d+$)/g, ' ');
  });
}

/** Splits a name that the plan composed into dataset, network, and loss with seed. */
function nameParts({ planned: { name, configuration } }: Row): readonly [string, string, string] {
  const loss = name.lastIndexOf(`-${configuration.loss.name}`);
  const network = name.lastIndexOf(`-${configuration.network.name}`, loss - 1);
  return network < 0 || loss < 0
    ? ['', '', name]
    : [name.slice(0, network), name.slice(network + 1, loss), name.slice(loss + 1)];
}

/** Shortens a name in the middle, because loss and seed are at the ends. */
function withoutMiddle(text: string, most: number): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - end).join('')}…${characters.slice(-end).join('')}`;
}

function plainLines(output: LiveOutput, now: () => number): Shown {
  const told = new Map<string, string>();
  return {
    update(row, rows) {
      // A line when a run starts, ends, or completes an epoch.
      const key = `${row.state} ${row.progress.epoch}`;
      if (told.get(row.name) === key) return;
      told.set(row.name, key);
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

function overall(rows: readonly Row[]): string {
  const count = (...states: Row['state'][]) => rows.filter(({ state }) => states.includes(state)).length;
  const failed = count('failed');
  return `${count('finished', 'reused')} of ${rows.length} runs done${failed > 0 ? `, ${failed} failed` : ''}`;
}

function secondsLeft(
  { epoch, within, epochs }: Row['progress'],
  started: NonNullable<Row['started']>,
  now: number,
): number | undefined {
  const done = epoch + within - started.epochs;
  return done > 0 ? (((now - started.at) / 1000) * (epochs - epoch - within)) / done : undefined;
}
