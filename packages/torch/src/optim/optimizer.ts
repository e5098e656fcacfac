// What all optimizers share: parameter groups, the state of each parameter, and saving and loading that state.

import { noGrad } from '../autograd/autograd.js';
import type { Device, Dtype } from '../native/dtype.js';
import { native } from '../native/native.js';
import { places } from '../tensor/handle.js';
import { keep, tidy } from '../tensor/memory.js';
import { Tensor } from '../tensor/tensor.js';
import type { RawOptions } from './options.js';
import { type GroupOptions, groupInputs, ParameterGroup, type ParametersInput } from './parameterGroup.js';

/** An optimizer's state for one parameter. */
export type ParameterState = { readonly [name: string]: Tensor };

/**
 * An optimizer's state as plain data. The tensors go into one safetensors file under their names, `groups` into JSON.
 *
 * A name joins the parameter's number and the tensor's name, as in '12.expAvg'; parameters are numbered across all
 * groups in order. The tensors are the optimizer's own: write or clone them before the next step.
 */
export interface OptimizerState {
  readonly state: ReadonlyMap<string, Tensor>;
  readonly groups: readonly SavedGroup[];
}

export interface SavedGroup {
  /** How many parameters the group has. */
  readonly params: number;
  readonly options: RawOptions;
}

export interface StepOptions {
  /** A scalar: 1 if a gradient overflowed, otherwise 0. If 1, the step changes nothing. Fused kernels read it on the device. */
  readonly foundInf?: Tensor | undefined;
}

/** Parameters of a group on one device and of one dtype, with their gradients and their states, if any. */
export interface Bucket<State> {
  readonly device: Device;
  readonly dtype: Dtype;
  readonly parameters: Tensor[];
  readonly gradients: Tensor[];
  readonly states: State[];
  /** Whether the states are new. */
  readonly isFirstStep: boolean;
}

/**
 * The base class of SGD and AdamW.
 *
 * On a GPU, the learning rate and the step counts are read from the device, so that a captured CUDA graph of `step()`
 * follows a scheduler. The first step creates the state, so capture a later one.
 */
export abstract class Optimizer<
  Options extends GroupOptions = GroupOptions,
  State extends ParameterState = ParameterState,
> {
  readonly groups: readonly ParameterGroup<Options>[];
  readonly #name: string;
  readonly #readOptions: (raw: RawOptions) => Options;
  readonly #states = new Map<Tensor, State>();

  constructor(
    name: string,
    parameters: ParametersInput<Options>,
    defaults: RawOptions,
    readOptions: (raw: RawOptions) => Options,
  ) {
    this.#name = name;
    this.#readOptions = readOptions;
    const describe = (problem: string) => `${name}: ${problem}`;
    this.groups = groupInputs(parameters, describe).map(({ params, ...overrides }, g) => {
      const options = this.#checkedOptions({ ...defaults, ...overrides }, g);
      return new ParameterGroup([...params], options);
    });
  }

  /** The parameters of all groups, in the order of the state dict. */
  get parameters(): Tensor[] {
    return this.groups.flatMap(({ params }) => params);
  }

  /** Updates every parameter that has a gradient. */
  step({ foundInf }: StepOptions = {}): void {
    tidy(() =>
      noGrad(() => {
        let overflowed: boolean | undefined;
        for (const group of this.groups) {
          for (const bucket of this.#buckets(group)) {
            if (this.isFused(bucket, group.options)) {
              this.updateFused(bucket, group, foundInf?.to(bucket.device));
            } else {
              overflowed ??= foundInf !== undefined && foundInf.toNumber() !== 0;
              if (overflowed) return;
              this.update(bucket, group);
            }
            if (bucket.isFirstStep) this.#remember(bucket.parameters, bucket.states);
          }
        }
      }),
    );
  }

  /** Drops the gradients, or zeroes them in place (for a captured CUDA graph). */
  zeroGrad({ keepMemory = false }: { readonly keepMemory?: boolean } = {}): void {
    native.clearGradients(places(this.parameters, 'zeroGrad'), keepMemory);
  }

  /** Returns the state as plain data; see {@link OptimizerState}. */
  stateDict(): OptimizerState {
    const state = new Map<string, Tensor>();
    this.parameters.forEach((parameter, i) => {
      for (const [name, tensor] of Object.entries(this.#states.get(parameter) ?? {})) {
        state.set(`${i}.${name}`, tensor);
      }
    });
    const groups = this.groups.map(({ params, options }) => ({
      params: params.length,
      options: { ...options },
    }));
    return { state, groups };
  }

  /**
   * Resumes from a saved state. Values are copied to the parameters' devices. If anything does not match, nothing changes.
   *
   * @example
   * resumed.loadStateDict(optimizer.stateDict()); // from here on both take the same steps
   */
  loadStateDict(saved: OptimizerState): void {
    const options = this.#savedOptions(saved.groups);
    tidy(() =>
      noGrad(() => {
        const remaining = new Map(saved.state);
        const parameters: Tensor[] = [];
        const states: State[] = [];
        const copies: [target: Tensor, source: Tensor][] = [];
        let number = 0;
        this.groups.forEach((group, g) => {
          for (const parameter of group.params) {
            const state = this.#states.get(parameter) ?? this.createState(parameter, options[g]!);
            const found = takeNamed(remaining, state ?? {}, number++);
            copies.push(...found);
            if (!state || found.length === 0) continue;
            parameters.push(parameter);
            states.push(state);
          }
        });
        const [unknown] = remaining.keys();
        if (unknown !== undefined)
          this.#fail(`the saved state holds '${unknown}', which matches no parameter of this optimizer`);
        for (const [target, source] of copies) target.copy_(source);
        this.#states.clear();
        this.#remember(parameters, states);
        this.groups.forEach((group, g) => {
          group.options = options[g]!;
        });
      }),
    );
  }

  /** Creates the state before the first step, or returns undefined if the options need none. */
  protected abstract createState(parameter: Tensor, options: Options): State | undefined;
  /** Whether `updateFused` handles this bucket. */
  protected abstract isFused(bucket: Bucket<State>, options: Options): boolean;
  protected abstract updateFused(
    bucket: Bucket<State>,
    group: ParameterGroup<Options>,
    foundInf: Tensor | undefined,
  ): void;
  protected abstract update(bucket: Bucket<State>, group: ParameterGroup<Options>): void;

  #buckets(group: ParameterGroup<Options>): Iterable<Bucket<State>> {
    const buckets = new Map<string, Bucket<State>>();
    const gradients = native.gradients(places(group.params, 'step'));
    group.params.forEach((parameter, i) => {
      const gradient = gradients[i]!;
      if (gradient < 0) return;
      const { device, dtype } = parameter;
      const known = this.#states.get(parameter);
      const state = known ?? this.createState(parameter, group.options);
      const isFirstStep = known === undefined;
      const key = `${device} ${dtype} ${isFirstStep}`;
      const bucket = buckets.get(key) ?? {
        device,
        dtype,
        parameters: [],
        gradients: [],
        states: [],
        isFirstStep,
      };
      buckets.set(key, bucket);
      bucket.parameters.push(parameter);
      bucket.gradients.push(new Tensor(gradient));
      if (state) bucket.states.push(state);
    });
    return buckets.values();
  }

  #remember(parameters: readonly Tensor[], states: readonly State[]): void {
    states.forEach((state, i) => {
      this.#states.set(parameters[i]!, state);
      for (const tensor of Object.values(state)) keep(tensor);
    });
  }

  #savedOptions(saved: readonly SavedGroup[]): Options[] {
    const counts = saved.map(({ params }) => params).join(', ');
    const own = this.groups.map(({ params }) => params.length).join(', ');
    if (counts !== own) {
      this.#fail(`the saved state has groups of ${counts} parameters, this optimizer of ${own}`);
    }
    return saved.map(({ options }, g) => this.#checkedOptions(options, g));
  }

  #checkedOptions(raw: RawOptions, group: number): Options {
    try {
      return this.#readOptions(raw);
    } catch (error) {
      if (error instanceof Error) error.message = `${this.#name}, group ${group}: ${error.message}`;
      throw error;
    }
  }

  #fail(problem: string): never {
    throw new RangeError(`${this.#name}: ${problem}`);
  }
}

// Takes a parameter's saved tensors out of `remaining`: all that its state names, or none if it never took a step.
function takeNamed(
  remaining: Map<string, Tensor>,
  state: ParameterState,
  number: number,
): [Tensor, Tensor][] {
  const wanted = Object.entries(state);
  const missing = wanted.filter(([name]) => !remaining.has(`${number}.${name}`));
  if (missing.length === wanted.length) return [];
  return wanted.map(([name, target]) => {
    const key = `${number}.${name}`;
    const source = remaining.get(key);
    if (!source) throw new RangeError(`the saved state lacks '${key}'`);
    if (source.shape.join() !== target.shape.join()) {
      throw new RangeError(
        `the saved '${key}' has the shape [${source.shape.join(', ')}], expected [${target.shape.join(', ')}]`,
      );
    }
    remaining.delete(key);
    return [target, source];
  });
}
