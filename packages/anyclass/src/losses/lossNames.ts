/** The losses by the names that configurations, commands and reports use. */
export const lossNames = ['bce', 'focal', 'any-bce', 'any-focal'] as const;

export type LossName = (typeof lossNames)[number];

/** Whether a loss has the any-class term: α and λ have a say in it. */
export function isAnyClass(loss: LossName): loss is 'any-bce' | 'any-focal' {
  return loss === 'any-bce' || loss === 'any-focal';
}

/** What a loss's name says of `anyClassLoss`'s options. */
export interface NamedLoss {
  readonly base: 'bce' | 'focal';
  readonly alpha: number;
}

/**
 * The options that a loss's name stands for: its base, and α, which is 0 for the standard losses.
 *
 * @example
 * namedLoss('any-focal') // { base: 'focal', alpha: 1 }
 * namedLoss('any-bce', 0.5) // { base: 'bce', alpha: 0.5 }
 * namedLoss('bce') // { base: 'bce', alpha: 0 }
 */
export function namedLoss(name: LossName, alpha = 1): NamedLoss {
  switch (name) {
    case 'bce':
    case 'focal':
      return { base: name, alpha: 0 };
    case 'any-bce':
      return { base: 'bce', alpha };
    case 'any-focal':
      return { base: 'focal', alpha };
    default:
      throw new RangeError(`unknown loss '${String(name)}'; there are ${lossNames.join(', ')}`);
  }
}
