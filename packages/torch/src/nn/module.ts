// A module keeps parameters, buffers and other modules in its fields, and finds them by looking at those fields.

import { noGrad } from '../autograd/autograd.js';
import { type Device, type Dtype, isDtype, isFloatingPoint } from '../native/dtype.js';
import { native } from '../native/native.js';
import { places } from '../tensor/handle.js';
import { tidy } from '../tensor/memory.js';
import { type Conversion, Tensor } from '../tensor/tensor.js';
import { Parameter } from './parameter.js';

export type StateDict = ReadonlyMap<string, Tensor>;

/** A module that maps one tensor to another. */
export type Layer = Module & { forward(input: Tensor): Tensor };

/**
 * The base class of all layers and networks. Field names become the state dict's names, in Python's spelling
 * (`runningMean` becomes `running_mean`, the first of `blocks` becomes `blocks.0`). A `Parameter` is learned, any other
 * `Tensor` is a buffer, and a `Module` or an array of modules holds children.
 *
 * @example
 * class Classifier extends Module {
 *   readonly body = new Linear(784, 64);
 *   readonly head = new Linear(64, 10);
 *   forward(x: Tensor): Tensor {
 *     return this.head.forward(this.body.forward(x).relu());
 *   }
 * }
 * [...new Classifier().stateDict().keys()] // body.weight, body.bias, head.weight, head.bias
 */
export abstract class Module {
  training = true;

  /** Tensors and child modules by name. Containers that name their children differently override it. */
  protected *members(): Iterable<[string, unknown]> {
    for (const [field, value] of Object.entries(this)) {
      const name = snakeCase(field);
      if (Array.isArray(value)) for (const [i, element] of value.entries()) yield [`${name}.${i}`, element];
      else yield [name, value];
    }
  }

  *namedChildren(): Iterable<[string, Module]> {
    for (const [name, member] of this.members()) if (member instanceof Module) yield [name, member];
  }

  /** Yields this module, whose name is '', and all modules below it. */
  *namedModules(prefix = ''): Iterable<[string, Module]> {
    yield [prefix, this];
    for (const [name, child] of this.namedChildren()) yield* child.namedModules(join(prefix, name));
  }

  *namedParameters(): Iterable<[string, Parameter]> {
    for (const [name, tensor] of this.namedTensors('')) if (tensor instanceof Parameter) yield [name, tensor];
  }

  *namedBuffers(): Iterable<[string, Tensor]> {
    for (const [name, tensor] of this.namedTensors(''))
      if (!(tensor instanceof Parameter)) yield [name, tensor];
  }

  parameters(): Parameter[] {
    return Array.from(this.namedParameters(), ([, parameter]) => parameter);
  }

  parameterCount(): number {
    return this.parameters().reduce((sum, parameter) => sum + parameter.numel, 0);
  }

  /** Switches dropout, batch norm and the like to training mode (or evaluation mode if false). */
  train(on = true): this {
    for (const [, module] of this.namedModules()) module.training = on;
    return this;
  }

  eval(): this {
    return this.train(false);
  }

  /** Sets whether the parameters are learned. */
  requireGrad(on = true): this {
    for (const parameter of this.parameters()) parameter.requiresGrad = on;
    return this;
  }

  zeroGrad(options: { readonly keepMemory?: boolean } = {}): void {
    native.clearGradients(places(this.parameters(), 'zeroGrad'), options.keepMemory ?? false);
  }

  /** Moves the parameters and buffers. A dtype applies to floating-point ones only, channels-last to four-dimensional ones. */
  to(target: Device | Dtype | Conversion): this {
    const conversion: Conversion =
      typeof target !== 'string' ? target : isDtype(target) ? { dtype: target } : { device: target };
    const move = (tensor: Tensor) => {
      const dtype = isFloatingPoint(tensor.dtype) ? conversion.dtype : undefined;
      const memoryFormat = tensor.ndim === 4 ? conversion.memoryFormat : undefined;
      return tensor.to({ ...conversion, dtype, memoryFormat });
    };
    noGrad(() => {
      for (const [, tensor] of this.namedTensors('')) {
        tidy(() => {
          const gradient = tensor.grad;
          tensor.setData(move(tensor.detach()));
          if (gradient) tensor.grad = move(gradient);
        });
      }
    });
    return this;
  }

  /** Returns all parameters and buffers by name, in field order; the tensors are the module's own, not copies. */
  stateDict(): Map<string, Tensor> {
    return new Map(this.namedTensors(''));
  }

  /**
   * Copies values into the parameters and buffers. With `strict` (the default), missing or unexpected names are an
   * error; without it, they are returned. A different shape is always an error.
   */
  loadStateDict(
    state: StateDict,
    options: { readonly strict?: boolean } = {},
  ): { missing: string[]; unexpected: string[] } {
    const fit = this.fitState(state, options);
    noGrad(() => {
      for (const [name, tensor] of this.stateDict()) {
        const given = state.get(name);
        if (given) tensor.copy_(given);
      }
    });
    return fit;
  }

  /** Checks names and shapes against the module's own, as `loadStateDict` does before it copies anything. */
  fitState(
    state: ReadonlyMap<string, { readonly shape: readonly number[] }>,
    options: { readonly strict?: boolean } = {},
  ): { missing: string[]; unexpected: string[] } {
    const own = this.stateDict();
    const missing = [...own.keys()].filter((name) => !state.has(name));
    const unexpected = [...state.keys()].filter((name) => !own.has(name));
    const problems = [...own].flatMap(([name, tensor]) => {
      const given = state.get(name);
      if (!given || given.shape.join() === tensor.shape.join()) return [];
      return [`${name} has shape [${tensor.shape.join(', ')}], the state dict's [${given.shape.join(', ')}]`];
    });
    if (options.strict ?? true) {
      if (missing.length > 0) problems.push(`missing: ${listed(missing)}`);
      if (unexpected.length > 0) problems.push(`not part of the module: ${listed(unexpected)}`);
    }
    if (problems.length > 0) throw new Error(`the state dict does not fit: ${listed(problems, '; ')}`);
    return { missing, unexpected };
  }

  /** Frees all parameters and buffers. */
  dispose(): void {
    for (const tensor of this.stateDict().values()) tensor.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  private *namedTensors(prefix: string): Iterable<[string, Tensor]> {
    const modules: [string, Module][] = [];
    for (const [name, member] of this.members()) {
      if (member instanceof Tensor) yield [join(prefix, name), member];
      else if (member instanceof Module) modules.push([join(prefix, name), member]);
    }
    // A module's own tensors come before those of its children, as in PyTorch.
    for (const [name, module] of modules) yield* module.namedTensors(name);
  }
}

function join(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function listed(names: readonly string[], separator = ', '): string {
  const shown = names.slice(0, 8).join(separator);
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}
