import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { measure } from '@anyclass/core';
import { afterEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import type { RunEvent } from '../../events/runEvent.js';
import type { RunSummary } from '../../events/runSummary.js';
import { mlflowServer } from './mlflowClient.js';
import { mlflowLog } from './mlflowLog.js';
import { runLogs } from './runLogs.js';

const folder = testFolder();

const metrics = measure({ scores: new Float64Array([0.9, 0.2]), targets: [1, 0], classNames: ['crack'] });

function validated(epoch: number): RunEvent {
  const numbers = { rate: 0.01, trainingLoss: 1 / epoch, validationLoss: 0.7, validationBce: 0.6 };
  const speed = { seconds: 2, imagesPerSecond: 5, dataWaitShare: 0, quarantined: 0 };
  return { type: 'validated', epochs: 2, record: { epoch, ...numbers, ...speed, validation: metrics } };
}

/** The log reads nothing of a summary. */
const summary: RunSummary = JSON.parse('{}');

interface Told {
  readonly call: string;
  readonly body: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Answers as MLflow's server does, or with a status. */
async function fakeServer(told: Told[], status = () => 200): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const call = `${request.method} ${request.url}`;
      told.push({ call, body });
      const info = { run_id: 'r1', artifact_uri: 'mlflow-artifacts:/7/r1/artifacts' };
      const isUnknown =
        call.includes('get-by-name') && !told.some((one) => one.call.includes('experiments/create'));
      response.statusCode = isUnknown ? 404 : status();
      response.end(
        JSON.stringify(
          isUnknown
            ? { error_code: 'RESOURCE_DOES_NOT_EXIST' }
            : { experiment_id: '7', experiment: { experiment_id: '7' }, run: { info }, run_info: info },
        ),
      );
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function runFolder(name: string): string {
  const run = join(folder, name);
  mkdirSync(run);
  writeFileSync(join(run, 'report.html'), '<!doctype html>');
  writeFileSync(join(run, 'model.safetensors'), Buffer.alloc(1000));
  return run;
}

test('parameters, metrics and files arrive, and a resumed run continues the same one', async () => {
  const told: Told[] = [];
  const address = await fakeServer(told);
  const run = runFolder('pipes');
  const server = { address, experiment: 'sewer', authorization: 'Bearer x' };
  const notes: string[] = [];
  const open = () =>
    mlflowLog(run, server, { epochs: 2, loss: { name: 'any-bce' } }, { note: (text) => notes.push(text) });
  const first = open();
  first.listen(validated(1));
  first.listen({ type: 'interrupted', run, checkpoint: undefined });
  await first.close();
  const second = open();
  second.listen(validated(2));
  second.listen({ type: 'finished', run, summary });
  await second.close();
  expect(notes).toEqual([]);
  const calls = told.map(({ call }) => call);
  expect(calls.filter((call) => call.includes('runs/create'))).toHaveLength(1);
  const batches = told.filter(({ call }) => call.includes('log-batch')).map(({ body }) => JSON.parse(body));
  expect(batches[0].params).toEqual([
    { key: 'epochs', value: '2' },
    { key: 'loss.name', value: 'any-bce' },
  ]);
  const losses = batches
    .flatMap(({ metrics: list = [] }) => list)
    .filter(({ key }) => key === 'epoch/training loss');
  expect(losses.map(({ value, step }) => [value, step])).toEqual([
    [1, 1],
    [0.5, 2],
  ]);
  const uploads = told.filter(({ call }) => call.startsWith('PUT'));
  expect(uploads.map(({ call }) => call)).toEqual(
    ['report.html', 'model.safetensors'].map(
      (name) => `PUT /api/2.0/mlflow-artifacts/artifacts/7/r1/artifacts/${name}`,
    ),
  );
  expect(uploads[0]?.body).toBe('<!doctype html>');
  const statuses = told
    .filter(({ call }) => call.includes('runs/update'))
    .map(({ body }) => JSON.parse(body).status);
  expect(statuses).toEqual(['KILLED', 'RUNNING', 'FINISHED']);
});

test('a server that is gone, refuses or never answers costs one note', async () => {
  for (const [name, address] of [
    ['gone', 'http://127.0.0.1:9'],
    ['refuses', await fakeServer([], () => 403)],
    ['broken', await fakeServer([], () => 500)],
  ] as const) {
    const notes: string[] = [];
    const log = mlflowLog(
      runFolder(name),
      { address, experiment: 'x' },
      {},
      { note: (text) => notes.push(text), pause: 1 },
    );
    for (const epoch of [1, 2, 3]) expect(() => log.listen(validated(epoch))).not.toThrow();
    log.listen({ type: 'finished', run: name, summary });
    await log.close();
    expect(notes).toEqual([expect.stringContaining(address)]);
  }
  const silent = createServer(() => {});
  servers.push(silent);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const notes: string[] = [];
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const log = mlflowLog(
    runFolder('silent'),
    { address, experiment: 'x' },
    {},
    { note: (text) => notes.push(text), limit: 50 },
  );
  log.listen(validated(1));
  await log.close();
  expect(notes).toHaveLength(1);
});

test('the address comes from the environment; without one, a note says how to set it', () => {
  const notes: string[] = [];
  vi.stubEnv('MLFLOW_TRACKING_URI', undefined);
  expect(runLogs(folder, ['mlflow'], {}, { note: (text) => notes.push(text) })).toEqual([]);
  vi.unstubAllEnvs();
  expect(notes).toEqual([expect.stringContaining('MLFLOW_TRACKING_URI')]);
  expect(mlflowServer({ MLFLOW_TRACKING_URI: 'file:///tmp/x' })).toBeUndefined();
  const server = mlflowServer({
    MLFLOW_TRACKING_URI: 'https://flow.example/',
    MLFLOW_TRACKING_USERNAME: 'ann',
    MLFLOW_TRACKING_PASSWORD: 'b',
  });
  expect(server).toEqual({
    address: 'https://flow.example',
    experiment: 'anyclass',
    authorization: 'Basic YW5uOmI=',
  });
});

const python = process.env['PEER_PYTHON'] ?? 'python3';
const hasMlflow = spawnSync(python, ['-c', 'import mlflow.server']).status === 0;

test.skipIf(!hasMlflow)(
  `MLflow's own server takes the log and its client reads it${hasMlflow ? '' : ' (skipped: no mlflow in PEER_PYTHON or python3)'}`,
  async () => {
    const run = runFolder('real');
    const port = 20_000 + (process.pid % 20_000);
    const address = `http://127.0.0.1:${port}`;
    const store = join(folder, 'store');
    mkdirSync(store);
    const server = spawn(
      python,
      [
        '-m',
        'mlflow',
        'server',
        '--port',
        String(port),
        '--backend-store-uri',
        `sqlite:///${store}/db`,
        '--artifacts-destination',
        store,
      ],
      { stdio: 'ignore' },
    );
    try {
      await vi.waitFor(async () => expect((await fetch(`${address}/health`)).ok).toBe(true), 60_000);
      const notes: string[] = [];
      const log = mlflowLog(
        run,
        { address, experiment: 'sewer' },
        { epochs: 1 },
        { note: (text) => notes.push(text) },
      );
      log.listen(validated(1));
      log.listen({ type: 'finished', run, summary });
      await log.close();
      expect(notes).toEqual([]);
      const { runId } = JSON.parse(readFileSync(join(run, 'mlflow.json'), 'utf8'));
      const program = `import json, sys, mlflow
c = mlflow.MlflowClient(sys.argv[1]); r = c.get_run(sys.argv[2])
print(json.dumps([r.data.params, r.data.metrics, r.info.status, sorted(f.path for f in c.list_artifacts(sys.argv[2]))]))`;
      const { stdout, stderr } = spawnSync(python, ['-c', program, address, runId], { encoding: 'utf8' });
      expect(stderr === '' || stdout !== '').toBe(true);
      const [params, values, status, files] = JSON.parse(stdout);
      expect(params).toEqual({ epochs: '1' });
      expect(values['epoch/training loss']).toBe(1);
      expect([status, files]).toEqual(['FINISHED', ['model.safetensors', 'report.html']]);
    } finally {
      server.kill();
    }
  },
  120_000,
);
