// Checks for calls that libtorch itself does not check and that would crash the process or corrupt its memory. The
// generated functions of the same names call these first (generate/operators.ts lists them). Each guard says what would
// happen without it.

import { place } from './handle.js';
import { tidy } from './memory.js';
import { Tensor } from './tensorClass.js';

/** `groups` beyond 32 bits is truncated to 0, and the convolution divides by it. */
export function conv2d(groups?: number): void {
  if (isNumber(groups) && groups > 0x7fffffff)
    throw new RangeError(`conv2d: ${groups} groups are more than any tensor has channels`);
}

/** An empty dimension yields as many empty tensors as requested, until memory is full. */
export function chunk(chunks: number): void {
  checkCount('chunk', Number(isNumber(chunks) ? chunks : 0));
}

/** A tensor without dimensions has one element to select; the gradient for more is written past its end. */
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

/** With a lower bound at the largest int64, libtorch loops forever counting bits. */
export function randomInteger_(from: number | bigint, to?: number | bigint | null): void {
  for (const bound of [from, to].filter(isNumber)) {
    if (bound > Number.MAX_SAFE_INTEGER || bound < Number.MIN_SAFE_INTEGER)
      throw new RangeError(`randomInteger_: ${bound} is not a safe integer`);
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

/** An expanded tensor takes no memory, however large; one tensor per part fills memory. */
export function split(self: Tensor, splitSize: number | readonly number[], dim = 0): void {
  place(self, 'split');
  if (isNumber(splitSize)) checkCount('split', sizeAlong(self, dim) / Math.max(1, Number(splitSize)));
}

/** As for `split`. */
export function unbind(self: Tensor, dim = 0): void {
  place(self, 'unbind');
  checkCount('unbind', sizeAlong(self, dim));
}

/** A source position is the target's divided by the scale; if scale and output size disagree, it is out of range. */
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

// The call itself refuses values of other types.
function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
