// Trains pilots as runs of an experiment, and measures how fast they are.

import { join } from 'node:path';
import { freeGpuMemory, runDevices } from '../children/devices.js';
import { assumedRate } from '../configuration/expectedTime.js';
import type { Configuration } from '../configuration/schema.js';
import { counted } from '../errors/counted.js';
import type { ExperimentSettings } from '../experiments/experiment.js';
import type { PlannedRun } from '../experiments/plannedRun.js';
import type { UnfinishedRun } from '../experiments/results.js';
import { readEpochs } from '../runs/metricsLog.js';
import { runPaths } from '../runs/runFolder.js';
import type { Candidate } from './candidates.js';
import { pilotConfiguration } from './pilotConfiguration.js';
import { type FullRun, type PilotSize, type PilotSpeed, pilotSeconds } from './pilotSize.js';

/** Everything needed to plan and train pilots. */
export interface PilotTraining {
  readonly base: Configuration;
  readonly full: FullRun & { readonly dataset: string };
  /** The folder that holds all pilots. */
  readonly out: string;
  /** Trains the runs that are not finished yet; returns the folders of those that are. */
  trainPilots(
    plan: readonly PlannedRun[],
  ): Promise<{ readonly folders: readonly string[]; readonly unfinished: readonly UnfinishedRun[] }>;
  note(text: string): void;
  /** Whether the time is up or the user interrupted. */
  isOver(): boolean;
  /** Whether the user interrupted. */
  isInterrupted(): boolean;
}

/** The folder is named by loss, size and seed, so that a pilot of an earlier round is reused. */
export function plannedPilot(
  { base, full, out }: Pick<PilotTraining, 'base' | 'full' | 'out'>,
  { label, loss }: Candidate,
  size: PilotSize,
  seed: number,
): PlannedRun {
  const stem = label
    .replaceAll('λ=', '')
    .replaceAll(/[^a-zA-Z0-9.-]+/g, '-')
    .replace(/-$/, '');
  const name = `${stem}-${size.instances}x${size.epochs}-seed${seed}`;
  return { name, folder: join(out, name), configuration: pilotConfiguration(base, loss, size, full, seed) };
}

const probe = { epochs: 2, seconds: 4 } as const;
/** Seconds that starting a process and loading libtorch takes in any case. */
const leastOverhead = 1;

/** Where runs compute, and how many at the same time. */
type Devices = Pick<ExperimentSettings, 'devices' | 'processes' | 'jobs'>;

/** The expected speed before anything was measured; it may be off by a factor of about four. */
export function assumedSpeed(base: Configuration, { devices, processes, jobs }: Devices): PilotSpeed {
  const chosen = runDevices({ devices, processes }, base);
  const isOnGpu = chosen.some(({ gpu }) => gpu !== undefined && freeGpuMemory(gpu) !== undefined);
  return {
    imagesPerSecond: assumedRate(base.network, 1, isOnGpu ? 'gpu' : 'cpu'),
    overheadSeconds: leastOverhead,
    sideBySide: chosen.length * (jobs ?? 1),
  };
}

/** Measures this machine's speed and the overhead of a run, with a pilot that is not evaluated. */
export async function measureSpeed(
  training: PilotTraining,
  candidate: Candidate,
  assumed: PilotSpeed,
): Promise<{ readonly speed?: PilotSpeed; readonly unfinished: readonly UnfinishedRun[] }> {
  const { base, full, note } = training;
  const size = probeSize(base, full, assumed);
  note(`Measuring the speed of this machine with ${counted(size.instances, 'instance')}`);
  const started = performance.now();
  const { folders, unfinished } = await training.trainPilots([plannedPilot(training, candidate, size, 0)]);
  const seconds = (performance.now() - started) / 1000;
  const speed = folders[0] === undefined ? undefined : speedOf(folders[0], size, full, seconds);
  return { unfinished, ...(speed && { speed: { ...assumed, ...speed } }) };
}

/** The size of a run that is short, and long enough to measure its speed. */
function probeSize(
  { batchSize }: Configuration,
  { train }: FullRun,
  { imagesPerSecond }: Pick<PilotSpeed, 'imagesPerSecond'>,
): PilotSize {
  const wanted = Math.max(2 * batchSize, Math.round(probe.seconds * imagesPerSecond));
  return { instances: Math.min(train, wanted), epochs: probe.epochs };
}

/** The speed of a finished run that took so many seconds; undefined if it has no epoch. */
function speedOf(
  folder: string,
  size: PilotSize,
  full: FullRun,
  seconds: number,
): Omit<PilotSpeed, 'sideBySide'> | undefined {
  const record = readEpochs(runPaths(folder).metrics).at(-1);
  if (!record) return undefined;
  const { imagesPerSecond } = record;
  const bare = pilotSeconds(size, full, { imagesPerSecond, overheadSeconds: 0 });
  return { imagesPerSecond, overheadSeconds: Math.max(leastOverhead, seconds - bare) };
}
