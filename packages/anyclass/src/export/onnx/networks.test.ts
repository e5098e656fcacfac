import { noGrad, randn, setSeed, tidy } from '@anyclass/torch';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';
import { expect, test } from 'vitest';
import { errorOf, inFloat64, varied } from '../../../../../bench/export/exactness.js';
import { graphBytes } from '../../../test/onnxFunction.js';
import { quickNetwork } from '../../../test/quickNetwork.js';
import type { NetworkName } from '../../networks/catalog.js';
import { foldBatchNorm } from '../../networks/foldBatchNorm.js';
import { networkGraph } from './networkGraph.js';

// As small as each network allows, because the computation is the same at every size. One predicts from mirror images too.
const options = (name: NetworkName) =>
  name.startsWith('maxvit')
    ? { classes: 5, inputSize: 64, partitionSize: 2 }
    : { classes: 5, inputSize: 32, mirror: name === 'resnet-18' };

const batchSizes = [1, 2, 5];
const most = Math.max(...batchSizes);

// At least one network of each family; bench/export measures all of them at full size.
test.each([
  'tresnet-s',
  'tresnet-m',
  'resnet-18',
  'vit-s-16',
  'maxvit-t',
  'convnextv2-t',
  'densenet-121',
  'efficientnetv2-s',
  'mobilenetv3-l',
  'deit3-s-16',
  'dinov3-s-plus-16',
  'swin-t',
] as const)(
  '%s gives the logits of libtorch with the same accuracy at any batch size',
  async (name) => {
    setSeed(1);
    using network = varied(quickNetwork(name, options(name)));
    using folded = foldBatchNorm(network);
    const side = folded.options.inputSize;
    using exported = networkGraph(folded, { inputShape: folded.inputShape });
    // More threads would only spin while they wait.
    const session = await InferenceSession.create(graphBytes(exported.graph), { intraOpNumThreads: 1 });
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
      // The rounding of one such network alone differs by up to a factor of 2.3 between CPUs, numbers of threads and seeds.
      expect(error).toBeLessThan(3 * errorOf(float32, float64));
    }
    await session.release();
  },
  180_000,
);
