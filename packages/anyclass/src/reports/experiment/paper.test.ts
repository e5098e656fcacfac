import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { paperDatasets } from '../../configuration/recipes.js';
import { paperAblation, paperDataset } from './paper.js';
import { paperLossTable } from './paperTables.js';

test('a dataset is the paper’s by its name or the classes that were kept', () => {
  expect(paperDataset('coco64 (coco-41)', 'auto')).toBe('coco-41');
  expect(paperDataset('sewerml', 'auto')).toBe('sewerml');
  expect(paperDataset('digits', 'auto')).toBeUndefined();
  expect(paperDataset('coco-410', 'auto')).toBeUndefined();
  expect(paperDataset('coco64 (coco-41)', undefined)).toBeUndefined();
});

test('a dataset whose name tells nothing is the one that the user names', () => {
  expect(paperDataset('nih128.parquet', 'chestxray14')).toBe('chestxray14');
  expect(paperDataset('coco64 (coco-41)', 'chestxray14')).toBe('coco-41');
});

const vectors = resolve(import.meta.dirname, '../../../../../../shared/vectors/paper_tables.json');
const hasVectors = existsSync(vectors);

test.skipIf(!hasVectors)(
  `the published figures are those of the vectors${hasVectors ? '' : ' (skipped: ../shared is not here)'}`,
  () => {
    const { lossTables, lambdaAblation } = JSON.parse(readFileSync(vectors, 'utf8'));
    for (const dataset of paperDatasets) {
      const f2 = dataset === 'sewerml' ? 'f2Ciw' : 'f2';
      const figures = (row: Record<string, number>, split: string) =>
        ['f1', f2, 'mAP', 'f1Neg'].map((figure) => row[`${split}.${figure}`] ?? null);
      const expected = (lossTables[dataset] ?? []).map((row: Record<string, number>) => ({
        network: row['network'],
        loss: row['loss'],
        validation: figures(row, 'val'),
        test: figures(row, 'test'),
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
