import { expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import type { TensorExample } from '../../test/examples/example.js';
import { notEverywhere, operatorExamples } from '../../test/examples/index.js';
import { gradcheckInput, gradientError } from '../../test/gradcheck.js';
import { Tensor, tensor, tidy } from '../index.js';
import type { Device } from '../native/dtype.js';
import * as generated from './operators.generated.js';

const operators: Readonly<Record<string, unknown>> = generated;

test('every generated function has an example', () => {
  const shown = new Set(operatorExamples.map((example) => example.name));
  const missing = Object.keys(operators).filter((name) => !shown.has(name) && !notEverywhere.has(name));
  expect(missing).toEqual([]);
});

onEachDevice((device) => {
  test.each(operatorExamples.filter((example) => example.differentiable))(
    'the gradients of $name agree with finite differences',
    ({ name, values }) => {
      const leaves: Tensor[] = [];
      const made = values.map((value) => materialize(value, device, leaves));
      expect(leaves.length).toBeGreaterThan(0);
      expect(gradientError(() => evaluate(name, made), leaves)).toBeLessThan(1e-6);
    },
  );

  test.each(operatorExamples.filter((example) => !example.differentiable))(
    '$name runs',
    ({ name, values }) => {
      tidy(() =>
        evaluate(
          name,
          values.map((value) => materialize(value, device, [])),
        ),
      );
    },
  );
});

// The floating-point results of a function. In-place functions get copies, since leaves cannot be changed in place.
function evaluate(name: string, values: readonly unknown[]): Tensor[] {
  const fn = operators[name];
  if (typeof fn !== 'function') throw new Error(`no function ${name}`);
  const inPlace = name.endsWith('_');
  const [first, ...rest] = values;
  const target = inPlace && first instanceof Tensor ? first.clone() : first;
  const result: unknown = fn(target, ...rest);
  const results = Array.isArray(result) ? result : [result];
  return results.filter((item) => item instanceof Tensor && item.dtype === 'float64');
}

function materialize(value: unknown, device: Device, leaves: Tensor[]): unknown {
  if (Array.isArray(value)) return value.map((item) => materialize(item, device, leaves));
  if (isTensorExample(value)) {
    if (value.dtype)
      return tensor([...(value.values ?? [])], { dtype: value.dtype, device }).view(value.shape);
    const leaf = gradcheckInput(value.shape, value.scale, value.offset);
    const made =
      device === 'cpu' ? leaf : tensor(leaf.toArray(), { dtype: 'float64', device, requiresGrad: true });
    leaves.push(made);
    return made;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, materialize(item, device, leaves)]),
    );
  }
  return value;
}

function isTensorExample(value: unknown): value is TensorExample {
  return typeof value === 'object' && value !== null && 'shape' in value;
}
