// Keeps the progress of a recommendation in a file. If it is killed at any moment, it resumes with the
// planned rounds and the remaining time.

import { existsSync } from 'node:fs';
import { z } from 'zod';
import { differingFields, dottedFields } from '../configuration/dottedFields.js';
import { UserError } from '../errors/userError.js';
import { readWhole, writeWhole } from '../files/wholeFile.js';

const speed = z.object({ imagesPerSecond: z.number(), overheadSeconds: z.number(), sideBySide: z.number() });

const round = z.object({
  /** Labels of the losses. */
  losses: z.array(z.string()),
  seeds: z.int().positive(),
  instances: z.int().positive(),
  epochs: z.int().positive(),
  /** Planned duration. */
  seconds: z.number(),
  /** Actual duration; null while the round is in progress. */
  tookSeconds: z.number().nullable(),
});

/** The pilots of input sizes and augmentations, and which was chosen; null before. */
const setups = z.object({
  instances: z.int().positive(),
  epochs: z.int().positive(),
  seconds: z.number(),
  chosen: z.string().nullable(),
});

const content = z.object({
  settings: z.record(z.string(), z.unknown()),
  /** Total over all calls. */
  spentSeconds: z.number(),
  speed: speed.nullable(),
  /** Null if there was nothing to try, or no time. */
  setups: setups.nullable().default(null),
  rounds: z.array(round),
});

/** A planned round and how long it took. */
export type RecordedRound = z.output<typeof round>;

export interface Progress extends Disposable {
  readonly speed: z.output<typeof speed> | null;
  readonly setups: z.output<typeof setups> | null;
  readonly rounds: readonly RecordedRound[];
  /** Time spent in this call and in earlier ones. */
  spentSeconds(): number;
  /** Saves the given changes and the time spent. */
  save(news: Partial<Pick<z.output<typeof content>, 'speed' | 'setups' | 'rounds'>>): void;
}

/** A kill loses at most this much of the time spent. */
const saveEvery = 5000;

/**
 * Opens the progress file, or creates it. Throws if its settings differ, and names the field.
 *
 * @example
 * using progress = openProgress('recommendations/digits/progress.json', { decision });
 * progress.spentSeconds() // 0
 */
export function openProgress(
  path: string,
  settings: Readonly<Record<string, unknown>>,
  now = () => performance.now(),
): Progress {
  const known = existsSync(path)
    ? readWhole(path, content, 'delete it and its folder, and start over')
    : undefined;
  if (known) refuseChange(path, known.settings, settings);
  let { spentSeconds, speed, setups, rounds } = known ?? {
    spentSeconds: 0,
    speed: null,
    setups: null,
    rounds: [],
  };
  const begun = now();
  const before = spentSeconds;
  const spent = () => before + (now() - begun) / 1000;
  const write = () => {
    spentSeconds = spent();
    writeWhole(path, `${JSON.stringify({ settings, spentSeconds, speed, setups, rounds }, null, 2)}\n`);
  };
  write();
  const timer = setInterval(write, saveEvery).unref();
  return {
    get speed() {
      return speed;
    },
    get setups() {
      return setups;
    },
    get rounds() {
      return rounds;
    },
    spentSeconds: spent,
    save(news) {
      speed = news.speed ?? speed;
      setups = news.setups ?? setups;
      rounds = news.rounds ?? rounds;
      write();
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      write();
    },
  };
}

function refuseChange(path: string, known: object, given: object): void {
  const [difference] = differingFields(dottedFields(known), dottedFields(given));
  if (!difference) return;
  const { field, first, second } = difference;
  throw new UserError(
    `${path}: the pilots were started with ${field} ${first ?? 'unset'}, not ${second ?? 'unset'}; use the same settings to resume, or another folder to start over`,
  );
}
