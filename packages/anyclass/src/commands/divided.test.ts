// Commands whose work two processes of the built package divide, compared with one process: that of the
// tests.

import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distributed, setThreadCount, threadCount } from '@anyclass/torch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { pipeCount as count, writePipes } from '../../test/pipes.js';
import { program } from '../../test/program.mjs';
import { runRanks } from '../../test/ranks.mjs';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);
const text = (...names: string[]) => readFileSync(at(...names), 'utf8');
const model = at('model.safetensors');

let threads = 1;
beforeAll(async () => {
  // As many as the ranks have, because sums over more threads round differently.
  threads = threadCount();
  setThreadCount(1);
  await writePipes(folder);
});
afterAll(() => setThreadCount(threads));

/** A GPU rounds differently at other batch sizes. */
const exact = ['--device', 'cpu'];

/**
 * Runs a command in one process and in two, with words that depend on the number of processes, and returns
 * the output of the former and of the first of the latter.
 */
async function both(
  words: (processes: number) => readonly string[],
  { code = 0, environment }: { code?: number; environment?: (rank: number) => NodeJS.ProcessEnv } = {},
) {
  const alone = await runInProcess(folder, words(1));
  expect([alone.status, alone.stderr]).toEqual([code, expect.any(String)]);
  const [first, second] = await runRanks([program, ...words(2)], 2, environment);
  expect([first?.code, first?.errors]).toEqual([code, expect.any(String)]);
  expect(second).toEqual({ code: 0, signal: null, output: '', errors: '' });
  return [alone, { stdout: first!.output, stderr: first!.errors }] as const;
}

const { unavailable } = distributed.distributedStatus();
describe.skipIf(unavailable !== null)(
  `two processes${unavailable ? ` (skipped: ${unavailable})` : ''}`,
  () => {
    test('evaluate Parquet shards as one process does: every row once, the same scores and metrics', async () => {
      const shards = at('test-*.parquet');
      const [one, two] = await both((n) => [
        'evaluate',
        model,
        shards,
        '--json',
        ...exact,
        '--batch-size',
        '4',
        '--replicates',
        '20',
        '--save-scores',
        at(`scores-${n}.csv`),
      ]);
      expect(JSON.parse(two.stdout)).toEqual(JSON.parse(one.stdout));
      expect(text('scores-2.csv')).toBe(text('scores-1.csv'));
      expect(text('scores-2.csv').trim().split('\n')).toHaveLength(1 + count);
    }, 120_000);

    test('predict into one file in the order of the images, each once, and report unreadable ones', async () => {
      const paths = [at('photos'), at('test-*.parquet')];
      const [one, two] = await both(
        (n) => [
          'predict',
          model,
          ...paths,
          ...exact,
          '--batch-size',
          '4',
          '--out',
          at(`predictions-${n}.csv`),
        ],
        { code: 3 },
      );
      expect(text('predictions-2.csv')).toBe(text('predictions-1.csv'));
      // The header, and all rows but that of the broken image.
      expect(text('predictions-2.csv').trim().split('\n')).toHaveLength(1 + 2 * count - 1);
      expect(two.stderr).toBe(one.stderr);
    }, 120_000);

    test('predict into one file each, and the first reports for all, even if another has no images', async () => {
      const lines = (name: string) => text(name).trim().split('\n').sort();
      const header = 'Filename,';
      // With 23 images in blocks of 4, each rank has some; with one block of 64, the first has all.
      for (const size of ['4', '64']) {
        const words = ['predict', model, at('photos'), ...exact, '--batch-size', size, '--out'];
        const [one, two] = await both(
          (n) => [...words, at(n === 1 ? `alone-${size}.csv` : `part-${size}-{rank}.csv`)],
          { code: 3 },
        );
        expect(two.stderr).toBe(one.stderr);
      }
      const rows = (name: string) => lines(name).filter((line) => !line.startsWith(header));
      expect([...rows('part-4-0.csv'), ...rows('part-4-1.csv')].sort()).toEqual(rows('alone-4.csv'));
      expect(rows('part-4-1.csv')).toHaveLength(10);
      expect(lines('part-64-0.csv')).toEqual(lines('alone-64.csv'));
      expect(existsSync(at('part-64-1.csv'))).toBe(false);
    }, 120_000);

    test('embed as one process does, started by srun', async () => {
      const data = ['--set', `data.imageFolder=${at('photos')}`];
      const words = ['embed', model, at('labels.csv'), ...data, ...exact, '--batch-size', '4'];
      const environment = (rank: number) => ({
        SLURM_JOB_ID: '4711',
        SLURM_NTASKS: '2',
        SLURM_STEP_NUM_TASKS: '2',
        SLURM_PROCID: String(rank),
        SLURM_LOCALID: String(rank),
        SLURM_NODEID: '0',
        SLURM_NODELIST: 'localhost',
        SLURM_STEP_NODELIST: 'localhost',
        SLURM_STEP_TASKS_PER_NODE: '2',
      });
      await both((n) => [...words, '--out', at(`features-${n}.csv`)], { environment });
      expect(text('features-2.csv')).toBe(text('features-1.csv'));
      expect(text('features-2.csv').trim().split('\n')).toHaveLength(count);
    }, 120_000);

    test('prepare one cache together if they share a folder, and one each if they do not', async () => {
      copyFileSync(at('labels.csv'), at('photos', 'labels.csv'));
      const words = (cache: string) => [
        'prepare',
        at('photos', 'labels.csv'),
        '--size',
        '32',
        '--cache',
        at(cache),
      ];
      // As in the pods of a Kubernetes indexed Job.
      const environment = (rank: number) => ({
        JOB_COMPLETION_INDEX: String(rank),
        WORLD_SIZE: '2',
        MASTER_ADDR: 'localhost',
      });
      await both((n) => words(`cache-${n}`), { environment });
      const apart = await runRanks((rank: number) => [program, ...words(`apart-${rank}`)], 2);
      expect(apart.map(({ code }) => code)).toEqual([0, 0]);
      const [expected, ...others] = ['cache-1', 'cache-2', 'apart-0', 'apart-1'].map(cacheContent);
      expect(expected!.map(([name]) => name)).toEqual([
        'failed.jsonl',
        'images.bin',
        'manifest.json',
        'rows.bin',
      ]);
      for (const other of others) expect(other).toEqual(expected);
    }, 120_000);
  },
);

function cacheContent(name: string): [string, string][] {
  const [inner = ''] = readdirSync(at(name));
  return readdirSync(at(name, inner))
    .sort()
    .map((file) => [file, readFileSync(at(name, inner, file)).toString('base64')]);
}
