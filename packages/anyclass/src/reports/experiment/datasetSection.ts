import type { Dataset } from '../../data/dataset/dataset.js';
import { labelMatrixBuilder } from '../../data/dataset/labelMatrix.js';
import { counted } from '../../errors/counted.js';
import type { ScoredImages } from '../../experiments/readRuns.js';
import { countClasses, countSplits, countTogether } from '../../inspect/countLabels.js';
import { distributionChart, labelsPerInstanceChart } from '../../inspect/datasetCharts.js';
import { heatMapChart } from '../../inspect/heatMap.js';
import { splitTable } from '../../inspect/inspectTables.js';
import type { Material, ReportSection } from './material.js';

/** Describes the data that the runs were evaluated on, from the labels that the first run saved. */
export async function datasetSection({ dataset, groups }: Material): Promise<ReportSection> {
  const run = groups[0]!.runs[0]!;
  const labels = savedLabels(run.classes, await run.scores('validation'), await run.scores('test'));
  const together = countTogether(labels);
  return {
    name: 'dataset',
    title: 'Dataset',
    items: [
      {
        kind: 'note',
        text: `${dataset}: ${counted(run.classes.length, 'class')}. Runs keep only the labels of the splits they are evaluated on; inspect also counts the training split.`,
      },
      { kind: 'table', table: splitTable({ splits: countSplits(labels) }) },
      { kind: 'charts', charts: [distributionChart('class-distribution', countClasses(labels))] },
      { kind: 'charts', charts: [labelsPerInstanceChart(together)] },
      {
        kind: 'charts',
        charts: [
          heatMapChart({
            name: 'cooccurrence',
            what: 'class',
            names: together.pairedClasses,
            of: run.classes.length,
            together: together.cooccurrence,
          }),
        ],
      },
    ],
  };
}

type Labels = Pick<Dataset, 'classes' | 'labels' | 'splits'>;

function savedLabels(
  classes: readonly string[],
  validation: ScoredImages | undefined,
  test: ScoredImages | undefined,
): Labels {
  const builder = labelMatrixBuilder(classes.length);
  const add = (scored: ScoredImages | undefined) => {
    const first = builder.rows;
    for (let row = 0; row < (scored?.names.length ?? 0); row++) {
      builder.addRow();
      classes.forEach((_, j) => {
        builder.set(j, scored!.targets[row * classes.length + j]!);
      });
    }
    return Int32Array.from({ length: builder.rows - first }, (_, row) => first + row);
  };
  const none = new Int32Array(0);
  const splits = { train: none, validation: add(validation), test: add(test), decision: none };
  return { classes, labels: builder.finish(), splits };
}
