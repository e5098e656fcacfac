import { noGrad, type Tensor, tidy } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import { tileEvidence } from '../networks/layers/tiles.js';
import type { Network } from '../networks/network.js';
import type { HeatMap, HeatMapMethod, Target } from './heatMap.js';

/**
 * Returns where a network that cuts images into tiles finds its target: a cell per tile with the probability that the tile by itself
 * shows the class, or any class.
 */
export function tileMaps(
  network: Network,
  images: Tensor,
  targets: readonly Target[],
  method: HeatMapMethod | 'auto',
): HeatMap[] {
  if (method !== 'auto' && method !== 'tiles')
    throw new UserError(
      `${network.name} cuts images into tiles and has no heat maps by ${method}; use auto or tiles`,
    );
  const isIndependent = network.options.tiles?.pool === 'noisy-or';
  return tidy(() => {
    const logits = noGrad(() => network.tileLogits(images));
    const [tiles = 0, batch = 0, classes = 0] = logits.shape;
    const values = (isIndependent ? tileEvidence(logits) : logits).to('float32').sigmoid().toFloat32Array();
    const side = Math.round(Math.sqrt(tiles));
    const probability = (tile: number, image: number, target: Target) => {
      const own = values.subarray((tile * batch + image) * classes, (tile * batch + image + 1) * classes);
      return target === 'presence' ? 1 - own.reduce((none, p) => none * (1 - p), 1) : own[target]!;
    };
    return targets.map((target, image) => ({
      method: 'tiles',
      rows: side,
      columns: side,
      values: Float32Array.from({ length: tiles }, (_, tile) => probability(tile, image, target)),
    }));
  });
}
