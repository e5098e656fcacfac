// Parameters that share their options: learning rate, weight decay and so on.

import type { Device, Dtype } from '../native/dtype.js';
import { full } from '../operators/creation.js';
import { keep } from '../tensor/memory.js';
import type { Tensor } from '../tensor/tensor.js';
import type { RawOptions } from './options.js';

/** Options that every optimizer's groups have, besides those of the optimizer. */
export type GroupOptions = RawOptions & { readonly lr: number };

/** Parameters with their own options; those left out come from the optimizer. */
export type GroupInput<Options> = { readonly params: readonly Tensor[] } & Partial<Options>;

/** Parameters with the same options, or groups of them. */
export type ParametersInput<Options> = readonly Tensor[] | readonly GroupInput<Options>[];

/**
 * One group of an optimizer.
 *
 * @example
 * const optimizer = new SGD([{ params: backbone, lr: 0.01 }, { params: head }], { lr: 0.1 });
 * optimizer.groups[0].lr // 0.01
 * optimizer.groups[0].lr = 0.001
 */
export class ParameterGroup<Options extends GroupOptions> {
  readonly params: readonly Tensor[];
  #options: Options;
  readonly #rates = new Map<string, Tensor>();

  constructor(params: readonly Tensor[], options: Options) {
    this.params = params;
    this.#options = options;
  }

  /** All options, including the learning rate; `loadStateDict` replaces them as a whole. */
  get options(): Options {
    return this.#options;
  }

  set options(options: Options) {
    this.#options = options;
    // In place: a captured CUDA graph reads the rate from this memory at every replay.
    for (const rate of this.#rates.values()) rate.fill_(options.lr);
  }

  get lr(): number {
    return this.#options.lr;
  }

  set lr(lr: number) {
    if (!(lr >= 0 && lr < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`lr must be a finite number, 0 or more, not ${lr}`);
    }
    this.options = { ...this.#options, lr };
  }

  /** Returns the learning rate as a tensor that follows every change of `lr`. */
  rateOn(device: Device, dtype: Dtype): Tensor {
    const key = `${device} ${dtype}`;
    const known = this.#rates.get(key);
    if (known) return known;
    const rate = keep(full([], this.#options.lr, { device, dtype }));
    this.#rates.set(key, rate);
    return rate;
  }
}

/** Returns the groups that a caller gave; a plain list of parameters becomes one group. */
export function groupInputs<Options>(
  parameters: ParametersInput<Options>,
  describe: (problem: string) => string,
): readonly (RawOptions & { readonly params: readonly Tensor[] })[] {
  const groups = isTensorList(parameters) ? [{ params: parameters }] : parameters;
  const seen = new Set<Tensor>();
  groups.forEach(({ params }, g) => {
    if (params.length === 0) throw new RangeError(describe(`group ${g} has no parameters`));
    params.forEach((parameter, p) => {
      if (seen.has(parameter)) {
        throw new RangeError(describe(`parameter ${p} of group ${g} was given twice`));
      }
      seen.add(parameter);
      if (!parameter.isLeaf) {
        throw new RangeError(
          describe(
            `parameter ${p} of group ${g} was computed from other tensors; only leaf tensors can be optimized`,
          ),
        );
      }
    });
  });
  if (groups.length === 0) throw new RangeError(describe('there are no parameters to optimize'));
  return groups;
}

function isTensorList<Options>(parameters: ParametersInput<Options>): parameters is readonly Tensor[] {
  return parameters.length > 0 && parameters.every((element) => !('params' in element));
}
