// Reports a loss or weights that became NaN or infinite, with what was observed at that point.

import { existsSync } from 'node:fs';
import { noGrad, tidy } from '@anyclass/torch';
import { listed } from '../errors/listed.js';
import { UserError } from '../errors/userError.js';
import type { Network } from '../networks/network.js';

export interface StepMetrics {
  readonly loss: number;
  readonly largestLogit: number;
  readonly gradientNorm: number;
}

/**
 * Whether training can continue after a step. A float16 gradient may overflow; the scaler skips such steps.
 */
export function isHealthy({ loss, gradientNorm }: StepMetrics, scaled: boolean): boolean {
  return Number.isFinite(loss) && (scaled || Number.isFinite(gradientNorm));
}

/**
 * The error that stops a run after a step, with everything that helps to find the cause.
 *
 * @example
 * throw divergence({ loss: NaN, largestLogit: Infinity, gradientNorm: NaN }, { epoch: 3, step: 17, names, network });
 */
export function divergence(
  metrics: StepMetrics,
  where: {
    readonly epoch: number;
    readonly step: number;
    readonly names: readonly string[];
    readonly network: Network;
    readonly lastCheckpoint: string | undefined;
  },
): UserError {
  const norms = gradientNorms(where.network);
  const notFinite = norms.filter(({ norm }) => !Number.isFinite(norm));
  const largest = norms.filter(({ norm }) => Number.isFinite(norm)).sort((a, b) => b.norm - a.norm);
  return new UserError(
    [
      `the loss is ${metrics.loss} in epoch ${where.epoch}, step ${where.step}: the run stops`,
      `  largest logit ${metrics.largestLogit}, gradient norm ${metrics.gradientNorm}`,
      `  names in the batch: ${listed(where.names, 8)}`,
      ...(notFinite.length > 0 ? [`  gradients not finite in: ${normTexts(notFinite)}`] : []),
      ...(largest.length > 0 ? [`  longest gradients: ${normTexts(largest)}`] : []),
      ...causesAndCheckpoint(where.lastCheckpoint),
    ].join('\n'),
  );
}

/**
 * The error that stops a run between steps, if a step broke the weights but its own loss was finite.
 *
 * @example
 * throw lateDivergence('the weights', 'conv1.0.weight', { epoch: 3, step: 17, lastCheckpoint });
 */
export function lateDivergence(
  what: string,
  where: string,
  run: { readonly epoch: number; readonly step: number; readonly lastCheckpoint: string | undefined },
): UserError {
  return new UserError(
    [
      `${what} became NaN or infinite after epoch ${run.epoch}, step ${run.step}: the run stops`,
      `  not finite: ${where}`,
      ...causesAndCheckpoint(run.lastCheckpoint),
    ].join('\n'),
  );
}

function causesAndCheckpoint(lastCheckpoint: string | undefined): string[] {
  return [
    '  usual causes: a learning rate that is too high, float16 overflow, an image or a label that is not a number',
    lastCheckpoint !== undefined && existsSync(lastCheckpoint)
      ? `  the last good checkpoint: ${lastCheckpoint}`
      : '  there is no checkpoint from before',
  ];
}

/** The length of a parameter's gradient. */
interface GradientNorm {
  readonly name: string;
  readonly norm: number;
}

function gradientNorms(network: Network): GradientNorm[] {
  return tidy(() =>
    noGrad(() =>
      Array.from(network.namedParameters()).flatMap(([name, parameter]) => {
        const gradient = parameter.grad;
        return gradient ? [{ name, norm: Math.sqrt(gradient.mul(gradient).sum().toNumber()) }] : [];
      }),
    ),
  );
}

function normTexts(norms: readonly GradientNorm[]): string {
  return listed(norms.map(({ name, norm }) => `${name} ${norm.toPrecision(3)}`));
}
