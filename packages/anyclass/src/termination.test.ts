// SIGTERM ends every command, whatever it is doing or waiting for.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../files/test/testFolder.js';
import { program } from '../test/program.mjs';
import { parentOf } from '../test/ranks.mjs';
import { saveServedModel } from '../test/servedModels.js';
import { commandEntries } from './commands/entries.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

const [model, config, pipe] = [at('m.safetensors'), at('c.json'), at('pipe')];
const photos = at('photos/labels.csv');

/**
 * Work that does not end by itself, input that never comes, or a server that never answers, for each command;
 * then with what else it may end than 143: what it says about a pipe that is not a file, or that it is done.
 */
const words: Readonly<Record<string, readonly [words: readonly string[], ...ends: number[]]>> = {
  init: [[photos, '--out', at('init.json')]],
  inspect: [[photos]],
  prepare: [[photos, '--size', '32', '--cache', at('cache')]],
  train: [[config, '--run', at('run')]],
  evaluate: [[model, photos]],
  predict: [[model, '-', '--out', pipe]],
  embed: [[model, photos, '--out', at('embedded.csv')]],
  export: [[model, '--out', pipe, '--force']],
  serve: [[model, '--port', '0'], 0],
  studio: [[folder, '--port', '0'], 0],
  monitor: [[pipe, pipe], 1],
  audit: [[pipe], 1],
  refit: [[model, photos, '--false-alarms', '10%', '--out', at('refitted.safetensors')]],
  model: [[pipe], 1],
  explain: [[model, at('photos'), '--out', at('explained')]],
  mine: [[model, at('photos'), '--out', at('mined.json')]],
  select: [[model, at('photos'), '--out', at('selected.json')]],
  soup: [[at('nowhere'), at('elsewhere'), '--out', at('soup.safetensors')], 1],
  watch: [[at('nowhere')], 1],
  clean: [[], 0],
  import: [[pipe, '--network', 'resnet-18', '--classes', pipe, '--out', at('imported.safetensors')], 1],
  recommend: [[config, '--minutes', '60', '--out', at('recommended')]],
  compare: [[config, '--out', at('compared')]],
  sweep: [[config, '--out', at('swept')]],
  tune: [[at('tuned'), config]],
  report: [[pipe], 1],
  paper: [['1', '--out', at('paper')], 2],
  demo: [['--out', at('demo')]],
  launch: [['--processes', '2', 'train', config, '--run', at('ranks')]],
  weights: [['pull', 'timm/resnet18.a1_in1k']],
  networks: [[], 0],
  verify: [[pipe]],
  playground: [['--out', at('playground.html')], 0],
  setup: [[], 0],
  doctor: [[], 0],
};

describe.skipIf(process.platform === 'win32')('SIGTERM', () => {
  const connected: Socket[] = [];
  // Accepts connections and never answers.
  const silent = createServer((socket) => void connected.push(socket.on('error', () => {})));
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    saveServedModel(model);
    const network = { name: 'resnet-18', inputSize: 32 };
    const endless = { data: { dataset: 'digits' }, network, epochs: 1000, batchSize: 4 };
    writeFileSync(config, JSON.stringify(endless));
    execFileSync('mkfifo', [pipe]);
    await manyPhotos();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    environment = {
      ...process.env,
      NODE_OPTIONS: '',
      HF_ENDPOINT: `http://127.0.0.1:${port}`,
      HF_HOME: at('hub'),
    };
  });
  afterAll(() => {
    for (const socket of connected) socket.destroy();
    silent.close();
  });

  test('the table names every command', () => {
    expect(Object.keys(words).sort()).toEqual(commandEntries.map(({ name }) => name).sort());
  });

  /** Enough images, all the same large one, to keep two cores busy for minutes. */
  async function manyPhotos(): Promise<void> {
    const noise = Buffer.from(Array.from({ length: 3 * 1200 * 1200 }, (_, i) => (i * i) % 251));
    mkdirSync(at('photos'));
    await sharp(noise, { raw: { width: 1200, height: 1200, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toFile(at('photos/0.png'));
    const rows = Array.from({ length: 4000 }, (_, i) => `${i}.png,${i % 2},${i % 3 === 0 ? 1 : 0},0`);
    for (let i = 1; i < rows.length; i++) linkSync(at('photos/0.png'), at(`photos/${i}.png`));
    writeFileSync(photos, ['image,crack,roots,joint', ...rows].join('\n'));
  }

  /** The problem with how a command ended after SIGTERM, if any; it is killed if it does not end. */
  async function problem(
    name: string,
    [own, ...ends]: readonly [words: readonly string[], ...ends: number[]] = words[name]!,
  ): Promise<string | undefined> {
    const child = spawn(process.execPath, [program, name, ...own], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: environment,
      cwd: folder,
    });
    const exit = once(child, 'exit');
    const isBusy = async () => {
      for (let waited = 0; waited < 2000 && processorSeconds(child.pid) < 1.2; waited += 50) await sleep(50);
    };
    await Promise.race([exit, isBusy()]);
    child.kill('SIGTERM');
    const [code, signal] = await Promise.race([exit, sleep(25_000, ['none'])]);
    child.kill('SIGKILL');
    const isRight = signal === 'SIGTERM' || [143, ...ends].includes(code);
    return isRight ? undefined : `${name} ended with ${signal ?? code}`;
  }

  test('ends every command with the exit code that says so', { timeout: 300_000 }, async () => {
    const left = commandEntries.map(({ name }) => name);
    const problems: (string | undefined)[] = [];
    const worker = async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift())
        problems.push(await problem(name));
    };
    await Promise.all([worker(), worker(), worker()]);
    expect(problems.filter((each) => each !== undefined)).toEqual([]);
  });

  test('ends a training one of whose threads waits for a pipe', { timeout: 60_000 }, async () => {
    mkdirSync(at('splits'));
    execFileSync('mkfifo', [at('splits/train.txt')]);
    const split = ['--set', `data.splitFolder=${at('splits')}`];
    expect(
      await problem('train', [[config, '--data', photos, ...split, '--run', at('piped')]]),
    ).toBeUndefined();
  });

  test.runIf(process.platform === 'linux')(
    'ends comparisons and studies and their runs, one of whose threads waits for a pipe; if they are killed, their runs end too',
    { timeout: 120_000 },
    async () => {
      mkdirSync(at('rows'));
      execFileSync('mkfifo', [at('rows/train.txt')]);
      writeFileSync(at('rows.csv'), 'Filename,dry,feature_0\na,1,0.5\nb,0,0.1\n');
      const data = ['features', '--data', at('rows.csv'), '--set', `data.splitFolder=${at('rows')}`];
      const left = async (signal: 'SIGTERM' | 'SIGKILL', name: string, ...own: string[]) => {
        const child = spawn(process.execPath, [program, name, ...own], {
          stdio: 'ignore',
          env: environment,
          cwd: folder,
        });
        const exit = once(child, 'exit');
        await expect.poll(() => runsOf(child.pid!), { timeout: 30_000 }).toHaveLength(1);
        await sleep(3000); // by then it reads the splits
        const runs = runsOf(child.pid!);
        child.kill(signal);
        await Promise.race([exit, sleep(25_000)]);
        const isAlive = (pid: number) => parentOf(pid) !== undefined;
        for (let waited = 0; waited < 25_000 && runs.some(isAlive); waited += 100) await sleep(100);
        const all = [child.pid!, ...runs].filter(isAlive);
        for (const pid of all) process.kill(pid, 'SIGKILL');
        return [name, signal, runs.length, all.length];
      };
      const ends = await Promise.all(
        (['SIGTERM', 'SIGKILL'] as const).flatMap((signal) => [
          left(signal, 'compare', ...data, '--losses', 'bce', '--seeds', '1', '--out', at(`c ${signal}`)),
          left(signal, 'tune', at(`t ${signal}`), ...data, '--trials', '1'),
        ]),
      );
      expect(ends).toEqual([
        ['compare', 'SIGTERM', 1, 0],
        ['tune', 'SIGTERM', 1, 0],
        ['compare', 'SIGKILL', 1, 0],
        ['tune', 'SIGKILL', 1, 0],
      ]);
    },
  );
});

/** The processes that a process has started, from Linux's /proc. */
function runsOf(starter: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === starter);
}

/** How long a process has computed, which takes a second before its own work begins; 0 where the system does not tell. */
function processorSeconds(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const [, fields = ''] = readFileSync(file, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}
