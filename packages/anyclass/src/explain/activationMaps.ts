// Heat maps from the activations of one layer and the gradient of a score with respect to them.

import { enableGrad, grad, keep, noGrad, type Tensor, tidy } from '@anyclass/torch';
import { mapHeads } from '../networks/layers/classHead.js';
import type { Network } from '../networks/network.js';
import { VisionTransformer } from '../networks/visionTransformer.js';
import { type LayerCall, type LayerWatch, watchLayers } from '../networks/watchLayers.js';
import type { Target } from './heatMap.js';
import { targetScores } from './targetScores.js';

/**
 * Returns the score that each cell of the last maps would have as the whole image, without the bias: [batch, rows, columns]; null
 * unless the logits are linear in the mean of the cells. Class activation maps, Zhou et al., "Learning Deep Features for Discriminative
 * Localization", arXiv 1512.04150. For presence, classes count by their probabilities, which are its derivatives.
 *
 * @example
 * classActivation(network, images, ['presence'])?.shape // [1, 7, 7]
 */
export function classActivation(network: Network, images: Tensor, targets: readonly Target[]): Tensor | null {
  return noGrad(() =>
    tidy(() => {
      const features = network.forwardFeatures(images);
      const [batch = 0, channels = 0, rows = 0, columns = 0] = features.shape;
      // Tokens have no place without their first one; features of one cell have none at all.
      if (features.ndim !== 4 || network.options.head !== 'linear') return null;
      const cells = features.permute([0, 2, 3, 1]).reshape([batch * rows * columns, channels, 1, 1]);
      const ofCells = network.forwardHead(cells).view([batch, rows * columns, -1]);
      const logits = network.forwardHead(features);
      const bias = network.forwardHead(features.narrow(0, 0, 1).mul(0));
      const [error, range, size] = [ofCells.mean([1]).sub(logits), ofCells.sub(bias), logits].map((x) =>
        x.abs().amax().toNumber(),
      );
      if (error! > 1e-3 * range! + 1e-6 * size!) return null;
      const [weights] = enableGrad(() => {
        const leaf = asLeaf(logits);
        return grad([targetScores(leaf, targets).sum()], [leaf]);
      });
      return ofCells.sub(bias).mul(weights!.unsqueeze(1)).sum([2]).view([batch, rows, columns]);
    }),
  );
}

/** The activations of a layer as maps [batch, channels, rows, columns], and the gradient of the scores. */
interface Activations {
  readonly maps: Tensor;
  readonly gradient: Tensor;
}

/**
 * Grad-CAM: each channel of the last maps counts by its mean gradient. Selvaraju et al., "Grad-CAM: Visual Explanations from Deep
 * Networks via Gradient-based Localization", arXiv 1610.02391.
 *
 * @example
 * gradCam(network, images, [2]).shape // [1, 7, 7]
 */
export function gradCam(network: Network, images: Tensor, targets: readonly Target[]): Tensor {
  return tidy(() => {
    const { maps, gradient } = lastActivations(network, images, targets);
    return maps.mul(gradient.mean([2, 3], true)).sum([1]);
  });
}

/**
 * LayerCAM on the maps before the last reduction, which have twice the rows and columns: each cell of each channel counts by its own
 * gradient, if positive. Jiang et al., "LayerCAM: Exploring Hierarchical Class Activation Maps for Localization", IEEE TIP 2021. On
 * the last maps if there are no others.
 *
 * @example
 * layerCam(network, images, [2]).shape // [1, 14, 14]
 */
export function layerCam(network: Network, images: Tensor, targets: readonly Target[]): Tensor {
  return tidy(() => {
    const finer = finerLayer(network, images);
    const { maps, gradient } = finer
      ? innerActivations(network, images, targets, finer)
      : lastActivations(network, images, targets);
    return maps.mul(gradient.relu()).sum([finer?.isChannelsLast ? 3 : 1]);
  });
}

/**
 * Of the maps that the head takes. The head of a transformer may read the class token alone, so the tokens are those that its last
 * attention takes.
 */
function lastActivations(network: Network, images: Tensor, targets: readonly Target[]): Activations {
  if (network instanceof VisionTransformer && !mapHeads.includes(network.options.head)) {
    const { maps, gradient } = innerActivations(network, images, targets, {
      name: network.lastAttention,
      side: 'before',
    });
    return { maps: network.maps(maps), gradient: network.maps(gradient) };
  }
  return enableGrad(() => {
    const features = asLeaf(noGrad(() => network.forwardFeatures(images)));
    const scores = targetScores(network.forwardHead(features), targets);
    const [gradient] = grad([scores.sum()], [features]);
    return { maps: network.maps(features).detach(), gradient: network.maps(gradient!) };
  });
}

/** The input or the output of a layer. */
interface Place {
  readonly name: string;
  readonly side: 'before' | 'after';
}

function innerActivations(
  network: Network,
  images: Tensor,
  targets: readonly Target[],
  { name, side }: Place,
): Activations {
  return enableGrad(() => {
    let leaf: Tensor | undefined;
    const tap = (values: Tensor) => {
      leaf = keep(asLeaf(values));
      // A view of its own, since layers dispose of their inputs.
      return leaf.view(leaf.shape);
    };
    const watch: LayerWatch =
      side === 'before'
        ? { before: (call) => (call.name === name ? tap(call.input) : undefined) }
        : { after: (call) => (call.name === name ? tap(call.output) : undefined) };
    const logits = watchLayers(network, watch, () => network.forwardHead(network.forwardFeatures(images)));
    using maps = leaf!;
    const [gradient] = grad([targetScores(logits, targets).sum()], [maps]);
    return { maps: maps.clone().detach(), gradient: gradient! };
  });
}

/** A layer's maps, and whether their channels come last. */
interface FinerLayer extends Place {
  readonly isChannelsLast: boolean;
}

const finerLayers = new WeakMap<Network, FinerLayer | null>();

/** The last of the outermost layers whose maps have twice the side of the last maps. */
function finerLayer(network: Network, images: Tensor): FinerLayer | null {
  const known = finerLayers.get(network);
  if (known !== undefined) return known;
  const outputs: { readonly name: string; readonly shape: readonly number[] }[] = [];
  const after = ({ name, output }: LayerCall) => {
    outputs.push({ name, shape: output.shape });
    return undefined;
  };
  const last = noGrad(() =>
    tidy(
      () =>
        watchLayers(network, { after }, () => network.maps(network.forwardFeatures(images.narrow(0, 0, 1))))
          .shape[2]!,
    ),
  );
  let found: (FinerLayer & { readonly depth: number }) | null = null;
  for (const { name, shape } of outputs) {
    const isSquare = (at: number) => shape[at] === 2 * last && shape[at + 1] === 2 * last;
    if (shape.length !== 4 || !(isSquare(1) || isSquare(2))) continue;
    const depth = name.split('.').length;
    if (!found || depth <= found.depth) found = { name, side: 'after', depth, isChannelsLast: isSquare(1) };
  }
  finerLayers.set(network, found);
  return found;
}

function asLeaf(values: Tensor): Tensor {
  const leaf = values.detach();
  leaf.requiresGrad = true;
  return leaf;
}
