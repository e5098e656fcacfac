import { describe, expect, test } from 'vitest';
import { fromFixture, readFixture, type StoredValues } from '../../test/fixtures.js';
import { tensor, zeros } from '../index.js';

interface Printed extends StoredValues {
  readonly name: string;
  readonly requiresGrad: boolean;
  readonly text: string;
}

describe('a tensor prints as in PyTorch 1.13', () => {
  test.each(readFixture<Printed[]>('print'))('$name', (printed) => {
    const made = fromFixture(printed);
    if (printed.requiresGrad) made.requiresGrad = true;
    expect(String(made)).toBe(printed.text);
  });

  test('with its gradient function', () => {
    const x = tensor([1, 2], { requiresGrad: true });
    expect(String(x.mul(x))).toBe('tensor([1., 4.], grad_fn=<MulBackward0>)');
    expect(String(x.sum(null))).toBe('tensor(3., grad_fn=<SumBackward1>)');
  });
});

test('the console shows a tensor, and says when it has been disposed of', async () => {
  const { inspect } = await import('node:util');
  const x = zeros([2]);
  expect(inspect({ x })).toBe('{ x: tensor([0., 0.]) }');
  x.dispose();
  expect(inspect(x)).toBe('Tensor (disposed)');
});
