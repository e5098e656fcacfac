// Relevance of a transformer's tokens. Chefer, Gur & Wolf, "Generic Attention-model Explainability for Interpreting Bi-Modal and
// Encoder-Decoder Transformers", arXiv 2103.15679: each attention passes on the relevance of its queries to its keys, by the mean over
// heads of weight times positive gradient; the residual stream keeps it.
//
// We start from what the head reads: the class token, or all cells, each by its gradient times its value. In Swin and MaxViT only the
// last stage, where one window covers the map, can be followed.

import { enableGrad, grad, keep, nn, ones, type Tensor, tidy } from '@anyclass/torch';
import { mapHeads } from '../networks/layers/classHead.js';
import type { Network } from '../networks/network.js';
import { VisionTransformer } from '../networks/visionTransformer.js';
import type { Target } from './heatMap.js';
import { targetScores } from './targetScores.js';

/**
 * Returns the relevance of each patch, [batch, rows, columns]; null for networks without attention among all cells of the last maps.
 *
 * @example
 * tokenRelevance(createNetwork('vit-s-16', { classes: 3 }), images, [0])?.shape // [batch, 14, 14]
 */
export function tokenRelevance(network: Network, images: Tensor, targets: readonly Target[]): Tensor | null {
  return enableGrad(() =>
    tidy(() => {
      const attentions: Tensor[] = [];
      const input = images.detach();
      input.requiresGrad = true;
      const features = nn.functional.watchAttention(
        (weights) => void attentions.push(keep(weights)),
        () => network.forwardFeatures(input),
      );
      try {
        const tokens = features.ndim === 3 ? features : features.flatten(2).transpose(1, 2);
        const [batch = 0, length = 0] = tokens.shape;
        const followed = attentionsAmongAll(attentions, [batch, length]);
        if (followed.length === 0) return null;
        const scores = targetScores(network.forwardHead(features), targets);
        const [gradient, ...gradients] = grad([scores.sum()], [features, ...followed]);
        const start = gradient!.mul(features);
        const read = features.ndim === 3 ? start.sum([2]) : start.sum([1]).flatten(1);
        let relevance = (readsClassToken(network) ? firstAlone(read) : read.relu()).detach().unsqueeze(1);
        for (let layer = followed.length - 1; layer >= 0; layer--) {
          const passed = followed[layer]!.detach().mul(gradients[layer]!).relu().mean([1]);
          relevance = relevance.add(relevance.matmul(passed));
        }
        const flat = relevance.squeeze(1).unsqueeze(2);
        const map =
          features.ndim === 3
            ? network.maps(flat)
            : flat.transpose(1, 2).reshape([batch, 1, ...features.shape.slice(2)]);
        return map.squeeze(1);
      } finally {
        for (const weights of attentions) weights.dispose();
      }
    }),
  );
}

function readsClassToken(network: Network): boolean {
  return network instanceof VisionTransformer && !mapHeads.includes(network.options.head);
}

/** 1 for the first token, 0 for the others. */
function firstAlone(tokens: Tensor): Tensor {
  const [batch = 0, length = 0] = tokens.shape;
  return nn.functional.pad(ones([batch, 1], { device: tokens.device }), [0, length - 1]);
}

/**
 * Returns the attentions of the last stage: those among all tokens of an image, by as many heads as the last has. Swin's shifted windows have the heads of all
 * windows of an image, and at some sizes as many tokens.
 *
 * @example
 * attentionsAmongAll(attentions, [2, 49]) // the last two of swin-t at 224 px
 */
export function attentionsAmongAll(
  attentions: readonly Tensor[],
  [batch, length]: readonly [number, number],
): readonly Tensor[] {
  const expected = [batch, attentions.at(-1)?.shape[1], length, length].join();
  return attentions.slice(attentions.findLastIndex(({ shape }) => shape.join() !== expected) + 1);
}
