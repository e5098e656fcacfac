import { nn, noGrad, randn, setSeed, type Tensor, tidy } from '@anyclass/torch';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';
import { expect, test } from 'vitest';
import { graphBytes } from '../../../test/onnxFunction.js';
import type { NetworkName } from '../../networks/catalogue.js';
import { createNetwork } from '../../networks/createNetwork.js';
import { foldBatchNorm } from '../../networks/foldBatchNorm.js';
import type { Network } from '../../networks/network.js';
import { networkGraph } from './networkGraph.js';

// As small as each network allows: what is computed is the same at every size.
const inputSize = 64;
const options = (name: NetworkName) => ({
  classes: 5,
  inputSize: name === 'vit-b-16' ? 32 : inputSize,
  ...(name.startsWith('maxvit') && { partitionSize: 2 }),
});

const batchSizes = [1, 2, 7, 32];
const most = Math.max(...batchSizes);

// One of each family; bench/export measures all of them at full size.
test.each(['tresnet-s', 'tresnet-m', 'resnet-18', 'vit-b-16', 'maxvit-t'] as const)(
  '%s gives the logits of libtorch, as exactly, at any batch size',
  async (name) => {
    using network = trained(createNetwork(name, options(name)));
    using folded = foldBatchNorm(network);
    const side = folded.options.inputSize;
    using exported = networkGraph(folded, { inputShape: folded.inputShape });
    const session = await InferenceSession.create(graphBytes(exported.graph));
    using images = randn([most, 3, side, side]);
    const pixels = images.toFloat32Array();
    const float32 = noGrad(() => tidy(() => folded.forward(images).toFloat32Array()));
    const float64 = inFloat64(network, images);
    const largest = float64.reduce((largestYet, logit) => Math.max(largestYet, Math.abs(logit)), 0);
    for (const batch of batchSizes) {
      const part = pixels.subarray(0, (pixels.length / most) * batch);
      const input = new OnnxTensor('float32', part, [batch, 3, side, side]);
      const { logits } = await session.run({ pixel_values: input });
      expect(logits?.dims).toEqual([batch, 5]);
      const error = errorOf(logits!.data, float64);
      expect(error).toBeLessThan(1e-4 * largest);
      expect(error).toBeLessThan(2 * errorOf(float32, float64));
    }
    await session.release();
  },
  180_000,
);

/** A network whose parts all have a say: fresh ones have heads and last norms of zero. */
function trained(network: Network): Network {
  setSeed(1);
  noGrad(() => {
    for (const parameter of network.parameters()) {
      if (parameter.ndim === 1) parameter.add_(randn([parameter.numel]).mul(0.1));
      else if (parameter.abs().amax().toNumber() === 0) nn.init.normal_(parameter, 0, 0.02);
    }
    for (const [name, buffer] of network.namedBuffers()) {
      if (name.endsWith('running_mean')) buffer.copy_(randn([buffer.numel]).mul(0.1));
      if (name.endsWith('running_var')) buffer.copy_(randn([buffer.numel]).mul(0.2).exp());
    }
  });
  return network.eval();
}

function inFloat64(network: Network, images: Tensor): Float64Array {
  network.to('float64');
  const logits = noGrad(() => tidy(() => network.forward(images.to('float64')).toTypedArray()));
  network.to('float32');
  return Float64Array.from(logits, Number);
}

/** Of the rows that are there. */
function errorOf(values: ArrayLike<unknown>, exact: Float64Array): number {
  return Array.from(values).reduce(
    (error: number, value, i) => Math.max(error, Math.abs(Number(value) - exact[i]!)),
    0,
  );
}
