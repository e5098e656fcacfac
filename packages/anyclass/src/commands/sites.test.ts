// A model at another site, as a user would see it: evaluate says that the promise does not hold there, refit restores it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NumpyRandom } from '@anyclass/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { exportOnnx } from '../export/onnx/exportOnnx.js';
import { modelText } from '../field/modelText.js';
import { readModelRecord } from '../inference/modelRecord.js';
import { findOnnxRuntime } from '../inference/onnx/onnxRuntime.js';
import { openPredictor, type Prediction, type Predictor } from '../inference/predictor.js';
import { resumeRun } from '../training/resumeRun.js';
import { trainRun } from '../training/trainRun.js';

const folder = testFolder();
const hasNoRuntime = (await findOnnxRuntime()).problem !== undefined;
const at = (name: string) => join(folder, name);

/** Two measurements; at another site the instrument reads more, so that negatives look positive. */
function site(name: string, count: number, seed: number, shift: number, patients?: number): string {
  const random = new NumpyRandom(seed);
  const lines = Array.from({ length: count }, (_, i) => {
    const [dry, sour] = [random.random() < 0.15, random.random() < 0.15];
    const noise = () => random.random() + random.random();
    const values = [noise() + 1.2 * Number(dry) + shift, noise() + 1.2 * Number(sour) + shift];
    const group = patients === undefined ? [] : [`p${i % patients}`];
    return [`${name}-${i}`, ...group, Number(dry), Number(sour), ...values].join(',');
  });
  const header = ['Filename', ...(patients === undefined ? [] : ['patient']), 'dry,sour,feature_0,feature_1'];
  writeFileSync(at(`${name}.csv`), `${[header.join(','), ...lines].join('\n')}\n`);
  return `${name}.csv`;
}

beforeAll(async () => {
  site('home', 1600, 1, 0);
  site('away', 600, 2, 0.7);
  site('away-later', 600, 3, 0.7);
  site('few', 60, 4, 0.7);
  site('patients', 600, 5, 0.7, 200);
  await trainRun(
    {
      data: { dataset: at('home.csv') },
      network: { name: 'linear' },
      epochs: 40,
      finalWeights: 'last',
      device: 'cpu',
      evaluation: { replicates: 0 },
    },
    { run: at('run') },
  );
}, 60_000);

const evaluateAway = (model: string, data = 'away.csv') =>
  runInProcess(folder, ['evaluate', model, data, '--replicates', '200', '--json']);

async function predictOf(predictor: Predictor, features: readonly number[]): Promise<Prediction> {
  for await (const prediction of predictor.predict([
    { name: 'row', features: Float32Array.from(features) },
  ])) {
    if (!('failure' in prediction)) return prediction;
  }
  throw new Error('no prediction');
}

describe('evaluate at another site', () => {
  test('uses all rows, and says first that the promise does not hold there', async () => {
    const { status, stdout, stderr } = await evaluateAway('run');
    expect(status).toBe(0);
    const { verdict, split, metrics, decided } = JSON.parse(stdout);
    expect(split).toBe('away.csv');
    expect(metrics.rows).toBe(600);
    const [contradiction] = decided.contradicted;
    expect(contradiction).toMatchObject({ about: 'false alarms', promised: 0.05, needed: 59 });
    expect(contradiction.low).toBeGreaterThan(0.05);
    expect(verdict).toMatch(
      /^The promise of at most 5% false alarms does not hold here: [\d.]+% \([\d.]+ to [\d.]+\) of negatives alarm.*59 or more labeled negatives/,
    );
    expect(stderr).toContain('anyclass refit run away.csv --out NEW.safetensors');
    const text = await runInProcess(folder, ['evaluate', 'run', 'away.csv', '--replicates', '0']);
    expect(text.stdout).toMatch(/\n1,000 more labeled negatives: 0\.\d+% could be promised/);
    expect(text.stdout).toMatch(/\n1,000 more labeled positives: 0\.\d+% could be promised/);
  });

  test('asks for groups where the rows have them, also if the promise was about images', async () => {
    const words = ['patients.csv', '--group-column', 'patient', '--replicates', '200', '--json'];
    const { stdout, stderr } = await runInProcess(folder, ['evaluate', 'run', ...words]);
    const { verdict, decided } = JSON.parse(stdout);
    expect(decided.contradicted[0]).toMatchObject({ isByGroup: false, ofGroups: true });
    expect(verdict).toMatch(/of negatives alarm\. .*59 or more groups with labeled negatives of this data/);
    expect(stderr).toContain('anyclass refit run patients.csv --group-column patient --out NEW.safetensors');
  });

  test('prints a refit that reads the data in the same way, for the same limits, and can be pasted', async () => {
    const [header, ...rows] = readFileSync(at('away.csv'), 'utf8').trimEnd().split('\n');
    const placed = [`${header},the place`, ...rows.map((row) => `${row},somewhere`)];
    writeFileSync(at('placed.csv'), placed.join('\n'));
    const ignore = ['--set', 'data.columns.ignore=["the place"]'];
    const words = ['run', 'placed.csv', ...ignore, '--false-alarms', '4%', '--replicates', '200'];
    const { status, stderr } = await runInProcess(folder, ['evaluate', ...words]);
    expect([status, stderr]).toEqual([0, expect.stringContaining('To fit the decision to this data: ')]);
    const line = stderr.split('To fit the decision to this data: ')[1]!.split('\n')[0]!;
    const pasted = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' });
    const [program, ...given] = pasted.trimEnd().split('\n');
    expect([program, given.slice(0, 3), given.slice(-2)]).toEqual([
      'anyclass',
      ['refit', 'run', 'placed.csv'],
      ['--out', 'NEW.safetensors'],
    ]);
    const refitted = await runInProcess(folder, [...given, '--json']);
    expect(refitted.status, refitted.stderr).toBe(0);
    expect(JSON.parse(refitted.stdout).decision.report.guarantee).toMatchObject({ holds: true, rate: 0.04 });
  });

  test("of the model's own data, only the test split is evaluated, and its promise holds", async () => {
    const { stdout } = await evaluateAway('run', 'home.csv');
    const { split, metrics, decided } = JSON.parse(stdout);
    expect([split, metrics.rows, decided.contradicted]).toEqual(['test', 240, undefined]);
    // A model file knows its data too.
    const file = JSON.parse((await evaluateAway('run/model.safetensors', 'home.csv')).stdout);
    expect([file.split, file.metrics.rows]).toEqual(['test', 240]);
  });
});

describe('refit', () => {
  const refitted = async (run: string, data: string) => {
    const words = ['refit', run, data, '--out', 'other.safetensors', '--replicates', '100', '--json'];
    const { status, stdout, stderr } = await runInProcess(folder, words);
    expect(status, stderr).toBe(0);
    const { decision, remarks } = JSON.parse(stdout);
    return { ...decision.report.guarantee, remarks: remarks.join('\n') };
  };

  test('promises nothing on rows that the run knows, wherever the run and its table were copied', async () => {
    cpSync(at('run'), at('moved/run'), { recursive: true });
    cpSync(at('home.csv'), at('moved/copy.csv'));
    const known = await refitted('moved/run', 'moved/copy.csv');
    expect(known).toMatchObject({ holds: false, reason: 'shared rows' });
    // Training and validation of 1,600 rows, of which 240 are the test split.
    expect(known.remarks).toContain('1,360 of 1,600 rows are known to the model');
    expect(known.remarks).not.toContain('rename');
    const { stdout } = await runInProcess(folder, ['model', 'other.safetensors']);
    expect(stdout).toMatch(
      /^from .*1,600 rows: \d+ of 1156 negatives \([\d.]+%\)\npromise +none\nlimits +at most 5% false alarms, not promised\nnote +Nothing is promised: the model knew rows/m,
    );
    const judged = await evaluateAway('moved/run', 'moved/copy.csv');
    expect(JSON.parse(judged.stdout).decided).toMatchObject({
      shared: { rows: 1360 },
      report: { guarantee: { holds: false, reason: 'shared rows' } },
    });
    // Its model file knows them, too.
    expect(await refitted('moved/run/model.safetensors', 'moved/copy.csv')).toMatchObject(known);
    // A run of an earlier version kept the names of its validation split only.
    rmSync(at('moved/run/known-rows.csv'));
    const byName = await refitted('moved/run', 'moved/copy.csv');
    expect(byName).toMatchObject({ holds: false, reason: 'shared rows' });
    expect(byName.remarks).toMatch(/^\d+ of 1,600 rows are known/m);
  });

  test('a list of known rows that is damaged, cut or a pipe is refused by its name, and written anew by a resumed run', async () => {
    cpSync(at('run'), at('damaged'), { recursive: true });
    const list = at('damaged/known-rows.csv');
    const whole = readFileSync(list, 'utf8');
    const refused = async () => {
      const { status, stderr } = await evaluateAway('damaged');
      expect([status, stderr]).toEqual([1, expect.stringContaining('damaged/known-rows.csv')]);
      return stderr;
    };
    writeFileSync(list, `${whole.split('\n').slice(0, 100).join('\n')}\n`);
    expect(await refused()).toMatch(/differs from what the run wrote; resume/);
    await resumeRun(at('damaged'), {});
    expect(readFileSync(list, 'utf8')).toBe(whole);
    expect((await evaluateAway('damaged')).status).toBe(0);
    // Copies may lack the checksums.
    rmSync(at('damaged/scores/checksums.json'));
    for (const text of ['Filename,content\n', 'a,b\n1,2\n', '']) {
      writeFileSync(list, text);
      await refused();
    }
    rmSync(list);
    execFileSync('mkfifo', [list]);
    expect(await refused()).toContain('named pipe');
    rmSync(list);
    mkdirSync(list);
    expect(await refused()).toContain('a folder');
  });

  test('of a model file without its run, says that known rows cannot be recognized, unless their list lies beside it', async () => {
    mkdirSync(at('alone'));
    cpSync(at('run/model.safetensors'), at('alone/site.safetensors'));
    cpSync(at('home.csv'), at('alone/copy.csv'));
    const unsure = await refitted('alone/site.safetensors', 'alone/copy.csv');
    expect(unsure).toMatchObject({ holds: true });
    expect(unsure.remarks).toMatch(/^site\.safetensors does not hold which rows it was trained on/m);
    const { stdout } = await runInProcess(folder, ['model', 'other.safetensors']);
    expect(stdout).toMatch(/^note +site\.safetensors does not hold .*promise holds only if none is/m);
    const judged = async () =>
      (await runInProcess(folder, ['evaluate', 'alone/site.safetensors', 'alone/copy.csv', '--split', 'all']))
        .stdout;
    expect(await judged()).toMatch(/^site\.safetensors does not hold .*promise holds only if none is/m);
    cpSync(at('run/known-rows.csv'), at('alone/known-rows.csv'));
    const known = await refitted('alone/site.safetensors', 'alone/copy.csv');
    expect(known).toMatchObject({ holds: false, reason: 'shared rows' });
    expect(known.remarks).toContain('1,360 of 1,600 rows are known to the model');
    expect(known.remarks).not.toContain('does not hold');
    expect(await judged()).not.toContain('does not hold');
  });

  test('promises where another site gave its rows the same names', async () => {
    const [header, ...rows] = readFileSync(at('away.csv'), 'utf8').split('\n');
    writeFileSync(
      at('same-names.csv'),
      [header, ...rows.map((row) => row.replace('away-', 'home-'))].join('\n'),
    );
    expect(await refitted('run', 'same-names.csv')).toMatchObject({ holds: true, rate: 0.05, remarks: '' });
  });

  test('restores the promise for the site, with cross-fitted metrics and where the decision comes from', async () => {
    const { status, stdout } = await runInProcess(folder, [
      'refit',
      'run',
      'away.csv',
      '--out',
      'away.safetensors',
      '--device',
      'cpu', // as exported files are computed, whose decision is compared with this one
      '--replicates',
      '200',
      '--json',
    ]);
    expect(status).toBe(0);
    const { decision, origin, crossFitted } = JSON.parse(stdout);
    expect(decision.report.guarantee).toMatchObject({ holds: true, rate: 0.05, of: origin.negatives });
    expect(crossFitted.falseAlarmRate.low).toBeLessThan(0.05);
    expect(crossFitted.missedRate).toBeNull();
    expect(crossFitted.falseAlarmRate.high).toBeGreaterThan(crossFitted.falseAlarmRate.low);
    expect(origin).toMatchObject({ data: 'away', rows: 600, replaces: { fittedOn: 'validation' } });
    expect(origin.replaces.promises[0]).toContain('at most 5% of negatives alarm');
    const later = JSON.parse((await evaluateAway('away.safetensors', 'away-later.csv')).stdout);
    expect(later.decided.contradicted).toBeUndefined();
    expect(later.decided.fittedOn).toBe('away');
    const same = await evaluateAway('away.safetensors');
    expect(JSON.parse(same.stdout).decided).toBeUndefined();
    expect(same.stderr).toContain('refitted on these rows');
  });

  test('changes nothing but the decision, and model shows it', async () => {
    const [before, after] = [readModelRecord(at('run')), readModelRecord(at('away.safetensors'))];
    const { decision: _, ...rest } = before.description;
    expect(after.description).toMatchObject(rest);
    expect(after.parameters).toBe(before.parameters);
    const { stdout } = await runInProcess(folder, ['model', 'away.safetensors']);
    expect(stdout).toMatch(/from +refit on away, 20\d\d-\d\d-\d\d, 600 rows/);
    expect(stdout).toMatch(/from +refit .* 600 rows: \d+ of \d+ negatives/);
    expect(stdout).toMatch(/promise +on data like away, at most 5% of negatives alarm/);
    expect(stdout).toMatch(/^limits +at most 5% false alarms with 95% confidence$/m);
    expect(stdout).toMatch(/instead of +at most 5% of negatives alarm.*fitted on validation/);
    expect(stdout).toMatch(/class +predicted from\ndry +0\.\d{4}\n/);
  });

  test('model and refit name both promises of a decision that is replaced, and tell limits apart that lie close', async () => {
    const words = ['refit', 'run', 'away.csv', '--replicates', '100', '--force'];
    await runInProcess(folder, [...words, '--missed', '0.1', '--out', 'triage.safetensors']);
    const { stdout } = await runInProcess(folder, [
      ...['refit', 'triage.safetensors', 'away-later.csv', '--replicates', '100'],
      ...['--out', 'again.safetensors'],
    ]);
    const both =
      /^instead of +at most 5% of negatives alarm.*; at most 10% of positives are cleared.*, fitted on away/m;
    expect(stdout).toMatch(both);
    expect((await runInProcess(folder, ['model', 'again.safetensors'])).stdout).toMatch(both);
    const record = readModelRecord(at('again.safetensors'));
    const decision = { ...record.description.decision!, presence: 2, clear: 1.9999 };
    expect(modelText({ ...record, description: { ...record.description, decision } })).toMatch(
      /alarm from a presence of 86\.466%, clear below 86\.465%, review between/,
    );
  });

  test('too few negatives are an error that says how many more to label, and nothing is written', async () => {
    const { status, stderr } = await runInProcess(folder, [
      'refit',
      'run',
      'few.csv',
      '--false-alarms',
      '0.02',
      '--out',
      'few.safetensors',
    ]);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /few has \d+ labeled negatives, too few.*it takes 149: label \d+ more labeled negatives/,
    );
    expect(stderr).toContain('On the command line: --confidence none\n');
    expect(() => readFileSync(at('few.safetensors'))).toThrow(/ENOENT/);
  });

  test('with groups, the promise rests on one negative a group', async () => {
    const { stdout } = await runInProcess(folder, [
      'refit',
      'run',
      'patients.csv',
      '--group-column',
      'patient',
      '--missed',
      '0.05',
      '--out',
      'patients.safetensors',
      '--json',
    ]);
    const { decision, origin, crossFitted } = JSON.parse(stdout);
    expect(origin.groups).toBe(200);
    expect(decision.report.guarantee).toMatchObject({ holds: true, groups: decision.report.guarantee.of });
    expect(decision.report.guarantee.of).toBeLessThanOrEqual(200);
    expect(decision.clear).not.toBeNull();
    expect(crossFitted.falseAlarmRateByGroup.value).toBeGreaterThanOrEqual(0);
    // Alarms need no label.
    expect(crossFitted.alarmRate.value).toBeGreaterThanOrEqual(crossFitted.falseAlarmRateByGroup.value);
    const { low, value, high } = crossFitted.missedRate;
    expect([low <= value, value <= high, low < 0.05]).toEqual([true, true, true]);
  });

  test('saved scores give the same decision as the data', async () => {
    await runInProcess(folder, [
      'evaluate',
      'run',
      'away.csv',
      '--save-scores',
      'scores.csv',
      '--replicates',
      '0',
    ]);
    const labels = readFileSync(at('away.csv'), 'utf8')
      .split('\n')
      .map((line) => line.split(',').slice(0, 3).join(','));
    writeFileSync(at('away-labels.csv'), labels.join('\n'));
    const { status, stdout, stderr } = await runInProcess(folder, [
      'refit',
      'run',
      '--scores',
      'scores.csv',
      '--labels',
      'away-labels.csv',
      '--out',
      'scores.safetensors',
      '--json',
    ]);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const { decision } = JSON.parse(stdout);
    const [own, now] = [readModelRecord(at('away.safetensors')).description.decision!, decision];
    expect(now.report.falseAlarms).toBe(own.report.falseAlarms);
  });

  test('saved scores of rows that the run knows by name promise nothing', async () => {
    for (const name of ['scores', 'away-labels'])
      writeFileSync(
        at(`known-${name}.csv`),
        readFileSync(at(`${name}.csv`), 'utf8').replaceAll('away-', 'home-'),
      );
    const { stdout } = await runInProcess(folder, [
      ...['refit', 'run', '--scores', 'known-scores.csv', '--labels', 'known-away-labels.csv'],
      ...['--out', 'known.safetensors', '--json'],
    ]);
    const { decision, remarks } = JSON.parse(stdout);
    expect(remarks.join('\n')).toMatch(/\d+ of 600 rows are known to the model/);
    expect(decision.report.guarantee).toMatchObject({ holds: false, reason: 'shared rows' });
  });

  test('of a log, only what the coin drew counts; labels without classes refit the gate alone', async () => {
    using predictor = await openPredictor(at('run'));
    const [, ...rows] = readFileSync(at('away.csv'), 'utf8').trimEnd().split('\n');
    const [lines, negative, byClass]: [string[], string[], string[]] = [[], ['id,negative'], ['id,dry,sour']];
    for (const [i, row] of rows.entries()) {
      const [id = '', dry = '', sour = '', ...features] = row.split(',');
      const { labels, presenceScore: s, probabilities } = await predictOf(predictor, features.map(Number));
      const drawn = i % 2 === 0;
      // Another model of the same server answers in between.
      const other = { id: `other ${i}`, model: 'water', isNegative: true, s, audit: { q: 0.5, drawn: true } };
      lines.push(
        JSON.stringify({ ...other, probabilities: { dry: 0.5, sour: 0.5 } }),
        JSON.stringify({
          id,
          model: 'soil',
          isNegative: labels.length === 0,
          s,
          probabilities: { dry: probabilities[0], sour: probabilities[1] },
          audit: { q: 0.5, drawn },
        }),
      );
      negative.push(`${id},${Number(dry === '0' && sour === '0')}`, `other ${i},1`);
      byClass.push(`${id},${dry},${sour}`, `other ${i},0,0`);
    }
    writeFileSync(at('log.jsonl'), `${lines.join('\n')}\n`);
    writeFileSync(at('negative.csv'), negative.join('\n'));
    writeFileSync(at('classes.csv'), byClass.join('\n'));
    const before = readModelRecord(at('run')).description.decision!;
    const refitted = async (labels: string, ...options: string[]) => {
      const words = ['refit', 'run', '--log', 'log.jsonl', '--labels', labels, '--out', 'log.safetensors'];
      const { stdout, stderr } = await runInProcess(folder, [...words, ...options, '--json']);
      expect(stderr).toBe('');
      return JSON.parse(stdout);
    };
    const whole = await refitted('classes.csv');
    expect(whole.origin).toMatchObject({ data: 'audits', rows: 300, hasNewThresholds: true });
    expect(whole.remarks.join()).toContain('300 labeled images left out');
    expect(whole.remarks.join()).toContain('600 audits of other models and versions left out');
    expect(whole.decision.report.guarantee).toMatchObject({ holds: true, rate: 0.05 });
    expect(whole.decision.thresholds).not.toEqual(before.thresholds);
    // The other model's lines count, too.
    const late = await refitted('classes.csv', '--from', '601');
    expect(late.origin.rows).toBe(150);
    expect(late.remarks.join()).toContain('600 lines before the first one that counts left out');
    const gate = await refitted('negative.csv');
    expect(gate.origin).toMatchObject({
      rows: 300,
      negatives: whole.origin.negatives,
      hasNewThresholds: false,
    });
    expect(gate.decision.thresholds).toEqual(before.thresholds);
    expect(gate.decision.report.guarantee).toMatchObject({ holds: true, of: whole.origin.negatives });
    expect(gate.decision.presence).toBeGreaterThan(before.presence!);
  });

  test('of a log, limits for whole groups rest on whole groups alone', async () => {
    const [, ...rows] = readFileSync(at('away.csv'), 'utf8').trimEnd().split('\n');
    const refitted = async (per: string, drawnOf: (i: number) => boolean, from = 1) => {
      const lines = rows.map((row, i) => {
        const [id = '', dry, sour] = row.split(',');
        const probabilities = { dry: (1 + Number(dry)) / 3, sour: (1 + Number(sour)) / 3 };
        // A group is a name: 7 and '7' are one.
        const group = i < 200 ? i : String(i % 200);
        const answer = { id, isNegative: true, s: 0.8 + Number(dry), probabilities, group };
        return JSON.stringify({ ...answer, audit: { q: 0.5, drawn: drawnOf(i) } });
      });
      writeFileSync(at('groups.jsonl'), lines.join('\n'));
      const labels = rows.map((row) => row.split(',').slice(0, 3).join(','));
      writeFileSync(at('groups.csv'), ['id,dry,sour', ...labels].join('\n'));
      const words = ['refit', 'run', '--log', 'groups.jsonl', '--labels', 'groups.csv', '--per', per];
      return runInProcess(folder, [
        ...words,
        '--replicates',
        '100',
        '--from',
        String(from),
        '--out',
        'groups.safetensors',
        '--force',
      ]);
    };
    const half = await refitted('group', (i) => i !== 3 && i !== 203 && i !== 7);
    expect([half.status, half.stderr]).toEqual([
      1,
      expect.stringContaining('2 groups have images that were not drawn'),
    ]);
    expect((await refitted('image', (i) => i % 2 === 0)).status).toBe(0);
    expect((await refitted('group', () => true)).status).toBe(0);
    const cut = await refitted('group', () => true, 11);
    expect([cut.status, cut.stderr]).toEqual([1, expect.stringContaining('10 groups have images that')]);
    expect((await refitted('image', () => true, 11)).status).toBe(0);
    const noLog = await runInProcess(folder, [
      'refit',
      'run',
      'away.csv',
      '--from',
      '11',
      '--out',
      'x.safetensors',
    ]);
    expect([noLog.status, noLog.stderr]).toEqual([2, expect.stringContaining('--from requires --log')]);
  });

  test('of positives of one patient alone, nothing is cross-fitted; without negatives or groups, it says so', async () => {
    const positives = Array.from({ length: 10 }, (_, i) => `p${i},one,1,0,2.${i},1`);
    const negatives = Array.from({ length: 90 }, (_, i) => `n${i},n${i},0,0,1.${i},1`);
    const header = 'Filename,patient,dry,sour,feature_0,feature_1';
    writeFileSync(at('one.csv'), [header, ...positives, ...negatives].join('\n'));
    const refitted = (...options: string[]) =>
      runInProcess(folder, ['refit', 'run', 'one.csv', '--out', 'one.safetensors', ...options]);
    const { status, stdout } = await refitted('--group-column', 'patient', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout).crossFitted).toBeNull();
    writeFileSync(
      at('one.jsonl'),
      positives
        .map((row) => {
          const [id] = row.split(',');
          const answer = { id, isNegative: true, s: 1, probabilities: { dry: 0.5, sour: 0.5 } };
          return JSON.stringify({ ...answer, audit: { q: 1, drawn: true } });
        })
        .join('\n'),
    );
    writeFileSync(
      at('one-labels.csv'),
      `id,negative\n${positives.map((row) => `${row.split(',')[0]},0`).join('\n')}`,
    );
    const words = ['refit', 'run', '--log', 'one.jsonl', '--labels', 'one-labels.csv'];
    const none = await runInProcess(folder, [...words, '--out', 'none.safetensors']);
    expect([none.status, none.stderr]).toEqual([1, expect.stringMatching(/audits has no negatives/)]);
    expect(none.stderr).not.toContain('--debug');
    const per = ['--per', 'group', '--out', 'none.safetensors'];
    const ungrouped = await runInProcess(folder, ['refit', 'run', 'away.csv', ...per]);
    expect([ungrouped.status, ungrouped.stderr]).toEqual([1, expect.stringContaining('--group-column')]);
  });

  test("the model's own data is refused, except its test split", async () => {
    const own = await runInProcess(folder, ['refit', 'run', 'home.csv', '--out', 'own.safetensors']);
    expect([own.status, own.stderr]).toEqual([1, expect.stringContaining('trained on')]);
    const onTest = await runInProcess(folder, [
      'refit',
      'run',
      'home.csv',
      '--split',
      'test',
      '--out',
      'own.safetensors',
    ]);
    expect(onTest.status).toBe(0);
    expect(readModelRecord(at('own.safetensors')).description.decisionOrigin?.rows).toBe(240);
  });

  test.skipIf(hasNoRuntime)(
    'an exported file says that data has the name of its own, and compares contents there',
    async () => {
      mkdirSync(at('named'));
      cpSync(at('run/known-rows.csv'), at('named/known-rows.csv'));
      await exportOnnx(at('run'), { out: at('named/model.onnx') });
      mkdirSync(at('elsewhere'));
      const rows = readFileSync(at('away.csv'), 'utf8').replaceAll('away-', 'home-');
      writeFileSync(at('elsewhere/home.csv'), rows);
      const words = ['named/model.onnx', 'elsewhere/home.csv', '--replicates', '100'];
      const judged = await runInProcess(folder, ['evaluate', ...words]);
      expect(judged.stderr).toMatch(
        /home\.csv has the name of the model's own data, so only its test split is/,
      );
      const refit = ['refit', ...words, '--out', 'named.onnx', '--json'];
      const { status, stderr } = await runInProcess(folder, refit);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/has the name of .*--split all/s)]);
      const { stdout } = await runInProcess(folder, [...refit, '--split', 'all']);
      expect(JSON.parse(stdout)).toMatchObject({
        decision: { report: { guarantee: { holds: true, rate: 0.05 } } },
        remarks: [],
      });
    },
  );

  test('of other data that has splits, --split test takes that one alone', async () => {
    const [header, ...rows] = readFileSync(at('away.csv'), 'utf8').trimEnd().split('\n');
    const split = rows.map((row, i) => `${row},${i % 2 === 0 ? 'train' : 'test'}`);
    writeFileSync(at('split.csv'), [`${header},split`, ...split].join('\n'));
    const rowsOf = async (...words: string[]) => {
      const out = ['--out', 'split.safetensors', '--force'];
      const { status, stderr } = await runInProcess(folder, ['refit', 'run', 'split.csv', ...words, ...out]);
      expect([status, stderr]).toEqual([0, expect.any(String)]);
      return readModelRecord(at('split.safetensors')).description.decisionOrigin?.rows;
    };
    expect([await rowsOf('--split', 'test'), await rowsOf('--split', 'all'), await rowsOf()]).toEqual([
      300, 600, 600,
    ]);
  });

  test('data is named once, and the new file has the ending of the old one', async () => {
    for (const words of [
      ['run/model.safetensors'],
      ['run', 'away.csv', '--log', 'x.jsonl'],
      ['run', '--scores', 'x.csv'],
    ]) {
      expect((await runInProcess(folder, ['refit', ...words, '--out', 'x.safetensors'])).status).toBe(2);
    }
    const { stderr } = await runInProcess(folder, ['refit', 'run', 'away.csv', '--out', 'x.onnx']);
    expect(stderr).toContain('.safetensors');
  });

  test.skipIf(hasNoRuntime)('an exported file is refitted too, and stays whole', async () => {
    await exportOnnx(at('run'), { out: at('run.onnx') });
    const { status, stderr } = await runInProcess(folder, [
      'refit',
      'run.onnx',
      'away.csv',
      '--out',
      'site/away.onnx',
    ]);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const [exported, refitted] = [
      readModelRecord(at('away.safetensors')),
      readModelRecord(at('site/away.onnx')),
    ];
    expect(refitted.description.decision?.presence).toBeCloseTo(exported.description.decision!.presence!, 4);
    expect(refitted.description.decisionOrigin?.data).toBe('away');
    // Opening checks the seal; config.json says the same.
    using predictor = await openPredictor(at('site/away.onnx'));
    expect(predictor.decision).toEqual(refitted.description.decision);
    const config = JSON.parse(readFileSync(at('site/config.json'), 'utf8'));
    expect(config).toMatchObject({ file: 'away.onnx', decisionOrigin: { data: 'away' } });
  });
});
