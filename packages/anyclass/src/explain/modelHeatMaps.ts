import { tidy } from '@anyclass/torch';
import { deviceImages } from '../data/batches/deviceBatch.js';
import { takesFeatures } from '../data/dataset/inputs.js';
import { pixelFormat } from '../data/dataset/preparation.js';
import { UserError } from '../errors/userError.js';
import { chooseCompute } from '../inference/computeDevice.js';
import { decodedBatches } from '../inference/decodedBatches.js';
import type { ImageInput } from '../inference/imageInput.js';
import { moveNetwork } from '../networks/moveNetwork.js';
import { loadModel } from '../runs/modelFile.js';
import type { HeatMap, Target } from './heatMap.js';
import { heatMaps } from './heatMaps.js';

/** An image, and what to look for in it. */
export interface WantedMap extends ImageInput {
  readonly target: Target;
}

/**
 * Returns a model's heat map of each image, undefined for images that cannot be read.
 *
 * @example
 * await modelHeatMaps('runs/sewer', [{ name: 'a.jpg', read, target: 2 }])
 */
export async function modelHeatMaps(
  model: string,
  wanted: readonly WantedMap[],
  { batchSize = 8, device = 'auto' }: { readonly batchSize?: number; readonly device?: string } = {},
): Promise<(HeatMap | undefined)[]> {
  const settings = chooseCompute({ device, precision: 'float32' });
  const { network, description } = loadModel(model);
  try {
    if (takesFeatures(description))
      throw new UserError(`${model} takes features; heat maps need a model that takes images`);
    moveNetwork(network, settings.device);
    const format = pixelFormat(network.imageSize, description);
    const { mean, std } = description;
    const maps: (HeatMap | undefined)[] = [];
    for await (using batch of decodedBatches(wanted, format, batchSize)) {
      const read = batch.entries.filter(({ failure }) => failure === undefined);
      const targets = read.map(({ image }) => image.target);
      const found = tidy(() =>
        batch.size === 0
          ? []
          : heatMaps(network, deviceImages(batch, { format, device: settings.device, mean, std }), targets),
      );
      let next = 0;
      for (const { failure } of batch.entries) maps.push(failure === undefined ? found[next++] : undefined);
      await new Promise(setImmediate);
    }
    return maps;
  } finally {
    network.dispose();
  }
}
