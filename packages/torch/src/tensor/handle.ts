// What the addon and the owner of the memory need to know of a tensor.

/** A place in the addon's table, which a tensor has until it is disposed of. */
export abstract class TensorHandle implements Disposable {
  /** -1 once disposed of. Internal to this package. */
  place: number;
  /** Whether the garbage collector frees it, since no `tidy` owns it. Used by memory.ts only. */
  isWatched = false;

  constructor(place: number) {
    this.place = place;
  }

  get isDisposed(): boolean {
    return this.place < 0;
  }

  abstract dispose(): void;

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Returns the place of a live tensor, or throws an error that names the calling function. */
export function place(tensor: TensorHandle, name: string): number {
  if (!(tensor instanceof TensorHandle))
    throw new TypeError(`${name}: expected a tensor, not ${describeValue(tensor)}`);
  if (tensor.place < 0) throw new Error(`${name}: the tensor has been disposed of`);
  return tensor.place;
}

export function placeOrNull(
  tensor: TensorHandle | null | undefined,
  name: string,
): number | null | undefined {
  return tensor === null || tensor === undefined ? tensor : place(tensor, name);
}

export function places(tensors: readonly TensorHandle[], name: string): Int32Array {
  if (!Array.isArray(tensors))
    throw new TypeError(`${name}: expected an array of tensors, not ${describeValue(tensors)}`);
  const result = new Int32Array(tensors.length);
  for (let i = 0; i < tensors.length; i++) result[i] = place(tensors[i]!, name);
  return result;
}

export function placesWithGaps(tensors: readonly (TensorHandle | null)[], name: string): Int32Array {
  if (!Array.isArray(tensors))
    throw new TypeError(`${name}: expected an array of tensors, not ${describeValue(tensors)}`);
  return Int32Array.from(tensors, (tensor: TensorHandle | null) =>
    tensor === null ? -1 : place(tensor, name),
  );
}

/** Throws unless options are an object. A number or an array, as other libraries take, would be silently ignored. */
export function checkOptions(options: object | null | undefined, name: string): void {
  const isObject = options === undefined || typeof options === 'object';
  if (!isObject || Array.isArray(options) || options instanceof TensorHandle)
    throw new TypeError(`${name}: expected an object of options, not ${describeValue(options)}`);
}

/** Names a value's kind for a message. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return value.constructor?.name ?? 'an object';
}
