// The first screen of a comparison: which loss is ahead, what was asked, and by how much it holds.

import {
  escaped,
  type ForestGroup,
  type ForestRow,
  forest,
  note,
  panel,
  shortPercent,
  type Tag,
  unbroken,
  verdict,
} from '@anyclass/kit';
import type { Comparison, HeldDifference, MethodDifference } from '../../experiments/comparisonResult.js';
import {
  comparisonBasis,
  comparisonHeadline,
  headlineDifference,
  shortSides,
} from '../../experiments/comparisonVerdict.js';
import { decisionPhrase } from '../../experiments/decisionText.js';
import { isOfOneSign } from '../../experiments/metrics.js';
import { tradeOffChart } from '../tradeOffChart.js';

/**
 * Returns the verdict, every pair that was asked about with its answer, the differences, and the trade-off. `answer` is what a sweep
 * found, which then comes first.
 */
export function comparisonAnswers(comparison: Comparison, answer?: string): string {
  const { notes, differences } = comparison;
  const [short, why] = answer === undefined ? [] : halves(answer);
  const own = comparisonHeadline(comparison);
  const headline = short ?? own;
  const more = [
    ...(why === undefined ? [] : [why]),
    ...(short === undefined || differences.length === 0 ? [] : [own]),
    comparisonBasis(comparison),
    ...notes,
  ].filter((each) => each !== '');
  const head = verdict({
    tags: tagsOf(comparison),
    headline,
    text: more.map((each) => escaped(each)).join(' '),
    ...(differences.length > 0 && { beside: askedTable(comparison) }),
  });
  const charts = chartPanels(comparison);
  return `${head}${charts.length > 0 ? `<div class="columns ${charts.length > 1 ? 'two' : ''} first">${charts.join('')}</div>` : ''}`;
}

/** 'A: b' as 'A.' and 'B.' */
function halves(text: string): [string, string?] {
  const at = text.indexOf(': ');
  if (at < 0) return [`${text}.`];
  return [`${text.slice(0, at)}.`, `${text[at + 2]!.toUpperCase()}${text.slice(at + 3)}.`];
}

function tagsOf(comparison: Comparison): Tag[] {
  const { differences, confounded, notes } = comparison;
  // Of the headline beside it; the others have their answers in the table.
  const told = headlineDifference(comparison);
  const state = told && stateOf((told.atDecision ?? told.atHalf).macroF1);
  const tag: Tag =
    state === 'holds'
      ? { tone: 'found', text: '✓ Clear difference' }
      : state === 'interval'
        ? { tone: 'review', text: '≈ Likely, not settled' }
        : { tone: 'clear', text: '– No clear difference' };
  return [
    ...(differences.length > 0 ? [tag] : []),
    ...(confounded.length > 0 || notes.length > 0
      ? [{ tone: 'missed', text: '! Read with care' } as const]
      : []),
  ];
}

/** You asked, the answer, and what to do next. */
function askedTable(comparison: Comparison): string {
  const { differences } = comparison;
  const rows = differences.map((difference) => {
    const { loss, standard } = shortSides(difference, comparison);
    const f1 = (difference.atDecision ?? difference.atHalf).macroF1;
    const seeds = f1?.perSeed.length ?? 0;
    const [answer, next] = answerOf(f1, loss, standard, seeds);
    const place = placeOf(difference, differences);
    const isHeld = stateOf(f1) === 'holds';
    return `<tr><th scope="row">${unbroken(`${place}${loss} over ${standard}?`)}</th><td class="${isHeld ? 'strong' : ''}">${escaped(answer)}</td><td>${unbroken(next)}</td></tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="What you asked"><table class="asked"><thead><tr><th scope="col">You asked</th><th scope="col">Answer, F1</th><th scope="col">Next</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** Says of which dataset and network a difference is, as far as those of the page differ. */
function placeOf({ dataset, network }: MethodDifference, all: readonly MethodDifference[]): string {
  const parts = [
    all.some((other) => other.dataset !== dataset) ? [dataset] : [],
    all.some((other) => other.network !== network) ? [network] : [],
  ].flat();
  return parts.length === 0 ? '' : `${parts.join(', ')}: `;
}

function answerOf(
  f1: HeldDifference | null,
  loss: string,
  standard: string,
  seeds: number,
): [string, string] {
  if (!f1) return ['F1 is not defined', 'add labels'];
  const points = `${Math.abs(100 * f1.value).toFixed(1)} points`;
  const agreeing = f1.perSeed.filter((value) => Math.sign(value) === Math.sign(f1.value)).length;
  if (stateOf(f1) === 'holds')
    return f1.value > 0 ? [`yes, by ${points}`, `use ${loss}`] : [`no, ${points} less`, `keep ${standard}`];
  if (stateOf(f1) === 'interval') {
    const words = f1.value > 0 ? 'likely' : 'likely not';
    return [seeds > 1 ? `${words}, ${agreeing} of ${seeds} seeds` : words, 'run more seeds'];
  }
  return ['no clear difference', `keep ${standard}`];
}

/** `holds`: the interval excludes 0 and every seed agrees. */
function stateOf(difference: HeldDifference | null): ForestRow['state'] {
  if (!difference || difference.holds === 'unclear') return 'open';
  return isOfOneSign(difference) ? 'holds' : 'interval';
}

const rowsOfForest = [
  ['macroF1', 'F1', true],
  ['mAP', 'mAP', true],
  ['falseAlarmRate', 'false alarms', false],
  ['f1Neg', 'F1-Neg', true],
] as const;

function chartPanels(comparison: Comparison): string[] {
  const { differences, decision, groups } = comparison;
  const drawn = differences.map((difference): ForestGroup => {
    const at = difference.atDecision ?? difference.atHalf;
    const rows = rowsOfForest.flatMap(([key, name, isMoreBetter]): ForestRow[] => {
      const own = at[key];
      if (!own) return [];
      const { value, low, high, perSeed } = own;
      return [
        { name, value, low, high, seeds: perSeed, state: stateOf(own), isBetter: value > 0 === isMoreBetter },
      ];
    });
    const { loss, standard } = shortSides(difference, comparison);
    return { title: `${placeOf(difference, differences)}${loss} − ${standard}`, rows };
  });
  const where = differences[0]?.atDecision ? decisionPhrase(decision) : 'at 0.5';
  const differencePanel =
    drawn.length === 0
      ? []
      : [
          panel(
            'Differences',
            `points, paired by seed and image, ${where}`,
            `<div class="wide-only">${forest('Differences', drawn.slice(0, mostGroups))}</div><div class="phone-only">${forest('Differences', drawn.slice(0, mostGroups), { isNarrow: true })}</div>${note('Filled: clear, the interval excludes 0 and every seed agrees. Dark ring: the interval excludes 0, but seeds disagree. Gray: could be chance. Small ticks: seeds.')}`,
          ),
        ];
  const datasets = [...new Set(groups.map(({ dataset }) => dataset))];
  const [first] = datasets;
  const chart = datasets.length === 1 && first !== undefined ? tradeOffChart(first, groups) : undefined;
  const { budget } = decision;
  const assured =
    'falseAlarms' in budget && typeof budget.confidence === 'number'
      ? ` with ${shortPercent(budget.confidence)} confidence, hence fewer on test`
      : '';
  const isOfSeeds = groups.some(({ decided }) =>
    decided?.tradeOff?.some(({ macroF1 }) => macroF1.values.length > 1),
  );
  const curve = chart
    ? [
        panel(
          'F1 against false alarms seen',
          isOfSeeds ? 'mean over seeds, on test' : 'on test',
          `${chart.svg}${note(`Large dots: the decisions compared, ${decisionPhrase(decision)}${assured}. Small dots: decisions fitted on validation for 0.5% to 20% without a confidence. The axis is what alarmed on test; a run's report draws what is promised.${isOfSeeds ? ' Bands: ± one standard deviation over seeds, or the range of two.' : ''}`)}`,
        ),
      ]
    : [];
  return [...differencePanel, ...curve];
}

/** More would push everything else off the page; the tables have all. */
const mostGroups = 6;
