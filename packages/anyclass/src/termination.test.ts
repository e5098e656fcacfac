// SIGTERM ends every command, whatever it is doing or waiting for.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveServedModel } from '../test/servedModels.js';
import { commandEntries } from './commands/entries.js';

const program = resolve(import.meta.dirname, '../bin/anyclass.js');
const isBuilt = existsSync(resolve(import.meta.dirname, '../bundle/main.js'));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-termination-'));
const at = (name: string) => join(folder, name);

const [model, config, pipe, table] = [at('m.safetensors'), at('c.json'), at('pipe'), at('pipe.csv')];

/** Work that does not end by itself, or input that never comes, for each command. */
const words: Readonly<Record<string, readonly string[]>> = {
  init: [table],
  inspect: [table],
  prepare: [config],
  train: [config, '--run', at('run')],
  evaluate: [model, table],
  predict: [model, '-', '--out', pipe],
  embed: [model, table, '--out', at('embedded')],
  export: [model, '--out', pipe, '--force'],
  serve: [model, '--port', '0'],
  monitor: [pipe, table],
  audit: [pipe, '--page'],
  refit: [model, table, '--out', at('refitted.safetensors')],
  model: [pipe],
  explain: [model, pipe, '--out', at('explained')],
  soup: [pipe, at('run'), '--out', at('soup')],
  watch: [at('run')],
  clean: [],
  import: [pipe, '--network', 'resnet-18', '--classes', pipe, '--out', at('imported.safetensors')],
  recommend: [config, '--out', at('recommended')],
  compare: [config, '--out', at('compared')],
  sweep: [config, '--out', at('swept')],
  tune: [config, '--out', at('tuned')],
  report: [pipe],
  paper: ['1', '--data', 'digits', '--out', at('paper')],
  demo: ['--out', at('demo')],
  launch: ['--processes', '2', 'train', config, '--run', at('ranks')],
  weights: ['pull', 'timm/resnet18.a1_in1k'],
  networks: [],
  verify: [pipe],
  playground: [],
  setup: [],
  doctor: [],
};

describe.skipIf(!isBuilt || process.platform === 'win32')('SIGTERM (needs the built package)', () => {
  const connected: Socket[] = [];
  // Accepts connections and never answers.
  const silent = createServer((socket) => void connected.push(socket.on('error', () => {})));
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    saveServedModel(model);
    const network = { name: 'resnet-18', inputSize: 32 };
    const endless = { data: { dataset: 'digits' }, network, epochs: 1000, batchSize: 4 };
    writeFileSync(config, JSON.stringify(endless));
    execFileSync('mkfifo', [pipe, table]);
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
    rmSync(folder, { recursive: true, force: true });
  });

  test('the table names every command', () => {
    expect(Object.keys(words).sort()).toEqual(commandEntries.map(({ name }) => name).sort());
  });

  /** How a command ended after SIGTERM; it is killed if it does not. */
  async function ended(name: string): Promise<string> {
    const child = spawn(process.execPath, [program, name, ...words[name]!], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: environment,
      cwd: folder,
    });
    const exit = once(child, 'exit');
    await Promise.race([exit, sleep(3000)]);
    child.kill('SIGTERM');
    const isEnded = await Promise.race([exit.then(() => true), sleep(25_000, false)]);
    child.kill('SIGKILL');
    return isEnded ? 'ended' : `${name} did not end`;
  }

  test('ends every command', { timeout: 300_000 }, async () => {
    const left = commandEntries.map(({ name }) => name);
    const outcomes: string[] = [];
    const worker = async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) outcomes.push(await ended(name));
    };
    await Promise.all([worker(), worker(), worker()]);
    expect(outcomes.filter((outcome) => outcome !== 'ended')).toEqual([]);
  });
});
