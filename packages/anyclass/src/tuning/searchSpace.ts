// Which fields a study searches, and their spaces.

import { ratesOf } from '../configuration/optimizerDefaults.js';
import type { Configuration } from '../configuration/schema.js';
import { messageOf } from '../errors/reasonOf.js';
import { UsageError } from '../errors/usageError.js';
import { isAnyClass } from '../losses/lossNames.js';
import type { SearchSpace } from './sampler.js';
import { checkSpace, type Space, spaceText, type Value, valueAt } from './space.js';
import type { StudySettings } from './study.js';
import { trialConfiguration } from './trainTrial.js';

/** The fields to search, each with its space or the one from `defaultSearch`. */
export type SearchRequest = Readonly<Record<string, Space | 'default'>>;

/**
 * Returns the space of each field.
 *
 * @example
 * searchSpace({ epochs: { kind: 'int', low: 2, high: 9 }, 'loss.lambda': 'default' }, configuration)
 * // { epochs: { kind: 'int', low: 2, high: 9 }, 'loss.lambda': { kind: 'log', low: 0.005, high: 1 } }
 */
export function searchSpace(request: SearchRequest, configuration: Configuration): SearchSpace {
  const defaults = defaultSearch(configuration);
  return Object.fromEntries(
    Object.entries(request).map(([field, given]) => {
      const space = given === 'default' ? defaults[field] : given;
      if (space === undefined) throw new UsageError(`${field} has no default space; give it one`, 'search');
      checkSpace(space);
      return [field, space];
    }),
  );
}

/**
 * The fields that are searched by default: those of the loss, and the learning rate, weight decay and batch
 * size around the configured values. α and λ apply only to the any-class losses.
 *
 * @example
 * defaultSearch(configuration)['optimizer.rate'] // { kind: 'log', low: 0.0002, high: 0.02 } for a rate of 0.002
 */
export function defaultSearch({ loss, optimizer, batchSize }: Configuration): SearchSpace {
  // There is nothing to search around a decay of 0, so use the optimizer's default.
  const { rate, weightDecay } = ratesOf({ ...optimizer, weightDecay: optimizer.weightDecay || undefined });
  return {
    ...(isAnyClass(loss.name) && {
      'loss.alpha': { kind: 'uniform', low: 0.1, high: 1 },
      'loss.lambda': { kind: 'log', low: 0.005, high: 1 },
    }),
    'loss.beta': { kind: 'choice', values: [null, 0.9, 0.99, 0.999, 0.9999] },
    'optimizer.rate': around(rate),
    'optimizer.weightDecay': around(weightDecay),
    batchSize: { kind: 'choice', values: [Math.max(1, batchSize >> 1), batchSize, 2 * batchSize] },
  };
}

/** Throws if a space contains values that a configuration cannot have, before any trial uses one. */
export function checkSearch(settings: StudySettings): void {
  for (const [field, space] of Object.entries(settings.search)) {
    for (const value of examples(space)) {
      try {
        trialConfiguration(settings, { [field]: value });
      } catch (error) {
        throw new UsageError(`${field}=${spaceText(space)}: ${messageOf(error)}`, 'search');
      }
    }
  }
}

/** For an interval: both ends, and a value between them that is an integer only if all values are. */
function examples(space: Space): readonly Value[] {
  return space.kind === 'choice' ? space.values : [space.low, space.high, valueAt(space, Math.SQRT1_2)];
}

function around(value: number): Space {
  const rounded = (factor: number) => Number((value * factor).toPrecision(4));
  return { kind: 'log', low: rounded(0.1), high: rounded(10) };
}
