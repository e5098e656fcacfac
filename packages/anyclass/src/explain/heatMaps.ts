import { type Tensor, tidy } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import type { Network } from '../networks/network.js';
import { VisionTransformer } from '../networks/visionTransformer.js';
import { classActivation, gradCam, layerCam } from './activationMaps.js';
import { type HeatMap, type HeatMapMethod, heatMapMethods, type Target } from './heatMap.js';
import { type OcclusionOptions, occlusion } from './occlusion.js';
import { tileMaps } from './tileMaps.js';
import { tokenRelevance } from './tokenRelevance.js';

export interface HeatMapOptions extends OcclusionOptions {
  /**
   * Default `auto`: tokens for vision transformers, class activation where the head is linear on the mean of the maps, otherwise
   * Grad-CAM.
   */
  readonly method?: HeatMapMethod | 'auto' | undefined;
}

/**
 * Returns one heat map per image: where the evidence for its target is. The network should be in evaluation mode and the images
 * normalized, [batch, channels, height, width]. A network that averages mirror images is explained in the same way.
 *
 * @throws UserError if the network has no maps of this method
 *
 * @example
 * const [map] = heatMaps(network, images, [0]); // where is class 0 in the first image?
 * map.values.length === map.rows * map.columns // true
 */
export function heatMaps(
  network: Network,
  images: Tensor,
  targets: readonly Target[],
  { method = 'auto', ...occluding }: HeatMapOptions = {},
): HeatMap[] {
  if (network.options.tiles) return tileMaps(network, images, targets, method);
  if (method === 'tiles')
    throw new UserError(`${network.name} does not cut images into tiles; use auto, grad-cam or occlusion`);
  if (images.ndim !== 4)
    throw new UserError(`${network.name} takes features; heat maps need a network that takes images`);
  return tidy(() =>
    withoutParameterGradients(network, () => {
      const compute = (pictures: Tensor) => mapsBy(method, network, pictures, targets, occluding);
      // Occlusion goes through the whole network, mirror images included.
      const own = compute(images);
      const mirrored =
        network.options.mirror && own.method !== 'occlusion'
          ? compute(images.flip([3])).maps.flip([2])
          : undefined;
      const maps = (mirrored ? own.maps.add(mirrored).div(2) : own.maps).relu();
      const [batch = 0, rows = 0, columns = 0] = maps.shape;
      const values = maps.to('float32').toFloat32Array();
      const size = rows * columns;
      return Array.from({ length: batch }, (_, i) => ({
        method: own.method,
        rows,
        columns,
        values: values.slice(i * size, (i + 1) * size),
      }));
    }),
  );
}

interface ComputedMaps {
  readonly method: HeatMapMethod;
  /** [batch, rows, columns] */
  readonly maps: Tensor;
}

function mapsBy(
  method: Exclude<HeatMapMethod, 'tiles'> | 'auto',
  network: Network,
  images: Tensor,
  targets: readonly Target[],
  occluding: OcclusionOptions,
): ComputedMaps {
  switch (method) {
    case 'auto': {
      const relevance =
        network instanceof VisionTransformer ? tokenRelevance(network, images, targets) : null;
      if (relevance) return { method: 'tokens', maps: relevance };
      const activation = classActivation(network, images, targets);
      return activation
        ? { method: 'cam', maps: activation }
        : { method: 'grad-cam', maps: gradCam(network, images, targets) };
    }
    case 'cam':
      return { method, maps: found(classActivation(network, images, targets), network, method) };
    case 'tokens':
      return { method, maps: found(tokenRelevance(network, images, targets), network, method) };
    case 'grad-cam':
      return { method, maps: gradCam(network, images, targets) };
    case 'layer-cam':
      return { method, maps: layerCam(network, images, targets) };
    case 'occlusion':
      return { method, maps: occlusion(network, images, targets, occluding) };
    default:
      throw new UserError(
        `method is ${String(method)}; expected auto or one of ${heatMapMethods.join(', ')}`,
      );
  }
}

const needs = {
  cam: 'needs a linear head on the mean of the last maps',
  tokens: 'needs attention among all cells of the last maps, as in vision transformers',
};

function found(maps: Tensor | null, { name, options }: Network, method: keyof typeof needs): Tensor {
  if (maps) return maps;
  throw new UserError(
    `${name} with head ${options.head} has no heat maps by ${method}, which ${needs[method]}; use auto, grad-cam or occlusion`,
  );
}

/** Only the gradients of activations are needed; those of parameters would keep the whole graph. */
function withoutParameterGradients<T>(network: Network, fn: () => T): T {
  const learned = network.parameters().filter(({ requiresGrad }) => requiresGrad);
  for (const parameter of learned) parameter.requiresGrad = false;
  try {
    return fn();
  } finally {
    for (const parameter of learned) parameter.requiresGrad = true;
  }
}
