// Where runs compute, and how much room there is.

import { spawnSync } from 'node:child_process';
import { UsageError } from '../commandLine/command.js';
import type { Configuration } from '../configuration/schema.js';

export interface ExperimentDevice {
  /** As a user writes it: `cuda:1`, `cpu`. */
  readonly name: string;
  /** What a child's environment says in addition. */
  readonly env: Readonly<Record<string, string>>;
  /** The GPU as `nvidia-smi` knows it. */
  readonly gpu: string | undefined;
}

/**
 * The devices that runs are spread over: those of a list such as `cuda:0,cuda:1`, else the configuration's own. A child sees
 * only its GPU, so that a run can be resumed on another one.
 *
 * @example
 * experimentDevices('cuda:0,cuda:1', configuration)[1].env // { CUDA_VISIBLE_DEVICES: '1', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' }
 */
export function experimentDevices(
  list: string | undefined,
  { device }: Pick<Configuration, 'device'>,
  visible: string | undefined = process.env['CUDA_VISIBLE_DEVICES'],
): ExperimentDevice[] {
  const gpus = visible?.split(',').map((name) => name.trim());
  const physical = (number: number) => (gpus ? gpus[number] : String(number));
  if (list === undefined) {
    const number = Number(/^cuda:(\d+)$/.exec(device)?.[1] ?? 0);
    return [{ name: device, env: {}, gpu: device === 'cpu' ? undefined : physical(number) }];
  }
  return list.split(',').map((text) => {
    const name = text.trim();
    if (name === 'cpu') return { name, env: {}, gpu: undefined };
    const number = /^cuda:(\d+)$/.exec(name)?.[1];
    if (number === undefined) throw new UsageError(`--devices: '${name}' is neither cpu nor cuda:N`);
    const gpu = physical(Number(number));
    if (gpu === undefined)
      throw new UsageError(`--devices: there is no ${name}: CUDA_VISIBLE_DEVICES is ${visible}`);
    return { name, gpu, env: { CUDA_VISIBLE_DEVICES: gpu, CUDA_DEVICE_ORDER: 'PCI_BUS_ID' } };
  });
}

/** MiB that are free on a GPU; undefined where nobody tells. */
export function freeGpuMemory(gpu: string): number | undefined {
  const { status, stdout } = spawnSync(
    'nvidia-smi',
    ['-i', gpu, '--query-gpu=memory.free', '--format=csv,noheader,nounits'],
    { encoding: 'utf8', timeout: 10_000 },
  );
  const free = Number.parseInt(stdout ?? '', 10);
  return status === 0 && Number.isFinite(free) ? free : undefined;
}
