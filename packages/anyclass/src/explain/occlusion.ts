// Occlusion. Zeiler & Fergus, "Visualizing and Understanding Convolutional Networks", arXiv 1311.2901: cover a square of the image with
// the mean color and see how far the score falls. It needs no gradients, so it checks the other maps; it costs a pass per square.

import { cat, noGrad, type Tensor, tidy, zeros } from '@anyclass/torch';
import type { Network } from '../networks/network.js';
import type { Target } from './heatMap.js';
import { targetScores } from './targetScores.js';

export interface OcclusionOptions {
  /** Squares per side; they overlap by half. Default: as many as the last maps have cells, at most 14. */
  readonly cells?: number;
  /** Images per pass. Default 32. */
  readonly batchSize?: number;
}

/**
 * Returns how far each image's score falls when a square is covered, [batch, cells, cells].
 *
 * @example
 * occlusion(network, images, ['presence'], { cells: 8 }).shape // [1, 8, 8]
 */
export function occlusion(
  network: Network,
  images: Tensor,
  targets: readonly Target[],
  { cells, batchSize = 32 }: OcclusionOptions = {},
): Tensor {
  return noGrad(() =>
    tidy(() => {
      const [batch = 0, channels = 0, height = 0, width = 0] = images.shape;
      const count = cells ?? cellsOf(network, images);
      const falls = targets.map((target, row) => {
        const image = images.narrow(0, row, 1);
        const whole = targetScores(network.forward(image), [target]);
        const covered = Array.from({ length: count ** 2 }, (_, cell) => {
          const [top, rows] = span(Math.floor(cell / count), count, height);
          const [left, columns] = span(cell % count, count, width);
          return { top, rows, left, columns };
        });
        const parts: Tensor[] = [];
        for (let from = 0; from < covered.length; from += batchSize) {
          const part = covered.slice(from, from + batchSize);
          parts.push(
            tidy(() => {
              const copies = image.expand([part.length, channels, height, width]).clone();
              for (const [i, { top, rows, left, columns }] of part.entries()) {
                // Images are normalized, so the mean color is 0.
                copies.select(0, i).narrow(1, top, rows).narrow(2, left, columns).mul_(0);
              }
              return whole.sub(
                targetScores(
                  network.forward(copies),
                  part.map(() => target),
                ),
              );
            }),
          );
        }
        return cat(parts).view([1, count, count]);
      });
      return falls.length === 0 ? zeros([batch, count, count]) : cat(falls);
    }),
  );
}

/** Where a square that is two cells wide begins, and its length inside the image. */
function span(cell: number, count: number, side: number): [number, number] {
  const step = side / count;
  const from = Math.max(0, Math.round((cell - 0.5) * step));
  const to = Math.min(side, Math.round((cell + 1.5) * step));
  return [from, to - from];
}

function cellsOf(network: Network, images: Tensor): number {
  const maps = tidy(() => network.maps(network.forwardFeatures(images.narrow(0, 0, 1))).shape);
  return Math.min(14, Math.max(7, maps[2] ?? 1));
}
