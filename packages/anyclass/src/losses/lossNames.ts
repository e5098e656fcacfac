import type { LossOptions } from '@anyclass/core';

/** The names of the losses in configurations, commands and reports. */
export const lossNames = ['bce', 'focal', 'asl', 'any-bce', 'any-focal', 'any-asl'] as const;

export type LossName = (typeof lossNames)[number];

/** Whether a loss has the any-class term, so that α and λ have an effect. */
export function isAnyClass(loss: LossName): loss is Extract<LossName, `any-${string}`> {
  return loss.startsWith('any-');
}

/** The standard loss to which an any-class loss adds its term; a standard loss itself. */
export function standardLoss(loss: LossName): LossOptions['base'] {
  return namedLoss(loss).base;
}

/** The `anyClassLoss` options that a loss's name determines. */
export interface NamedLoss {
  readonly base: LossOptions['base'];
  readonly alpha: number;
}

/**
 * Returns the options that a loss's name stands for: its base, and α, which is 0 for the standard losses.
 *
 * @example
 * namedLoss('any-focal') // { base: 'focal', alpha: 1 }
 * namedLoss('any-bce', 0.5) // { base: 'bce', alpha: 0.5 }
 * namedLoss('asl') // { base: 'asl', alpha: 0 }
 */
export function namedLoss(name: LossName, alpha = 1): NamedLoss {
  switch (name) {
    case 'bce':
    case 'focal':
    case 'asl':
      return { base: name, alpha: 0 };
    case 'any-bce':
      return { base: 'bce', alpha };
    case 'any-focal':
      return { base: 'focal', alpha };
    case 'any-asl':
      return { base: 'asl', alpha };
    default:
      throw new RangeError(`unknown loss '${String(name)}'; expected one of ${lossNames.join(', ')}`);
  }
}
