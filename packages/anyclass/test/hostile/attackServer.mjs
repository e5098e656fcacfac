// Sends hostile requests to a real server while an ordinary client asks it too, and watches its memory.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, program } from '../program.mjs';
import { bombs } from './bombs.mjs';
import { grammar } from './grammar.mjs';

/**
 * @typedef {object} HostileResult
 * @property {number} sent requests that were sent
 * @property {Readonly<Record<string, number>>} statuses answers by status; 'none' for none
 * @property {number} asked ordinary requests
 * @property {readonly string[]} refused what ordinary requests got instead of an answer
 * @property {boolean} isAlive whether the server still runs at the end
 * @property {number} unexpected errors that the server counted as unexpected
 * @property {number} megabytes the most memory of the server's own process
 * @property {number} decoderMegabytes the most memory of one of its decoders
 * @property {number} blockedMilliseconds the longest time that the main thread was busy with one thing
 * @property {number} idleMilliseconds the same of a server beside it that nobody asks, which waits for a core only
 * @property {readonly number[]} curve megabytes of the server's process, over time
 */

/**
 * Attacks a server that is started for it: with so many requests, or more until the minutes are over.
 *
 * @param {{ model: string, picture: Buffer, requests: number, seed: number, minutes?: number, connections?: number }} options
 * @returns {Promise<HostileResult>}
 */
export async function attackServer({ model, picture, requests, seed, minutes = 0, connections = 24 }) {
  const [{ child, url }, idle] = await Promise.all([startServer(model), startServer(model)]);
  let isAlive = true;
  child.once('exit', () => {
    isAlive = false;
  });
  const port = Number(new URL(url).port);
  const end = performance.now() + minutes * 60_000;
  const next = grammar({ seed, model: 'm', picture, bombs: await bombs() });

  /** @type {Record<string, number>} */
  const statuses = {};
  /** @type {string[]} */
  const refused = [];
  /** @type {number[]} */
  const curve = [];
  let [sent, asked, megabytes, decoderMegabytes, blocked, idleBlocked] = [0, 0, 0, 0, 0, 0];
  let isOver = false;

  const attacker = async () => {
    while ((sent < requests || performance.now() < end) && isAlive) {
      sent += 1;
      const status = await answered(port, next());
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const client = async () => {
    while (!isOver && isAlive) {
      asked += 1;
      const options = { method: 'POST', body: new Uint8Array(picture), signal: AbortSignal.timeout(30_000) };
      const status = await fetch(`${url}/v1/predict`, options).then(
        (response) => response.text().then(() => String(response.status)),
        (error) => String(error.cause ?? error),
      );
      if (status !== '200') refused.push(status);
      await sleep(100);
    }
  };
  const watcher = async () => {
    while (!isOver && isAlive) {
      const own = memoryOf(child.pid ?? 0);
      curve.push(Math.round(own));
      megabytes = Math.max(megabytes, own);
      for (const pid of childrenOf(child.pid ?? 0))
        decoderMegabytes = Math.max(decoderMegabytes, memoryOf(pid));
      blocked = Math.max(blocked, await blockedAt(url));
      idleBlocked = Math.max(idleBlocked, await blockedAt(idle.url));
      await sleep(500);
    }
  };
  const watching = [client(), watcher()];
  await Promise.all(Array.from({ length: connections }, attacker));
  isOver = true;
  await Promise.all(watching);
  const metrics = isAlive ? await (await fetch(`${url}/metrics`)).text() : '';
  const unexpected = Number(/^anyclass_rejections_total\{reason="internal"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
  const wasAlive = isAlive;
  for (const one of [child, idle.child]) one.kill('SIGKILL');
  return {
    ...{ sent, statuses, asked, refused, isAlive: wasAlive, unexpected, curve },
    megabytes: Math.round(megabytes),
    decoderMegabytes: Math.round(decoderMegabytes),
    blockedMilliseconds: Math.round(blocked),
    idleMilliseconds: Math.round(idleBlocked),
  };
}

/** @param {string} model */
async function startServer(model) {
  const words = ['serve', `m=${model}`, '--port', '0', '--json', '--log-level', 'error'];
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const line = await new Promise((done, fail) => {
    child.stdout.once('data', (/** @type {Buffer} */ part) => done(String(part)));
    child.once('exit', () => fail(new Error('the server did not start')));
  });
  /** @type {{ url: string }} */
  const { url } = JSON.parse(line);
  return { child, url };
}

/** The longest time, in milliseconds, that a server's main thread was busy since this was last asked. @param {string} url */
async function blockedAt(url) {
  const metrics = await fetch(`${url}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1] ?? 0);
}

/**
 * Sends a request, and returns the status of the answer.
 *
 * @param {number} port
 * @param {import('./grammar.mjs').HostileRequest} request
 * @returns {Promise<string>}
 */
function answered(port, { bytes, pause }) {
  return new Promise((done) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const timer = setTimeout(() => socket.destroy(), pause);
    socket.on('data', (part) => {
      answer = (answer + part.toString('latin1')).slice(0, 20);
      if (answer.length >= 12) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      done(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'none');
    });
  });
}

/** @param {number} pid */
function memoryOf(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
