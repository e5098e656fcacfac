import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { validateConfiguration } from '../configuration/validate.js';
import { UserError } from '../errors/userError.js';
import { keepEpochs, readEpochs } from './metricsLog.js';
import { absolutePaths, createRunFolder, defaultRunFolder, openRun } from './runFolder.js';
import { lockRun } from './runLock.js';
import { joinTables, readTable, writeTable } from './scoreFiles.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

test('the lock of a live process is respected; that of a dead one is taken over', () => {
  const lock = lockRun(folder);
  expect(() => lockRun(folder)).toThrow(`process ${process.pid} on ${hostname()} is working on this run`);
  lock[Symbol.dispose]();
  writeFileSync(at('lock'), JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, started: '1' }));
  lockRun(folder)[Symbol.dispose]();
});

test('a process that got the id of a dead one does not keep its lock alive', () => {
  writeFileSync(at('lock'), JSON.stringify({ host: hostname(), pid: process.pid, started: 'another time' }));
  lockRun(folder)[Symbol.dispose]();
});

test('the lock of another machine is left alone', () => {
  writeFileSync(at('lock'), JSON.stringify({ host: 'elsewhere', pid: 1, started: '' }));
  expect(() => lockRun(folder)).toThrow('process 1 on elsewhere is working on this run');
  rmSync(at('lock'));
});

test('a score table is read back bit for bit', async () => {
  const anyName = fc
    .string({ minLength: 1 })
    .filter((name) => name.trim() === name && !/[\r\n\0]/.test(name));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(anyName, { minLength: 1, maxLength: 5 }),
      fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 }),
      async (names, numbers) => {
        const values = Float32Array.from(numbers.slice(0, names.length * 2));
        writeTable(at('scores.csv'), { names, classNames: ['a, "b"', 'c'], values });
        const read = await readTable(at('scores.csv'));
        expect(read.names).toEqual(names);
        expect(read.classNames).toEqual(['a, "b"', 'c']);
        expect(Float32Array.from(read.values)).toEqual(values);
      },
    ),
    { numRuns: 40 },
  );
});

test('a table that does not fit on the disk is absent rather than truncated', () => {
  const built = resolve(import.meta.dirname, '../../dist/runs/scoreFiles.js');
  const path = at('large.csv');
  const program = `
    const { writeTable } = await import(${JSON.stringify(built)});
    const names = Array.from({ length: 3000 }, (_, row) => 'image ' + row);
    writeTable(${JSON.stringify(path)}, { names, classNames: ['a'], values: new Float64Array(3000) });
  `;
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', 'ulimit -f 16; exec "$0" --input-type=module -e "$1"', process.execPath, program],
    { encoding: 'utf8' },
  );
  expect(status).toBe(1);
  expect(stderr).toContain('large.csv cannot be written: the file would be too large');
  expect(readdirSync(folder).filter((name) => name.startsWith('large.csv'))).toEqual([]);
});

test('scores are matched to labels by name, whatever the order of rows and columns', () => {
  const scores = { names: ['b', 'a'], classNames: ['y', 'x'], values: Float64Array.of(0.1, 0.2, 0.3, 0.4) };
  const labels = { names: ['a', 'b'], classNames: ['x', 'y'], values: Float64Array.of(1, 0, 0, Number.NaN) };
  expect([...joinTables(scores, labels).scores]).toEqual([0.4, 0.3, 0.2, 0.1]);
  expect(() => joinTables({ ...scores, classNames: ['y', 'z'] }, labels)).toThrow(
    'the score table: lacks the class x; it has y, z',
  );
  expect(() => joinTables({ ...scores, names: ['b', 'c'] }, labels)).toThrow('1 name (a) without scores');
  expect(() => joinTables(scores, { ...labels, classNames: ['x', 'group'] })).toThrow(
    "if 'group' of the labels holds groups, name it as the column of groups",
  );
  expect(() => joinTables(scores, { ...labels, classNames: ['x', 'patient'] })).toThrow(
    "lacks the class patient; it has y, x; if 'patient' of the labels holds groups",
  );
});

test.each([
  ['Filename,x,y\na,1,7\nb,7.5,1\n', "line 3: class 'x' holds 7.5; expected a probability from 0 to 1"],
  ['Filename,x,y\na,-0.1,1\nb,0,1\n', "line 2: class 'x' holds -0.1; expected a probability"],
  ['Filename,x,y\n"a",1,\n\n"b",,1\n', "line 4: class 'x' is empty; expected a probability"],
  ['Filename,y\na,1\nb,1\n', ': lacks the class x; it has y'],
  ['Filename,x\na,1\n', ' do not match: 1 name (b) without scores'],
])(
  'the scores %j are refused with their file; scores of classes without labels do not matter',
  async (text, message) => {
    writeFileSync(at('scores.csv'), text);
    writeFileSync(at('labels.csv'), 'Filename,x\na,1\nb,\n');
    const joined = async () =>
      joinTables(await readTable(at('scores.csv')), await readTable(at('labels.csv')));
    await expect(joined).rejects.toThrow(message);
    await expect(joined).rejects.toThrow(at('scores.csv'));
  },
);

test('labels may be soft or empty; others are refused with file, line and class', async () => {
  writeFileSync(at('scores.csv'), 'Filename,x\na,1\nb,0\n');
  writeFileSync(at('labels.csv'), 'Filename,x\na,\nb,0.25\n');
  const soft = joinTables(await readTable(at('scores.csv')), await readTable(at('labels.csv')));
  expect([...Array.from(soft.targets)]).toEqual([Number.NaN, 0.25]);
  writeFileSync(at('labels.csv'), 'Filename,x\na,\nb,1.5\n');
  const [scores, labels] = [await readTable(at('scores.csv')), await readTable(at('labels.csv'))];
  expect(() => joinTables(scores, labels)).toThrow(
    `${at('labels.csv')}, line 3: class 'x' holds 1.5; expected 0 to 1 (or empty for unknown)`,
  );
});

test.each([
  ['Filename,x\na,2x\n', "scores.csv, line 2: class 'x' holds '2x'; expected a number"],
  ['name,x\na,1\n', "scores.csv: no column 'Filename'"],
  ['Filename,x\n', 'a header but no rows'],
])('the table %j is refused with file and line', async (text, message) => {
  writeFileSync(at('scores.csv'), text);
  const refused = expect(readTable(at('scores.csv'))).rejects;
  await refused.toThrow(message);
  await refused.toThrow(new RegExp(`^${at('scores.csv')}(: (?!.*scores)|, line)`));
});

test.each([
  ['{', 'config.json is damaged (not valid JSON); delete the folder'],
  ['{}', 'config.json is damaged (configuration: expected an object'],
  ['[1]', 'config.json is damaged (expected an object'],
  ['{"format":"anyclass"}', 'damaged: not a run (its config.json describes something else)'],
])('a run whose config.json holds %j is refused, and named', (text, message) => {
  mkdirSync(at('damaged'), { recursive: true });
  writeFileSync(at('damaged/config.json'), text);
  expect(() => openRun(at('damaged'))).toThrow(UserError);
  expect(() => openRun(at('damaged'))).toThrow(message);
});

test('a resumed run drops the epochs that it repeats, and a truncated line', () => {
  const line = (epoch: number) => `{"epoch":${epoch},"validation":{}}\n`;
  writeFileSync(at('metrics.jsonl'), `${line(1)}null\n${line(2)}${line(3)}{"epo`);
  expect(readEpochs(at('metrics.jsonl'))).toHaveLength(3);
  keepEpochs(at('metrics.jsonl'), 2);
  expect(readFileSync(at('metrics.jsonl'), 'utf8')).toBe(line(1) + line(2));
});

test('a run does not start in a folder that holds something else', () => {
  writeFileSync(at('notes.txt'), '');
  expect(() => createRunFolder(folder)).toThrow('is not empty');
  expect(() => openRun(folder)).toThrow('not a run');
});

test('runs are named after data, network, loss and time, and keep absolute paths', () => {
  const configuration = validateConfiguration({ data: { dataset: 'sewerml=data/sewer' } });
  const name = defaultRunFolder(configuration, new Date('2026-01-31T12:05:09Z'));
  expect(name).toBe(join('runs', 'sewerml-tresnet-m-any-bce-20260131-120509'));
  expect(absolutePaths(configuration).data.dataset).toBe(`sewerml=${join(process.cwd(), 'data', 'sewer')}`);
  const digits = validateConfiguration({
    data: { dataset: 'digits', splitFolder: 'a' },
    network: { weights: 'b' },
  });
  expect(absolutePaths(digits)).toMatchObject({
    data: { dataset: 'digits', splitFolder: join(process.cwd(), 'a') },
    network: { weights: join(process.cwd(), 'b') },
  });
});
