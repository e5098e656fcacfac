// Calls that libtorch does not check itself and that would end the process or corrupt its memory. The generated functions
// of the same names ask here first, as generate/operators.ts lists; each guard says what would happen without it.

import { tidy } from './memory.js';
import { place, Tensor } from './tensor.js';

/** `groups` beyond 32 bits becomes 0 inside, and the convolution divides by it. */
export function conv2d(groups?: number): void {
  if (isNumber(groups) && groups > 0x7fffffff)
    throw new RangeError(`conv2d: ${groups} groups are more than any tensor has channels`);
}

/** An empty dimension gives as many empty tensors as asked for, until the memory is full. */
export function chunk(chunks: number): void {
  checkCount('chunk', Number(isNumber(chunks) ? chunks : 0));
}

/** A tensor without dimensions has one element to pick; the gradient of more is written past its end. */
export function indexSelect(self: Tensor, index: Tensor): void {
  place(self, 'indexSelect');
  place(index, 'indexSelect');
  if (self.ndim === 0 && index.numel !== 1)
    throw new RangeError(`indexSelect: ${index.numel} positions in ${self.dtype}[], which has one element`);
}

/** The square of a large factor overflows to 0, and libtorch divides by it. */
export function pixelShuffle(upscaleFactor: number): void {
  if (isNumber(upscaleFactor) && upscaleFactor > 0xffff)
    throw new RangeError(
      `pixelShuffle: a factor of ${upscaleFactor} needs more channels than any tensor has`,
    );
}

/** From the largest int64 on up, libtorch counts bits for ever. */
export function randomInteger_(from: number | bigint, to?: number | bigint | null): void {
  for (const bound of [from, to].filter(isNumber)) {
    if (bound > Number.MAX_SAFE_INTEGER || bound < Number.MIN_SAFE_INTEGER)
      throw new RangeError(`randomInteger_: ${bound} is beyond the integers that numbers count exactly`);
  }
}

/** Positions in `sorter` are used unchecked. */
export function searchsorted(sortedSequence: Tensor, options?: { sorter?: Tensor | undefined }): void {
  const sorter = options?.sorter;
  if (!(sorter instanceof Tensor) || sorter.dtype !== 'int64' || sorter.numel === 0) return;
  place(sortedSequence, 'searchsorted');
  const size = sortedSequence.shape.at(-1) ?? 0;
  const [least = 0, most = 0] = tidy(() => [sorter.amin().toNumber(), sorter.amax().toNumber()]);
  if (least < 0 || most >= size) {
    const shape = sortedSequence.shape.join(', ');
    throw new RangeError(
      `searchsorted: 'sorter' holds positions from ${least} to ${most} for a sequence [${shape}]`,
    );
  }
}

/** An expanded tensor costs nothing, however large; a tensor for each of its parts fills the memory. */
export function split(self: Tensor, splitSize: number | readonly number[], dim = 0): void {
  place(self, 'split');
  if (isNumber(splitSize)) checkCount('split', sizeAlong(self, dim) / Math.max(1, Number(splitSize)));
}

/** As for `split`. */
export function unbind(self: Tensor, dim = 0): void {
  place(self, 'unbind');
  checkCount('unbind', sizeAlong(self, dim));
}

/** A source position is the target's over the scale: where the scale does not lead to the size, it lies outside. */
export function upsampleBilinear2d(...values: UpsamplingArguments): void {
  checkScales('upsampleBilinear2d', ...values);
}

/** As for `upsampleBilinear2d`. */
export function upsampleNearest2d(...values: UpsamplingArguments): void {
  checkScales('upsampleNearest2d', ...values);
}

/** As for `upsampleBilinear2d`. */
export function upsampleBicubic2d(...values: UpsamplingArguments): void {
  checkScales('upsampleBicubic2d', ...values);
}

function sizeAlong(tensor: Tensor, dim: unknown): number {
  return (typeof dim === 'number' ? tensor.shape.at(dim) : 0) ?? 0;
}

const mostResults = 2 ** 20;

function checkCount(name: string, count: number): void {
  if (count > mostResults)
    throw new RangeError(`${name}: ${Math.ceil(count)} tensors are more than ${mostResults}`);
}

type UpsamplingArguments = [
  self: Tensor,
  outputSize: number | readonly number[],
  scalesH?: number | null,
  scalesW?: number | null,
];

function checkScales(name: string, ...[self, outputSize, scalesH, scalesW]: UpsamplingArguments): void {
  place(self, name);
  const sizes = Array.isArray(outputSize) ? outputSize : [outputSize];
  [scalesH, scalesW].forEach((scale, i) => {
    if (!isNumber(scale)) return;
    const from = self.shape[i + 2] ?? 0;
    const to = sizes[i] ?? sizes[0];
    if (isNumber(to) && Math.floor(from * Number(scale)) !== to) {
      throw new RangeError(
        `${name}: a scale of ${scale} does not lead from ${from} to ${to} [${self.shape.join(', ')}]`,
      );
    }
  });
}

// Values of other kinds are refused by the call itself.
function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
