// Logs that other programs read. They listen to the events of a run; their files are written in the background, and a log
// that cannot be written is given up: it never stops or delays the run.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Scored } from '@anyclass/core';
import { reasonOf } from '../../errors/reasonOf.js';
import type { Example } from '../../events/example.js';
import type { LogKind } from '../../events/logKind.js';
import { backgroundFile } from './backgroundFile.js';
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
  startEvent,
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
  const { note = () => {} } = options;
  return kinds.flatMap((kind) => {
    const giveUp = givingUp(kind, folder, note);
    try {
      const log = openLog(kind, folder, configuration, { ...options, note, giveUp });
      return log ? [harmless(log, giveUp)] : [];
    } catch (error) {
      giveUp(error);
      return [];
    }
  });
}

/** Says once that a log is given up, and why. */
function givingUp(kind: LogKind, folder: string, note: (text: string) => void): (error: unknown) => void {
  let isGivenUp = false;
  return (error) => {
    if (!isGivenUp)
      note(`${folder}: no more is logged for '${kind}', and the run continues: ${reasonOf(error)}`);
    isGivenUp = true;
  };
}

/** A log whose errors never reach the run; after the first one, it is told no more. */
function harmless(log: BackgroundLog, giveUp: (error: unknown) => void): BackgroundLog {
  let isGone = false;
  return {
    listen(event) {
      if (isGone) return;
      try {
        log.listen(event);
      } catch (error) {
        isGone = true;
        giveUp(error);
      }
    },
    close: () => log.close().catch(giveUp),
  };
}

interface OpenOptions extends RunLogOptions {
  readonly note: (text: string) => void;
  readonly giveUp: (error: unknown) => void;
}

function openLog(
  kind: LogKind,
  folder: string,
  configuration: object,
  options: OpenOptions,
): BackgroundLog | undefined {
  const { note, giveUp } = options;
  if (kind === 'csv') return csvLog(folder, giveUp);
  if (kind === 'tensorboard') return tensorboardLog(folder, configuration, options);
  const server = mlflowServer();
  if (server) return mlflowLog(folder, server, configuration, { note });
  note(
    'No log for MLflow: set MLFLOW_TRACKING_URI to the address of a server, such as http://127.0.0.1:5000',
  );
  return undefined;
}

function csvLog(folder: string, giveUp: (error: unknown) => void): BackgroundLog {
  const path = join(folder, 'log.csv');
  const isNew = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  const { write, close } = backgroundFile(path, giveUp);
  if (isNew) write(csvHeader);
  return {
    listen(event) {
      const line = csvLines(event, new Date());
      if (line !== undefined) write(line);
    },
    close,
  };
}

function tensorboardLog(
  folder: string,
  configuration: object,
  { finalScores, examples, giveUp }: OpenOptions,
): BackgroundLog {
  const inner = join(folder, 'tensorboard');
  const seconds = () => Date.now() / 1000;
  mkdirSync(inner, { recursive: true });
  const { write, close } = backgroundFile(join(inner, fileName(inner)), giveUp);
  write(versionEvent(seconds()));
  const json = JSON.stringify(configuration, null, 2).replaceAll(/^/gm, '    ');
  write(textEvent(seconds(), 'configuration', json));
  write(settingsEvent(seconds(), Object.fromEntries(settingsOf(configuration))));
  const next = scalarsOf();
  let [last, curves]: [number | undefined, Promise<void>] = [undefined, Promise.resolve()];
  const writeCurves = async () => {
    const scored = await finalScores?.();
    for (const [j, name] of scored?.classNames.slice(0, mostCurves).entries() ?? [])
      write(curveEvent(seconds(), last ?? 0, `class/${name}`, thresholdCounts(scored!, j)));
  };
  const writeImages = () => {
    for (const [i, example] of examples?.().entries() ?? []) {
      const { width, height, jpeg } = example;
      const image = { width, height, encoded: Buffer.from(jpeg, 'base64') };
      write(imageEvent(seconds(), last ?? 0, { [imageTag(example, i)]: image }));
    }
  };
  return {
    listen(event) {
      const scalars = next(event);
      if (scalars) {
        // The step of the checkpoint itself is told first; what was logged there, such as a validation, stays.
        if (last === undefined) write(startEvent(seconds(), scalars.step + 1));
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
    async close() {
      await curves;
      await close();
    },
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
