// Exchanges between ranks other than gradients: texts, arrays, tensors from the first rank. All ranks must
// call the same functions in the same order. Waiting leaves the event loop free, except in functions whose
// name ends in `Now`.

import { type Tensor, tensor, tidy, zeros } from '@anyclass/torch';
import type { Ranks } from './ranks.js';

/**
 * Returns every rank's text, in rank order.
 *
 * @example
 * await gatherTexts(ranks, `I am rank ${ranks.rank}`) // ['I am rank 0', 'I am rank 1']
 */
export async function gatherTexts(ranks: Ranks, text: string): Promise<string[]> {
  const all = await gatherBytes(ranks, Buffer.from(text));
  return all.map((bytes) => Buffer.from(bytes).toString());
}

/** Returns the entries of all ranks, concatenated in rank order. They are sent as JSON. */
export async function gatherLists<Entry>(ranks: Ranks, own: readonly Entry[]): Promise<Entry[]> {
  const all = await gatherTexts(ranks, JSON.stringify(own));
  return all.flatMap((text): Entry[] => JSON.parse(text));
}

/**
 * Returns every rank's numbers, concatenated in rank order; ranks may have different counts.
 *
 * @example
 * await gatherFloats(ranks, Float32Array.of(ranks.rank)) // Float32Array [0, 1]
 */
export async function gatherFloats(ranks: Ranks, own: Float32Array): Promise<Float32Array> {
  const all = await gatherBytes(ranks, bytesOf(own));
  const joined = new Uint8Array(Buffer.concat(all));
  return new Float32Array(joined.buffer);
}

export async function gatherIntegers(ranks: Ranks, own: Int32Array): Promise<Int32Array> {
  const all = await gatherBytes(ranks, bytesOf(own));
  const joined = new Uint8Array(Buffer.concat(all));
  return new Int32Array(joined.buffer);
}

/**
 * Returns on all ranks what the function returns on the first one. It is sent as JSON.
 *
 * @example
 * const folder = await fromFirst(ranks, () => defaultRunFolder(configuration));
 */
export async function fromFirst<Value>(
  ranks: Ranks | undefined,
  make: () => Value | Promise<Value>,
): Promise<Value> {
  if (!ranks) return make();
  const own = ranks.isFirst ? await make() : undefined;
  const bytes = own === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(own));
  const size = tensor(Float64Array.of(bytes.length), { dtype: 'float64' });
  const length = (await ranks.group.broadcast(size).finished()).toArray();
  const [count = 0] = Array.isArray(length) ? length.map(Number) : [];
  size.dispose();
  if (count === 0) return JSON.parse('null');
  const text = ranks.isFirst ? tensor(new Uint8Array(bytes)) : zeros([count], { dtype: 'uint8' });
  const told = await ranks.group.broadcast(text).finished();
  const value: Value = own ?? JSON.parse(Buffer.from(bytesOf(told.toTypedArray())).toString());
  text.dispose();
  return value;
}

/** Copies the first rank's values into the tensors on all ranks. Blocks the event loop. */
export function copyFromFirstNow({ group }: Ranks, tensors: Iterable<Tensor>): void {
  for (const own of tensors) {
    tidy(() => {
      const target = own.detach();
      // The backends send raw memory, and channels-last tensors have a different layout.
      const sent = target.isContiguous() ? target : target.contiguous();
      group.broadcast(sent).wait();
      if (sent !== target) target.copy_(sent);
    });
  }
}

/** Returns the tensors of all ranks, which must have the same shape and type. Blocks the event loop. */
export function gatherTensorsNow({ group }: Ranks, own: Tensor): Tensor[] {
  return group.allGather(own).wait();
}

async function gatherBytes({ group }: Ranks, own: Uint8Array): Promise<Uint8Array[]> {
  const size = tensor(Float64Array.of(own.length), { dtype: 'float64' });
  const sizes = (await group.allGather(size).finished()).map((one) => {
    const count = Number(one.toTypedArray()[0]);
    one.dispose();
    return count;
  });
  size.dispose();
  // The backends gather only tensors of equal shape.
  const padded = new Uint8Array(Math.max(1, ...sizes));
  padded.set(own);
  const sent = tensor(padded);
  const all = await group.allGather(sent).finished();
  sent.dispose();
  return all.map((one, rank) => {
    const bytes = bytesOf(one.toTypedArray()).slice(0, sizes[rank]);
    one.dispose();
    return bytes;
  });
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
