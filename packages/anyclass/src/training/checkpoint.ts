// Checkpoints: a safetensors file with a run's tensors, the rest as JSON metadata, and a checksum of both.

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  fromStored,
  type optim,
  readSafetensors,
  readSafetensorsHeader,
  type StoredDType,
  type StoredTensor,
  type Tensor,
  writeSafetensors,
} from '@anyclass/torch';
import { messageOf } from '../errors/reasonOf.js';
import type { Progress } from './progress.js';

export interface Checkpoint {
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly state: CheckpointState;
}

/** The part of a checkpoint that is not tensors. */
export interface CheckpointState {
  readonly progress: Progress;
  readonly optimizerGroups: optim.OptimizerState['groups'];
  readonly scheduler: optim.SchedulerState;
  readonly scaler: optim.GradScalerState;
  /** Results on the CPU depend on it. */
  readonly threads: number;
  /** Present if several ranks wrote it together. */
  readonly worldSize?: number;
}

// Sorts after all other names, and uint8 after wider types, so that it is written last, when the checksum of
// the rest is known.
const checksumName = '~checksum';

/**
 * Writes a checkpoint, whole or not at all.
 *
 * @example
 * writeCheckpoint('runs/sewer/checkpoints', { tensors, state }) // '…/epoch-0003-step-000120.safetensors'
 */
export function writeCheckpoint(folder: string, { tensors, state }: Checkpoint): string {
  const path = join(folder, checkpointName(state.progress));
  const json = JSON.stringify(state);
  let checksum = crc32(json);
  const entries = Array.from(tensors, ([name, tensor]): [string, StoredTensor] => [
    name,
    {
      dtype: storedDtype(tensor, name),
      shape: tensor.shape,
      get data() {
        const { buffer, byteOffset, byteLength } = tensor.toTypedArray();
        const bytes = new Uint8Array(buffer, byteOffset, byteLength);
        checksum = checksumOf(
          name,
          { dtype: storedDtype(tensor, name), shape: tensor.shape, data: bytes },
          checksum,
        );
        return bytes;
      },
    },
  ]);
  const last: StoredTensor = {
    dtype: 'uint8',
    shape: [4],
    get data() {
      return checksumBytes(checksum);
    },
  };
  writeSafetensors(path, [...entries, [checksumName, last]], { kind: 'anyclass checkpoint 1', state: json });
  return path;
}

/** Reads a checkpoint by copying; throws if any bit differs from what was written. */
export function readCheckpoint(path: string): Checkpoint {
  const { tensors, metadata } = readSafetensors(path);
  const { state: json } = metadata;
  if (metadata['kind'] !== 'anyclass checkpoint 1' || json === undefined) {
    throw new Error(`${path}: is not a checkpoint of a run`);
  }
  let checksum = crc32(json);
  for (const [name, stored] of tensors) {
    if (name !== checksumName) checksum = checksumOf(name, stored, checksum);
  }
  const written = tensors.get(checksumName)?.data;
  if (!written || Buffer.compare(written, checksumBytes(checksum)) !== 0) {
    throw new Error(`${path}: was altered after it was written (its checksum does not match)`);
  }
  tensors.delete(checksumName);
  return {
    tensors: new Map(Array.from(tensors, ([name, stored]) => [name, fromStored(stored)])),
    state: JSON.parse(json),
  };
}

export interface Newest {
  readonly checkpoint: Checkpoint | undefined;
  readonly path: string | undefined;
  /** Files that could not be used, each with its reason. */
  readonly skipped: readonly string[];
}

/**
 * Reads the newest intact checkpoint of a run. Damaged newer files are renamed, because they would count as
 * newer than everything written from now on. Call it with the run's lock held.
 */
export function takeNewestCheckpoint(folder: string): Newest {
  const skipped: string[] = [];
  for (const name of checkpointFiles(folder)) {
    const path = join(folder, name);
    try {
      return { checkpoint: readCheckpoint(path), path, skipped };
    } catch (error) {
      const aside = `damaged-${name}`;
      renameSync(path, join(folder, aside));
      skipped.push(`${messageOf(error)}; renamed to ${aside}`);
    }
  }
  return { checkpoint: undefined, path: undefined, skipped };
}

/** Removes files that a killed process left half-written; call it with the run's lock held. */
export function removePartial(folder: string): string[] {
  const partial = existsSync(folder)
    ? readdirSync(folder).filter((name) => name.startsWith('.partial-'))
    : [];
  for (const name of partial) rmSync(join(folder, name), { force: true });
  return partial;
}

/** Keeps the newest checkpoints, and the weights files that any of them names as best. */
export function pruneCheckpoints(folder: string, keep: number): void {
  const files = checkpointFiles(folder);
  for (const name of files.slice(keep)) rmSync(join(folder, name), { force: true });
  const named = new Set(files.slice(0, keep).flatMap((name) => bestFiles(join(folder, name))));
  for (const name of readdirSync(folder)) {
    if (name.startsWith('weights-') && !named.has(name)) rmSync(join(folder, name), { force: true });
  }
}

/** The weights files that a checkpoint names as best; none if it is damaged, as no run can resume from it. */
function bestFiles(path: string): string[] {
  return Object.values(checkpointState(path)?.progress.best ?? {}).map(({ file }) => file);
}

/** A checkpoint's state without its tensors; undefined if it is damaged. */
export function checkpointState(path: string): CheckpointState | undefined {
  try {
    return JSON.parse(readSafetensorsHeader(path).metadata['state'] ?? '');
  } catch {
    return undefined;
  }
}

/** Checkpoint files, newest first. */
export function checkpointFiles(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((name) => {
      const [, epoch, step] = /^epoch-(\d+)-step-(\d+)\.safetensors$/.exec(name) ?? [];
      return epoch === undefined ? [] : [{ name, epoch: Number(epoch), step: Number(step) }];
    })
    .sort((a, b) => b.epoch - a.epoch || b.step - a.step)
    .map(({ name }) => name);
}

function checkpointName({ epoch, step }: Progress): string {
  return `epoch-${String(epoch).padStart(4, '0')}-step-${String(step).padStart(6, '0')}.safetensors`;
}

/** Updates a checksum with a tensor's name, type, shape and data. */
function checksumOf(name: string, { dtype, shape, data }: StoredTensor, before: number): number {
  return crc32(data, crc32(`${name} ${dtype} ${shape}`, before));
}

function checksumBytes(checksum: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(checksum);
  return bytes;
}

function storedDtype({ dtype }: Tensor, name: string): StoredDType {
  switch (dtype) {
    case 'float32':
    case 'float64':
    case 'float16':
    case 'bfloat16':
    case 'int64':
    case 'int32':
    case 'uint8':
      return dtype;
    default:
      throw new TypeError(`checkpoint: ${name} is ${dtype}, which checkpoints do not hold`);
  }
}
