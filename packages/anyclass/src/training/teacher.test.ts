import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyClassLoss } from '@anyclass/core';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { taughtLabel } from './teacher.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

test('the cross-entropy of a taught label is the mixture of those of label and score, by core', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.double({ min: -6, max: 6, noNaN: true }),
      fc.constantFrom(0, 1),
      share,
      share,
      (z, y, t, w) => {
        const lossOf = (target: number) =>
          anyClassLoss(Float64Array.of(z), Float64Array.of(target), {
            classes: 1,
            base: 'bce',
            alpha: 0,
            reduction: 'sum',
          }).loss;
        expect(lossOf(taughtLabel(y, t, w))).toBeCloseTo((1 - w) * lossOf(y) + w * lossOf(t), 9);
      },
    ),
  );
  expect(taughtLabel(Number.NaN, 0.3, 0.5)).toBe(0.3);
  expect(taughtLabel(1, Number.NaN, 0.5)).toBe(1);
});

/** Feature rows whose class is known in half of the training rows only. */
function table(shift = 0): string {
  const rows = Array.from({ length: 80 }, (_, i) => {
    const x = Math.sin(i * i) + shift;
    const split = i < 40 ? 'train' : i < 60 ? 'validation' : 'test';
    const label = i < 40 && i % 2 === 0 ? '' : Number(x > 0);
    return `r${i},${split},${label},${Number(Math.cos(3 * i) > 0.5)},${x},${Math.cos(3 * i)}`;
  });
  const path = at('rows.csv');
  writeFileSync(path, `Filename,split,dry,sour,feature_0,feature_1\n${rows.join('\n')}\n`);
  return path;
}

let configuration: ConfigurationInput;
const notes: string[] = [];
async function trained(run: string, teacher?: ConfigurationInput['teacher']): Promise<number | null> {
  notes.length = 0;
  const { summary } = await trainRun(
    { ...configuration, ...(teacher && { teacher }) },
    { run: at(run), onEvent: (event) => void (event.type === 'note' && notes.push(event.text)) },
  );
  return summary!.validation.metrics.mAP;
}

beforeAll(async () => {
  configuration = {
    data: { dataset: table(), cache: at('cache') },
    network: { name: 'linear' },
    optimizer: { rate: 0.05 },
    batchSize: 20,
    epochs: 3,
    evaluation: { replicates: 0 },
    device: 'cpu',
    threads: 1,
  };
  await trained('teacher');
}, 60_000);

test('a run learns from the scores of another, which are computed once', async () => {
  const first = await trained('student', { models: at('teacher') });
  expect(notes).toContainEqual(
    expect.stringMatching(/scores are 0.5 of the training labels: 1 model, 40 of 40 training instances/),
  );
  expect(notes.some((note) => note.includes('other data'))).toBe(false);
  const cached = readdirSync(at('cache')).filter((name) => name.startsWith('teacher-'));
  expect(cached).toHaveLength(1);
  const again = await trained('again', { models: at('teacher') });
  expect(again).toBe(first);
  // The cached table is a table of scores like any other.
  const byTable = await trained('by table', { models: at('cache', cached[0]!) });
  expect(byTable).toBe(first);
  expect(readdirSync(at('cache')).filter((name) => name.startsWith('teacher-'))).toEqual(cached);
});

test('features that changed under the same names are scored again', async () => {
  const tables = () => readdirSync(at('cache')).filter((name) => name.startsWith('teacher-')).length;
  await trained('before', { models: at('teacher') });
  const before = tables();
  table(0.01);
  await trained('after', { models: at('teacher') });
  table();
  expect(tables()).toBe(before + 1);
});

test('a teacher alone replaces all labels; several are averaged; images that it does not score keep theirs', async () => {
  const scores = (name: string, value: number) => {
    const rows = Array.from({ length: 20 }, (_, i) => `r${i},${value}`);
    writeFileSync(at(name), `Filename,dry\n${rows.join('\n')}\n`);
    return at(name);
  };
  const half = await trained('half', { models: scores('half.csv', 0.5), weight: 1 });
  expect(notes).toContainEqual(expect.stringMatching(/20 of 40 training instances/));
  expect(notes).toContainEqual(expect.stringMatching(/half.csv holds scores.*validation or test/));
  const both = await trained('both', {
    models: [scores('low.csv', 0.25), scores('high.csv', 0.75)],
    weight: 1,
  });
  expect(both).toBe(half);
});

test('teachers that know different images or classes are averaged where both know one', async () => {
  const scores = (name: string, header: string, rows: readonly string[]) => {
    writeFileSync(at(name), `Filename,${header}\n${rows.join('\n')}\n`);
    return at(name);
  };
  const row = (i: number) => `r${i}`;
  const ids = Array.from({ length: 20 }, (_, i) => i);
  const first = scores(
    'first.csv',
    'dry',
    ids.slice(0, 12).map((i) => `${row(i)},0.2`),
  );
  const second = scores(
    'second.csv',
    'dry,sour',
    ids.slice(8).map((i) => `${row(i)},0.6,0.5`),
  );
  const apart = await trained('apart', { models: [first, second], weight: 1 });
  expect(notes).toContainEqual(expect.stringMatching(/2 models, 20 of 40 training instances/));
  const mean = (i: number) => (i < 8 ? 0.2 : i < 12 ? 0.4 : 0.6);
  const joined = scores(
    'joined.csv',
    'dry,sour',
    ids.map((i) => `${row(i)},${mean(i)},${i < 8 ? '' : 0.5}`),
  );
  expect(await trained('joined', { models: joined, weight: 1 })).toBe(apart);
});

test('a teacher that knows none of the classes, or does not exist, is refused by name, and no run is left', async () => {
  writeFileSync(at('other.csv'), 'Filename,other\nr1,0.5\n');
  await expect(trained('refused', { models: at('other.csv') })).rejects.toThrow(
    /scored none of the training/,
  );
  writeFileSync(at('paths.csv'), 'Filename,dry,sour\nphotos/r1,0.5,0.5\n');
  await expect(trained('refused', { models: at('paths.csv') })).rejects.toThrow(
    /by name: it has photos\/r1, the data has r\d+/,
  );
  await expect(trained('refused', { models: at('nowhere') })).rejects.toThrow(
    /nowhere: no such model, run or table/,
  );
  expect(existsSync(at('refused'))).toBe(false);
});
