// Commands whose work two processes divide, on the built package, beside the tests' own process alone.

import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distributed, setSeed, setThreadCount, threadCount } from '@anyclass/torch';
import { parquetWriteBuffer } from 'hyparquet-writer';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../../test/inProcess.js';
import { childrenOf, parentOf, program, runRanks } from '../../test/ranks.mjs';
import { fixedDecision } from '../inference/modelDecision.js';
import { createNetwork } from '../networks/createNetwork.js';
import { saveModel } from '../runs/modelFile.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-divided-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (...names: string[]) => join(folder, ...names);
const text = (...names: string[]) => readFileSync(at(...names), 'utf8');
const model = at('model.safetensors');

/** Not a multiple of two, of the batch or of the blocks that ranks take in turns. */
const count = 23;
const broken = 13;
const classes = ['crack', 'roots'];

let threads = 1;
afterAll(() => setThreadCount(threads));

beforeAll(async () => {
  // As many as the ranks have: sums over more are rounded otherwise.
  threads = threadCount();
  setThreadCount(1);
  setSeed(1);
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 16 });
  const description = {
    classes,
    channels: 3 as const,
    mean: [0.5],
    std: [0.25],
    epoch: 1,
    loss: 'bce',
    dataset: 'pipes',
  };
  saveModel(model, { network, description: { ...description, decision: fixedDecision(classes, 0.5) } });
  mkdirSync(at('photos'));
  const lines = ['Filename,split,crack,roots'];
  const rows: { image: Uint8Array; labels: number[] }[] = [];
  for (let i = 0; i < count; i++) {
    const color = { r: (37 * i) % 256, g: (91 * i) % 256, b: (151 * i) % 256 };
    const image = await sharp({ create: { width: 40, height: 32, channels: 3, background: color } })
      .png()
      .toBuffer();
    const name = `${String(i).padStart(2, '0')}.png`;
    writeFileSync(at('photos', name), i === broken ? 'no image' : image);
    lines.push(`${name},test,${i % 2},${Number(i % 3 === 0)}`);
    rows.push({ image, labels: [...(i % 2 ? [0] : []), ...(i % 3 === 0 ? [1] : [])] });
  }
  writeFileSync(at('labels.csv'), `${lines.join('\n')}\n`);
  writeShard('test-00000-of-00002.parquet', rows.slice(0, 9));
  writeShard('test-00001-of-00002.parquet', rows.slice(9));
});

function writeShard(name: string, rows: readonly { image: Uint8Array; labels: number[] }[]): void {
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'image', data: rows.map(({ image }) => image), type: 'BYTE_ARRAY' },
      { name: 'crack', data: rows.map(({ labels }) => Number(labels.includes(0))), type: 'INT32' },
      { name: 'roots', data: rows.map(({ labels }) => Number(labels.includes(1))), type: 'INT32' },
    ],
    rowGroupSize: 4,
  });
  writeFileSync(at(name), new Uint8Array(bytes));
}

/** A GPU rounds batches of other sizes otherwise. */
const exact = ['--device', 'cpu'];

/** Ends of one process and of the first of two, which write to files named after their number. */
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
    test('evaluate Parquet shards as one does: every row once, the same scores and figures', async () => {
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

    test('predict one file in the order of the images, each once, and tell of those that cannot be read', async () => {
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
      // The header, and all but the broken one.
      expect(text('predictions-2.csv').trim().split('\n')).toHaveLength(1 + 2 * count - 1);
      expect(two.stderr).toBe(one.stderr);
    }, 120_000);

    test('predict a file each, and the first tells of all, also where another has no image', async () => {
      const lines = (name: string) => text(name).trim().split('\n').sort();
      const header = 'Filename,';
      // Of 23 images in blocks of 4 each has some; in one block of 64 the first has all.
      for (const size of ['4', '64']) {
        const words = [program, 'predict', model, at('photos'), ...exact, '--batch-size', size, '--out'];
        const [alone] = await runRanks([...words, at(`alone-${size}.csv`)], 1);
        const [first, second] = await runRanks([...words, at(`part-${size}-{rank}.csv`)], 2);
        expect([size, first?.code, first?.errors]).toEqual([size, 3, alone!.errors]);
        expect(second).toEqual({ code: 0, signal: null, output: '', errors: '' });
      }
      const rows = (name: string) => lines(name).filter((line) => !line.startsWith(header));
      expect([...rows('part-4-0.csv'), ...rows('part-4-1.csv')].sort()).toEqual(rows('alone-4.csv'));
      expect(rows('part-4-1.csv')).toHaveLength(10);
      expect(lines('part-64-0.csv')).toEqual(lines('alone-64.csv'));
      expect(existsSync(at('part-64-1.csv'))).toBe(false);
    }, 120_000);

    test('end together where one cannot predict, with its reason, and leave no file', async () => {
      const words = (rank: number) => [
        program,
        'predict',
        rank === 1 ? at('lost') : model,
        at('photos'),
        '--out',
        at('none.csv'),
      ];
      const [first, second] = await runRanks(words, 2);
      expect([first?.code, second?.code]).toEqual([1, 1]);
      expect(second?.errors).toContain(at('lost'));
      expect(first?.errors).toContain('rank 1 failed');
      expect(first?.errors).toContain(at('lost'));
      expect(existsSync(at('none.csv'))).toBe(false);
    }, 120_000);

    test('embed as one does, started by srun', async () => {
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

    test('work on two machines that a remote shell reaches, and end with one message', async () => {
      // Runs the command here: what ssh does on the machine that it is given.
      writeFileSync(at('shell.sh'), 'echo "$1" >> "$(dirname "$0")/asked"; shift; exec sh -c "$*"\n');
      const launch = (shell: string, ...words: string[]) =>
        runRanks(
          [program, 'launch', '--machines', '127.0.0.1,pat@127.0.0.2', '--remote-shell', shell, ...words],
          1,
        );
      const evaluate = ['evaluate', model, at('test-*.parquet'), '--json', '--replicates', '0'];
      const [well] = await launch(`sh ${at('shell.sh')}`, '--processes', '1', ...evaluate);
      expect([well?.code, well?.errors]).toEqual([0, expect.not.stringContaining('anyclass')]);
      expect(JSON.parse(well!.output).metrics.rows).toBe(count);
      expect(text('asked').trim().split('\n').sort()).toEqual(['127.0.0.1', 'pat@127.0.0.2']);
      const [bad] = await launch(
        `sh ${at('shell.sh')}`,
        '--processes',
        '1',
        'evaluate',
        at('lost'),
        at('test-*.parquet'),
      );
      expect([bad?.code, bad?.errors.match(/lost/g)?.length]).toEqual([1, 1]);
      const [unreached] = await launch('false', '--processes', '1', ...evaluate);
      expect([unreached?.code, unreached?.errors]).toEqual([
        1,
        expect.stringMatching(/launcher on (127.0.0.1|pat@127.0.0.2)/),
      ]);
    }, 120_000);

    test.runIf(process.platform === 'linux')(
      'end when their launcher is gone, even where one waits for the other',
      async () => {
        const words = ['predict', model, at('photos'), ...exact, '--out', at('orphans.csv')];
        const launcher = spawn(process.execPath, [program, 'launch', '--processes', '2', ...words], {
          stdio: 'ignore',
        });
        await expect.poll(() => childrenOf(launcher.pid!), { timeout: 30_000 }).toHaveLength(2);
        const ranks = childrenOf(launcher.pid!);
        process.kill(ranks[1]!, 'SIGSTOP');
        const hasEngine = (pid: number) => readFileSync(`/proc/${pid}/maps`, 'utf8').includes('libtorch');
        await expect.poll(() => hasEngine(ranks[0]!), { timeout: 30_000 }).toBe(true);
        launcher.kill('SIGKILL');
        const isGone = (pid: number) => parentOf(pid) === undefined;
        await expect.poll(() => isGone(ranks[0]!), { timeout: 30_000 }).toBe(true);
        process.kill(ranks[1]!, 'SIGCONT');
        await expect.poll(() => isGone(ranks[1]!), { timeout: 30_000 }).toBe(true);
        expect(existsSync(at('orphans.csv'))).toBe(false);
      },
      120_000,
    );

    test('train a run of compare and a trial of tune together', async () => {
      const rows = Array.from({ length: 60 }, (_, i) => {
        const split = ['train', 'validation', 'test'][i % 3];
        return `${i},${split},${i % 2},${Number(i % 5 === 0)},${Math.sin(i)},${(i % 5) / 5}`;
      });
      writeFileSync(at('soil.csv'), `Filename,split,dry,sour,feature_0,feature_1\n${rows.join('\n')}\n`);
      const fields = ['epochs=1', 'batchSize=8', 'evaluation.replicates=0', 'device=cpu', 'threads=1'];
      const common = [
        ...['features', '--data', at('soil.csv'), ...fields.flatMap((field) => ['--set', field])],
        ...['--processes', '2'],
      ];
      const losses = ['--losses', 'bce', '--seeds', '1', '--replicates', '0', '--out', at('compared')];
      const [compared] = await runRanks([program, 'compare', ...common, ...losses], 1);
      expect([compared?.code, compared?.errors]).toEqual([0, expect.any(String)]);
      const [tuned] = await runRanks([program, 'tune', at('study'), ...common, '--trials', '1'], 1);
      expect([tuned?.code, tuned?.errors]).toEqual([0, expect.any(String)]);
      const records = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /^(compared|study)\/.*\/config\.json$/.test(name))
        .map((name) => JSON.parse(text(name)).distribution);
      expect(records).toEqual([
        { worldSize: 2, backend: 'gloo' },
        { worldSize: 2, backend: 'gloo' },
      ]);
    }, 120_000);

    test('prepare one cache together where they see one folder, and one each where they do not', async () => {
      copyFileSync(at('labels.csv'), at('photos', 'labels.csv'));
      const words = (cache: string) => [
        'prepare',
        at('photos', 'labels.csv'),
        '--size',
        '32',
        '--cache',
        at(cache),
      ];
      // As the pods of an indexed Job of Kubernetes.
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
