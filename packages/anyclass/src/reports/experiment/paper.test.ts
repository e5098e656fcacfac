import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../../test/experimentRuns.js';
import { paperDatasets } from '../../configuration/recipes.js';
import { readRuns } from '../../experiments/readRuns.js';
import { experimentReport } from './experimentReport.js';
import { paperAblation, paperDataset } from './paper.js';
import { paperLossTable } from './paperTables.js';

test('a dataset of the paper is recognized by its name or the classes that were kept', () => {
  expect(paperDataset('coco64 (coco-41)', 'auto')).toBe('coco-41');
  expect(paperDataset('sewerml', 'auto')).toBe('sewerml');
  expect(paperDataset('digits', 'auto')).toBeUndefined();
  expect(paperDataset('coco-410', 'auto')).toBeUndefined();
  expect(paperDataset('coco64 (coco-41)', undefined)).toBeUndefined();
});

test('a dataset that is not recognized is the one that the user names', () => {
  expect(paperDataset('nih128.parquet', 'chestxray14')).toBe('chestxray14');
  expect(paperDataset('coco64 (coco-41)', 'chestxray14')).toBe('coco-41');
});

test('an ablation on SewerML is compared with the paper’s by F2, although the loss table has F2-CIW', async () => {
  const folder = testFolder();
  for (const [name, lambda] of [
    ['bce', 0.02],
    ['any-bce', 0.02],
    ['any-bce', 0.3],
  ] as const) {
    writeSyntheticRun(join(folder, `${name}-${lambda}`), {
      configuration: { data: { dataset: 'sewerml=data' }, loss: { name, lambda } },
      strength: 2 + lambda,
      classImportance: [1, 0.5, 0],
    });
  }
  const runs = readRuns([folder]).map((run) => ({ ...run, dataset: 'sewerml' }));
  const { comparison, sections } = await experimentReport(runs, {
    title: 'λ',
    paper: 'auto',
    replicates: 0,
  });
  const items = sections.flatMap((section) => section.items);
  const found = items.find((item) => item.kind === 'table' && item.table.name === 'lambda-1-paper');
  const { columns = [], rows = [] } = found?.kind === 'table' ? found.table.table : {};
  expect(columns.slice(1, 5).map(({ title }) => title)).toEqual(['F1', 'F2', 'mAP', 'F1-Neg']);
  expect(rows.map(([lambda]) => lambda)).toEqual('none (bce),0,0.01,0.02,0.05,0.1,0.2,0.3,0.5,1'.split(','));
  const { validation } = comparison.groups.find(({ lambda }) => lambda === 0.3)!;
  expect(validation.f2Ciw?.mean).not.toBe(validation.macroF2?.mean);
  expect(rows[7]?.[2]).toMatchObject({ value: validation.macroF2?.mean });
  expect(rows[7]?.slice(5)).toEqual([null, null, null, null]);
  expect(rows[3]?.[6]).toMatchObject({ value: 0.6392 });
});

const vectors = resolve(import.meta.dirname, '../../../../../../shared/vectors/paper_tables.json');
const hasVectors = existsSync(vectors);

test.skipIf(!hasVectors)(
  `the published results match the vectors${hasVectors ? '' : ' (skipped: ../shared is not here)'}`,
  () => {
    const { lossTables, lambdaAblation } = JSON.parse(readFileSync(vectors, 'utf8'));
    for (const dataset of paperDatasets) {
      const f2 = dataset === 'sewerml' ? 'f2Ciw' : 'f2';
      const metrics = (row: Record<string, number>, split: string) =>
        ['f1', f2, 'mAP', 'f1Neg'].map((metric) => row[`${split}.${metric}`] ?? null);
      const expected = (lossTables[dataset] ?? []).map((row: Record<string, number>) => ({
        network: row['network'],
        loss: row['loss'],
        validation: metrics(row, 'val'),
        test: metrics(row, 'test'),
      }));
      expect(paperLossTable(dataset)).toEqual(expected);
      const { standard, anyClass, lambdas } = lambdaAblation[`${dataset}/bce`];
      const panels = paperAblation(dataset, 'bce');
      expect(panels?.upper[1]?.points).toEqual([
        { value: null, mean: standard.f2 },
        ...lambdas.map((value: number, i: number) => ({ value, mean: anyClass.f2[i] })),
      ]);
      expect(panels?.negative[0]?.points.at(-1)).toEqual({ value: 1, mean: anyClass.f1Neg.at(-1) });
    }
  },
);
