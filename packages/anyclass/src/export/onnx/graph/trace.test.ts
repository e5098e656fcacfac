import { arange, cat, nn, ones, randn, type Tensor, zeros } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { FunctionModule, onnxBytes, runOnnx, runTorch } from '../../../../test/onnxFunction.js';
import { BatchMultiple, traceModule } from './trace.js';

const inputShape = [2, 4, 4] as const;

function traced(compute: (x: Tensor) => Tensor) {
  return traceModule(new FunctionModule(compute), { inputShape });
}

describe('a trace', () => {
  test('knows which sizes grow with the batch', () => {
    using trace = traced((x) => x.view([x.shape[0]! * 2, 16]));
    expect(trace.outputs[0]?.shape).toEqual([new BatchMultiple(2), 16]);
    expect(trace.calls[0]?.values['size']).toEqual([new BatchMultiple(2), 16]);
  });

  test('names the layer of each call', () => {
    const network = new nn.Sequential({
      body: new nn.Sequential(new nn.Conv2d(2, 3, { kernel: 3 }), new nn.ReLU()),
      pool: new nn.AdaptiveAvgPool2d(1),
    });
    using trace = traceModule(network, { inputShape });
    expect(trace.calls.map(({ layer, operator }) => [layer, operator])).toEqual([
      ['body.0', 'conv2d'],
      ['body.1', 'relu'],
      ['pool', 'adaptive_avg_pool2d'],
    ]);
    expect(Object.keys(network)).not.toContain('forward');
    expect(trace.calls[0]?.values['weight']).toMatchObject({ name: 'body.0.weight' });
  });

  test('repeats constants with a row for each image at any batch size', async () => {
    const token = randn([1, 1, 4, 4]);
    const compute = (x: Tensor) => cat([token.expand([x.shape[0]!, -1, -1, -1]), x], 1);
    const model = onnxBytes(compute, [2, 4, 4]);
    for (const batch of [1, 5]) {
      const images = randn([batch, 2, 4, 4]);
      expect(await runOnnx(model, images)).toEqual(runTorch(compute, images));
    }
  });
});

describe('a trace rejects, with the name of the layer,', () => {
  test.each([
    ['sizes that are not multiples of the batch', (x: Tensor) => F.pad(x, [0, x.shape[0]! + 1])],
    ['other operators for other batch sizes', (x: Tensor) => (x.shape[0]! > 2 ? x.relu() : x.sigmoid())],
    ['more operators for other batch sizes', (x: Tensor) => (x.shape[0]! > 2 ? x.mul(2).relu() : x.mul(2))],
    ['numbers that depend on the batch in another way', (x: Tensor) => x.div(x.shape[0]! + 1)],
    [
      'constants that differ from image to image',
      (x: Tensor) => x.add(arange(0, x.shape[0]!).view([-1, 1, 1, 1])),
    ],
    ['constants that depend on the batch size', (x: Tensor) => x.mul(ones([1]).div(x.shape[0]!))],
    ['values that are read', (x: Tensor) => x.mul(x.amax().toNumber())],
    [
      'writes through a view',
      (x: Tensor) => {
        const y = x.mul(2);
        y.select(1, 0).copy_(zeros([4, 4]));
        return y.add(1);
      },
    ],
  ])('%s', (_, compute) => {
    const layer = new FunctionModule(compute);
    const network = new nn.Sequential({ odd: layer });
    expect(() => traceModule(network, { inputShape }).outputs).toThrow(/\bodd\b/);
  });

  test('an operator without a translation', () => {
    const sorted = new FunctionModule((x) => x.cumsum(1));
    expect(() => onnxBytes((x) => new nn.Sequential({ sorted }).forward(x), [2, 4, 4])).toThrow(/cumsum/);
  });
});

const { functional: F } = nn;
