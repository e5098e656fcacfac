// What ranks tell each other beside gradients: texts, arrays, the tensors of the first one. All of them call the same functions
// in the same order. The waits leave the event loop free, except where the name says `now`.

import { type Tensor, tensor, tidy, zeros } from '@anyclass/torch';
import type { Ranks } from './ranks.js';

/**
 * Every rank's text, in their order.
 *
 * @example
 * await gatherTexts(ranks, `I am rank ${ranks.rank}`) // ['I am rank 0', 'I am rank 1']
 */
export async function gatherTexts(ranks: Ranks, text: string): Promise<string[]> {
  const all = await gatherBytes(ranks, Buffer.from(text));
  return all.map((bytes) => Buffer.from(bytes).toString());
}

/** The entries of all ranks, one after another in the order of the ranks. They travel as JSON. */
export async function gatherLists<Entry>(ranks: Ranks, own: readonly Entry[]): Promise<Entry[]> {
  const all = await gatherTexts(ranks, JSON.stringify(own));
  return all.flatMap((text): Entry[] => JSON.parse(text));
}

/**
 * Every rank's numbers, one after another in the order of the ranks; each may have as many as it likes.
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
 * What the first rank's function gives, on all ranks. It travels as JSON.
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

/** Gives the tensors the first rank's values, on all ranks. Their event loops wait. */
export function copyFromFirstNow({ group }: Ranks, tensors: Iterable<Tensor>): void {
  for (const own of tensors) {
    tidy(() => {
      const target = own.detach();
      // The backends send memory as it lies there, and a channels-last map lies differently.
      const sent = target.isContiguous() ? target : target.contiguous();
      group.broadcast(sent).wait();
      if (sent !== target) target.copy_(sent);
    });
  }
}

/** The tensors of all ranks, of one shape and type. */
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
  // The backends gather tensors of one shape.
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
