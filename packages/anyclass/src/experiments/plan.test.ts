import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import { parseOver } from '../commandLine/grammar/over.js';
import { parseData, parseLosses, parseNetworks } from '../commandLine/grammar/variants.js';
import { validateConfiguration } from '../configuration/validate.js';
import { absolutePaths, runPaths } from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { planRuns } from './plan.js';
import { isBusy, runState } from './runState.js';
import { sweepVariants, sweptField } from './sweepPlan.js';

const folder = testFolder();

describe('a plan', () => {
  // With an input of its own, so that data need not be there to fit it to.
  const set = { epochs: 2, 'network.inputSize': 64 };
  const request = { config: 'quick', set, seeds: [1, 2], out: 'out' };

  test('has every combination, each with its own folder and configuration', async () => {
    const runs = await planRuns({
      ...request,
      losses: parseLosses('bce,any-bce@lambda=0.2'),
      networks: parseNetworks('tresnet-s,resnet-18@inputSize=32'),
      datasets: [parseData('digits'), parseData('@keep=["3"]')],
    });
    expect(runs).toHaveLength(16);
    expect(runs.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'digits-tresnet-s-bce-seed1',
        'digits@data.keep=3-resnet-18@network.inputSize=32-any-bce@lambda=0.2-seed2',
      ]),
    );
    expect(runs.at(-1)!.configuration).toMatchObject({
      epochs: 2,
      seed: 2,
      loss: { name: 'any-bce', lambda: 0.2 },
      network: { name: 'resnet-18', inputSize: 32 },
      data: { dataset: 'digits', keep: ['3'] },
      // The promise of each run counts all of them, because the best may be used.
      evaluation: { decision: { candidates: 16 } },
    });
  });

  test('names λ even if it is the default, so that a sweep finds the runs of a comparison', async () => {
    const name = async (losses: string) =>
      (await planRuns({ ...request, losses: parseLosses(losses) }))[0]!.name;
    expect(await name('any-bce')).toBe(await name('any-bce@lambda=0.02'));
  });

  test('says once for each network which input fits', async () => {
    const said: string[] = [];
    const networks = parseNetworks('tresnet-s,tresnet-m');
    const set = { 'network.inputSize': 'fit' };
    const runs = await planRuns({ ...request, set, networks }, (text) => said.push(text));
    expect(runs.map(({ configuration }) => configuration.network.inputSize)).toEqual([96, 96, 160, 160]);
    expect(said).toEqual([
      expect.stringMatching(/^tresnet-s, input 96 px: /),
      expect.stringMatching(/^tresnet-m, input 160 px: /),
    ]);
  });

  test('uses the given data unless a variant names other data', async () => {
    const runs = await planRuns({
      ...request,
      data: 'pipes.csv',
      seeds: [1],
      datasets: [parseData('@keep=["3"]'), parseData('scans.csv')],
    });
    expect(runs.map(({ name }) => name.split('-')[0])).toEqual(['pipes@data.keep=3', 'scans']);
  });

  test('uses the paper’s recipe for each network and dataset', async () => {
    const runs = await planRuns({
      ...request,
      config: 'paper/sewerml/tresnet-l',
      seeds: [1],
      datasets: ['sewerml=a', 'chestxray14=b'].map((text) => parseData(text)),
      networks: parseNetworks('tresnet-l,maxvit-s'),
    });
    const optimizers = runs.map(({ configuration: { optimizer } }) => [optimizer.name, optimizer.rate]);
    expect(optimizers).toEqual([
      ['sgd', 0.1],
      ['adamw', 0.001],
      ['sgd', 0.1],
      ['adamw', 0.0001],
    ]);
    const other = parseNetworks('tresnet-m');
    const config = 'paper/sewerml/tresnet-l';
    await expect(planRuns({ ...request, config, data: 'sewerml=a', networks: other })).rejects.toThrow(
      'network.name=tresnet-m',
    );
  });

  test('tells files with the same name apart by their folders', async () => {
    const datasets = ['siteA/labels.csv', 'siteB/labels.csv', 'scans.csv'].map((path) => parseData(path));
    const runs = await planRuns({ ...request, seeds: [1], datasets });
    expect(runs.map(({ name }) => name.split('-')[0])).toEqual(['siteA+labels', 'siteB+labels', 'scans']);
    const deep = ['a/data/labels.csv', 'b/data/labels.csv'].map((path) => parseData(path));
    const deeper = await planRuns({ ...request, seeds: [1], datasets: deep });
    expect(deeper.map(({ name }) => name.split('-')[0])).toEqual(['a+data+labels', 'b+data+labels']);
  });

  test('shortens long names in their least informative part', async () => {
    const classes = (first: number) =>
      JSON.stringify(Array.from({ length: 60 }, (_, i) => `class ${first + i}`));
    const runs = await planRuns({
      ...request,
      losses: parseLosses('bce,any-bce'),
      datasets: [parseData(`@keep=${classes(0)}`), parseData(`@keep=${classes(1)}`)],
    });
    const names = runs.map(({ name }) => name);
    expect(new Set(names).size).toBe(8);
    for (const name of names) {
      expect(name.length).toBeLessThanOrEqual(200);
      expect(name).toMatch(/^digits@data\.keep=class_[\w,+]*~[0-9a-f]{8}-tresnet-s-.*-seed[12]$/);
    }
  });

  test.each([
    ['any-bce', 'any-bce@lambda=0.02', "'any-bce' and 'any-bce lambda=0.02' are the same run"],
    ['any-bce', 'any-bce@alpha=1', "'any-bce' and 'any-bce alpha=1' are the same run"],
    ['any-bce@alpha=0.50', 'any-bce@alpha=0.5', "'any-bce alpha=0.5' is listed twice"],
    ['any-bce@beta=0.9@alpha=0.5', 'any-bce@alpha=0.5@beta=0.9', 'are the same run'],
  ])('that lists the same run as %s and %s is refused', async (first, second, message) => {
    const twice = { ...request, losses: parseLosses(`bce,${first},${second}`) };
    await expect(planRuns(twice)).rejects.toThrow(message);
  });

  test('needs seeds: integers of at least 0 without duplicates', async () => {
    for (const seeds of [[], [-1], [1.5], [Number.NaN], [1, 2, 1]])
      await expect(planRuns({ ...request, seeds })).rejects.toMatchObject({ option: 'seeds' });
  });

  test('spells equal values the same way', async () => {
    const losses = parseLosses('any-bce@alpha=0.50@beta=9e-1');
    const [run] = await planRuns({ ...request, losses });
    expect(run!.name).toBe('digits-tresnet-s-any-bce@lambda=0.02@loss.alpha=0.5@loss.beta=0.9-seed1');
  });

  test('finds runs that exist under another name, finished ones first', async () => {
    const out = join(folder, 'renamed');
    const plan = (losses: string) => planRuns({ ...request, seeds: [1], out, losses: parseLosses(losses) });
    const { configuration } = (await plan('any-bce'))[0]!;
    for (const name of ['a', 'b', 'c']) writeSyntheticRun(join(out, name), { configuration, strength: 1 });
    for (const name of ['a', 'c']) rmSync(runPaths(join(out, name)).summary);
    mkdirSync(join(out, 'damaged'));
    writeFileSync(join(out, 'damaged', 'config.json'), '{');
    const [found, other] = await plan('any-bce@alpha=1,bce');
    expect(found).toMatchObject({ name: 'b', folder: join(out, 'b') });
    expect(runState(found!)).toBe('finished');
    expect(other).toMatchObject({ name: 'digits-tresnet-s-bce-seed1' });
    writeSyntheticRun(join(out, 'digits-tresnet-s-any-bce@lambda=0.02-seed1'), {
      configuration,
      strength: 1,
    });
    expect((await plan('any-bce'))[0]!.name).toBe('digits-tresnet-s-any-bce@lambda=0.02-seed1');
  });
});

test('a sweep over a field that does not affect results is refused', () => {
  expect(() => sweptField({ field: 'threads', values: [1, 2] })).toThrow(
    'over: threads has no effect on results',
  );
});

describe('the state of a run', () => {
  const configuration = absolutePaths(validateConfiguration({ data: { dataset: 'digits' }, epochs: 2 }));
  const planned = (name: string) => ({ name, folder: join(folder, name), configuration });

  test('is absent, begun or finished, wherever it was computed', () => {
    expect(runState(planned('absent'))).toBe('absent');
    writeSyntheticRun(planned('done').folder, { configuration, strength: 1 });
    expect(runState({ ...planned('done'), configuration: { ...configuration, device: 'cpu' } })).toBe(
      'finished',
    );
    rmSync(runPaths(planned('done').folder).summary);
    expect(runState(planned('done'))).toBe('begun');
  });

  test('is an error if the settings differ, with their names and values', () => {
    writeSyntheticRun(planned('other').folder, { configuration, strength: 1 });
    expect(() => runState({ ...planned('other'), configuration: { ...configuration, epochs: 3 } })).toThrow(
      /other holds a run with different settings: epochs is 2 there and 3 now\. Choose another output folder/,
    );
  });

  test('is absent if a process was killed before the run had a configuration', () => {
    mkdirSync(join(planned('killed').folder, 'checkpoints'), { recursive: true });
    const dead = { host: hostname(), pid: 2 ** 22 + 1, started: '1' };
    writeFileSync(join(planned('killed').folder, 'lock'), JSON.stringify(dead));
    writeFileSync(join(planned('killed').folder, '.partial-1-c04518dba4a15c25'), '{');
    expect(runState(planned('killed'))).toBe('absent');
    writeSyntheticRun(planned('killed').folder, { configuration, strength: 1 });
  });

  test('is an error, and nothing is removed, if the folder holds other files', () => {
    mkdirSync(planned('notes').folder);
    writeFileSync(join(planned('notes').folder, 'notes.txt'), 'mine');
    expect(() => runState(planned('notes'))).toThrow('holds files but no run');
  });

  test('is busy while a live process holds its lock', () => {
    mkdirSync(planned('busy').folder);
    expect(isBusy(planned('busy').folder)).toBe(false);
    using _lock = lockRun(planned('busy').folder);
    expect(isBusy(planned('busy').folder)).toBe(true);
  });
});

describe('a sweep', () => {
  const swept = (text: string) => sweptField(parseOver(text));

  test('covers a field of the loss, or any numeric field, in ascending order of value', () => {
    expect(swept('lambda=0.2,0,0.02')).toEqual({
      field: 'loss.lambda',
      title: 'λ',
      values: [0, 0.02, 0.2],
    });
    expect(swept('optimizer.rate=0.1')).toMatchObject({
      field: 'optimizer.rate',
      title: 'optimizer.rate',
    });
  });

  test.each([
    ['lambda', 'over: expected field=value,value,…'],
    ['lamda=1', "no such numeric field 'lamda'; did you mean 'lambda'?"],
    ['rate=1', "no such numeric field 'rate'; did you mean 'optimizer.rate'?"],
    ['optimizer.rat=1', "did you mean 'optimizer.rate'?"],
    ['device=1', "no such numeric field 'device'"],
    ['lambda=1,x', "'x' is not a number"],
    ['lambda=1,1', '1 is listed twice'],
    ['seed=1,2', 'over: vary the seed with seeds'],
    ['data.digits.seed=1,2', 'data.digits.seed changes the images that runs are evaluated on'],
  ])('over %j is refused', (text, message) => {
    expect(() => swept(text)).toThrow(message);
  });

  test('includes the standard loss', () => {
    const configuration = validateConfiguration({ data: { dataset: 'digits' }, loss: { name: 'any-focal' } });
    const variants = sweepVariants(swept('gamma=1,2'), configuration);
    expect(variants).toEqual([
      { name: 'focal' },
      { name: 'any-focal', set: { 'loss.gamma': 1 } },
      { name: 'any-focal', set: { 'loss.gamma': 2 } },
    ]);
    const standard = validateConfiguration({ data: { dataset: 'digits' }, loss: { name: 'bce' } });
    expect(() => sweepVariants(swept('lambda=1'), standard)).toThrow(
      'loss.lambda has no effect with bce; set loss.name=any-bce',
    );
  });

  test.each([
    ['bce', 'focal'],
    ['any-bce', 'any-focal'],
  ] as const)('over γ is refused with %s, since it has no effect', (name, focal) => {
    const configuration = validateConfiguration({ data: { dataset: 'digits' }, loss: { name } });
    expect(() => sweepVariants(swept('gamma=1,2'), configuration)).toThrow(
      `loss.gamma has no effect with ${name}; set loss.name=${focal}`,
    );
  });
});
