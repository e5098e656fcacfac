// One key per class.

/** Keys in the order of classes; those of other actions are not among them. */
const keys = [...'1234567890qwertiopasdfgxcvbl'];

/**
 * Returns the keys of classes; undefined for those beyond the keyboard, which are clicked.
 *
 * @example
 * classKeys(['crack', 'roots']).get('roots') // '2'
 */
export function classKeys(classes: readonly string[]): ReadonlyMap<string, string> {
  return new Map(classes.flatMap((name, j) => (keys[j] === undefined ? [] : [[name, keys[j]]])));
}
