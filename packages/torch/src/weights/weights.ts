// Saves tensors to weight files and loads them.

import { noGrad } from '../autograd/autograd.js';
import type { Device } from '../native/dtype.js';
import { dtypeCode } from '../native/dtype.js';
import { native } from '../native/native.js';
import type { Module } from '../nn/module.js';
import { readSafetensorsHeader, verifySafetensors, visitSafetensors } from '../serialization/safetensors.js';
import { type WriteSafetensorsOptions, writeSafetensors } from '../serialization/safetensorsWrite.js';
import type { StoredTensor } from '../serialization/storedTensor.js';
import { Tensor, wrapAll } from '../tensor/tensor.js';

export interface LoadOptions {
  readonly device?: Device;
  /**
   * Maps the file into memory instead of reading it, which costs no memory. The tensors then show later changes to the
   * file, and if another program truncates it, this process dies (SIGBUS), as with any mapped file. Leave this off for
   * files that others write to. Default false.
   */
  readonly memoryMap?: boolean;
}

export interface LoadedTensors {
  readonly tensors: Map<string, Tensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Writes named tensors to a safetensors file, which is complete or absent.
 *
 * @example
 * saveTensors('network.safetensors', network.stateDict(), { epoch: '12' });
 */
export function saveTensors(
  path: string,
  tensors: Iterable<readonly [string, Tensor]>,
  metadata: Readonly<Record<string, string>> = {},
  options: WriteSafetensorsOptions = {},
): void {
  writeSafetensors(
    path,
    Array.from(tensors, ([name, tensor]): [string, StoredTensor] => [name, stored(tensor)]),
    metadata,
    options,
  );
}

/**
 * Reads the tensors of a safetensors file and checks them against the file's checksums, if any.
 *
 * @example
 * network.loadStateDict(loadTensors('network.safetensors').tensors);
 */
export function loadTensors(path: string, { device, memoryMap = false }: LoadOptions = {}): LoadedTensors {
  const { tensors, metadata } = memoryMap ? mapped(path) : copied(path);
  if (device !== undefined && device !== 'cpu') {
    for (const [name, tensor] of tensors) {
      tensors.set(name, tensor.to(device));
      tensor.dispose();
    }
  }
  return { tensors, metadata };
}

/**
 * Reads a safetensors file into a module one tensor at a time, so that its weights are in memory only once. Names and
 * shapes must match the module's. If the file turns out to be damaged, part of it may already be in the module.
 *
 * @returns the metadata
 *
 * @example
 * const network = nn.init.withoutDrawing(() => new nn.Linear(4096, 4096));
 * loadTensorsInto(network, 'network.safetensors');
 */
export function loadTensorsInto(module: Module, path: string): Readonly<Record<string, string>> {
  const own = module.stateDict();
  return visitSafetensors(path, {
    header: ({ entries }) => module.fitState(entries),
    tensor(name, stored) {
      using given = fromStored(stored);
      noGrad(() => own.get(name)?.copy_(given));
    },
  });
}

/** Makes a tensor from one that was read from a weight file. */
export function fromStored({ data, shape, dtype }: StoredTensor): Tensor {
  return new Tensor(native.fromBytes(data, shape, dtypeCode(dtype, 'loadTensors'), false));
}

function copied(path: string): LoadedTensors {
  const tensors = new Map<string, Tensor>();
  const metadata = visitSafetensors(path, {
    tensor: (name, stored) => tensors.set(name, fromStored(stored)),
  });
  return { tensors, metadata };
}

function mapped(path: string): LoadedTensors {
  verifySafetensors(path);
  const { entries, metadata } = readSafetensorsHeader(path);
  const list = [...entries];
  if (list.length === 0) return { tensors: new Map(), metadata };
  const places = native.mapTensors(
    path,
    list.map(([, entry]) => entry.byteOffset),
    list.map(([, entry]) => entry.shape),
    list.map(([, entry]) => dtypeCode(entry.dtype, 'loadTensors')),
  );
  const tensors = wrapAll(places);
  return { tensors: new Map(list.map(([name], i) => [name, tensors[i]!])), metadata };
}

// The data is read only when it is written, so that a checkpoint is never in memory twice.
function stored(tensor: Tensor): StoredTensor {
  const { dtype, shape } = tensor;
  return {
    dtype,
    shape,
    get data() {
      const { buffer, byteOffset, byteLength } = tensor.toTypedArray();
      return new Uint8Array(buffer, byteOffset, byteLength);
    },
  };
}
