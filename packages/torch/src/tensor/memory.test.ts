import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { collectTensors } from '../../test/collectTensors.js';
import { keep, liveTensors, ones, type Tensor, tensor, tidy, zeros } from '../index.js';

beforeAll(collectTensors);

let before = 0;
beforeEach(() => {
  before = liveTensors();
});
const made = () => liveTensors() - before;

describe('tidy', () => {
  test('disposes of everything made inside and returns plain values', () => {
    const sum = tidy(() => ones([3]).mul(2).sum(null).item());
    expect([sum, made()]).toEqual([6, 0]);
  });

  test('lets its result escape, and nothing else', () => {
    const result = tidy(() => {
      zeros([5]);
      return ones([3]).mul(2);
    });
    expect([result.toArray(), made()]).toEqual([[2, 2, 2], 1]);
    result.dispose();
  });

  test.each<[string, () => unknown, number]>([
    ['arrays', () => [zeros([1]), [zeros([1])]], 2],
    ['objects', () => ({ loss: zeros([1]), parts: { a: zeros([1]), name: 'x' } }), 2],
    ['maps', () => new Map([['a', zeros([1])]]), 1],
    ['the same tensor twice', () => Array<Tensor>(2).fill(zeros([1])), 1],
  ])('lets tensors escape in %s', (_, fn, count) => {
    const result = tidy(() => {
      ones([2]);
      return fn();
    });
    expect(made()).toBe(count);
    tensorsIn(result).forEach((found) => {
      expect(found.isDisposed).toBe(false);
      found.dispose();
    });
    expect(made()).toBe(0);
  });

  test('handles results that contain themselves', () => {
    interface Loop {
      self?: Loop;
      x: Tensor;
    }
    const result = tidy(() => {
      const loop: Loop = { x: zeros([1]) };
      loop.self = loop;
      return loop;
    });
    expect(result.x.isDisposed).toBe(false);
    result.x.dispose();
  });

  test('nested: the result of the inner call belongs to the outer one', () => {
    let inner: Tensor | undefined;
    tidy(() => {
      inner = tidy(() => ones([2]).add(1));
      expect([inner.isDisposed, made()]).toEqual([false, 1]);
    });
    expect([inner?.isDisposed, made()]).toEqual([true, 0]);
  });

  test('leaves tensors from outside alone, even when they are returned', () => {
    const x = zeros([1]);
    expect(tidy(() => tidy(() => x))).toBe(x);
    expect([x.isDisposed, made()]).toEqual([false, 1]);
    x.dispose();
  });

  test('disposes of what was made when the function throws, and works afterwards', () => {
    expect(() =>
      tidy(() => {
        zeros([1]);
        tidy(() => {
          zeros([1]);
          throw new Error('inside');
        });
      }),
    ).toThrow('inside');
    expect(made()).toBe(0);
    const outside = zeros([1]);
    expect(outside.isDisposed).toBe(false);
    outside.dispose();
  });

  test('keeps what is given to keep', () => {
    const kept = tidy(() => tidy(() => keep(zeros([1]))));
    expect([kept.isDisposed, made()]).toEqual([false, 1]);
    let other: Tensor | undefined;
    tidy(() => {
      other = keep(zeros([1]));
    });
    expect(other?.isDisposed).toBe(false);
    kept.dispose();
    other?.dispose();
    expect(made()).toBe(0);
  });

  test('accepts a result that is already disposed of', () => {
    const result = tidy(() => {
      const x = zeros([1]);
      x.dispose();
      return x;
    });
    expect([result.isDisposed, made()]).toEqual([true, 0]);
  });

  test('keeps the graph that an escaped result needs for its gradient', () => {
    const x = tensor([1, 2], { requiresGrad: true });
    const loss = tidy(() => x.mul(x).exp().sum(null));
    loss.backward();
    expect(x.grad?.toFloat32Array()[0]).toBeCloseTo(2 * Math.E, 5);
    loss.dispose();
    x.dispose();
  });

  test('gradients outlive the tidy that made them', () => {
    const x = tensor([1, 2], { requiresGrad: true });
    tidy(() => x.mul(3).sum(null).backward());
    tidy(() => expect(x.grad?.toArray()).toEqual([3, 3]));
    x.dispose();
  });
});

describe('dispose', () => {
  test('frees at once, and does nothing the second time', () => {
    const x = zeros([1]);
    x.dispose();
    x.dispose();
    expect(made()).toBe(0);
  });

  test('does not touch a newer tensor in the same place', () => {
    const x = zeros([1]);
    x.dispose();
    const y = ones([1]);
    x.dispose();
    expect(y.item()).toBe(1);
    y.dispose();
  });

  test('leaves views of the same memory alive', () => {
    const x = ones([4]);
    const view = x.view([2, 2]);
    x.dispose();
    expect(view.sum(null).item()).toBe(4);
    view.dispose();
  });

  test('happens at the end of a block with using', () => {
    {
      using x = zeros([1]);
      expect([x.isDisposed, made()]).toEqual([false, 1]);
    }
    expect(made()).toBe(0);
  });

  test('of a tensor outside every tidy cancels its finalizer', () => {
    const x = tidy(() => keep(ones([2])));
    x.dispose();
    expect(() => keep(x)).toThrow('keep: the tensor has been disposed of');
  });
});

function tensorsIn(value: unknown): Set<Tensor> {
  const found = new Set<Tensor>();
  const visit = (item: unknown): void => {
    if (typeof item !== 'object' || item === null) return;
    if (isTensor(item)) found.add(item);
    else if (item instanceof Map) [...item.values()].forEach(visit);
    else Object.values(item).forEach(visit);
  };
  visit(value);
  return found;
}

function isTensor(value: object): value is Tensor {
  return 'dispose' in value;
}
