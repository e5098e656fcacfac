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

function parsedValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (/^\s*[[{]/.test(text) && messageOf(error).includes('__proto__'))
      throw new UsageError(messageOf(error), 'set');
    return text;
  }
}
