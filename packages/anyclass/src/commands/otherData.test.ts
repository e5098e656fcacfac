// A model on data other than its training data.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runProgram } from '../commandLine/program.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { OpenOptions } from '../data/openDataset.js';
import { evaluate as evaluateModel } from '../evaluation/evaluate.js';
import { createNetwork } from '../networks/createNetwork.js';
import { saveModel } from '../runs/modelFile.js';
import { absolutePaths, createRunFolder, saveRunRecord } from '../runs/runFolder.js';
import { evaluate } from './evaluate.js';
import { predict } from './predict.js';

const folder = testFolder();
const before = process.cwd();
afterAll(() => {
  process.chdir(before);
});

const classes = ['crack', 'roots'];
const rows = Array.from({ length: 12 }, (_, i) => ({
  name: `${i}.png`,
  crack: Number(i % 3 === 0),
  roots: Number(i % 4 === 1),
}));
const table = (header: string, cells: (row: (typeof rows)[number]) => readonly unknown[]) =>
  `${[header, ...rows.map((row) => cells(row).join(','))].join('\n')}\n`;

/** Creates a run of an untrained network whose data needs settings to be read. */
beforeAll(async () => {
  process.chdir(folder);
  for (const place of ['old', 'new', 'splits']) mkdirSync(place);
  for (const [i, { name }] of rows.entries()) {
    const image = sharp({
      create: { width: 32, height: 32, channels: 3, background: { r: 20 * i, g: 90, b: 9 } },
    });
    for (const place of ['old', 'new']) await image.png().toFile(join(place, name));
  }
  writeFileSync('splits/test.txt', '0.png\n1.png\n4.png\n');
  writeFileSync(
    'old.csv',
    table('photo,crack,moss,roots,weather', ({ name, crack, roots }) => [name, crack, 0, roots, 'sunny']),
  );
  // The same images and labels in another order, plus a class and a column that the model does not know.
  writeFileSync(
    'new/labels.csv',
    table('notes,roots,dent,split,photo,crack', ({ name, crack, roots }) => [
      'x',
      roots,
      1,
      'test',
      name,
      crack,
    ]),
  );
  setSeed(1);
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 32 });
  const configuration = absolutePaths(
    validateConfiguration({
      data: {
        dataset: 'old.csv',
        imageFolder: 'old',
        splitFolder: 'splits',
        drop: ['moss'],
        columns: { image: 'photo', ignore: ['weather'] },
      },
    }),
  );
  const paths = createRunFolder('run');
  saveRunRecord(paths, {
    configuration,
    versions: {},
    classes,
    datasetFingerprint: '',
    started: '2026-01-31T12:00:00Z',
  });
  const preparation = { channels: 3, mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] } as const;
  const description = { classes, ...preparation, epoch: 1, loss: 'bce', dataset: 'old.csv' };
  saveModel(paths.model, { network, description });
});

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runProgram([evaluate, predict], words, {
    print: (text) => out.push(text),
    note: (text) => err.push(text),
    onEvent: () => {},
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

async function judged(...words: string[]) {
  const { code, out, err } = await run('evaluate', 'run', ...words, '--replicates', '0', '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

/** The images in a table of scores. */
function names(path: string): string[] {
  const [, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => line.slice(0, line.indexOf(',')));
}

describe('evaluate', () => {
  test("evaluates the run's own data as the run read it", async () => {
    expect(await judged('--save-scores', 'own.csv')).toMatchObject({ split: 'test' });
    expect(names('own.csv')).toEqual(['0.png', '1.png', '4.png']);
  });

  test("uses the splits of the run's own data even if the data is named again", async () => {
    await judged('./old.csv', '--save-scores', 'again.csv');
    expect(names('again.csv')).toEqual(['0.png', '1.png', '4.png']);
    const { names: judgedNames } = await evaluateModel('run', 'old.csv', { replicates: 0, device: 'cpu' });
    expect(judgedNames).toEqual(['0.png', '1.png', '4.png']);
  });

  test("evaluates the model's classes on other data, read with the settings of the run", async () => {
    const { split, metrics } = await judged('new/labels.csv', '--save-scores', 'scores.csv');
    expect(split).toBe('test');
    expect(metrics.classNames).toEqual(classes);
    expect(names('scores.csv')).toEqual(rows.map(({ name }) => name));
    const all = ['--set', 'data.splitFolder=null', '--set', 'data.columns.split=split'];
    writeFileSync(
      'all.csv',
      table('photo,crack,roots,split', ({ name, crack, roots }) => [name, crack, roots, 'test']),
    );
    expect(await judged('all.csv', '--set', 'data.imageFolder=new', ...all)).toMatchObject({ metrics });
  });

  test('does the same when called as a function', async () => {
    const { scored } = await evaluateModel('run', 'new/labels.csv', { replicates: 0, device: 'cpu' });
    expect(scored.classNames).toEqual(classes);
    expect(scored.targets.length).toBe(24);
  });

  test('rows are not known by sets of look-alikes, which are named after an image, but by patients', async () => {
    const known = table('Filename,content,group', ({ name }) => [name, 'elsewhere', name]);
    writeFileSync('run/known-rows.csv', known);
    writeFileSync(
      'named-alike.csv',
      table('photo,patient,crack,roots', ({ name, crack, roots }) => [name, name, crack, roots]),
    );
    const sharedWith = async (columns: OpenOptions) => {
      const open = { imageColumn: 'photo', imageFolder: 'new', ...columns };
      return (await evaluateModel('run', 'named-alike.csv', { replicates: 0, device: 'cpu', open })).shared;
    };
    const alike = await sharedWith({ groups: 'look-alikes', ignoreColumns: ['patient'] });
    expect(alike).toMatchObject({ rows: 0 });
    const patients = await sharedWith({ groupColumn: 'patient' });
    expect(patients).toMatchObject({ rows: rows.length, byGroup: rows.length });
    rmSync('run/known-rows.csv');
  });

  test('accepts settings that override those of the run, and null to unset one', async () => {
    writeFileSync(
      'new/named.csv',
      table('file,split,crack,roots', ({ name, crack, roots }) => [name, 'val', crack, roots]),
    );
    const refused = await run('evaluate', 'run', 'new/named.csv');
    expect(refused.err).toContain("named.csv: no column 'photo' (data.columns.image)");
    const set = ['--set', 'data.columns.image=null'];
    expect(await judged('new/named.csv', ...set)).toMatchObject({ split: 'validation' });
  });

  test('names a class that other data lacks, and one that may be meant', async () => {
    writeFileSync(
      'new/plural.csv',
      table('photo,cracks,roots', ({ name, crack, roots }) => [name, crack, roots]),
    );
    expect(await run('evaluate', 'run', 'new/plural.csv')).toMatchObject({
      code: 1,
      err: "anyclass: plural.csv: no class 'crack'; did you mean 'cracks'?",
    });
  });

  test('accepts evaluation fields', async () => {
    const words = ['evaluate', 'run', '--set', 'evaluation.replicates=5', '--json'];
    const { out } = await run(...words, '--set', 'evaluation.confidence=0.5');
    expect(JSON.parse(out).intervals).toMatchObject({ replicates: 5, confidence: 0.5 });
  });

  test('stops at an unreadable image if the data is strict', async () => {
    writeFileSync('new/broken.csv', 'photo,crack,roots,split\nnone.png,1,0,test\n0.png,0,1,test\n');
    const { code, err } = await run('evaluate', 'run', 'new/broken.csv', '--set', 'data.strict=true');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('none.png') });
  });

  test('evaluates a split with a missing image only on request', async () => {
    writeFileSync('new/broken.csv', 'photo,crack,roots,split\nnone.png,1,0,test\n0.png,0,1,test\n');
    const { code, err } = await run('evaluate', 'run', 'new/broken.csv');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/1 of 2 .* missing \(none\.png\)[\s\S]*--set data\.allowPartial=true/),
    });
    expect((await run('evaluate', 'run', 'new/broken.csv', '--set', 'data.allowPartial=true')).code).toBe(0);
  });

  test.each([
    [['run', '--set', 'epochs=3'], "'epochs' is not a field of data or evaluation"],
    [['run', '--set', 'data.keep=["crack"]'], 'data.keep has no effect'],
    [['run', '--set', 'data.subset.instances=3'], 'data.subset.instances has no effect'],
    [['run', '--set', 'data.dataset=x'], 'data.dataset is already given'],
    [['run', '--set', 'evaluation.calibration=platt'], 'evaluation.calibration has no effect on a model'],
    [['--scores', 's', '--labels', 'l', '--set', 'data.cache=x'], 'data.cache requires a model'],
    [['--scores', 's', '--labels', 'l', '--set', 'evaluation.calibration=platt'], 'requires --fit-scores'],
    [['--scores', 's', '--labels', 'l', '--set', 'evaluation.decision.rule=class'], 'is set by --rule'],
  ])('rejects %j, which would have no effect', async (words, message) => {
    const { code, err } = await run('evaluate', ...words);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    expect(err).toContain('--set: ');
  });
});

describe('predict', () => {
  test('stops at an unreadable image if the data is strict', async () => {
    const words = ['predict', 'run', 'none.png', 'new/1.png'];
    expect(await run(...words, '--set', 'data.strict=true')).toMatchObject({
      code: 1,
      err: 'anyclass: none.png: no such file',
    });
    expect((await run(...words)).code).toBe(3);
  });

  test.each([
    [['--set', 'data.keep=["crack"]'], 2, '--set: data.keep has no effect on predictions'],
    [['--set', 'loss.lambda=1'], 2, "--set: 'loss.lambda' is not a field of data"],
    [['--set', 'data.chanels=1'], 1, "data.chanels: no such field; did you mean 'channels'?"],
    [['--set', 'data.mean=[0.5]'], 1, 'data.mean has 1 number; expected 3, one for each channel'],
  ])('rejects %j', async (words, code, message) => {
    const result = await run('predict', 'run', 'new/3.png', ...words);
    expect(result).toMatchObject({ code, err: expect.stringContaining(message) });
  });

  test('prepares images with the given statistics', async () => {
    const predicted = async (...words: string[]) => {
      await run('predict', 'run', 'new/3.png', '--out', 'labels.csv', ...words);
      return readFileSync('labels.csv', 'utf8');
    };
    const usual = await predicted();
    expect(await predicted('--set', 'data.mean=[0.5,0.5,0.5]')).toBe(usual);
    expect(await predicted('--set', 'data.mean=[0.1,0.9,0.5]')).not.toBe(usual);
    expect(await predicted('--set', 'data.channels=1')).not.toBe(usual);
  });
});
