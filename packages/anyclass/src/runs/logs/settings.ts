/**
 * Lists a configuration's fields by their dotted names; lists and null become JSON text.
 *
 * @example
 * settingsOf({ epochs: 2, loss: { name: 'bce' } }) // [['epochs', 2], ['loss.name', 'bce']]
 */
export function settingsOf(value: unknown, name = ''): [string, string | number | boolean][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) =>
      settingsOf(inner, name === '' ? key : `${name}.${key}`),
    );
  }
  if (value === undefined) return [];
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return [[name, isPlain ? value : JSON.stringify(value)]];
}
