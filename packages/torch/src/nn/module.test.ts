import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, expect, test } from 'vitest';
import { collectTensors } from '../../test/collectTensors.js';
import { liveTensors, ones, type Tensor, tidy, zeros } from '../index.js';
import { BatchNorm2d, Conv2d, Dropout, Linear, Module, Parameter, ReLU, Sequential } from './index.js';

beforeAll(collectTensors);

class Block extends Module {
  readonly conv1 = new Conv2d(2, 2, { kernel: 1, bias: false });
  readonly preNorm = new BatchNorm2d(2);
  forward(x: Tensor): Tensor {
    return this.preNorm.forward(this.conv1.forward(x));
  }
}

class Network extends Module {
  readonly stem = new Sequential({ MBconv: new Conv2d(3, 2, { kernel: 1 }), act: new ReLU() });
  readonly blocks = [new Block(), new Block()];
  readonly classToken = new Parameter(zeros([1, 2]));
  readonly head = new Sequential(new Dropout(0.1), new Linear(2, 4));
  forward(x: Tensor): Tensor {
    let y = this.stem.forward(x);
    for (const block of this.blocks) y = block.forward(y);
    return this.head.forward(y.mean([2, 3]).add(this.classToken));
  }
}

test("names are the field names in Python's spelling, a module's own tensors before those of its children", () => {
  const block = (i: number) => [
    `blocks.${i}.conv1.weight`,
    `blocks.${i}.pre_norm.weight`,
    `blocks.${i}.pre_norm.bias`,
    `blocks.${i}.pre_norm.running_mean`,
    `blocks.${i}.pre_norm.running_var`,
    `blocks.${i}.pre_norm.num_batches_tracked`,
  ];
  expect([...new Network().stateDict().keys()]).toEqual([
    'class_token',
    'stem.MBconv.weight',
    'stem.MBconv.bias',
    ...block(0),
    ...block(1),
    'head.1.weight',
    'head.1.bias',
  ]);
});

test('parameters and buffers are distinguished', () => {
  const network = new Network();
  expect([...network.namedBuffers()].map(([name]) => name.split('.').at(-1))).toEqual([
    'running_mean',
    'running_var',
    'num_batches_tracked',
    'running_mean',
    'running_var',
    'num_batches_tracked',
  ]);
  expect(network.parameterCount()).toBe(2 + 6 + 2 + 2 * (4 + 4) + 8 + 4);
});

test('train and eval reach every child', () => {
  const network = new Network().eval();
  expect([...network.namedModules()].every(([, module]) => !module.training)).toBe(true);
  network.train();
  expect([...network.namedModules()].every(([, module]) => module.training)).toBe(true);
});

test('a strict load fails on missing and unexpected names, a lenient one returns them; a wrong shape always fails', () => {
  const network = new Network();
  const state = new Map<string, Tensor>(network.stateDict());
  state.delete('head.1.bias');
  state.set('extra', zeros([1]));
  expect(() => network.loadStateDict(state)).toThrow('missing: head.1.bias; not part of the module: extra');
  expect(network.loadStateDict(state, { strict: false })).toEqual({
    missing: ['head.1.bias'],
    unexpected: ['extra'],
  });
  state.set('class_token', zeros([2, 2]));
  expect(() => network.loadStateDict(state, { strict: false })).toThrow(
    "class_token has shape [1, 2], the state dict's [2, 2]",
  );
});

test('a failed load leaves the module as it was', () => {
  const linear = new Linear(2, 2);
  const before = linear.weight.toArray();
  const state = new Map([
    ['weight', ones([2, 2])],
    ['bias', ones([3])],
  ]);
  expect(() => linear.loadStateDict(state)).toThrow('bias has shape [2]');
  expect(linear.weight.toArray()).toEqual(before);
});

test('a dtype changes floating-point tensors only, and their gradients too', () => {
  const network = new Network();
  network
    .forward(ones([1, 3, 2, 2]))
    .sum()
    .backward();
  network.to('float64');
  const state = network.stateDict();
  expect(state.get('class_token')?.dtype).toBe('float64');
  expect(state.get('blocks.0.pre_norm.num_batches_tracked')?.dtype).toBe('int64');
  expect(network.classToken.grad?.dtype).toBe('float64');
  expect(network.forward(ones([1, 3, 2, 2], { dtype: 'float64' })).dtype).toBe('float64');
});

test('channels-last applies to four-dimensional weights', () => {
  const conv = new Conv2d(4, 4, { kernel: 3 }).to({ memoryFormat: 'channelsLast' });
  expect(conv.weight.isContiguous('channelsLast')).toBe(true);
  expect(conv.weight.isContiguous()).toBe(false);
});

test('parameters and buffers outlive the tidy that they were made in; dispose frees them', async () => {
  await collectTensors(); // also those of the tests above
  const before = liveTensors();
  const network = tidy(() => new Network());
  expect(tidy(() => network.eval().forward(ones([1, 3, 2, 2])).shape)).toEqual([1, 4]);
  network.dispose();
  expect(liveTensors()).toBe(before);
  expect(() => network.forward(ones([1, 3, 2, 2]))).toThrow('disposed');
});

test('a Sequential keeps only what backward needs', async () => {
  await collectTensors();
  class Doubled extends Module {
    forward(x: Tensor): Tensor {
      return x.add(1).add(x);
    }
  }
  const sequence = new Sequential(new Doubled(), new Doubled(), new Doubled());
  const x = ones([2]);
  const before = liveTensors();
  const y = sequence.forward(x);
  expect(y.toArray()).toEqual([15, 15]);
  expect(liveTensors()).toBe(before + 1);
});

test('zeroGrad drops gradients, or keeps their memory and fills it with zeros', () => {
  const linear = new Linear(2, 1);
  linear.forward(ones([1, 2])).backward();
  linear.zeroGrad({ keepMemory: true });
  expect(linear.weight.grad?.toArray()).toEqual([[0, 0]]);
  linear.zeroGrad();
  expect(linear.weight.grad).toBeNull();
});

test('frozen parameters get no gradient', () => {
  const network = new Sequential(new Linear(2, 2).requireGrad(false), new Linear(2, 1));
  network.forward(ones([1, 2])).backward();
  expect(network.parameters().map((parameter) => parameter.grad !== null)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('parameters made outside a tidy survive the garbage collector', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const linear = new Linear(3, 2);
  const before = linear.weight.toArray();
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(linear.weight.toArray()).toEqual(before);
  expect(tidy(() => linear.forward(ones([1, 3])).shape)).toEqual([1, 2]);
});
