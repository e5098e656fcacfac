import { beforeAll, describe, expect, test } from 'vitest';
import { collectTensors } from '../../test/collectTensors.js';
import {
  cat,
  liveTensors,
  nn,
  noGrad,
  ones,
  type RecordedCall,
  RecordedTensor,
  randn,
  recordCalls,
  type Tensor,
  tensor,
  tidy,
  zeros,
} from '../index.js';

beforeAll(collectTensors);

function recorded(
  inputs: readonly Tensor[],
  fn: () => readonly Tensor[],
  names?: Iterable<[string, Tensor]>,
) {
  const calls: RecordedCall[] = [];
  const recording = noGrad(() =>
    recordCalls(inputs, () => tidy(fn), { onCall: (call) => calls.push(call), ...(names && { names }) }),
  );
  return { calls, ...recording };
}

const operators = (calls: readonly RecordedCall[]) => calls.map(({ operator }) => operator);

describe('a recording', () => {
  test("has every operator that depends on the inputs, in order, with arguments by the schema's names", () => {
    const x = randn([2, 3]);
    const { calls, inputs, outputs } = recorded([x], () => [x.add(2).transpose(0, 1).softmax(-1)]);
    expect(operators(calls)).toEqual(['aten::add.Scalar', 'aten::transpose.int', 'aten::softmax.int']);
    const [add, transpose, softmax] = calls;
    expect(add?.values).toMatchObject({ self: inputs[0], other: 2, alpha: undefined });
    expect(transpose?.values).toMatchObject({ self: add?.results[0], dim0: 0, dim1: 1 });
    expect(softmax?.results[0]).toBe(outputs[0]);
    expect(outputs[0]?.shape).toEqual([3, 2]);
  });

  test('holds values that do not depend on the inputs as computed constants', () => {
    const layer = new nn.Linear(3, 2);
    const x = randn([5, 3]);
    const { calls } = recorded(
      [x],
      () => [layer.forward(x).add(layer.weight.sum().mul(2))],
      layer.stateDict(),
    );
    expect(operators(calls)).toEqual(['aten::linear', 'aten::add.Tensor']);
    const { weight, bias } = calls[0]!.values;
    expect([weight, bias].map((value) => value instanceof RecordedTensor && value.name)).toEqual([
      'weight',
      'bias',
    ]);
    const { other } = calls[1]!.values;
    if (!(other instanceof RecordedTensor)) throw new Error('no tensor');
    expect(other.name).toBeUndefined();
    expect(other.constant?.toNumber()).toBeCloseTo(2 * layer.weight.sum().toNumber(), 6);
  });

  test('distinguishes lists of tensors from several results', () => {
    const x = randn([4, 2]);
    const { calls } = recorded([x], () => {
      const [a, b] = x.split(2);
      return [cat([b!, a!], 1)];
    });
    const [split, join] = calls;
    expect(split?.results).toHaveLength(2);
    expect(join?.values['tensors']).toEqual([split?.results[1], split?.results[0]]);
  });

  test('gives a tensor that is written in place a new value', () => {
    const x = randn([3]);
    const { calls, outputs } = recorded([x], () => [x.mul(2).relu_().add_(1)]);
    expect(operators(calls)).toEqual(['aten::mul.Scalar', 'aten::relu_', 'aten::add_.Scalar']);
    const ids = calls.map(({ results }) => results[0]?.id);
    expect(new Set(ids).size).toBe(3);
    expect(calls[2]?.values['self']).toBe(calls[1]?.results[0]);
    expect(outputs[0]?.id).toBe(ids[2]);
  });

  test('is not confused by places that are reused', () => {
    const x = randn([3]);
    const { calls } = recorded([x], () => {
      for (let i = 0; i < 5; i++) tidy(() => x.mul(2).add(1));
      return [x.mul(tensor([1, 2, 3])).add(zeros([3]))];
    });
    const { other } = calls.at(-1)!.values;
    expect(other instanceof RecordedTensor && other.constant?.toArray()).toEqual([0, 0, 0]);
  });

  test('keeps constants until it is disposed of, and none after that', () => {
    const x = randn([3]);
    const alive = liveTensors();
    const { calls, outputs: _, [Symbol.dispose]: dispose, ...rest } = recorded([x], () => [x.add(ones([3]))]);
    const { other } = calls[0]!.values;
    expect(other instanceof RecordedTensor && other.constant?.isDisposed).toBe(false);
    dispose();
    expect(other instanceof RecordedTensor && other.constant?.isDisposed).toBe(true);
    expect(rest.inputs).toHaveLength(1);
    expect(liveTensors()).toBeLessThanOrEqual(alive + 1);
  });

  test('ends with its function, even if that throws', () => {
    const x = randn([3]);
    const calls: RecordedCall[] = [];
    expect(() =>
      recordCalls(
        [x],
        () => {
          x.add(1);
          throw new Error('no more');
        },
        { onCall: (call) => calls.push(call) },
      ),
    ).toThrow('no more');
    x.add(2);
    expect(calls).toHaveLength(1);
  });
});

describe('a recording refuses', () => {
  const x = ones([4]);

  test.each([
    ['toNumber', () => x.sum().toNumber()],
    ['toFloat32Array', () => x.mul(2).toFloat32Array()],
    ['equal', () => x.equal(x)],
  ])('values that depend on the inputs: %s', (_, read) => {
    expect(() => recorded([x], () => [x.mul(Number(read()))])).toThrow(/depend on the input/);
  });

  test('memory that was overwritten through a view of it', () => {
    const write = () => {
      const y = x.mul(2);
      y.narrow(0, 0, 2).relu_();
      return [y.add(1)];
    };
    expect(() => recorded([x], write)).toThrow(
      /aten::add\.Scalar reads memory that aten::relu_ has overwritten/,
    );
  });

  test('a view of memory that was overwritten', () => {
    const write = () => {
      const y = x.mul(2);
      const view = y.view([2, 2]);
      y.relu_();
      return [view.add(1)];
    };
    expect(() => recorded([x], write)).toThrow(/overwritten/);
  });

  test('a constant into which a part of the input was written', () => {
    const write = () => {
      const table = zeros([2, 4]);
      table.at(0).copy_(x);
      return [table.add(x)];
    };
    expect(() => recorded([x], write)).toThrow(/overwritten/);
  });

  test('a constant that changes after it was read', () => {
    const write = () => {
      const scale = ones([4]);
      const y = x.mul(scale);
      scale.fill_(2);
      return [y.mul(scale)];
    };
    expect(() => recorded([x], write)).toThrow(/overwrites a constant/);
  });
});

describe('a recording accepts', () => {
  const x = ones([4]);

  test('a write to a copy, which leaves the original alone', () => {
    const { calls } = recorded([x], () => {
      const y = x.mul(2).view([2, 2]);
      const copy = y.transpose(0, 1).reshape([4]);
      copy.relu_();
      return [y.add(1)];
    });
    expect(operators(calls).at(-1)).toBe('aten::add.Scalar');
  });

  test('constants that are overwritten as a whole with the input', () => {
    const { calls } = recorded([x], () => [zeros([4]).copy_(x).add(1)]);
    expect(operators(calls)).toEqual(['aten::copy_', 'aten::add.Scalar']);
    const { self } = calls[0]!.values;
    expect(self instanceof RecordedTensor && self.constant?.toArray()).toEqual([0, 0, 0, 0]);
  });
});
