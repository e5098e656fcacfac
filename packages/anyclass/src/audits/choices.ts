// How other labeling programs say what the page says with keys: choices or tags besides the classes.

/** What someone said about an image: nothing there, these classes, something without saying what, or not sure. */
export type AuditAnswer =
  | { readonly kind: 'negative' }
  | { readonly kind: 'classes'; readonly classes: readonly string[] }
  | { readonly kind: 'positive' }
  | { readonly kind: 'unsure' };

const NOTHING = 'nothing here';
const UNSURE = 'unsure';

/** Everything that can be chosen. */
export function allChoices(classes: readonly string[]): string[] {
  return [NOTHING, ...classes, UNSURE];
}

/** Returns the answer that was chosen; undefined for 'nothing here' together with a class. */
export function chosenAnswer(chosen: readonly string[]): AuditAnswer | undefined {
  if (chosen.includes(UNSURE)) return { kind: 'unsure' };
  if (!chosen.includes(NOTHING)) return { kind: 'classes', classes: [...new Set(chosen)].sort() };
  return chosen.length === 1 ? { kind: 'negative' } : undefined;
}
