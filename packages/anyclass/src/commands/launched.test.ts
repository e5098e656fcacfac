// Several processes of the built package as launch, compare and tune start them, and how they stop together.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { distributed } from '@anyclass/torch';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { pipeCount as count, writePipes } from '../../test/pipes.js';
import { program } from '../../test/program.mjs';
import { parentOf, ranksOf, runRanks } from '../../test/ranks.mjs';
import { meetVariable } from '../distribution/ranks.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);
const text = (...names: string[]) => readFileSync(at(...names), 'utf8');
const model = at('model.safetensors');
beforeAll(() => writePipes(folder));

const { unavailable } = distributed.distributedStatus();
describe.skipIf(unavailable !== null)(
  `two processes${unavailable ? ` (skipped: ${unavailable})` : ''}`,
  () => {
    test('stop together if one cannot predict, with its reason, and leave no file', async () => {
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

    test('work on two machines that a remote shell reaches, and fail with one message', async () => {
      // Stands in for ssh: runs the command on this machine instead of on the given one.
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
      'meet in a private file, talk over loopback, and stop when their launcher is gone, even if one is waiting for the other',
      async () => {
        const words = ['predict', model, at('photos'), '--device', 'cpu', '--out', at('orphans.csv')];
        const launcher = spawn(process.execPath, [program, 'launch', '--processes', '2', ...words], {
          stdio: 'ignore',
        });
        const twoRanks = () => {
          const found = ranksOf(launcher.pid!);
          expect(found).toHaveLength(2);
          return found;
        };
        const ranks = await vi.waitFor(twoRanks, { timeout: 30_000 });
        process.kill(ranks[1]!, 'SIGSTOP');
        const hasEngine = (pid: number) => readFileSync(`/proc/${pid}/maps`, 'utf8').includes('libtorch');
        await expect.poll(() => hasEngine(ranks[0]!), { timeout: 30_000 }).toBe(true);
        const variables = readFileSync(`/proc/${ranks[0]}/environ`, 'utf8').split('\0');
        const place = variables.find((variable) => variable.startsWith(`${meetVariable}=file://`));
        expect(statSync(dirname(new URL(place!.replace(/^\w+=/, '')).pathname)).mode & 0o077).toBe(0);
        expect(variables).toContain(`GLOO_SOCKET_IFNAME=${process.env['GLOO_SOCKET_IFNAME'] ?? 'lo'}`);
        launcher.kill('SIGKILL');
        const isGone = (pid: number) => parentOf(pid) === undefined;
        await expect.poll(() => isGone(ranks[0]!), { timeout: 30_000 }).toBe(true);
        // The kernel may have woken and ended it already: it does so with stopped processes whose group is orphaned.
        if (!isGone(ranks[1]!)) process.kill(ranks[1]!, 'SIGCONT');
        await expect.poll(() => isGone(ranks[1]!), { timeout: 30_000 }).toBe(true);
        expect(existsSync(at('orphans.csv'))).toBe(false);
      },
      120_000,
    );

    test.runIf(process.platform === 'linux')(
      'end in time when their launcher is killed, though a thread of each waits for a pipe',
      async () => {
        mkdirSync(at('splits'));
        execFileSync('mkfifo', [at('splits/train.txt')]);
        const waiting = [
          'features',
          '--data',
          at('waiting.csv'),
          '--set',
          `data.splitFolder=${at('splits')}`,
        ];
        writeFileSync(at('waiting.csv'), 'Filename,dry,feature_0\na,1,0.5\nb,0,0.1\n');
        const launcher = spawn(
          process.execPath,
          [program, 'launch', '--processes', '2', 'train', ...waiting, '--run', at('waiting')],
          { stdio: 'ignore' },
        );
        const ranks = await vi.waitFor(
          () => {
            const found = ranksOf(launcher.pid!);
            expect(found).toHaveLength(2);
            return found;
          },
          { timeout: 30_000 },
        );
        const hasEngine = (pid: number) => readFileSync(`/proc/${pid}/maps`, 'utf8').includes('libtorch');
        await expect.poll(() => ranks.every(hasEngine), { timeout: 30_000 }).toBe(true);
        await sleep(2000); // by then they read the splits
        launcher.kill('SIGKILL');
        for (const pid of ranks) await expect.poll(() => parentOf(pid), { timeout: 30_000 }).toBeUndefined();
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
  },
);
