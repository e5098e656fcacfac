// A loss that is no number any more: what was seen when it happened.

import { noGrad, tidy } from '@anyclass/torch';
import type { Network } from '../networks/network.js';
import { UserError } from '../userError.js';

export interface StepFigures {
  readonly loss: number;
  readonly largestLogit: number;
  readonly gradientNorm: number;
}

/** Whether training can go on after a step. A float16 gradient may overflow: the scaler leaves such steps out. */
export function isHealthy({ loss, gradientNorm }: StepFigures, scaled: boolean): boolean {
  return Number.isFinite(loss) && (scaled || Number.isFinite(gradientNorm));
}

/** Stops a run, told with all that helps to find the cause. */
export class DivergenceError extends UserError {}

/**
 * @example
 * throw divergence({ loss: NaN, largestLogit: Infinity, gradientNorm: NaN }, { epoch: 3, step: 17, names, network });
 */
export function divergence(
  figures: StepFigures,
  where: {
    readonly epoch: number;
    readonly step: number;
    readonly names: readonly string[];
    readonly network: Network;
    readonly lastCheckpoint: string | undefined;
  },
): DivergenceError {
  const norms = gradientNorms(where.network);
  const notFinite = norms.filter(({ norm }) => !Number.isFinite(norm));
  const largest = norms.filter(({ norm }) => Number.isFinite(norm)).sort((a, b) => b.norm - a.norm);
  const shown = where.names.slice(0, 8).join(', ');
  return new DivergenceError(
    [
      `the loss is ${figures.loss} in epoch ${where.epoch}, step ${where.step}: the run stops`,
      `  largest logit ${figures.largestLogit}, length of the gradient ${figures.gradientNorm}`,
      `  images of the batch: ${shown}${where.names.length > 8 ? ` and ${where.names.length - 8} more` : ''}`,
      ...(notFinite.length > 0 ? [`  gradients not finite in: ${listed(notFinite)}`] : []),
      ...(largest.length > 0 ? [`  longest gradients: ${listed(largest)}`] : []),
      '  usual causes: a learning rate that is too high, float16 without room, an image or a label that is no number',
      where.lastCheckpoint === undefined
        ? '  no checkpoint was written yet'
        : `  the last good checkpoint is whole: ${where.lastCheckpoint}`,
    ].join('\n'),
  );
}

interface LayerNorm {
  readonly name: string;
  readonly norm: number;
}

function gradientNorms(network: Network): LayerNorm[] {
  return tidy(() =>
    noGrad(() =>
      Array.from(network.namedParameters()).flatMap(([name, parameter]) => {
        const gradient = parameter.grad;
        return gradient ? [{ name, norm: Math.sqrt(gradient.mul(gradient).sum().toNumber()) }] : [];
      }),
    ),
  );
}

function listed(norms: readonly LayerNorm[]): string {
  const shown = norms.slice(0, 6).map(({ name, norm }) => `${name} ${norm.toPrecision(3)}`);
  return shown.join(', ') + (norms.length > 6 ? ` and ${norms.length - 6} more` : '');
}
