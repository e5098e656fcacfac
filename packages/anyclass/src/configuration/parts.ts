// Checks settings for commands that do not train and accept only some parts of the configuration.

import { UsageError } from '../errors/usageError.js';
import type { Settings } from './overrides.js';
import { configurationFields } from './reference.js';
import type { Configuration } from './schema.js';

/**
 * Refuses settings outside these parts.
 *
 * @example
 * checkParts({ epochs: 3 }, ['data']) // UsageError: set: 'epochs' is not a field of data; only those can be set here
 */
export function checkParts(settings: Settings, parts: readonly (keyof Configuration)[]): void {
  const isOfParts = (field: string) => parts.some((part) => field.startsWith(`${part}.`));
  for (const field of Object.keys(settings)) {
    if (isOfParts(field)) continue;
    const whole = configurationFields().find(({ name }) => isOfParts(name) && name.endsWith(`.${field}`));
    const hint = whole ? `did you mean '${whole.name}'?` : 'only those can be set here';
    throw new UsageError(`'${field}' is not a field of ${parts.join(' or ')}; ${hint}`, 'set');
  }
}

/**
 * Refuses settings of fields, or of their subfields, that have no effect here.
 *
 * @example
 * refuseFields({ 'data.draw.seed': 3 }, ['data.draw'], 'has no effect on predictions')
 * // UsageError: set: data.draw.seed has no effect on predictions
 */
export function refuseFields(settings: Settings, fields: readonly string[], why: string): void {
  const idle = Object.keys(settings).find((assigned) =>
    fields.some((field) => assigned === field || assigned.startsWith(`${field}.`)),
  );
  if (idle !== undefined) throw new UsageError(`${idle} ${why}`, 'set');
}
