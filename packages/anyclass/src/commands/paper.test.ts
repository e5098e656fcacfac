// Rerunning a table of the paper as a user does, on a few images in the authors' layout.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { writeSewerml } from '../../test/paperLayouts.js';
import { programResult } from '../../test/program.mjs';
import type { PlanEstimate } from '../experiments/paperEstimatePlan.js';

const folder = testFolder();
beforeAll(() => writeSewerml(join(folder, 'sewerml')));

/** Runs a command that trains in its own processes. */
const anyclass = (...words: string[]) => programResult(words, folder);

const inProcess = (...words: string[]) => runInProcess(folder, words);

const tiny = [
  'network.name=tresnet-s',
  'network.inputSize=16',
  'epochs=1',
  'batchSize=34',
  'device=cpu',
  'threads=1',
  'checkpoints.best=["mAP"]',
  'checkpoints.keep=1',
  'evaluation.replicates=0',
].flatMap((field) => ['--set', field]);
const words = [
  ...['paper', '1', '--networks', 'tresnet-l', '--data', 'sewerml=sewerml', '--out', 'out', ...tiny],
  // The estimate is for runs at their largest; finished ones drop their checkpoints.
  ...['--set', 'checkpoints.keepFinished=true'],
];

function bytesIn(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

let estimate: PlanEstimate;

test('a dry run prints the plan and writes nothing', async () => {
  const { status, stdout } = await inProcess(...words, '--dry-run', '--json');
  expect(status).toBe(0);
  estimate = JSON.parse(stdout);
  expect(estimate.rows).toMatchObject([{ dataset: 'sewerml', network: 'tresnet-s', runs: 4, images: 68 }]);
  expect(existsSync(join(folder, 'out'))).toBe(false);
});

test('a table results in a page with the published numbers, and the same command resumes it', async () => {
  const { status, stdout, stderr } = anyclass(...words, '--replicates', '20', '--jobs', '2');
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('4 to train') });
  expect(stderr).toMatch(/Table 1[\s\S]*sewerml +tresnet-s +4 +0 +1 +68 [\s\S]*About .* on the CPU\./);
  expect(stdout).toContain(join('out', 'table-1.html'));
  const rows = readFileSync(join(folder, 'out', 'table-1', 'paper-sewerml.csv'), 'utf8').split('\n');
  expect(rows.filter((row) => row.startsWith('ours,tresnet-s,')).length).toBe(4);
  expect(rows.find((row) => row.startsWith('paper,maxvit-s,any-focal'))).toContain('0.6904');
  expect(readFileSync(join(folder, 'out', 'table-1.html'), 'utf8')).toContain('next to sewerml in the paper');
  const { verdict, groups } = JSON.parse(readFileSync(join(folder, 'out', 'table-1.json'), 'utf8'));
  expect(stdout.startsWith(`${verdict}\n`)).toBe(true);
  expect(groups.map(({ metrics }: { metrics: string[] }) => metrics[1])).toEqual(Array(4).fill('f2Ciw'));

  const runs = readdirSync(join(folder, 'out')).filter((name) => name.endsWith('seed1'));
  const taken = runs.reduce((sum, name) => sum + bytesIn(join(folder, 'out', name)), 0);
  expect(Math.abs(estimate.bytes / taken - 1)).toBeLessThan(0.03);

  const again = await inProcess(...words, '--replicates', '0');
  expect(again.stderr).toContain('4 already finished and reused, 0 to train');
  expect(again.stderr).not.toContain('~');
}, 180_000);

test('imported weights have the metrics of the run they come from', async () => {
  const run = join('out', 'sewerml-tresnet-s-bce-seed1');
  const imported = await inProcess(
    ...['import', join(run, 'model.safetensors'), '--network', 'tresnet-s', '--input-size', '16'],
    ...['--classes', 'RB,OB,PF,DE,FS,IS,RO,IN,AF,BE,FO,GR,PH,PB,OS,OP,OK'],
    ...['--mean', '0.523,0.453,0.345', '--std', '0.21,0.199,0.154', '--out', 'imported.safetensors'],
  );
  expect(imported).toMatchObject({ status: 0, stdout: expect.stringContaining('entries loaded') });
  const judged = async (model: string) => {
    const data = ['sewerml=sewerml', '--split', 'validation', '--replicates', '0', '--device', 'cpu'];
    return JSON.parse((await inProcess('evaluate', model, ...data, '--json')).stdout).metrics;
  };
  const metrics = await judged('imported.safetensors');
  expect(metrics).toEqual(await judged(run));
  const scores = ['validation.csv', 'validation-labels.csv'].map((name) => join(run, 'scores', name));
  const saved = await inProcess(
    ...['evaluate', '--scores', scores[0]!, '--labels', scores[1]!, '--replicates', '0', '--json'],
    ...['--class-importance', 'sewerml'],
  );
  expect(JSON.parse(saved.stdout).metrics.f2Ciw).toBeCloseTo(metrics.f2Ciw, 6);
});

test('a usage error names the option', async () => {
  const { status, stderr } = await inProcess('paper', '1', '--data', 'coco-41=x', '--out', 'other');
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('--data') });
});
