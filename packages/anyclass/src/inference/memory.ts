// Advice when memory runs out: the engine reports what it asked for, not what would help.

import { lacksAddressSpace } from '@anyclass/torch/builds';
import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';

/** What needs the memory, and how to need less. */
export interface MemoryUse {
  /** For example, `a batch of 32 images of 224 x 224 pixels`. */
  readonly what: string;
  /** For example, `lower batchSize, or raise accumulation`. */
  readonly advice: string;
}

/**
 * Runs work in the engine. If it runs out of memory on the CPU or a GPU, or a tensor is too large for a
 * kernel, the error says what needed the memory and what to change.
 *
 * @example
 * withMemoryAdvice(() => network.forward(images), () => ({ what: 'a batch of 32 images', advice: 'lower batchSize' }))
 */
export function withMemoryAdvice<Result>(work: () => Result, use: () => MemoryUse): Result {
  try {
    return work();
  } catch (error) {
    const message = messageOf(error);
    if (isTooLarge(message)) {
      throw new UserError(`${use().what} is more than a GPU kernel can index: ${use().advice}`, {
        cause: error,
      });
    }
    if (!isOutOfMemory(message)) throw error;
    const { what, advice } = use();
    const device = /CUDA/.test(message) ? 'GPU memory' : 'memory';
    const asked = askedFor(message);
    const asking = asked === undefined ? '' : ` (the engine asked for ${asked} more)`;
    throw new UserError(`not enough ${device} for ${what}${asking}: ${advice}`, { cause: error });
  }
}

function isOutOfMemory(message: string): boolean {
  return /out of memory|can't allocate memory|cannot allocate memory|not enough memory|bad_alloc/i.test(
    message,
  );
}

/** Some libtorch kernels index elements with 32 bits, which tensors in GPU memory can exceed. */
function isTooLarge(message: string): boolean {
  return /32-bit ind(ex|ices)/i.test(message);
}

/** The requested amount as libtorch reports it: in bytes on the CPU, in a unit of its choice on a GPU. */
function askedFor(message: string): string | undefined {
  const bytes = /tried to allocate (\d+) bytes/i.exec(message)?.[1];
  if (bytes !== undefined) return `${Math.ceil(Number(bytes) / 1e6)} MB`;
  return /tried to allocate ([\d.]+ [KMGT]i?B)/i.exec(message)?.[1];
}

const mebibyte = 2 ** 20;

/** Address space that decoding images needs; with less, a thread or a library may fail to get any. */
export const decodingSpace = 640 * mebibyte;

/** Address space that decoding and scoring need: thread stacks and heaps, the decoder, and the engine. */
export const scoringSpace = 768 * mebibyte;

/** Address space that a training run needs, including the report with images at its end. */
export const trainingSpace = 1536 * mebibyte;

/**
 * Throws if the process cannot get the address space that it will need. Without it, Node and the libraries
 * that decode images abort the process with no error that could be caught.
 *
 * @param remedy an alternative to raising the limit, such as `, or lower the batch size`
 */
export function checkAddressSpace(needed: number, remedy = ''): void {
  const problem = lacksAddressSpace(needed);
  if (problem !== undefined) throw new UserError(`${problem}${remedy}`);
}
