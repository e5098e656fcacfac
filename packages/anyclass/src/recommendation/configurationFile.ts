// The recommended configuration as a file: JSON with its reasons as comments.

import { oneOf } from '../configuration/candidates.js';
import { changedFields } from '../configuration/changedFields.js';
import type { PlainObject } from '../configuration/overrides.js';
import { pathsForFile } from '../configuration/paths.js';
import type { Configuration } from '../configuration/schema.js';
import { counted } from '../errors/counted.js';
import type { DecisionChoice } from '../experiments/decisionText.js';
import { textTable } from '../tables/index.js';
import type { Recommendation } from './recommendation.js';
import { recommendationTable, setupTable } from './recommendationTable.js';

/**
 * Returns the text of a configuration file in `folder`: the fields that differ from their defaults, the
 * recommended loss and the decision at which it was evaluated, with the reasons as comments.
 *
 * @example
 * configurationText(configuration, recommendation, 'recommendations/digits') // '// Written by anyclass recommend: …\n{\n  "data": …'
 */
export function configurationText(
  configuration: Configuration,
  recommendation: Recommendation,
  folder: string,
): string {
  const { verdict, reasons, loss, minutes } = recommendation;
  const { setups, losses } = compared(recommendation);
  const fields = {
    ...changedFields(configuration),
    loss,
    evaluation: {
      ...(changedFields(configuration)['evaluation'] ?? {}),
      decision: {
        ...decisionFields(configuration, recommendation.decision),
        candidates: oneOf(configuration, setups + losses).evaluation.decision.candidates,
      },
    },
  };
  const comments: Readonly<Record<string, readonly string[]>> = {
    loss: [verdict, ...reasons],
    evaluation: [
      `The false-alarm budget at which pilots were compared. Validation chose among ${comparedText(recommendation)}, and the promise of this run counts them (candidates).`,
    ],
  };
  const lines = JSON.stringify(pathsForFile(fields, folder), null, 2)
    .split('\n')
    .flatMap((line) => {
      const field = /^ {2}"(\w+)":/.exec(line)?.[1] ?? '';
      return [...(comments[field] ?? []).flatMap((text) => wrapped(text, '  // ')), line];
    });
  return [
    `// Written by anyclass recommend after pilot runs of ${counted(minutes, 'minute')}.`,
    '//',
    ...[setupTable(recommendation), recommendationTable(recommendation)]
      .flatMap((table) => (table ? [textTable(table)] : []))
      .join('\n\n')
      .split('\n')
      .flatMap((line) => (line.length > lineWidth ? wrapped(line, '// ') : [`// ${line}`.trimEnd()])),
    ...lines,
    '',
  ].join('\n');
}

/** How many setups and losses validation chose among: those of the first rounds, which have all. */
function compared({ rounds, setup }: Recommendation): { readonly setups: number; readonly losses: number } {
  const [first] = rounds;
  return {
    setups: setup?.tried.length ?? 0,
    losses: first ? first.losses.length + first.missing.length : 1,
  };
}

function comparedText(recommendation: Recommendation): string {
  const { setups, losses } = compared(recommendation);
  return [...(setups > 0 ? [counted(setups, 'setup')] : []), counted(losses, 'loss')].join(' and ');
}

/** The decision in the form of configuration fields. */
function decisionFields({ evaluation }: Configuration, { rule, budget, beta }: DecisionChoice): PlainObject {
  if (rule === 'fixed') return { rule, threshold: evaluation.decision.threshold ?? 0.5 };
  return rule === 'class' ? { rule, beta } : { rule, beta, ...budget };
}

const lineWidth = 120;

function wrapped(text: string, prefix: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = [lines.at(-1), word].filter(Boolean).join(' ');
    if (longer.length <= lineWidth - prefix.length || lines.at(-1) === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => prefix + line);
}
