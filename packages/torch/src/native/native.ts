// TypeScript signatures of the addon's functions. Only this package calls them: libtorch itself can fault on arbitrary
// arguments, so typed functions wrap it. Tensors are passed as indices into the addon's table.

import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { lacksAddressSpace } from '../builds/addressSpace.js';
import { EngineError, engineBuild } from '../builds/engine.js';
import type { Device } from './dtype.js';

/** Integer-valued numbers count as integers, so that integer tensors stay integer; a `bigint` is an int64. */
export type Scalar = number | bigint | boolean;

export type Place = number;
export type OperatorNumber = number;

export interface Native {
  findOperator(name: string, overload: string): OperatorNumber;
  call(operator: OperatorNumber, ...values: readonly unknown[]): Place;
  callList(operator: OperatorNumber, ...values: readonly unknown[]): Int32Array;
  callBoolean(operator: OperatorNumber, ...values: readonly unknown[]): boolean;
  callMany(operator: OperatorNumber, ...values: readonly unknown[]): Place[];
  callMixed(operator: OperatorNumber, ...values: readonly unknown[]): (Place | Int32Array | null)[];
  callInPlace(operator: OperatorNumber, ...values: readonly unknown[]): void;
  schemas(): string[];
  parameterKinds(operator: OperatorNumber): ('tensor' | 'tensors' | 'value')[];
  parameterNames(operator: OperatorNumber): string[];
  resultTypes(operator: OperatorNumber): string[];

  borrowBytes(bytes: Uint8Array, shape: readonly number[]): Place;
  returnBytes(tensor: Place, bytes: Uint8Array): boolean;
  fromBytes(bytes: Uint8Array, shape: readonly number[], dtype: number, pinned: boolean): Place;
  toBytes(tensor: Place, bytes: Uint8Array): void;
  item(tensor: Place): number | bigint | boolean;
  mapTensors(path: string, offsets: number[], shapes: (readonly number[])[], dtypes: number[]): Int32Array;
  shape(tensor: Place): number[];
  strides(tensor: Place): number[];
  dtype(tensor: Place): number;
  device(tensor: Place): Device;
  storage(tensor: Place): number;
  isContiguous(tensor: Place, memoryFormat: number): boolean;
  isPinned(tensor: Place): boolean;
  dispose(tensor: Place): void;
  disposeMany(tensors: Int32Array, count: number): void;
  watch(object: object, tensor: Place): void;
  unwatch(tensor: Place): void;
  release(): void;
  liveTensors(): number;

  backward(
    tensors: Int32Array,
    gradients: Int32Array | null,
    retainGraph: boolean,
    createGraph: boolean,
  ): void;
  grad(
    outputs: Int32Array,
    inputs: Int32Array,
    gradients: Int32Array | null,
    retainGraph: boolean,
    createGraph: boolean,
    allowUnused: boolean,
  ): Int32Array;
  requiresGrad(tensor: Place): boolean;
  isLeaf(tensor: Place): boolean;
  gradientFunction(tensor: Place): string;
  setRequiresGrad(tensor: Place, on: boolean): void;
  gradients(tensors: Int32Array): Int32Array;
  setGradient(tensor: Place, gradient: Place | null): void;
  clearGradients(tensors: Int32Array, keepMemory: boolean): void;
  setData(tensor: Place, source: Place): void;
  setGradMode(on: boolean): boolean;
  isGradModeEnabled(): boolean;
  enterAutocast(cuda: boolean, enabled: boolean, dtype: number, cache: boolean): number[];
  leaveAutocast(cuda: boolean, before: readonly number[]): void;

  version(): string;
  buildConfiguration(): string;
  threads(): number;
  setThreads(count: number): void;
  keepFreedMemory(): void;
  setSeed(seed: number): void;
  generatorState(device: string): Place;
  setGeneratorState(device: string, state: Place): void;
  loadLibrary(path: string): void;
  blasLibrary(): string;
  blasKernels(): string;
  setDeterministic(on: boolean): void;
  deterministic(): boolean;

  distributedUnavailable(): string;
  distributedHasNccl(): boolean;
  // These exist only if libtorch has process groups.
  groupCreate(
    path: string,
    host: string,
    port: number,
    isServer: boolean,
    prefix: string,
    rank: number,
    size: number,
    timeout: number,
  ): Promise<number>;
  groupAddNccl(group: number): void;
  groupDispose(group: number): void;
  groupHangUp(group: number): void;
  allReduce(group: number, tensor: Place, operation: number): number;
  broadcast(group: number, tensor: Place, source: number): number;
  allGather(group: number, outputs: Int32Array, input: Place): number;
  barrier(group: number): number;
  storeSet(group: number, key: string, text: string): void;
  storeGet(group: number, key: string): string | null;
  workWait(work: number): void;
  workFinished(work: number): Promise<number>;
  workIsDone(work: number): boolean;
  bucketsCreate(group: number, parameters: Int32Array, firstBytes: number, bytes: number): number;
  bucketsPrepare(buckets: number): void;
  bucketsFinish(buckets: number): void;
  bucketsSizes(buckets: number): number[];
  bucketsDispose(buckets: number): void;

  cudaDevices(): number;
  cudaUnavailable(): string;
  // From here on, only if there is a CUDA device.
  cudaDeviceName(device: number): string;
  cudaDeviceUuid(device: number): string;
  cudaSynchronize(device: number): void;
  cudaMemory(device: number): number[];
  cudaResetPeak(device: number): void;
  cudaEmptyCache(): void;
  setCudnnBenchmark(on: boolean): void;
  setTf32(on: boolean): void;
  streamCreate(): number;
  streamEnter(stream: number): number;
  streamSynchronize(stream: number): void;
  streamWait(stream: number, event: number): void;
  streamWaitCurrent(event: number): void;
  eventCreate(): number;
  eventDispose(event: number): void;
  eventRecord(event: number): void;
  eventSynchronize(event: number): void;
  eventPassed(event: number): boolean;
  eventElapsed(from: number, to: number): number;
  graphBegin(): number;
  graphEnd(graph: number): void;
  graphReplay(graph: number): void;
  graphDispose(graph: number): void;
}

/**
 * The addon. libtorch takes 0.6 s and 160 MB to load, so the addon is opened by the first function that needs it, not by
 * importing this package. Until then `native` is a stand-in that replaces itself with the addon on first use. Always
 * write `native.fn(…)`; a copy of the variable would keep the stand-in.
 */
export let native: Native = new Proxy(Object.create(null), {
  get(_, name) {
    native = open();
    isLoaded = true;
    return Reflect.get(native, name);
  },
});

let isLoaded = false;

/**
 * Whether this thread has loaded libtorch. The first tensor loads it; importing the package does not.
 *
 * @example
 * isEngineLoaded() // false
 * zeros([2]);
 * isEngineLoaded() // true
 */
export function isEngineLoaded(): boolean {
  return isLoaded;
}

/**
 * Runs a function with some of the addon's functions replaced. The replacements receive the original addon.
 *
 * @example
 * interposed((addon) => ({ item: (tensor) => addon.item(tensor) }), () => x.toNumber())
 */
export function interposed<T>(replace: (addon: Native) => Partial<Native>, fn: () => T): T {
  native.version(); // opens the addon if nothing has yet
  const before = native;
  native = Object.assign(Object.create(before), replace(before));
  try {
    return fn();
  } finally {
    native = before;
  }
}

/** With less address space, some of libtorch's threads fail to start, and others wait for them forever. */
const engineSpace = 1280 * 2 ** 20;

function open(): Native {
  const { path } = engineBuild();
  const problem = lacksAddressSpace(engineSpace);
  if (problem !== undefined) throw new EngineError(`libtorch cannot be loaded: ${problem}`);
  waitBriefly();
  const addon = load(path);
  // Debian's build starts with one thread.
  if (!process.env['OMP_NUM_THREADS']) addon.setThreads(availableParallelism());
  return addon;
}

/**
 * OpenMP's threads wait by spinning, which on a busy machine keeps the threads that they wait for from running; sleeping at once costs
 * what waking takes. On two cores, a training step took 339 ms with sleeping, 327 ms with spinning and 313 ms with a short spin; five
 * processes at once took 8.4 s, 60 s and 9.6 s. GNU's OpenMP reads both variables once, when libtorch is loaded; others read the first alone.
 */
function waitBriefly(): void {
  if (process.env['OMP_WAIT_POLICY'] !== undefined) return;
  process.env['OMP_WAIT_POLICY'] = 'passive';
  process.env['GOMP_SPINCOUNT'] ??= '1000';
}

function load(path: string): Native {
  try {
    return createRequire(import.meta.url)(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice = /failed to map segment|cannot allocate memory/i.test(reason)
      ? 'the process may not use more memory; raise its limit (ulimit -v)'
      : "if libtorch was moved, removed or updated, run 'npx anyclass setup'";
    throw new EngineError(`libtorch could not be loaded: ${reason}; ${advice}`, { cause: error });
  }
}
