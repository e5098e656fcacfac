import { afterEach, describe, expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import {
  autocast,
  enableGrad,
  grad,
  isGradEnabled,
  noGrad,
  ones,
  rand,
  type Tensor,
  tensor,
  tidy,
  zeros,
} from '../index.js';

afterEach(() => {
  expect(isGradEnabled()).toBe(true);
});

onEachDevice((device) => {
  const leaf = (values: number[]): Tensor => tensor(values, { device, requiresGrad: true });

  test('backward stores the derivative in the leaves', () => {
    const x = leaf([1, 2, 3]);
    x.pow(3).sum(null).backward();
    expect(x.grad?.toArray()).toEqual([3, 12, 27]);
  });

  test('gradients accumulate until they are cleared', () => {
    const x = leaf([1, 2]);
    for (let i = 0; i < 3; i++) x.mul(2).sum(null).backward();
    expect(x.grad?.toArray()).toEqual([6, 6]);
    clear(x);
    expect(x.grad).toBeNull();
    x.sum(null).backward();
    expect(x.grad?.toArray()).toEqual([1, 1]);
  });

  test('backward adds to a gradient that was set by hand', () => {
    const x = leaf([1, 2]);
    x.grad = tensor([10, 20], { device });
    x.sum(null).backward();
    expect(x.grad?.toArray()).toEqual([11, 21]);
  });

  test('backward from more than one element takes the upstream gradient', () => {
    const x = leaf([1, 2]);
    x.mul(3).backward(tensor([1, 10], { device }));
    expect(x.grad?.toArray()).toEqual([3, 30]);
  });

  test('a graph serves one backward unless it is retained', () => {
    const x = leaf([1, 2]);
    const y = x.mul(x).sum(null);
    y.backward(null, { retainGraph: true });
    y.backward();
    expect(x.grad?.toArray()).toEqual([4, 8]);
    expect(() => y.backward()).toThrow('backward: Trying to backward through the graph a second time');
  });

  test('grad gives the derivatives of several inputs and leaves their own gradients alone', () => {
    const x = leaf([1, 2]);
    const y = leaf([3, 4]);
    const [dx, dy] = grad([x.mul(y).sum(null)], [x, y]);
    expect([dx?.toArray(), dy?.toArray(), x.grad, y.grad]).toEqual([[3, 4], [1, 2], null, null]);
  });

  test('grad sums over several outputs, each weighted by its own gradient', () => {
    const x = leaf([1, 2]);
    const [dx] = grad([x.mul(2), x.pow(2)], [x], {
      gradients: [tensor([1, 1], { device }), tensor([10, 100], { device })],
    });
    expect(dx?.toArray()).toEqual([22, 402]);
  });

  test('createGraph gives second derivatives', () => {
    const x = leaf([1, 2]);
    const [first] = grad([x.pow(4).sum(null)], [x], { createGraph: true });
    const [second] = grad([first?.sum(null) ?? x], [x]);
    expect([first?.toArray(), second?.toArray()]).toEqual([
      [4, 32],
      [12, 48],
    ]);
  });

  test('an input that no output depends on is an error, or null if allowUnused is set', () => {
    const x = leaf([1]);
    const other = leaf([1]);
    const y = x.mul(2).sum(null);
    expect(() => grad([y], [x, other], { retainGraph: true })).toThrow(
      /^grad: .*of the differentiated Tensors/,
    );
    const [dx, dother] = grad([y], [x, other], { allowUnused: true });
    expect([dx?.toArray(), dother]).toEqual([[2], null]);
  });

  test('detach cuts the graph and shares the memory', () => {
    const x = leaf([1, 2]);
    const cut = x.mul(3).detach();
    expect([cut.requiresGrad, cut.isLeaf]).toEqual([false, true]);
    x.mul(cut).sum(null).backward();
    expect(x.grad?.toArray()).toEqual([3, 6]);
  });

  test('a leaf that requires gradients cannot be changed in place, except inside noGrad', () => {
    const x = leaf([1, 2]);
    expect(() => x.add_(1)).toThrow('aten::add_.Scalar: a leaf Variable that requires grad');
    noGrad(() => x.add_(1));
    expect(x.toArray()).toEqual([2, 3]);
  });

  test('changing in place what backward needs is an error', () => {
    const x = leaf([1, 2]);
    const y = x.exp();
    y.add_(1);
    expect(() => y.sum(null).backward()).toThrow('modified by an inplace operation');
  });

  test('autocast multiplies in bfloat16 and keeps sums in float32', () => {
    const [x, w] = [rand([4, 8], { device }), rand([8, 4], { device, requiresGrad: true })];
    const type = device === 'cuda' ? 'cuda' : 'cpu';
    const product = autocast(() => x.matmul(w), { device: type });
    expect(product.dtype).toBe('bfloat16');
    expect(x.matmul(w).dtype).toBe('float32');
    expect(autocast(() => x.matmul(w), { device: type, enabled: false }).dtype).toBe('float32');
    const exact = x.to('bfloat16').matmul(w.detach().to('bfloat16'));
    expect(product.detach().equal(exact)).toBe(true);
    product.sum(null).backward();
    expect(w.grad?.dtype).toBe('float32');
  });

  test('autocast nests, and is restored after an exception', () => {
    const x = rand([2, 2], { device });
    const type = device === 'cuda' ? 'cuda' : 'cpu';
    autocast(
      () => {
        expect(autocast(() => x.matmul(x), { device: type, enabled: false }).dtype).toBe('float32');
        expect(() =>
          autocast(
            () => {
              throw new Error('inside');
            },
            { device: type, enabled: false },
          ),
        ).toThrow('inside');
        expect(x.matmul(x).dtype).toBe('bfloat16');
      },
      { device: type },
    );
    expect(x.matmul(x).dtype).toBe('float32');
  });
});

describe('recording', () => {
  test('noGrad and enableGrad nest', () => {
    const x = zeros([1], { requiresGrad: true });
    noGrad(() => {
      expect(isGradEnabled()).toBe(false);
      expect(x.mul(2).requiresGrad).toBe(false);
      enableGrad(() => expect(x.mul(2).requiresGrad).toBe(true));
      expect(isGradEnabled()).toBe(false);
    });
    expect(x.mul(2).requiresGrad).toBe(true);
  });

  test('is restored after an exception', () => {
    expect(() =>
      noGrad(() => {
        enableGrad(() => {
          throw new Error('inside');
        });
      }),
    ).toThrow('inside');
    expect(isGradEnabled()).toBe(true);
  });

  test('functions that return promises are refused, and their later failure is not reported again', async () => {
    const later = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      throw new Error('nobody waits for this');
    };
    expect(() => noGrad(later)).toThrow('noGrad takes a synchronous function');
    expect(() => enableGrad(later)).toThrow('enableGrad takes a synchronous function');
    expect(() => autocast(later)).toThrow('autocast takes a synchronous function');
    expect(() => tidy(later)).toThrow('tidy takes a synchronous function');
    expect(isGradEnabled()).toBe(true);
    expect(ones([2, 2]).matmul(ones([2, 2])).dtype).toBe('float32');
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

describe('what cannot be differentiated is refused by name', () => {
  const x = ones([2], { requiresGrad: true });
  test.each<[string, () => unknown, string]>([
    [
      'a tensor without a graph',
      () => ones([1]).backward(),
      'backward: element 0 of tensors does not require grad',
    ],
    [
      'several elements without a gradient',
      () => x.mul(2).backward(),
      'backward: grad can be implicitly created only for scalar outputs (outputs: [float32[2]])',
    ],
    ['a gradient of the wrong shape', () => x.mul(2).backward(ones([3])), 'backward: '],
    [
      'inputs that require no gradients',
      () => grad([x.sum(null)], [ones([1])]),
      'ensors does not require grad',
    ],
    ['fewer gradients than outputs', () => grad([x, x], [x], { gradients: [x] }), 'grad: '],
    [
      'gradients of integers',
      () => Reflect.set(ones([1], { dtype: 'int64' }), 'requiresGrad', true),
      'requiresGrad: only floating-point tensors',
    ],
    [
      'a gradient of another shape',
      () => Reflect.set(x, 'grad', ones([3])),
      'grad: the gradient of float32[2] cannot be float32[3]',
    ],
    [
      'a gradient of another dtype',
      () => Reflect.set(x, 'grad', ones([2], { dtype: 'float64' })),
      'cannot be float64[2]',
    ],
    [
      'to stop recording a computed tensor',
      () => Reflect.set(x.mul(2), 'requiresGrad', false),
      'use detach()',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
  });
});

function clear(tensor: Tensor): void {
  tensor.grad = null;
}
