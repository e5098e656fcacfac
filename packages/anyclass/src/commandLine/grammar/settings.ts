// `--set field=value`.

import { joinedSettings, type Settings } from '../../configuration/overrides.js';
import { messageOf } from '../../errors/reasonOf.js';
import { UsageError } from '../../errors/usageError.js';
import { parseJson } from '../../files/json.js';

/**
 * Parses assignments to dotted fields. A value that parses as JSON is JSON, such as 3, true or ["a"];
 * otherwise it is a string.
 *
 * @example
 * parseSettings(['loss.lambda=0.2', 'device=cpu']) // { 'loss.lambda': 0.2, device: 'cpu' }
 */
export function parseSettings(assignments: readonly string[]): Settings {
  return joinedSettings(
    ...assignments.map((assignment) => {
      const equals = assignment.indexOf('=');
      if (equals < 1) throw new UsageError(`expected field=value, not '${assignment}'`, 'set');
      return Object.fromEntries([[assignment.slice(0, equals), parsedValue(assignment.slice(equals + 1))]]);
    }),
  );
}

/**
 * The words that set these fields, for a command that is suggested.
 *
 * @example
 * settingWords({ 'data.imageFolder': 'photos' }) // ['--set', 'data.imageFolder=photos']
 */
export function settingWords(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([field, value]) => {
    const isPlain = typeof value === 'string' && parsedValue(value) === value;
    return ['--set', `${field}=${isPlain ? value : JSON.stringify(value)}`];
  });
}

function parsedValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (/^\s*[[{]/.test(text) && messageOf(error).includes('__proto__'))
      throw new UsageError(messageOf(error), 'set');
    return text;
  }
}
