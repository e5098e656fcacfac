// Run folders as training writes them, made in a moment, for tests of Studio.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure } from '@anyclass/core';
import { thisProcess } from '@anyclass/files';
import type { ConfigurationInput } from '../src/configuration/schema.js';
import { validateConfiguration } from '../src/configuration/validate.js';
import type { RunEvent } from '../src/events/runEvent.js';

export interface FakeRun {
  readonly configuration?: ConfigurationInput;
  readonly epochs?: number;
  /** How it ends; undefined while it runs. */
  readonly end?: 'finished' | 'failed' | 'interrupted';
  /** Whether its process, which is this one, holds its lock. */
  readonly isLocked?: boolean;
  readonly started?: string;
  /** Why it failed. */
  readonly message?: string;
}

const validation = measure({
  scores: new Float64Array([0.9, 0.2, 0.1, 0.3]),
  targets: [1, 0, 0, 1],
  classNames: ['crack'],
});

/** Writes a run folder and returns its path. */
export function fakeRun(
  folder: string,
  {
    configuration = { data: { dataset: 'digits' } },
    epochs = 3,
    end,
    isLocked = false,
    started = '2026-01-31T12:00:00.000Z',
    message = 'the disk is full',
  }: FakeRun = {},
): string {
  mkdirSync(join(folder, 'checkpoints'), { recursive: true });
  const record = {
    configuration: validateConfiguration(configuration),
    versions: { anyclass: '0' },
    classes: ['crack'],
    datasetFingerprint: 'x',
    started,
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(record));
  const about = { dataset: 'digits', network: 'tresnet-s', loss: 'bce', device: 'cpu', precision: 'float32' };
  logEvent(folder, { type: 'started', run: folder, ...about, epochs: 4 });
  for (let epoch = 1; epoch <= epochs; epoch++) logEpoch(folder, epoch);
  if (end === 'failed') logEvent(folder, { type: 'failed', run: folder, message });
  if (end === 'interrupted') logEvent(folder, { type: 'interrupted', run: folder, checkpoint: undefined });
  if (end === 'finished')
    appendFileSync(
      join(folder, 'events.jsonl'),
      `${JSON.stringify({ time: new Date().toISOString(), type: 'finished', run: folder })}\n`,
    );
  if (isLocked) writeFileSync(join(folder, 'lock'), JSON.stringify({ ...thisProcess(), host: hostname() }));
  return folder;
}

/** Logs a step and the validation of an epoch. */
export function logEpoch(folder: string, epoch: number): void {
  const record = {
    epoch,
    rate: 0.01,
    trainingLoss: 1 / epoch,
    validationLoss: 1.1 / epoch,
    validationBce: 0.5,
    validation: { ...validation, mAP: 0.1 * epoch },
    seconds: 2,
    imagesPerSecond: 100,
    dataWaitShare: 0.1,
    quarantined: 0,
  };
  logEvent(folder, stepEvent(epoch));
  logEvent(folder, { type: 'validated', epochs: 4, record });
  appendFileSync(join(folder, 'metrics.jsonl'), `${JSON.stringify(record)}\n`);
}

function stepEvent(epoch: number): RunEvent {
  return {
    type: 'step',
    epoch,
    epochs: 4,
    step: 5,
    steps: 10,
    images: 50,
    imagesPerEpoch: 100,
    unit: 'images',
    loss: 1 / epoch,
    rate: 0.01,
    imagesPerSecond: 100,
    secondsLeft: 12,
    dataWaitShare: 0.1,
    gpuMemory: 2 ** 30,
  };
}

function logEvent(folder: string, event: RunEvent): void {
  appendFileSync(
    join(folder, 'events.jsonl'),
    `${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`,
  );
}

/** The folder of the built page. */
export const pageFolder = join(dirname(fileURLToPath(import.meta.url)), '../../studio/dist/page');

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Asks a server with exactly these headers. */
export function asked(
  url: string,
  path: string,
  {
    headers = {},
    method = 'GET',
    body = '',
  }: { headers?: Record<string, string>; method?: string; body?: string } = {},
): Promise<Answer> {
  const { hostname: host, port } = new URL(url);
  return new Promise((done, fail) => {
    const sent = request({ hostname: host, port, path, method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        done({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    sent.once('error', fail);
    sent.end(body);
  });
}

/** Exchanges the token of the printed address for the cookie. */
export async function cookieOf(url: string): Promise<string> {
  const { headers } = await asked(url, `/${new URL(url).search}`);
  const [cookie = ''] = [headers['set-cookie']].flat();
  return cookie.split(';')[0] ?? '';
}
