import { tidy } from '../tensor/memory.js';
import type { Tensor } from '../tensor/tensor.js';
import { type Layer, Module } from './module.js';

/**
 * Runs layers one after another. In the state dict they are numbered from 0, or named by the keys of an object.
 *
 * @example
 * new Sequential(new Linear(4, 8), new ReLU(), new Linear(8, 2)) // 0.weight, 0.bias, 2.weight, 2.bias
 * new Sequential({ proj: new Linear(4, 8), act: new ReLU() }) // proj.weight, proj.bias
 */
export class Sequential extends Module {
  readonly #layers: ReadonlyMap<string, Layer>;

  constructor(named: Readonly<Record<string, Layer>>);
  constructor(...layers: readonly Layer[]);
  constructor(...given: readonly (Layer | Readonly<Record<string, Layer>>)[]) {
    super();
    this.#layers = new Map(
      given.flatMap((item, i) => (item instanceof Module ? [[String(i), item]] : Object.entries(item))),
    );
  }

  get layers(): Layer[] {
    return [...this.#layers.values()];
  }

  protected override *members(): Iterable<[string, unknown]> {
    yield* this.#layers;
  }

  forward(input: Tensor): Tensor {
    let x = input;
    for (const layer of this.#layers.values()) {
      // Intermediate tensors are no longer needed here; the autograd graph keeps what backward needs.
      const next = tidy(() => layer.forward(x));
      if (x !== input && x !== next) x.dispose();
      x = next;
    }
    return x;
  }
}
