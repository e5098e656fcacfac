// A recommendation as a user gets it: Ctrl-C halfway, the same command again, then the written configuration.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { interruptedProgram, programResult } from '../../test/program.mjs';
import { readConfiguration } from '../training/readConfiguration.js';

const folder = testFolder();

// Rows of features, because it does not matter here what the pilot runs learn.
const rows = Array.from({ length: 80 }, (_, i) => {
  const split = i < 32 ? 'train' : i < 56 ? 'validation' : 'test';
  return `${i},${split},${i % 2},${Number(i % 5 === 0)},${Math.sin(i)},${(i % 5) / 5}`;
});
writeFileSync(join(folder, 'soil.csv'), `Filename,split,dry,sour,feature_0,feature_1\n${rows.join('\n')}\n`);
const tiny = {
  data: { dataset: 'soil.csv' },
  network: { name: 'linear' },
  epochs: 1,
  batchSize: 8,
  device: 'cpu',
  threads: 1,
};
writeFileSync(join(folder, 'tiny.json'), JSON.stringify(tiny));

const words = (minutes: string, losses = 'bce@beta=null@reduction=mean,any-bce') => [
  'recommend',
  'tiny.json',
  '--losses',
  losses,
  '--minutes',
  minutes,
];
const anyclass = (args: readonly string[]) => programResult(args, folder);

describe('recommend', () => {
  test('prints its plan, saves on Ctrl-C, and resumes with the same command until it writes a configuration', async () => {
    const { code, errors } = await interruptedProgram(folder, words('20'), 'mean-32x1-seed1: finished');
    expect({ code, said: errors }).toMatchObject({
      code: 130,
      said: expect.stringMatching(
        /instances\/s measured\nPlan:\n {2}round 1: 2 losses × 3 seeds, 32 instances × 1 epoch \(100% of a full run\), about /,
      ),
    });
    const { status, stdout, stderr } = anyclass(words('20'));
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /6 runs in recommendations\/soil\/pilots: [1-5] already finished and reused/,
      ),
    });
    expect(stdout).toMatch(/Use (bce|any-bce)/);
    expect(stdout).toMatch(/loss +round +F1 +false alarms +mAP +vs\. best/);
    expect(stderr).toContain('anyclass train recommendations/soil/recommended.jsonc');
    const file = join(folder, 'recommendations/soil/recommended.jsonc');
    const read = await readConfiguration(file);
    expect(read).toMatchObject({ epochs: 1, batchSize: 8, evaluation: { decision: { falseAlarms: 0.05 } } });
    expect(readFileSync(file, 'utf8')).toContain('// The test split was not used.');
    const again = await runInProcess(folder, [...words('20'), '--json']);
    const { verdict } = JSON.parse(again.stdout);
    expect(stdout.startsWith(`${verdict}\n`)).toBe(true);
    expect(JSON.parse(again.stdout)).toMatchObject({
      loss: { name: read.loss.name },
      rounds: [{ instances: 32 }],
    });
    const other = await runInProcess(folder, [...words('20'), '--false-alarms', '0.02']);
    expect({ status: other.status, said: other.stderr }).toMatchObject({
      status: 1,
      said: expect.stringMatching(/decision\.budget\.falseAlarms 0\.05, not 0\.02/),
    });
  }, 180_000);

  test.each([
    [words('0.001'), /--minutes: is too short: the pilots would take about \d+ minutes here/],
    [words('0'), /--minutes: expected more than 0; got '0'/],
    [words('20', 'bce'), /--losses: name two losses or more/],
    [words('20', 'bce,focal@epochs=3'), /--losses: .*only fields of the loss can differ/],
  ])('%j is rejected before anything is written', async (args, message) => {
    const { status, stderr } = await runInProcess(folder, [...args, '--out', 'refused']);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
    expect(existsSync(join(folder, 'refused'))).toBe(false);
  });
});
