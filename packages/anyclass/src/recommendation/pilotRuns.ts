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
  train(
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
  const wanted = Math.max(2 * base.batchSize, Math.round(probe.seconds * assumed.imagesPerSecond));
  const size = { instances: Math.min(full.train, wanted), epochs: probe.epochs };
  note(`Measuring the speed of this machine with ${counted(size.instances, 'instance')}`);
  const started = performance.now();
  const { folders, unfinished } = await training.train([plannedPilot(training, candidate, size, 0)]);
  const seconds = (performance.now() - started) / 1000;
  const record = folders[0] === undefined ? undefined : readEpochs(runPaths(folders[0]).metrics).at(-1);
  if (!record) return { unfinished };
  const bare = { ...assumed, imagesPerSecond: record.imagesPerSecond, overheadSeconds: 0 };
  const overheadSeconds = Math.max(leastOverhead, seconds - pilotSeconds(size, full, bare));
  return { speed: { ...bare, overheadSeconds }, unfinished };
}
