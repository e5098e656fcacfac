// Who owns a tensor's memory. Inside `tidy`, the scope does: it disposes of everything made within that is not returned
// or kept. Outside, the garbage collector is the safety net: what it collected is freed when the next tensors are made,
// also in a synchronous loop, but not before it runs.

import { native } from '../native/native.js';
import { place, TensorHandle } from './handle.js';

let scope: TensorHandle[] | undefined;
let disposing = new Int32Array(1024);

/**
 * Runs a function and disposes of every tensor that it made, except those in its result (alone, in arrays, in plain
 * objects or in maps) and those given to `keep`.
 *
 * @example
 * const mean = tidy(() => x.mul(x).sum().div(x.numel)); // the square and the sum are gone
 */
export function tidy<T>(fn: () => T): T {
  requireFunction(fn, 'tidy');
  const outer = scope;
  const inner: TensorHandle[] = [];
  scope = inner;
  let result: T;
  try {
    result = fn();
    refusePromise(result, 'tidy');
  } catch (error) {
    scope = outer;
    disposeAll(inner);
    throw error;
  }
  scope = outer;
  const escaping = new Set<TensorHandle>();
  collectTensors(result, escaping);
  if (escaping.size > 0) {
    for (const tensor of inner) if (escaping.has(tensor) && !tensor.isDisposed) own(tensor);
    disposeAll(inner.filter((tensor) => !escaping.has(tensor)));
  } else {
    disposeAll(inner);
  }
  return result;
}

/**
 * Takes a tensor out of every `tidy` around it: it lives until it is disposed of or garbage-collected.
 *
 * @example
 * const total = keep(zeros([1])); // survives the tidy that it was made in
 */
export function keep<T extends TensorHandle>(tensor: T): T {
  const at = place(tensor, 'keep');
  if (!tensor.isWatched) watch(tensor, at);
  return tensor;
}

/** Returns the number of live tensors in this thread, for memory tests. */
export function liveTensors(): number {
  return native.liveTensors();
}

/** Throws, with the caller's name, if the argument is not a function. */
export function requireFunction(fn: unknown, name: string): void {
  if (typeof fn !== 'function') throw new TypeError(`${name}: expected a function, not ${typeof fn}`);
}

/** Throws on a promise. libtorch's modes belong to the thread and would leak into other code across an `await`. */
export function refusePromise(result: unknown, name: string): void {
  if (
    typeof result === 'object' &&
    result !== null &&
    'then' in result &&
    typeof result.then === 'function'
  ) {
    // The rest of the function fails later, without its mode or tensors; that is not reported a second time.
    Promise.resolve(result).catch(() => {});
    throw new TypeError(
      `${name} takes a synchronous function: await before it, or call ${name} for each part`,
    );
  }
}

/** Assigns an owner to a new tensor: the current scope, or the garbage collector. */
export function own(tensor: TensorHandle): void {
  if (scope) scope.push(tensor);
  else keep(tensor);
}

/** Stops the garbage collector from watching a tensor that is disposed of by hand. */
export function disown(tensor: TensorHandle): void {
  if (!tensor.isWatched) return;
  native.unwatch(tensor.place);
  tensor.isWatched = false;
}

// Collected tensors are freed when the next tensors are made. If none are made, this registry frees them: it is called
// after a collection, between turns of the event loop.
const collections = new FinalizationRegistry<undefined>(() => {
  native.release();
  collections.register({}, undefined);
});
let hearsCollections = false;

function watch(tensor: TensorHandle, at: number): void {
  tensor.isWatched = true;
  native.watch(tensor, at);
  if (!hearsCollections) collections.register({}, undefined);
  hearsCollections = true;
}

function disposeAll(tensors: readonly TensorHandle[]): void {
  if (tensors.length > disposing.length) disposing = new Int32Array(tensors.length * 2);
  let count = 0;
  for (const tensor of tensors) {
    if (tensor.isWatched || tensor.place < 0) continue;
    disposing[count++] = tensor.place;
    tensor.place = -1;
  }
  if (count > 0) native.disposeMany(disposing, count);
}

function collectTensors(value: unknown, found: Set<TensorHandle>, seen = new Set<object>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof TensorHandle) {
    found.add(value);
  } else if (Array.isArray(value)) {
    for (const element of value) collectTensors(element, found, seen);
  } else if (value instanceof Map) {
    for (const element of value.values()) collectTensors(element, found, seen);
  } else if (Object.getPrototypeOf(value) === Object.prototype) {
    for (const element of Object.values(value)) collectTensors(element, found, seen);
  }
}
