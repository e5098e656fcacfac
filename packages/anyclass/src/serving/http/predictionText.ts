// Predictions as JSON text.

import { type Decision, presenceProbability } from '@anyclass/core';
import type { ImageAnswer } from '../models/modelVersion.js';

/** Returns the prediction of an image with this name as JSON. */
export type PredictionText = (name: string, answer: ImageAnswer) => string;

/**
 * Creates a function that writes what `JSON.stringify({ name, ...named(prediction) })` would, up to the order
 * of class names. The names and thresholds of a model are formatted only once; building objects by class name
 * would take longer than writing the text.
 *
 * @example
 * const textOf = createPredictionText(['crack'], decision);
 * textOf('1.jpg', answer) // '{"name":"1.jpg","labels":["crack"],"outcome":"alarm","isNegative":false,"probabilities":{"crack":0.75},…}'
 */
export function createPredictionText(
  classes: readonly string[],
  { presence, thresholds }: Pick<Decision, 'presence' | 'thresholds'>,
): PredictionText {
  const names = classes.map((name) => JSON.stringify(name));
  const gate = presence === null ? 1 : presenceProbability(presence);
  const limits = names.map((name, j) => `${name}:${numberText(thresholds[j] ?? null)}`).join();
  const after = `},"thresholds":{${limits}}}`;

  return (name, { probabilities, presenceScore, labels, outcome, odd }) => {
    let predicted = '';
    let byClass = '';
    for (let j = 0; j < names.length; j++) {
      if (labels[j] === 1) predicted += predicted === '' ? names[j] : `,${names[j]}`;
      byClass += `${j === 0 ? '' : ','}${names[j]}:${numberText(probabilities[j]!)}`;
    }
    const passes = presence !== null && presenceScore >= presence;
    return (
      `{"name":${JSON.stringify(name)},"labels":[${predicted}],"outcome":"${outcome}",${odd === undefined ? '' : `"odd":"${odd}",`}"isNegative":${predicted === ''},"probabilities":{${byClass}},` +
      `"presence":{"probability":${numberText(presenceProbability(presenceScore))},"gate":${numberText(gate)},"passes":${passes}${after}`
    );
  };
}

/** Formats a number as in JSON, which has no NaN or infinity. */
function numberText(value: number | null): string {
  return value !== null && Number.isFinite(value) ? String(value) : 'null';
}
