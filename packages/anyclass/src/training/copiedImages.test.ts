// Copies of an image in two splits of a run's own data, under other names.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { evaluate } from '../evaluation/evaluate.js';
import { decideRun } from '../experiments/decidedRun.js';
import { readRun } from '../experiments/readRuns.js';
import { refit } from '../field/refit.js';
import { modelDecision } from '../inference/modelDecision.js';
import { readModelRecord } from '../inference/modelRecord.js';
import { readCopies } from '../runs/copies.js';
import { runPaths } from '../runs/runFolder.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);
const budget = { falseAlarms: 0.2, confidence: 0.95 } as const;

/** 40 images in each split, every fourth with a crack; each file in `copied` gets the bytes of another. */
async function train(name: string, copied: Readonly<Record<string, string>>) {
  mkdirSync(at(name));
  const rows: string[] = [];
  for (const [s, split] of ['train', 'validation', 'test'].entries()) {
    for (let i = 0; i < 40; i++) {
      const background = { r: 6 * i, g: 80 * s, b: i % 4 === 0 ? 200 : 20 };
      const image = sharp({ create: { width: 16, height: 16, channels: 3, background } });
      await image.png().toFile(at(name, `${split}-${i}.png`));
      rows.push(`${split}-${i}.png,${split},${Number(i % 4 === 0)}`);
    }
  }
  for (const [to, from] of Object.entries(copied)) copyFileSync(at(name, from), at(name, to));
  writeFileSync(at(name, 'labels.csv'), `Filename,split,crack\n${rows.join('\n')}\n`);
  const notes: string[] = [];
  const { summary } = await trainRun(
    {
      data: { dataset: at(name, 'labels.csv') },
      network: { name: 'resnet-18', inputSize: 16 },
      epochs: 1,
      finalWeights: 'last',
      device: 'cpu',
      evaluation: { replicates: 0, decision: budget },
    },
    {
      run: at(`${name}-run`),
      onEvent: (event) => void (event.type === 'note' && notes.push(event.text)),
    },
  );
  const { decision } = readModelRecord(at(`${name}-run`)).description;
  return { run: at(`${name}-run`), notes: notes.join('\n'), decided: summary?.test?.decided, decision };
}

let apart: Awaited<ReturnType<typeof train>>;
let leaking: typeof apart;
beforeAll(async () => {
  apart = await train('apart', {});
  leaking = await train('leaking', {
    'validation-1.png': 'train-7.png',
    'validation-2.png': 'train-7.png',
    'test-3.png': 'train-5.png',
    'test-6.png': 'validation-9.png',
  });
}, 120_000);

test('without copies, a decision rests on all rows, and nothing is said', () => {
  expect(apart.notes).not.toContain('cop');
  expect(apart.decision?.report).toMatchObject({ negatives: 30, guarantee: { holds: true, of: 30 } });
  expect(apart.decided).toMatchObject({ shared: { rows: 0 }, report: { guarantee: { holds: true } } });
  expect(readCopies(runPaths(apart.run))).toBeUndefined();
});

test('the decision does not rest on validation images that are copies of training images, and says so', () => {
  const said = '2 of 40 validation rows are copies of rows that the model was trained on or chosen by';
  expect(leaking.notes).toContain(said);
  expect(leaking.decision?.report).toMatchObject({
    negatives: 28,
    guarantee: { holds: true, of: 28 },
    remarks: expect.arrayContaining([expect.stringContaining(said)]),
  });
});

test('every other fit on the same scores leaves them out too', async () => {
  const { description } = readModelRecord(leaking.run);
  const changed = await modelDecision(leaking.run, description, { budget: { falseAlarms: 0.3 } });
  expect(changed.decision.report).toMatchObject({ negatives: 28, guarantee: { holds: true, of: 28 } });
  expect(changed.remarks.join('\n')).toContain('2 of 40 validation rows are copies');
  const out = at('refitted.safetensors');
  const { decision, origin } = await refit(leaking.run, { falseAlarms: 0.3, out });
  expect([decision.report.negatives, origin.rows]).toEqual([28, 38]);
  const run = readRun(leaking.run);
  const [validation, held] = [await run.scores('validation'), await run.scores('decision')];
  const compared = decideRun(
    { validation: validation!, held, test: undefined },
    {
      rule: 'gate',
      budget,
      beta: 1,
    } as const,
    undefined,
  );
  expect(compared.decision).toMatchObject({
    presence: leaking.decision?.presence,
    report: { negatives: 28 },
  });
});

test('copies of known rows in test are counted, and nothing is promised there: at the end of training and by evaluate', async () => {
  const withheld = {
    shared: { rows: 2, byName: 0, byHash: 2, examples: ['test-3.png', 'test-6.png'] },
    report: { guarantee: { holds: false, reason: 'shared rows' } },
  };
  expect(leaking.decided).toMatchObject(withheld);
  const own = at('leaking', 'labels.csv');
  const { judgment } = await evaluate(leaking.run, own, { replicates: 0, device: 'cpu' });
  expect(judgment.decided).toMatchObject(withheld);
});
