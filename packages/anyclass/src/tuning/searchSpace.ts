// Which fields a study searches, and where.

import { ratesOf } from '../configuration/optimizerDefaults.js';
import type { Configuration } from '../configuration/schema.js';
import { messageOf } from '../errors/reasonOf.js';
import { UsageError } from '../errors/usageError.js';
import { isAnyClass } from '../losses/lossNames.js';
import { parseSpace, type Space, spaceText, type Value, valueAt } from './space.js';
import type { StudySettings } from './study.js';
import { trialConfiguration } from './trainTrial.js';

export type SearchTexts = Readonly<Record<string, string>>;

/**
 * The spaces of `--search` options. A field alone stands for its space in `defaultSearch`.
 *
 * @example
 * parseSearch(['batchSize=choice(64,128)', 'loss.lambda'], configuration)
 * // { batchSize: 'choice(64,128)', 'loss.lambda': 'log(0.005,1)' }
 */
export function parseSearch(options: readonly string[], configuration: Configuration): SearchTexts {
  const defaults = defaultSearch(configuration);
  const entries = options.map((option) => {
    const equals = option.indexOf('=');
    const field = equals < 0 ? option : option.slice(0, equals);
    const text = equals < 0 ? defaults[field] : option.slice(equals + 1);
    if (text === undefined)
      throw new UsageError(`${option}: write ${field}=SPACE, such as ${field}=uniform(0,1)`, 'search');
    return [field, spaceText(parseSpace(text))] as const;
  });
  const names = entries.map(([field]) => field);
  const twice = names.find((field, i) => names.indexOf(field) < i);
  if (twice !== undefined) throw new UsageError(`${twice} is listed twice`, 'search');
  return Object.fromEntries(entries);
}

/**
 * The fields that are searched where none are named: those of the loss, and the rate, the weight decay and the batch
 * around the configured values. α and λ belong to the any-class losses.
 *
 * @example
 * defaultSearch(configuration)['optimizer.rate'] // 'log(0.0002,0.02)' for a rate of 0.002
 */
export function defaultSearch({ loss, optimizer, batchSize }: Configuration): SearchTexts {
  // Around a decay of 0 there is nothing to search: the usual one then.
  const { rate, weightDecay } = ratesOf({ ...optimizer, weightDecay: optimizer.weightDecay || undefined });
  return {
    ...(isAnyClass(loss.name) && { 'loss.alpha': 'uniform(0.1,1)', 'loss.lambda': 'log(0.005,1)' }),
    'loss.beta': 'choice(null,0.9,0.99,0.999,0.9999)',
    'optimizer.rate': around(rate),
    'optimizer.weightDecay': around(weightDecay),
    batchSize: spaceText({ kind: 'choice', values: [Math.max(1, batchSize >> 1), batchSize, 2 * batchSize] }),
  };
}

/** Refuses spaces with values that a configuration cannot have, before any trial meets one. */
export function checkSearch(settings: StudySettings): void {
  for (const [field, text] of Object.entries(settings.search)) {
    for (const value of examples(parseSpace(text))) {
      try {
        trialConfiguration(settings, { [field]: value });
      } catch (error) {
        throw new UsageError(`${field}=${text}: ${messageOf(error)}`, 'search');
      }
    }
  }
}

/** Of an interval the ends, and a value between them that is whole only where all are. */
function examples(space: Space): readonly Value[] {
  return space.kind === 'choice' ? space.values : [space.low, space.high, valueAt(space, Math.SQRT1_2)];
}

function around(value: number): string {
  const rounded = (factor: number) => Number((value * factor).toPrecision(4));
  return spaceText({ kind: 'log', low: rounded(0.1), high: rounded(10) });
}
