import { type Line, lineChart } from '@anyclass/kit';
import type { EpochRecord } from '../../events/epochRecord.js';
import { type Group, type Material, meanOf, type ReportSection } from './material.js';

/** Returns the validation metrics by epoch, averaged over seeds, a chart a metric. */
export function learningSection({ groups }: Material): ReportSection {
  const epochs = Math.max(0, ...groups.flatMap(({ runs }) => runs.map((run) => run.epochs.length)));
  const charts = curves.map(({ name, title, y, value }) => ({
    name: `learning-${name}`,
    title: `${title} by epoch`,
    svg: lineChart(
      groups.map((group) => learningLine(group, value)),
      {
        label: `${title} by epoch`,
        x: 'epoch',
        y,
        xIsWhole: true,
        xRange: [1, Math.max(2, epochs)],
        yIsPercent: y === '%',
      },
    ),
  }));
  const hasSeeds = groups.some(({ seeds }) => seeds.length > 1);
  const seedText = `; mean over seeds${epochs <= mostBars ? ', with bars for the range' : ''}`;
  return {
    name: 'learning',
    title: 'Learning curves',
    items:
      epochs === 0
        ? []
        : [
            {
              kind: 'note',
              text: `On the validation split, at a threshold of 0.5${hasSeeds ? seedText : ''}. BCE is plain binary cross-entropy, which is comparable across losses.`,
            },
            { kind: 'charts', charts },
          ],
  };
}

interface Curve {
  readonly name: string;
  readonly title: string;
  readonly y: string;
  readonly value: (record: EpochRecord) => number | null;
}

const percent = (value: number | null) => (value === null ? null : 100 * value);

const curves: readonly Curve[] = [
  { name: 'mAP', title: 'mAP', y: '%', value: ({ validation }) => percent(validation.mAP) },
  { name: 'F1', title: 'F1', y: '%', value: ({ validation }) => percent(validation.macroF1) },
  { name: 'F2', title: 'F2', y: '%', value: ({ validation }) => percent(validation.macroF2) },
  { name: 'F1-Neg', title: 'F1-Neg', y: '%', value: ({ validation }) => percent(validation.f1Neg) },
  { name: 'bce', title: 'BCE', y: 'BCE', value: ({ validationBce }) => validationBce },
  { name: 'loss', title: 'training loss', y: 'loss', value: ({ trainingLoss }) => trainingLoss },
];

// More bars than this would hide the lines.
const mostBars = 12;

function learningLine({ name, runs }: Group, value: (record: EpochRecord) => number | null): Line {
  const epochs = Math.max(0, ...runs.map((run) => run.epochs.length));
  return {
    name,
    points: Array.from({ length: epochs }, (_, i) => {
      const values = runs
        .flatMap((run) => run.epochs.slice(i, i + 1).map(value))
        .filter((each) => each !== null);
      const hasBar = values.length > 1 && epochs <= mostBars;
      return {
        x: i + 1,
        y: meanOf(values),
        ...(hasBar && { low: Math.min(...values), high: Math.max(...values) }),
      };
    }),
  };
}
