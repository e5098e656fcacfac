import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { collectTensors } from '../../test/collectTensors.js';
import { onEachDevice } from '../../test/devices.js';
import { liveTensors, randn, setSeed, type Tensor, tensor, tidy, zeros } from '../index.js';
import { AdamW, type OptimizerState, SGD } from './index.js';

beforeAll(collectTensors);

const kinds = [
  ['SGD', (all: Tensor[]) => new SGD(all, { lr: 0.1, momentum: 0.9, weightDecay: 0.01 })],
  ['SGD with dampening', (all: Tensor[]) => new SGD(all, { lr: 0.1, momentum: 0.9, dampening: 0.5 })],
  ['AdamW', (all: Tensor[]) => new AdamW(all, { lr: 0.1 })],
] as const;

onEachDevice((device) => {
  test.each(kinds)('%s resumes bit for bit from a saved state', (_, make) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), fc.boolean(), (stepsBefore, lastHadGradient) => {
        const run = (interrupted: boolean) => {
          setSeed(3);
          let parameters = [[2, 3], [4], []].map((shape) => randn(shape, { device }));
          let optimizer = make(parameters);
          for (let step = 0; step < 7; step++) {
            if (interrupted && step === stepsBefore) {
              const saved = throughJson(optimizer.stateDict());
              parameters = parameters.map((parameter) => parameter.clone());
              optimizer = make(parameters);
              optimizer.loadStateDict(saved);
            }
            parameters.forEach((parameter, i) => {
              const drawn = randn(parameter.shape, { device });
              parameter.grad = i < 2 || lastHadGradient || step > 4 ? drawn : null;
            });
            optimizer.step();
          }
          return parameters.map((parameter) => parameter.toArray());
        };
        expect(run(true)).toEqual(run(false));
      }),
      { numRuns: 8 },
    );
  });

  test('an optimizer that has taken steps can return to an earlier state', () => {
    const parameter = zeros([3], { device });
    const optimizer = new AdamW([parameter], { lr: 0.1 });
    const take = () => {
      parameter.grad = tensor([1, -2, 3], { device });
      optimizer.step();
    };
    take();
    const saved = cloned(optimizer.stateDict());
    const start = parameter.clone();
    take();
    const expected = parameter.toArray();
    parameter.copy_(start);
    optimizer.loadStateDict(saved);
    take();
    expect(parameter.toArray()).toEqual(expected);
  });

  test('parameters without a gradient are left alone and get no state', () => {
    const [touched, untouched] = [tensor([1, 2], { device }), tensor([3, 4], { device })];
    const optimizer = new AdamW([touched, untouched], { lr: 0.1 });
    touched.grad = tensor([1, 1], { device });
    optimizer.step();
    expect(untouched.toArray()).toEqual([3, 4]);
    expect([...optimizer.stateDict().state.keys()]).toEqual(['0.step', '0.expAvg', '0.expAvgSq']);
  });

  test('a step with foundInf changes nothing, and does not count', () => {
    for (const [, make] of kinds) {
      const [skipping, plain] = [tensor([1, 2], { device }), tensor([1, 2], { device })];
      const optimizers = [make([skipping]), make([plain])];
      const step = (gradient: number[], options?: { foundInf: Tensor }) => {
        for (const parameter of [skipping, plain]) parameter.grad = tensor(gradient, { device });
        optimizers[0]!.step(options);
        if (!options) optimizers[1]!.step();
      };
      step([Number.POSITIVE_INFINITY, 1], { foundInf: tensor(1, { device }) });
      expect(skipping.toArray()).toEqual([1, 2]);
      for (let i = 0; i < 3; i++) step([1, -1]);
      expect(skipping.toArray()).toEqual(plain.toArray());
    }
  });

  test('a new learning rate applies from the next step on', () => {
    const parameter = tensor([1], { device });
    const optimizer = new SGD([parameter], { lr: 0.5 });
    for (const lr of [0.5, 0.25, 0]) {
      optimizer.groups[0]!.lr = lr;
      parameter.grad = tensor([1], { device });
      optimizer.step();
    }
    expect(parameter.toArray()).toEqual([0.25]);
  });

  test('steps leave no tensors behind except the state', () => {
    const parameters = [randn([5, 5], { device }), randn([7], { device })];
    const optimizer = new AdamW(parameters);
    const step = () =>
      tidy(() => {
        for (const parameter of parameters) parameter.grad = randn(parameter.shape, { device });
        optimizer.step();
      });
    step();
    const before = liveTensors();
    for (let i = 0; i < 10; i++) step();
    expect(liveTensors()).toBe(before);
  });
});

test('zeroGrad drops gradients, or fills the same memory with zeros', () => {
  const parameter = tensor([1, 2]);
  const optimizer = new SGD([parameter], { lr: 1 });
  const gradient = tensor([3, 4]);
  parameter.grad = gradient;
  optimizer.zeroGrad({ keepMemory: true });
  expect(gradient.toArray()).toEqual([0, 0]);
  expect(parameter.grad?.toArray()).toEqual([0, 0]);
  optimizer.zeroGrad();
  expect(parameter.grad).toBeNull();
});

test('channels-last and other strided parameters take the same steps as contiguous ones', () => {
  setSeed(1);
  const start = randn([3, 4, 5, 2]);
  const gradient = randn([3, 4, 5, 2]);
  const layouts = [
    (x: Tensor) => x.clone(),
    (x: Tensor) => x.to({ memoryFormat: 'channelsLast', copy: true }),
    (x: Tensor) => x.permute([3, 1, 0, 2]).contiguous().permute([2, 1, 3, 0]),
  ];
  const results = layouts.map((layout) => {
    const parameter = layout(start);
    const optimizer = new AdamW([parameter], { lr: 0.1 });
    for (let step = 0; step < 3; step++) {
      parameter.grad = layout(gradient);
      optimizer.step();
    }
    return parameter.toArray();
  });
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});

test('a parameter larger than a block takes the same steps as its parts would, bit for bit', () => {
  for (const [, make] of kinds) {
    setSeed(2);
    const whole = randn([1100, 1024]);
    const parts = whole.split([17 * 64, 12]).map((part) => part.clone());
    const [optimizer, separate] = [make([whole]), make(parts)];
    for (let step = 0; step < 2; step++) {
      const gradient = randn([1100, 1024]);
      whole.grad = gradient;
      gradient.split([17 * 64, 12]).forEach((part, i) => {
        parts[i]!.grad = part.clone();
      });
      optimizer.step();
      separate.step();
    }
    expect(whole.narrow(0, 0, 17 * 64).equal(parts[0]!)).toBe(true);
    expect(whole.narrow(0, 17 * 64, 12).equal(parts[1]!)).toBe(true);
  }
});

test('wrong parameters and options are refused by name', () => {
  const [a, b] = [tensor([1], { requiresGrad: true }), tensor([1])];
  expect(() => new AdamW([])).toThrow('AdamW: there are no parameters to optimize');
  expect(() => new AdamW([{ params: [] }])).toThrow('group 0 has no parameters');
  expect(() => new AdamW([{ params: [a] }, { params: [b, a] }])).toThrow(
    'parameter 1 of group 1 was given twice',
  );
  expect(() => new AdamW([a.mul(2)])).toThrow('only leaf tensors');
  expect(() => new AdamW([a], { betas: [0.9, 1] })).toThrow(
    'AdamW, group 0: betas[1] must be 0 or more and below 1',
  );
  expect(() => new AdamW([{ params: [a] }, { params: [b], lr: -1 }])).toThrow(
    'AdamW, group 1: lr must be 0 or more',
  );
  expect(() => new SGD([a], { lr: Number.NaN })).toThrow(RangeError);
  expect(() => new SGD([a], { lr: 1, nesterov: true })).toThrow('nesterov needs a momentum');
  expect(() => {
    new SGD([a], { lr: 1 }).groups[0]!.lr = Number.POSITIVE_INFINITY;
  }).toThrow('lr must be a finite number');
});

test('a state that does not fit is refused, and changes nothing', () => {
  const parameter = tensor([1, 2]);
  const optimizer = new AdamW([parameter], { lr: 0.1 });
  parameter.grad = tensor([1, 1]);
  optimizer.step();
  const { state, groups } = cloned(optimizer.stateDict());
  const options = groups[0]!.options;
  const refused = (saved: OptimizerState) => {
    const fresh = new AdamW([tensor([1, 2])], { lr: 0.7 });
    let message = '';
    try {
      fresh.loadStateDict(saved);
    } catch (error) {
      message = String(error);
    }
    expect(fresh.stateDict().state.size).toBe(0);
    expect(fresh.groups[0]!.lr).toBe(0.7);
    return message;
  };
  expect(refused({ state, groups: [{ params: 2, options }] })).toContain('groups of 2 parameters');
  expect(refused({ state, groups: [{ params: 1, options: { ...options, lr: 'x' } }] })).toContain(
    'lr must be a number, not "x"',
  );
  expect(refused({ state: new Map([...state, ['1.step', zeros([])]]), groups })).toContain("holds '1.step'");
  expect(refused({ state: new Map([...state, ['0.expAvg', zeros([3])]]), groups })).toContain(
    "'0.expAvg' has the shape [3], expected [2]",
  );
  const lacking = new Map(state);
  lacking.delete('0.expAvgSq');
  expect(refused({ state: lacking, groups })).toContain("lacks '0.expAvgSq'");
});

test('the examples in the documentation hold', () => {
  for (const [make, expected] of [
    [(all: Tensor[]) => new SGD(all, { lr: 0.1, momentum: 0.9 }), [0.8, 1.6]],
    [(all: Tensor[]) => new AdamW(all, { lr: 0.1, weightDecay: 0.05 }), [0.895, 1.89]],
  ] as const) {
    const weight = tensor([1, 2], { requiresGrad: true });
    const optimizer = make([weight]);
    weight.mul(weight).sum().backward();
    optimizer.step();
    weight.toTypedArray().forEach((element, i) => {
      expect(Number(element)).toBeCloseTo(expected[i]!, 6);
    });
  }
});

function cloned({ state, groups }: OptimizerState): OptimizerState {
  return { state: new Map([...state].map(([name, value]) => [name, value.clone()])), groups };
}

function throughJson(saved: OptimizerState): OptimizerState {
  return { ...cloned(saved), groups: JSON.parse(JSON.stringify(saved.groups)) };
}
