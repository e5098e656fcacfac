// Which fields a study searches, and their spaces.

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
 * Parses search options. A field without a space gets the one from `defaultSearch`.
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
 * The fields that are searched by default: those of the loss, and the learning rate, weight decay and batch
 * size around the configured values. α and λ apply only to the any-class losses.
 *
 * @example
 * defaultSearch(configuration)['optimizer.rate'] // 'log(0.0002,0.02)' for a rate of 0.002
 */
export function defaultSearch({ loss, optimizer, batchSize }: Configuration): SearchTexts {
  // There is nothing to search around a decay of 0, so use the optimizer's default.
  const { rate, weightDecay } = ratesOf({ ...optimizer, weightDecay: optimizer.weightDecay || undefined });
  return {
    ...(isAnyClass(loss.name) && { 'loss.alpha': 'uniform(0.1,1)', 'loss.lambda': 'log(0.005,1)' }),
    'loss.beta': 'choice(null,0.9,0.99,0.999,0.9999)',
    'optimizer.rate': around(rate),
    'optimizer.weightDecay': around(weightDecay),
    batchSize: spaceText({ kind: 'choice', values: [Math.max(1, batchSize >> 1), batchSize, 2 * batchSize] }),
  };
}

/** Throws if a space contains values that a configuration cannot have, before any trial uses one. */
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

/** For an interval: both ends, and a value between them that is an integer only if all values are. */
function examples(space: Space): readonly Value[] {
  return space.kind === 'choice' ? space.values : [space.low, space.high, valueAt(space, Math.SQRT1_2)];
}

function around(value: number): string {
  const rounded = (factor: number) => Number((value * factor).toPrecision(4));
  return spaceText({ kind: 'log', low: rounded(0.1), high: rounded(10) });
}
