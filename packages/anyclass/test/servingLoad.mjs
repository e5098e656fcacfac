// npm run test:serving [REQUESTS] [DAMAGED] [IN_FLIGHT]: tests that take too long for npm test. A server
// receives damaged and oversized uploads, then many requests while its memory is measured, then SIGTERM with
// many requests in flight. Prints a table; exits with 1 if a target is missed. The network has only two
// layers, so that mostly the server is tested.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nn, setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { exportNetwork } from '../dist/index.js';
import { fixedDecision } from '../dist/inference/modelDecision.js';
import { program } from './program.mjs';

const [requests = 100_000, uploads = 10_000, inFlight = 1000] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-serving-'));
const model = join(folder, 'model.onnx');
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
/** @type {{ what: string, target: string, found: string, isMet: boolean }[]} */
const rows = [];

/**
 * @param {string} what
 * @param {string} target
 * @param {string} found
 * @param {boolean} isMet
 */
function check(what, target, found, isMet) {
  rows.push({ what, target, found, isMet });
  console.log(`${isMet ? 'ok    ' : 'FAILED'}  ${what}: ${found}`);
}

class SmallNetwork extends nn.Module {
  conv = new nn.Conv2d(3, 16, { kernel: 4, stride: 4 });
  fc = new nn.Linear(16 * 64, 2);

  /** @param {import('@anyclass/torch').Tensor} images */
  forward(images) {
    return this.fc.forward(this.conv.forward(images).relu().flatten(1));
  }
}

setSeed(1);
const network = new SmallNetwork();
const classes = ['crack', 'roots'];
await exportNetwork(network, {
  description: { classes, channels: 3, mean: [0.5], std: [0.25], decision: fixedDecision(classes, 0.3) },
  inputSize: 32,
  out: model,
});
network.dispose();
const picture = await sharp(Buffer.alloc(48 * 48 * 3, 90), { raw: { width: 48, height: 48, channels: 3 } })
  .jpeg()
  .toBuffer();

const server = await start();
try {
  await damagedUploads();
  await steadyMemory();
  await termination();
} finally {
  server.child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
const cells = [
  ['what', 'target', 'measured', ''],
  ...rows.map(({ what, target, found, isMet }) => [what, target, found, isMet ? 'met' : 'MISSED']),
];
const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
console.log('');
for (const row of cells) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
process.exit(rows.every(({ isMet }) => isMet) ? 0 : 1);

async function start() {
  const words = [
    'serve',
    model,
    '--port',
    '0',
    '--json',
    '--log-level',
    'error',
    '--queue',
    '2000',
    '--max-body',
    '1',
  ];
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done) => child.stdout.once('data', (data) => done(String(data))));
  return { child, url: new URL(JSON.parse(line).url) };
}

/**
 * The status of the response; 0 if the connection broke. A connection that the server closed because it was
 * idle is replaced, as clients do.
 *
 * @param {Uint8Array} body
 * @returns {Promise<number>}
 */
function post(body, type = 'image/jpeg', using = agent) {
  return new Promise((done) => {
    const { hostname, port } = server.url;
    const headers = { 'content-type': type, 'content-length': body.length };
    const sent = request(
      { hostname, port, path: '/v1/predict', method: 'POST', headers, agent: using },
      (response) => {
        response.resume().once('end', () => done(response.statusCode ?? 0));
      },
    );
    sent.on('error', () => done(sent.reusedSocket ? post(body, type, new Agent()) : 0));
    sent.end(body);
  });
}

/**
 * Calls `work` with each number below `count`, 32 at a time.
 *
 * @param {number} count
 * @param {(number: number) => Promise<unknown>} work
 */
async function many(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

async function damagedUploads() {
  const sources = [
    picture,
    await sharp(picture).png().toBuffer(),
    await sharp(picture).webp().toBuffer(),
    await sharp(picture).tiff().toBuffer(),
  ];
  const oversized = Buffer.alloc(1_100_000, 1);
  const statuses = new Map();
  await many(uploads, async (i) => {
    const source = sources[i % sources.length] ?? picture;
    /** @type {(() => [Uint8Array, string])[]} */
    const kinds = [
      // Not within the last 12 bytes: a PNG that lacks only its end marker has all
      // its pixels and is accepted.
      () => [source.subarray(0, (i * 7) % (source.length - 12)), 'image/png'],
      () => [randomBytes(1 + (i % 3000)), 'image/jpeg'],
      () => [Buffer.concat([source.subarray(0, 2 + (i % 40)), randomBytes(200)]), 'image/jpeg'],
      () => [Buffer.from(`{"images": ["${randomBytes(i % 50).toString('latin1')}`), 'application/json'],
      () => [Buffer.from(JSON.stringify({ image: randomBytes(60).toString('base64') })), 'application/json'],
      () => [Buffer.from(`--x\r\n${randomBytes(60)}`), 'multipart/form-data; boundary=x'],
      () => (i % 50 === 6 ? [oversized, 'image/jpeg'] : [Buffer.alloc(0), 'image/jpeg']),
    ];
    const [body, type] = kinds[i % kinds.length]?.() ?? [picture, 'image/jpeg'];
    const status = await post(body, type);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  const found = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
  const areBad = [...statuses.keys()].every((status) => status >= 400 && status <= 499);
  check(`${uploads} damaged or oversized uploads`, 'all 4xx', found, areBad);
  const next = await post(picture);
  check('the next image', '200', String(next), next === 200);
}

async function steadyMemory() {
  const resident = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]) * 1.024e-3;
  const warmUp = Math.ceil(requests / 10);
  await many(warmUp, () => post(picture));
  const before = resident();
  let failed = 0;
  await many(requests, async () => {
    if ((await post(picture)) !== 200) failed += 1;
  });
  const growth = resident() - before;
  check(`${requests} requests, failed`, '0', String(failed), failed === 0);
  const from = `from ${before.toFixed(0)} MB, after ${warmUp} requests`;
  check('memory growth meanwhile', '< 20 MB', `${growth.toFixed(1)} MB (${from})`, growth < 20);
}

async function termination() {
  const answers = Array.from({ length: inFlight }, () => post(picture, 'image/jpeg', new Agent()));
  await Promise.race(answers);
  const ended = new Promise((done) => server.child.once('exit', done));
  server.child.kill('SIGTERM');
  const statuses = await Promise.all(answers);
  const lost = statuses.filter((status) => status !== 200).length;
  check(`SIGTERM with ${inFlight} requests in flight, lost`, '0', String(lost), lost === 0);
  const code = await ended;
  check("the server's exit code", '0', String(code), code === 0);
}
