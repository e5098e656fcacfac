import type { Configuration } from './schema.js';

/**
 * The learning rate and weight decay of a configuration, or the optimizer's defaults if they are not set.
 *
 * @example
 * ratesOf({ name: 'sgd', … }) // { rate: 0.1, weightDecay: 0.0001 }
 */
export function ratesOf({ name, rate, weightDecay }: Configuration['optimizer']): {
  readonly rate: number;
  readonly weightDecay: number;
} {
  const usual = name === 'sgd' ? { rate: 0.1, weightDecay: 1e-4 } : { rate: 1e-3, weightDecay: 0.05 };
  return { rate: rate ?? usual.rate, weightDecay: weightDecay ?? usual.weightDecay };
}
