import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import { type Device, type Dtype, type Tensor, tensor } from '../index.js';
import { AdamW, type AdamWGroupOptions, type Optimizer, SGD, type SGDGroupOptions } from './index.js';

interface Case<Options> {
  readonly options: Options;
  readonly dtype: Dtype;
  readonly groups?: readonly { readonly params: readonly number[]; readonly options: Partial<Options> }[];
  /** Elements of each parameter, by the number of steps taken. */
  readonly after: Readonly<Record<string, readonly number[][]>>;
}

interface Fixture<Options> {
  readonly shapes: readonly number[][];
  readonly initial: readonly number[][];
  readonly gradients: readonly (number[] | null)[][];
  readonly cases: readonly Case<Options>[];
}

const sgd: Fixture<SGDGroupOptions> = read('sgd');
const adamW: Fixture<AdamWGroupOptions> = read('adamw');

onEachDevice((device) => {
  for (const fused of device === 'cpu' ? [true] : [true, false]) {
    describe(fused ? 'by default' : 'without fused kernels', () => {
      test.each(sgd.cases)("SGD takes PyTorch's steps: $dtype $options", (example) => {
        const { options, groups } = example;
        expectSameSteps(sgd, example, device, (all) =>
          groups
            ? new SGD(
                groups.map((group) => ({ params: group.params.map((i) => all[i]!), ...group.options })),
                { ...options, fused },
              )
            : new SGD(all, { ...options, fused }),
        );
      });

      test.each(adamW.cases)("AdamW takes PyTorch's steps: $dtype $options", (example) => {
        const { options, groups } = example;
        expectSameSteps(adamW, example, device, (all) =>
          groups
            ? new AdamW(
                groups.map((group) => ({ params: group.params.map((i) => all[i]!), ...group.options })),
                { ...options, fused },
              )
            : new AdamW(all, { ...options, fused }),
        );
      });
    });
  }
});

function expectSameSteps<Options>(
  { shapes, initial, gradients }: Fixture<Options>,
  { dtype, after }: Case<Options>,
  device: Device,
  make: (parameters: Tensor[]) => Pick<Optimizer, 'step'>,
): void {
  const create = (data: readonly number[], i: number) =>
    tensor([...data], { dtype, device, shape: shapes[i] ?? [] });
  const parameters = initial.map(create);
  const optimizer = make(parameters);
  gradients.forEach((given, step) => {
    parameters.forEach((parameter, i) => {
      const gradient = given[i];
      parameter.grad = gradient ? create(gradient, i) : null;
    });
    optimizer.step();
    after[step + 1]?.forEach((elements, i) => {
      const found = parameters[i]!.to('cpu').toTypedArray();
      elements.forEach((element, k) => {
        // 20 steps of a few roundings each, on elements of up to about 2.
        expect(Math.abs(Number(found[k]) - element)).toBeLessThan(dtype === 'float64' ? 1e-14 : 4e-6);
      });
    });
  });
}

function read<Options>(name: string): Fixture<Options> {
  return JSON.parse(readFileSync(new URL(`../../test/fixtures/optim/${name}.json`, import.meta.url), 'utf8'));
}
