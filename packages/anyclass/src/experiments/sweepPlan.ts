// Plans a sweep: one field at several values, and the standard loss for comparison.

import { placeFields } from '../configuration/dottedFields.js';
import { configurationFields } from '../configuration/reference.js';
import type { Configuration } from '../configuration/schema.js';
import { nearestOrAll } from '../errors/nearest.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { isAnyClass, standardLoss } from '../losses/lossNames.js';
import type { LossVariant } from './variants.js';

/** A numeric field, and the values to train it with. */
export interface SweptValues {
  /** Dotted name, such as `loss.lambda`. */
  readonly field: string;
  readonly values: readonly number[];
}

export interface SweptField extends SweptValues {
  /** Name for axes and text: `λ`, or the field's name. */
  readonly title: string;
  /** In ascending order. */
  readonly values: readonly number[];
}

/** The symbols of the loss's fields. */
export const lossSymbols: Readonly<Record<string, string>> = {
  'loss.lambda': 'λ',
  'loss.alpha': 'α',
  'loss.gamma': 'γ',
  'loss.beta': 'β',
};

/** Fields that change the validation or test data. */
const judgedFields: ReadonlySet<string> = new Set([
  'data.draw.seed',
  'data.digits.seed',
  'data.digits.scenes.validation',
  'data.digits.scenes.test',
]);

/**
 * Checks the field and values of a sweep.
 *
 * @example
 * sweptField({ field: 'loss.lambda', values: [0.2, 0, 0.02] }) // { field: 'loss.lambda', title: 'λ', values: [0, 0.02, 0.2] }
 */
export function sweptField({ field, values }: SweptValues): SweptField {
  const known = configurationFields().filter(({ kind }) => kind === 'number' || kind === 'integer');
  if (!known.some(({ name }) => name === field)) {
    const names = known.map(({ name }) => name);
    const whole = names.find((name) => name.endsWith(`.${field}`));
    const short = Object.keys(lossSymbols).map((name) => name.slice('loss.'.length));
    const hint = whole
      ? `did you mean '${whole}'?`
      : nearestOrAll(field, [...short, ...names], 'choose one of');
    throw new UsageError(`no such numeric field '${field}'; ${hint}`, 'over');
  }
  if (placeFields.has(field)) {
    throw new UsageError(`${field} has no effect on results; it only says where a run computes`, 'over');
  }
  if (judgedFields.has(field)) {
    throw new UsageError(
      `${field} changes the images that runs are evaluated on, so no value can be recommended; compare datasets instead`,
      'over',
    );
  }
  if (field === 'seed') throw new UsageError('vary the seed with seeds instead', 'over');
  if (values.length === 0) throw new UsageError(`${field} needs a value`, 'over');
  const twice = values.find((value, i) => values.indexOf(value) < i);
  if (twice !== undefined) throw new UsageError(`${twice} is listed twice`, 'over');
  return { field, title: lossSymbols[field] ?? field, values: values.toSorted((a, b) => a - b) };
}

/**
 * Returns the losses of a sweep: the standard loss with the configuration's settings, then the
 * configuration's own loss at each value. If its own loss is a standard loss, there is no other to compare
 * with.
 */
export function sweepVariants({ field, values }: SweptField, { loss }: Configuration): LossVariant[] {
  if (!isAnyClass(loss.name) && (field === 'loss.lambda' || field === 'loss.alpha')) {
    throw new UserError(`${field} has no effect with ${loss.name}; set loss.name=any-${loss.name}`);
  }
  if (!loss.name.endsWith('focal') && field === 'loss.gamma') {
    const focal = isAnyClass(loss.name) ? 'any-focal' : 'focal';
    throw new UserError(`${field} has no effect with ${loss.name}; set loss.name=${focal}`);
  }
  return [
    ...(isAnyClass(loss.name) ? [{ name: standardLoss(loss.name) }] : []),
    ...values.map((value) => ({ name: loss.name, set: { [field]: value } })),
  ];
}
