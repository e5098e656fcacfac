// A run that fits into a given time: fewer epochs, or fewer images, by the speed that this machine shows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCuda } from '@anyclass/torch';
import { assumedRate } from '../configuration/expectedTime.js';
import { knownInputSize } from '../configuration/inputSize.js';
import type { Configuration, ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { counted } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import type { TrainOptions } from '../training/activeRun.js';
import { fitInput } from '../training/fitInput.js';
import { plannedSizes } from '../training/trainingSizes.js';
import { trainRun } from '../training/trainRun.js';
import { type RunOnData, sizeOfRun } from './pilotBase.js';
import { shortened } from './pilotConfiguration.js';
import { largestPilot, leastPilot, pilotSeconds } from './pilotSize.js';
import { type MeasuredSpeed, speedClock } from './speedClock.js';

/** The rest is for metrics, intervals and pages at the end, and for a machine that slows down. */
const plannedShare = 0.93;

/** How much of the time is for measuring. */
const measuringShare = 0.03;

/**
 * Shortens a run so that it ends within some minutes, counted from now: to as many epochs as there is time for, or, if it could not see all
 * images three times, to a part of them. Trains for a few seconds to measure the speed. A run that fits stays as it is.
 *
 * @example
 * (await fitMinutes(configuration, 10)).epochs // 6 instead of 40
 */
export async function fitMinutes(
  configuration: ConfigurationInput,
  minutes: number,
  options: Pick<TrainOptions, 'onEvent' | 'signal'> = {},
): Promise<Configuration> {
  if (!(minutes > 0)) throw new UsageError(`is ${minutes}; expected a positive number`, 'minutes');
  const started = performance.now();
  const note = (text: string) => options.onEvent?.({ type: 'note', text });
  const fitted = await fitInput(validateConfiguration(configuration), note);
  const full = await sizeOfRun(fitted);
  const measuring = Math.min(Math.max(measuringShare * 60 * minutes, 1), 15);
  note('Measuring the speed of this machine');
  const speed = await measured(fitted, full, measuring, options);
  if (!speed) return fitted; // interrupted
  const left = plannedShare * (60 * minutes - (performance.now() - started) / 1000);
  // Smaller images are faster; the measured ones have the final size.
  const usual = { ...speed, imagesPerSecond: speed.imagesPerSecond / relativeCost(fitted) };
  const testing = fitted.evaluation.test ? (full.test * speed.scoringCost) / speed.imagesPerSecond : 0;
  const size = largestPilot(left - testing, speed.full, usual);
  if (!size) {
    const least = Math.ceil(
      (pilotSeconds(leastPilot(full), speed.full, speed) + testing) / plannedShare / 60,
    );
    throw new UsageError(
      `is ${minutes}, too short to learn anything here, which takes about ${counted(least + 1, 'minute')}; use a smaller network or smaller images`,
      'minutes',
    );
  }
  const rate = `${Math.round(speed.imagesPerSecond).toLocaleString('en-US')} instances/s measured`;
  if (size.instances === full.train && size.epochs === full.epochs) {
    note(`${rate}: all ${counted(full.epochs, 'epoch')} fit into ${counted(minutes, 'minute')}`);
    return fitted;
  }
  const part = size.instances < full.train ? ` of ${counted(size.instances, 'instance')}` : '';
  note(
    `${rate}: ${counted(size.epochs, 'epoch')}${part} in ${counted(minutes, 'minute')}, instead of ${full.epochs}${part && ` of ${full.train.toLocaleString('en-US')}`}`,
  );
  return shortened(fitted, size, full);
}

/** Trains and validates until the speed is known, and throws the result away; undefined if the user interrupted it. */
async function measured(
  configuration: Configuration,
  full: RunOnData,
  seconds: number,
  { signal }: Pick<TrainOptions, 'signal'>,
): Promise<MeasuredSpeed | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-speed-'));
  const enough = new AbortController();
  const clock = speedClock();
  const isKnown = () => {
    const { running, scoring, validations } = clock.seen();
    return running >= 2 * seconds || scoring >= seconds || (running >= seconds && validations > 0);
  };
  try {
    const probe: Configuration = {
      ...configuration,
      data: firstImages(configuration, full, seconds),
      sizes: [],
      log: [],
      evaluation: withoutTest(configuration),
    };
    await trainRun(probe, {
      run: folder,
      intervals: false,
      signal: AbortSignal.any([enough.signal, ...(signal ? [signal] : [])]),
      onEvent: (event) => {
        clock.add(event);
        if (isKnown()) enough.abort();
      },
    });
    return signal?.aborted ? undefined : clock.speed(full);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** About as many images as are trained on in half of this time, so that a validation follows soon even on a slow machine. */
function firstImages(
  { data, network, device, batchSize }: Configuration,
  full: RunOnData,
  seconds: number,
): Configuration['data'] {
  const usual = assumedRate(network, full.classes, device === 'cpu' || !hasCuda() ? 'cpu' : 'gpu');
  const instances = Math.max(Math.ceil((usual * seconds) / 2), 4 * batchSize);
  return instances < full.train ? { ...data, subset: { seed: 0, ...data.subset, instances } } : data;
}

function withoutTest({ evaluation }: Configuration): Configuration['evaluation'] {
  return { ...evaluation, test: false, replicates: 0 };
}

/** The mean cost of an image over all epochs, relative to one of the final size. */
function relativeCost(configuration: Configuration): number {
  const { epochs, network } = configuration;
  const sizes = plannedSizes(configuration);
  if (sizes.length === 0) return 1;
  const final = knownInputSize(network);
  const costs = Array.from({ length: epochs }, (_, index) => {
    const size = sizes.findLast(({ epoch }) => epoch <= index + 1)?.size ?? final;
    return (size / final) ** 2;
  });
  return costs.reduce((sum, cost) => sum + cost, 0) / epochs;
}
