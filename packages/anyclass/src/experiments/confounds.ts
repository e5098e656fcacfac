// Comparisons in which more than the loss differs, so the result may have another cause.

import { type DifferingField, differingFields, resultFields } from '../configuration/dottedFields.js';
import type { ConfoundedPair } from './comparisonResult.js';
import type { LossPair } from './lossPairs.js';
import { termOf } from './seedGroups.js';

/** The pairs whose runs differ in more than the loss. */
export function confoundedPairs(pairs: readonly LossPair[]): ConfoundedPair[] {
  return pairs.flatMap(({ tested, standard }) => {
    const [one, other] = [tested.runs[0]!, standard.runs[0]!];
    // The same names, labels and splits are the same data, wherever it is stored.
    const isSameData = one.datasetFingerprint === other.datasetFingerprint;
    const ignored = [...termOf(tested.loss, standard.loss), ...(isSameData ? ['data.dataset'] : [])];
    const fields = differingFields(resultFields(one.configuration), resultFields(other.configuration)).filter(
      ({ field }) => !ignored.includes(field),
    );
    const { dataset, network, label } = tested;
    return fields.length === 0 ? [] : [{ dataset, network, loss: label, standard: standard.label, fields }];
  });
}

/** What confounds the difference between two groups, given by label; undefined if only the loss differs. */
export function confoundOf(
  { dataset, network, loss, standard }: Omit<ConfoundedPair, 'fields'>,
  confounded: readonly ConfoundedPair[],
): ConfoundedPair | undefined {
  return confounded.find(
    (pair) =>
      pair.dataset === dataset &&
      pair.network === network &&
      pair.loss === loss &&
      pair.standard === standard,
  );
}

/**
 * Lists the fields with the values of both sides.
 *
 * @example
 * fieldsText([{ field: 'epochs', first: '30', second: '20' }]) // 'epochs (30 and 20)'
 */
export function fieldsText(fields: readonly DifferingField[]): string {
  return fields
    .map(({ field, first, second }) => `${field} (${plain(first)} and ${plain(second)})`)
    .join(', ');
}

/**
 * Names the fields in a few words, for a headline.
 *
 * @example
 * shortFieldsText([{ field: 'loss.beta', first: '0.9999', second: 'null' }]) // 'beta'
 */
export function shortFieldsText(fields: readonly DifferingField[]): string {
  return fields.length > 2
    ? `${fields.length} other settings`
    : fields.map(({ field }) => field.replace(/^loss\./, '')).join(' and ');
}

/** A value without its JSON quotes. */
function plain(json: string | undefined): string {
  return json === undefined ? 'unset' : json.replace(/^"(.*)"$/, '$1');
}
