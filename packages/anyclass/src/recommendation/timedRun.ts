// A run that fits into a given time: fewer epochs, or fewer images, by the speed that this machine shows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownInputSize } from '../configuration/inputSize.js';
import type { Configuration, ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { counted } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import type { TrainOptions } from '../training/activeRun.js';
import { fitInput } from '../training/fitInput.js';
import { plannedSizes } from '../training/trainingSizes.js';
import { trainRun } from '../training/trainRun.js';
import { sizeOfRun } from './pilotBase.js';
import { pilotConfiguration, shortened } from './pilotConfiguration.js';
import { assumedSpeed, probeSize, speedOf } from './pilotRuns.js';
import { type FullRun, largestPilot, leastPilot, pilotSeconds } from './pilotSize.js';

/** The rest is for the evaluation at the end, and for a machine that slows down. */
const plannedShare = 0.9;

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
  const speed = await measured(fitted, full, options, note);
  if (!speed) return fitted; // interrupted
  const left = plannedShare * (60 * minutes - (performance.now() - started) / 1000);
  // Smaller images are faster; the measured ones have the final size.
  const usual = { ...speed, imagesPerSecond: speed.imagesPerSecond / relativeCost(fitted) };
  const size = largestPilot(left, full, usual);
  if (!size) {
    const least = Math.ceil(pilotSeconds(leastPilot(full), full, speed) / plannedShare / 60);
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

async function measured(
  configuration: Configuration,
  full: FullRun,
  { signal }: Pick<TrainOptions, 'signal'>,
  note: (text: string) => void,
) {
  const size = probeSize(configuration, full, assumedSpeed(configuration, {}));
  note(`Measuring the speed of this machine with ${counted(size.instances, 'instance')}`);
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-speed-'));
  try {
    const probe = pilotConfiguration(
      { ...configuration, sizes: [], log: [] },
      configuration.loss,
      size,
      full,
      0,
    );
    const started = performance.now();
    const { summary } = await trainRun(probe, { run: folder, intervals: false, signal });
    return summary && speedOf(folder, size, full, (performance.now() - started) / 1000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
