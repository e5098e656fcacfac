// Logs that other programs read. They listen to the events of a run; their files are written in the background, and a log
// that cannot be written is given up: it never stops or delays the run.

import { createWriteStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Scored } from '@anyclass/core';
import type { Example } from '../../events/example.js';
import type { LogKind } from '../../events/logKind.js';
import type { RunEventListener } from '../../events/runEvent.js';
import { csvHeader, csvLines } from './csvLines.js';
import { mlflowServer } from './mlflowClient.js';
import { type BackgroundLog, mlflowLog } from './mlflowLog.js';
import { scalarsOf } from './scalars.js';
import { settingsOf } from './settings.js';
import {
  curveEvent,
  imageEvent,
  scalarEvent,
  settingsEndEvent,
  settingsEvent,
  textEvent,
  versionEvent,
} from './tensorboardEvents.js';
import { thresholdCounts } from './thresholdCounts.js';

export interface RunLogOptions {
  /** Told if a log is given up. */
  readonly note?: (text: string) => void;
  /** The scores that a finished run was judged by, for precision-recall curves. */
  readonly finalScores?: (() => Promise<Scored>) | undefined;
  /** Images of a finished run's mistakes and finds. */
  readonly examples?: (() => readonly Example[]) | undefined;
}

/** Classes with a precision-recall curve. */
const mostCurves = 50;

/** Beyond this, a disk that does not answer would fill the memory, so events are dropped. */
const mostWaiting = 2 ** 20;

/**
 * Returns the chosen logs of a run: `log.csv` and event files in `tensorboard/`, both in its folder, or a run on an MLflow server. A resumed
 * run appends to the first, adds a file to the second and continues the third.
 *
 * @example
 * const [log] = runLogs('runs/sewer', ['csv'], configuration);
 * log?.listen({ type: 'note', text: 'hello' });
 */
export function runLogs(
  folder: string,
  kinds: readonly LogKind[],
  configuration: object,
  options: RunLogOptions = {},
): BackgroundLog[] {
  return kinds.flatMap((kind) => {
    try {
      return openLog(kind, folder, configuration, options) ?? [];
    } catch {
      return []; // The folder cannot be written; the run itself reports that.
    }
  });
}

function openLog(
  kind: LogKind,
  folder: string,
  configuration: object,
  { note = () => {}, finalScores, examples }: RunLogOptions,
): BackgroundLog | undefined {
  // Streams flush by themselves.
  const close = async () => {};
  if (kind === 'csv') return { listen: csvLog(folder), close };
  if (kind === 'tensorboard') return tensorboardLog(folder, configuration, { finalScores, examples });
  const server = mlflowServer();
  if (server) return mlflowLog(folder, server, configuration, { note });
  note(
    'No log for MLflow: set MLFLOW_TRACKING_URI to the address of a server, such as http://127.0.0.1:5000',
  );
  return undefined;
}

function csvLog(folder: string): RunEventListener {
  const path = join(folder, 'log.csv');
  const isNew = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  const write = backgroundFile(path);
  if (isNew) write(csvHeader);
  return (event) => {
    const line = csvLines(event, new Date());
    if (line !== undefined) write(line);
  };
}

function tensorboardLog(
  folder: string,
  configuration: object,
  { finalScores, examples }: Pick<RunLogOptions, 'finalScores' | 'examples'>,
): BackgroundLog {
  const inner = join(folder, 'tensorboard');
  const seconds = () => Date.now() / 1000;
  mkdirSync(inner, { recursive: true });
  const write = backgroundFile(join(inner, fileName(inner)));
  write(versionEvent(seconds()));
  const json = JSON.stringify(configuration, null, 2).replaceAll(/^/gm, '    ');
  write(textEvent(seconds(), 'configuration', json));
  write(settingsEvent(seconds(), Object.fromEntries(settingsOf(configuration))));
  const next = scalarsOf();
  let [last, curves] = [0, Promise.resolve()];
  const writeCurves = async () => {
    const scored = await finalScores?.();
    for (const [j, name] of scored?.classNames.slice(0, mostCurves).entries() ?? [])
      write(curveEvent(seconds(), last, `class/${name}`, thresholdCounts(scored!, j)));
  };
  const writeImages = () => {
    for (const [i, example] of examples?.().entries() ?? []) {
      const { width, height, jpeg } = example;
      const image = { width, height, encoded: Buffer.from(jpeg, 'base64') };
      write(imageEvent(seconds(), last, { [imageTag(example, i)]: image }));
    }
  };
  return {
    listen(event) {
      const scalars = next(event);
      if (scalars) {
        last = scalars.step;
        write(scalarEvent(seconds(), scalars.step, scalars.values));
      }
      if (event.type === 'finished' || event.type === 'failed')
        write(settingsEndEvent(seconds(), event.type === 'finished'));
      if (event.type !== 'finished') return;
      writeImages();
      // A run without saved scores has no curves.
      curves = writeCurves().catch(() => {});
    },
    close: () => curves,
  };
}

/** TensorBoard groups images by what stands before the slash. */
function imageTag({ outcome, present, predicted }: Example, index: number): string {
  const names = (outcome === 'false-alarm' ? predicted : present).slice(0, 3).join(', ');
  const wrong = outcome === 'other' ? ` as ${predicted.slice(0, 3).join(', ')}` : '';
  return `${outcome === 'other' ? 'another name' : outcome}/${index + 1}: ${names}${wrong}`;
}

/** A name that TensorBoard recognizes, and that sorts after those of earlier processes. */
function fileName(folder: string): string {
  const time = Math.floor(Date.now() / 1000);
  for (let k = 0; ; k++) {
    const name = `events.out.tfevents.${time}.anyclass.${process.pid}.${k}`;
    if (!existsSync(join(folder, name))) return name;
  }
}

/** Appends in the background; after the first failure, everything is dropped. */
function backgroundFile(path: string): (content: string | Buffer) => void {
  const stream = createWriteStream(path, { flags: 'a' });
  let isGone = false;
  stream.on('error', () => {
    isGone = true;
  });
  return (content) => {
    if (!isGone && stream.writableLength < mostWaiting) stream.write(content);
  };
}
