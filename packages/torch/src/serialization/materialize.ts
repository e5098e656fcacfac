// Turns what a pickle describes into values: storages become bytes, views of them become tensors, and unknown objects
// become their names. References are resolved here, so this is where a small file could blow up. It therefore refuses
// lists that contain themselves, nested lists that double at each level, and tensors that repeat one element a billion
// times.

import type { CheckpointValue, SkippedObject } from './checkpointValue.js';
import { quoted } from './errors.js';
import { isPythonObject, type PickleValue } from './pickleMachine.js';
import type { StridedTensor, TensorStorage } from './pythonObject.js';
import { elementBytes, elementCount, type StoredTensor } from './storedTensor.js';
import { gather, isContiguous, neededLength } from './strided.js';

/** Where the bytes come from, and limits on what may be built from them. */
export interface MaterializeSources {
  /** Reads the bytes of a storage, at least as many as its length requires. Called once per key. */
  readStorage(storage: TensorStorage): Uint8Array;
  /** Limit on the total bytes of tensors that are not a contiguous range of a storage. */
  readonly mostGathered: number;
  error(problem: string): Error;
}

/**
 * Resolves a pickled value. Skipped objects are listed with the path where they first occur.
 *
 * @example
 * materialize({ kind: 'unknown', className: 'argparse.Namespace' }, sources)
 * // { value: { className: 'argparse.Namespace', path: '' }, skipped: [the same] }
 */
export function materialize(
  pickled: PickleValue,
  sources: MaterializeSources,
): { value: CheckpointValue; skipped: SkippedObject[] } {
  const done = new Map<object, Resolved>();
  const underWay = new Set<object>();
  const skipped: SkippedObject[] = [];
  const tensorOf = tensorMaker(sources);

  const resolve = (value: PickleValue, place: Place): Resolved => {
    if (value === null || typeof value !== 'object') return { value, ...empty };
    const known = done.get(value);
    if (known !== undefined) {
      if (place.depth + known.height > deepest) throw tooDeep(sources, place);
      return known;
    }
    if (underWay.has(value)) throw sources.error(`${nameOf(place)} contains itself`);
    if (place.depth > deepest) throw tooDeep(sources, place);
    underWay.add(value);
    const resolved = resolveObject(value, place);
    if (resolved.size > mostValues) {
      throw sources.error(`${nameOf(place)} repeats itself to more than ${mostValues} values`);
    }
    underWay.delete(value);
    done.set(value, resolved);
    return resolved;
  };

  const resolveObject = (value: PickleValue & object, place: Place): Resolved => {
    if (value instanceof Uint8Array) return { value, ...empty };
    if (Array.isArray(value)) {
      const items: CheckpointValue[] = [];
      const extent = value.reduce<Extent>((sum, item, i) => {
        const resolved = resolve(item, { parent: place, step: i, depth: place.depth + 1 });
        items.push(resolved.value);
        return including(sum, resolved);
      }, empty);
      return { value: items, ...extent };
    }
    if (value instanceof Map) {
      const entries = new Map<CheckpointValue, CheckpointValue>();
      let extent = empty;
      for (const [key, item] of value) {
        const inside = { parent: place, step: key, depth: place.depth + 1 };
        const [resolvedKey, resolved] = [resolve(key, inside), resolve(item, inside)];
        entries.set(resolvedKey.value, resolved.value);
        extent = including(including(extent, resolvedKey), resolved);
      }
      return { value: entries, ...extent };
    }
    if (value.kind === 'tensor' || value.kind === 'storage') {
      return { value: tensorOf(value, place), ...empty };
    }
    const object = { className: value.className, path: pathOf(place) };
    if (skipped.push(object) > mostSkipped) {
      throw sources.error(`holds more than ${mostSkipped} unknown objects`);
    }
    return { value: object, ...empty };
  };

  return { value: resolve(pickled, { parent: undefined, step: '', depth: 0 }).value, skipped };
}

/** How many values a value contains, counting repeats, and how many levels lie below it. */
interface Extent {
  readonly size: number;
  readonly height: number;
}

interface Resolved extends Extent {
  readonly value: CheckpointValue;
}

/** A path, turned into text only when a message needs it. */
interface Place {
  readonly parent: Place | undefined;
  readonly step: PickleValue;
  readonly depth: number;
}

const deepest = 100;
const mostValues = 20_000_000;
const mostSkipped = 100_000;
const longestPath = 400;

const empty: Extent = { size: 1, height: 0 };

function including(extent: Extent, part: Extent): Extent {
  return { size: extent.size + part.size, height: Math.max(extent.height, part.height + 1) };
}

/** Makes tensors. Each storage is read once, and tensors that are contiguous ranges of it share its bytes. */
function tensorMaker(sources: MaterializeSources) {
  const storages = new Map<string, Uint8Array>();
  let gathered = 0;

  const bytesOf = (storage: TensorStorage): Uint8Array => {
    if (storage.length === 0) return new Uint8Array(0);
    const bytes = storages.get(storage.key) ?? sources.readStorage(storage);
    storages.set(storage.key, bytes);
    return bytes;
  };

  return (value: StridedTensor | TensorStorage, place: Place): StoredTensor => {
    const view = value.kind === 'tensor' ? value : { shape: [value.length], strides: [1], offset: 0 };
    const storage = value.kind === 'tensor' ? value.storage : value;
    const { dtype } = storage;
    const width = elementBytes[dtype];
    const { shape, offset } = view;
    const error = (problem: string) =>
      sources.error(`tensor ${nameOf(place)} of shape [${shape.slice(0, 8).join(', ')}] ${problem}`);
    const count = elementCount(shape);
    if (count === undefined) throw error('has more elements than can be counted');
    if (neededLength(view) > storage.length) {
      throw error(`reaches beyond its storage of ${storage.length} elements`);
    }
    if (count === 0) return { dtype, shape, data: new Uint8Array(0) };
    const bytes = bytesOf(storage);
    if (storage.length * width > bytes.length) {
      const held = `${bytes.length} bytes for ${storage.length} elements of ${dtype}`;
      throw error(`has storage ${quoted(storage.key)}, which holds ${held}`);
    }
    if (isContiguous(view)) {
      return { dtype, shape, data: bytes.subarray(offset * width, (offset + count) * width) };
    }
    gathered += count * width;
    if (gathered > sources.mostGathered) {
      throw error(`brings the repeated elements to ${gathered} bytes, over the limit`);
    }
    return { dtype, shape, data: gather(bytes, width, view) };
  };
}

function tooDeep(sources: MaterializeSources, place: Place): Error {
  return sources.error(`${nameOf(place)} is nested deeper than ${deepest} levels`);
}

function nameOf(place: Place): string {
  return pathOf(place) || 'at the top';
}

/** Returns the path to a value, such as `optimizer_states[0].state[3].exp_avg`; empty at the top, abbreviated if too long. */
function pathOf(place: Place): string {
  let path = '';
  for (let at = place; at.parent !== undefined; at = at.parent) {
    path = written(at.step) + path;
    if (path.length > longestPath) return `…${path}`;
  }
  return path.replace(/^\./, '');
}

function written(step: PickleValue): string {
  if (typeof step === 'string') return /^[\w.\-/]{1,200}$/.test(step) ? `.${step}` : `[${quoted(step)}]`;
  if (step === null || typeof step !== 'object') return `[${quoted(String(step)).slice(1, -1)}]`;
  return isPythonObject(step) && 'className' in step ? `[${step.className}]` : '[…]';
}
