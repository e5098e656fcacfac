// `compare`, `sweep` and `tune` train each run in its own process. This file says where those compute and how
// much memory is free; `admission` decides how many run side by side.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from '../configuration/schema.js';
import { UsageError } from '../errors/usageError.js';

export interface ChildDevice {
  /** As a user writes it: `cuda:1`, `cpu`. */
  readonly name: string;
  /** Environment variables to add for a child. */
  readonly env: Readonly<Record<string, string>>;
  /** The GPU as `nvidia-smi` knows it. */
  readonly gpu: string | undefined;
}

/** The CPU, or a GPU by its number among those that are visible. */
export type DeviceName = 'cpu' | `cuda:${number}`;

export function isDeviceName(text: string): text is DeviceName {
  return /^(cpu|cuda:\d+)$/.test(text);
}

/**
 * Finds the devices over which runs are spread. A child sees only its own GPU, so that a run can be resumed
 * on another one.
 *
 * @example
 * listedDevices(['cuda:0', 'cuda:1'])[1].env // { CUDA_VISIBLE_DEVICES: '1', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' }
 */
export function listedDevices(names: readonly DeviceName[], visible = visibleGpus()): ChildDevice[] {
  return names.map((name) => {
    if (name === 'cpu') return { name, env: {}, gpu: undefined };
    const number = /^cuda:(\d+)$/.exec(name)?.[1];
    if (number === undefined) throw new UsageError(`'${name}' is neither cpu nor cuda:N`, 'devices');
    const gpu = physicalGpu(Number(number), visible);
    if (gpu === undefined)
      throw new UsageError(`there is no ${name}: CUDA_VISIBLE_DEVICES is ${visible}`, 'devices');
    return { name, gpu, env: { CUDA_VISIBLE_DEVICES: gpu, CUDA_DEVICE_ORDER: 'PCI_BUS_ID' } };
  });
}

/** The device that a configuration names; the child sees the same GPUs as its parent. */
export function configuredDevice(
  { device }: Pick<Configuration, 'device'>,
  visible = visibleGpus(),
): ChildDevice {
  const number = Number(/^cuda:(\d+)$/.exec(device)?.[1] ?? 0);
  return { name: device, env: {}, gpu: device === 'cpu' ? undefined : physicalGpu(number, visible) };
}

/** Where runs compute. */
export interface RunDevices {
  /** The devices to spread the runs over; by default the one that the configuration names. */
  readonly devices?: readonly DeviceName[] | undefined;
  /** Processes per run, which share its work. Default 1. */
  readonly processes?: number | undefined;
}

/**
 * Returns the units over which runs are spread, one or more runs at a time on each: devices, or groups of
 * GPUs for runs with several processes.
 *
 * @example
 * runDevices({ devices: ['cuda:0', 'cuda:1', 'cuda:2', 'cuda:3'], processes: 2 }, configuration).map(({ name }) => name)
 * // ['cuda:0+cuda:1', 'cuda:2+cuda:3']
 */
export function runDevices(
  { devices, processes = 1 }: RunDevices,
  configuration: Pick<Configuration, 'device'>,
  visible = visibleGpus(),
): ChildDevice[] {
  return devices === undefined
    ? [configuredDevice(configuration, visible)]
    : groupedDevices(devices, processes, visible);
}

/** The devices of a list, in groups if runs have several processes. */
export function groupedDevices(
  devices: readonly DeviceName[],
  processes = 1,
  visible = visibleGpus(),
): ChildDevice[] {
  const listed = listedDevices(devices, visible);
  if (processes === 1) return listed;
  const gpus = listed.filter(({ gpu }) => gpu !== undefined);
  if (gpus.length % processes !== 0) {
    throw new UsageError(
      `${gpus.length} GPUs do not divide into groups of ${processes}, one for each process of a run`,
      'devices',
    );
  }
  const groups = Array.from({ length: gpus.length / processes }, (_, i) =>
    gpus.slice(i * processes, (i + 1) * processes),
  );
  return [...listed.filter(({ gpu }) => gpu === undefined), ...groups.map(together)];
}

function together(gpus: readonly ChildDevice[]): ChildDevice {
  const names = gpus.map(({ gpu }) => gpu);
  return {
    name: gpus.map(({ name }) => name).join('+'),
    gpu: names[0],
    env: { CUDA_VISIBLE_DEVICES: names.join(','), CUDA_DEVICE_ORDER: 'PCI_BUS_ID' },
  };
}

/** The device that a configuration names for children over listed devices: each sees only its own GPU. */
export function configuredForChildren(
  devices: readonly DeviceName[] | undefined,
): Partial<Pick<Configuration, 'device'>> {
  if (devices === undefined) return {};
  return { device: devices.every((name) => name === 'cpu') ? 'cpu' : 'cuda' };
}

/** The device's name in a child, which sees only its own GPU. */
export function deviceInChild({ gpu }: Pick<ChildDevice, 'gpu'>): 'cpu' | 'cuda' {
  return gpu === undefined ? 'cpu' : 'cuda';
}

/**
 * Divides the cores among concurrent processes, unless the environment already sets the number of threads.
 *
 * @example
 * sharedCores(2) // { OMP_NUM_THREADS: '8' } on 16 cores
 */
export function sharedCores(sideBySide: number): Readonly<Record<string, string>> {
  if (sideBySide < 2 || process.env['OMP_NUM_THREADS'] !== undefined) return {};
  return { OMP_NUM_THREADS: String(Math.max(1, Math.floor(availableParallelism() / sideBySide))) };
}

/** Free memory of a GPU in MiB; undefined if it cannot be determined. */
export function freeGpuMemory(gpu: string): number | undefined {
  const { status, stdout } = spawnSync(
    'nvidia-smi',
    ['-i', gpu, '--query-gpu=memory.free', '--format=csv,noheader,nounits'],
    { encoding: 'utf8', timeout: 10_000 },
  );
  const free = Number.parseInt(stdout ?? '', 10);
  return status === 0 && Number.isFinite(free) ? free : undefined;
}

/**
 * Whether NVIDIA's Multi-Process Service is running. Without it, processes on one GPU take turns, and running
 * them side by side gains nothing.
 *
 * @example
 * isMpsRunning() // false, unless someone ran nvidia-cuda-mps-control -d
 */
export function isMpsRunning(folder = process.env['CUDA_MPS_PIPE_DIRECTORY'] ?? '/tmp/nvidia-mps'): boolean {
  return existsSync(join(folder, 'control'));
}

function visibleGpus(): string | undefined {
  return process.env['CUDA_VISIBLE_DEVICES'];
}

function physicalGpu(number: number, visible: string | undefined): string | undefined {
  return visible === undefined ? String(number) : visible.split(',')[number]?.trim();
}
