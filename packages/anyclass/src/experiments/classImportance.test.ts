import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import { runPaths } from '../runs/runFolder.js';
import { compareRuns } from './comparison.js';
import { readRun } from './readRuns.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

const importance = [1, 0.5, 0.25];
const run = {
  configuration: { data: { dataset: 'sewerml=data' }, loss: { name: 'bce' } },
  strength: 1,
} as const;

/** Writes just the header of a safetensors file, which holds the metadata. */
function writeModel(path: string, metadata: Readonly<Record<string, string>>): void {
  const header = Buffer.from(JSON.stringify({ __metadata__: metadata }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(path, Buffer.concat([length, header]));
}

test('the class importance comes from the run record, and F2-CIW replaces F2', async () => {
  writeSyntheticRun(at('recorded'), { ...run, classImportance: importance });
  expect(readRun(at('recorded')).classImportance).toEqual(importance);
  const { groups } = await compareRuns([readRun(at('recorded'))], { replicates: 0 });
  expect(groups[0]!.metrics).toEqual(['macroF1', 'f2Ciw', 'mAP', 'f1Neg']);
});

test('if the run record has no class importance, that of the model is used', () => {
  writeSyntheticRun(at('older'), run);
  writeModel(runPaths(at('older')).model, { model: JSON.stringify({ classImportance: importance }) });
  expect(readRun(at('older')).classImportance).toEqual(importance);
});

test('there is none if neither has it, whatever the name of the data', () => {
  writeSyntheticRun(at('none'), run);
  expect(readRun(at('none')).classImportance).toBeUndefined();
  writeModel(runPaths(at('none')).model, { model: '{}' });
  expect(readRun(at('none')).classImportance).toBeUndefined();
  for (const damaged of ['', 'short', Buffer.alloc(64, 255)]) {
    writeFileSync(runPaths(at('none')).model, damaged);
    expect(readRun(at('none')).classImportance).toBeUndefined();
  }
});
