// Plans a sweep: one field at several values, and the standard loss for comparison.

import { placeFields } from '../configuration/dottedFields.js';
import { configurationFields } from '../configuration/reference.js';
import type { Configuration } from '../configuration/schema.js';
import { nearestOrAll } from '../errors/nearest.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { isAnyClass } from '../losses/lossNames.js';
import type { Variant } from './variants.js';

export interface SweptField {
  /** Dotted name, such as `loss.lambda`. */
  readonly field: string;
  /** Name for axes and text: `λ`, or the field's name. */
  readonly title: string;
  /** In ascending order. */
  readonly values: readonly number[];
}

const symbols: Readonly<Record<string, string>> = {
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
 * Parses the field and values of `over`; fields of the loss need no prefix.
 *
 * @example
 * parseOver('lambda=0,0.02,0.2') // { field: 'loss.lambda', title: 'λ', values: [0, 0.02, 0.2] }
 */
export function parseOver(text: string): SweptField {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`expected field=value,value,…, not '${text}'`, 'over');
  const given = text.slice(0, equals);
  const field = Object.hasOwn(symbols, `loss.${given}`) ? `loss.${given}` : given;
  const known = configurationFields().filter(({ kind }) => kind === 'number' || kind === 'integer');
  if (!known.some(({ name }) => name === field)) {
    const names = known.map(({ name }) => name);
    const whole = names.find((name) => name.endsWith(`.${given}`));
    const short = Object.keys(symbols).map((name) => name.slice('loss.'.length));
    const hint = whole
      ? `did you mean '${whole}'?`
      : nearestOrAll(given, [...short, ...names], 'choose one of');
    throw new UsageError(`no such numeric field '${given}'; ${hint}`, 'over');
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
  const values = text
    .slice(equals + 1)
    .split(',')
    .map((part) => {
      const value = part.trim() === '' ? Number.NaN : Number(part);
      if (Number.isNaN(value)) throw new UsageError(`'${part}' is not a number`, 'over');
      return value;
    })
    .sort((a, b) => a - b);
  const twice = values.find((value, i) => value === values[i + 1]);
  if (twice !== undefined) throw new UsageError(`${twice} is listed twice`, 'over');
  return { field, title: symbols[field] ?? field, values };
}

/**
 * Returns the losses of a sweep: the standard loss with the configuration's settings, then the
 * configuration's own loss at each value. If its own loss is a standard loss, there is no other to compare
 * with.
 */
export function sweepVariants({ field, values }: SweptField, { loss }: Configuration): Variant[] {
  if (!isAnyClass(loss.name) && (field === 'loss.lambda' || field === 'loss.alpha')) {
    throw new UserError(`${field} has no effect with ${loss.name}; set loss.name=any-${loss.name}`);
  }
  if (!loss.name.endsWith('focal') && field === 'loss.gamma') {
    const focal = isAnyClass(loss.name) ? 'any-focal' : 'focal';
    throw new UserError(`${field} has no effect with ${loss.name}; set loss.name=${focal}`);
  }
  const standard = isAnyClass(loss.name) ? [loss.name.slice('any-'.length)] : [];
  return [
    ...standard.map((name) => ({ text: name, name, set: [] })),
    ...values.map((value) => ({
      text: `${loss.name}@${field}=${value}`,
      name: loss.name,
      set: [`${field}=${value}`],
    })),
  ];
}
