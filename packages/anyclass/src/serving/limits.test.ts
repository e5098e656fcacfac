import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { damaged } from '../../test/damage.js';
import { program } from '../../test/program.mjs';
import { asBody, picture, saveServedModel } from '../../test/servedModels.js';
import type { ServeOptions } from './operation/options.js';
import { type Server, serve } from './serve.js';

const folder = testFolder();
const model = join(folder, 'model.safetensors');
beforeAll(() => saveServedModel(model));

const fixtures = resolve(import.meta.dirname, '../../test/fixtures/data');
const quiet: ServeOptions = { port: 0, device: 'cpu', drain: 0, log: () => {} };
const image = { 'content-type': 'image/jpeg' };

async function predict(
  { url }: { readonly url: string },
  body: BodyInit,
  headers: Record<string, string> = image,
) {
  const response = await fetch(`${url}/v1/predict`, { method: 'POST', body, headers });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** Returns the status of a request with headers that fetch does not let callers set. */
function withHeaders(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: Uint8Array,
): Promise<number> {
  return new Promise((done, fail) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

describe('limits', () => {
  test('bodies, images and pixels over the limits get 413, declared or counted', async () => {
    await using server = await serve([model], { ...quiet, maxBody: 0.02, maxImages: 2, maxPixels: 0.005 });
    const large = new Uint8Array(30_000);
    expect((await predict(server, large)).status).toBe(413);
    const chunked = { ...image, 'transfer-encoding': 'chunked' };
    expect(await withHeaders(`${server.url}/v1/predict`, chunked, 'POST', large)).toBe(413);
    const form = new FormData();
    for (const name of ['a', 'b', 'c']) form.append(name, new Blob([asBody(await picture(1))]), name);
    expect(await predict(server, form, {})).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('limit of 2 images') },
    });
    const fine = await predict(server, asBody(await picture(1)));
    expect(fine.status).toBe(200);
    const background = '#888';
    const wide = sharp({ create: { width: 100, height: 60, channels: 3, background } }).png();
    expect(await predict(server, asBody(await wide.toBuffer()))).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('100 x 60') },
    });
  });

  test('a full queue answers 429 with Retry-After at once, and admitted requests are answered', async () => {
    await using server = await serve([model], { ...quiet, queue: 4, maxBatch: 2 });
    const body = asBody(await picture(5));
    const answers = await Promise.all(Array.from({ length: 60 }, () => predict(server, body)));
    const [good, refused] = [200, 429].map((status) => answers.filter((answer) => answer.status === status));
    expect(good!.length + refused!.length).toBe(60);
    expect(good!.length).toBeGreaterThanOrEqual(4);
    for (const { headers } of refused!) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain(`anyclass_rejections_total{reason="queue-full"} ${refused!.length}`);
  });

  test('a request past its deadline gets 503, and a client that left is dropped', async () => {
    await using server = await serve([model], { ...quiet, timeout: 0.0001 });
    expect((await predict(server, asBody(await picture(1)))).body.type).toBe('/docs#problem-deadline');
    await using patient = await serve([model], { ...quiet, maxDelay: 2000 });
    const metrics = async () => (await fetch(`${patient.url}/metrics`)).text();
    const leaving = new AbortController();
    const left = fetch(`${patient.url}/v1/predict`, {
      method: 'POST',
      body: asBody(await picture(1)),
      headers: image,
      signal: leaving.signal,
    });
    await expect.poll(metrics).toContain('anyclass_images_in_flight 1');
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(metrics).toContain('anyclass_rejections_total{reason="client-left"} 1');
    await expect.poll(metrics).toContain('anyclass_images_in_flight 0');
    expect(await metrics()).not.toContain('anyclass_batch_images_count{model');
  });

  test('with a token, everything but health checks and pages needs it', async () => {
    await using server = await serve([model], { ...quiet, token: 'secret' });
    const status = async (path: string, token?: string) =>
      (await fetch(server.url + path, { headers: token ? { authorization: `Bearer ${token}` } : {} })).status;
    expect(await Promise.all([status('/v1/models'), status('/metrics'), status('/v2/models/model')])).toEqual(
      [401, 401, 401],
    );
    expect(await status('/v1/models', 'wrong')).toBe(401);
    expect(await status('/v1/models', 'secret')).toBe(200);
    expect(
      await Promise.all(['/health/live', '/', '/docs', '/openapi.json'].map((path) => status(path))),
    ).toEqual([200, 200, 200, 200]);
  });
});

describe('one server', () => {
  let server: Server;
  beforeAll(async () => {
    const allowed = { allowHost: ['ml.example.com'], allowOrigin: ['https://app.example.com'] };
    server = await serve([model], { ...quiet, ...allowed, maxBody: 1 });
  });
  afterAll(() => server.close());

  test('foreign hosts and origins are refused unless they are allowed; health checks are exempt', async () => {
    const models = `${server.url}/v1/models`;
    expect(await withHeaders(models, { host: `localhost:${server.port}` })).toBe(200);
    expect(await withHeaders(models, { host: 'ml.example.com' })).toBe(200);
    expect(await withHeaders(models, { host: 'evil.example.com' })).toBe(403);
    expect(await withHeaders(`${server.url}/health/live`, { host: 'evil.example.com' })).toBe(200);
    expect(await withHeaders(models, { origin: server.url })).toBe(200);
    expect(await withHeaders(models, { origin: 'https://evil.example.com' })).toBe(403);
    expect(await withHeaders(models, { origin: 'null' })).toBe(403);
    expect(await withHeaders(models, { origin: 'https://app.example.com' })).toBe(200);
    expect(await withHeaders(models, { origin: 'https://app.example.com' }, 'OPTIONS')).toBe(204);
  });

  test('300 damaged uploads get an answer or a 4xx with a reason, and the server keeps running', async () => {
    const pictures = readdirSync(fixtures)
      .filter((name) => /\.(png|jpg|webp|tif|gif)$/.test(name))
      .map((name) => readFileSync(join(fixtures, name)));
    const types = [
      'image/jpeg',
      'application/json',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
    ];
    const statuses = new Map<number, number>();
    for (let i = 0; i < 300; i += 20) {
      const answers = Array.from({ length: 20 }, (_, k) =>
        predict(server, asBody(damaged(pictures[(i + k) % pictures.length]!, i + k)), {
          'content-type': types[(i + k) % 7] ?? 'image/png',
        }),
      );
      for (const { status, body } of await Promise.all(answers)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== 200) expect(body.detail.length).toBeGreaterThan(5);
      }
    }
    expect([...statuses.keys()].filter((status) => status !== 200 && (status < 400 || status > 499))).toEqual(
      [],
    );
    expect((await predict(server, asBody(await picture(1)))).status).toBe(200);
  });

  test('input that is not HTTP, or stops in the middle, does no harm', async () => {
    for (const text of [
      '\x16\x03\x01 hello',
      'POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nabc',
    ]) {
      await new Promise<void>((done) => {
        const socket = connect(server.port, '127.0.0.1', () => {
          socket.write(text);
          setTimeout(() => socket.destroy(), 50);
        });
        socket.on('close', () => done()).on('error', () => {});
      });
    }
    expect((await predict(server, asBody(await picture(1)))).status).toBe(200);
  });
});

describe('the life of a server', () => {
  test('a changed model file is loaded while requests continue, and one that cannot be opened is not', async () => {
    const served = join(folder, 'served.safetensors');
    saveServedModel(served);
    const lines: string[] = [];
    await using server = await serve([served], {
      ...quiet,
      reload: 0.05,
      log: (line) => void lines.push(line),
    });
    const versions = new Set<string>();
    const body = asBody(await picture(4));
    let isDone = false;
    const asking = (async () => {
      while (!isDone) {
        const answer = await predict(server, body);
        expect(answer.status).toBe(200);
        versions.add(answer.body.version);
      }
    })();
    saveServedModel(join(folder, 'next.safetensors'), { seed: 2 });
    renameSync(join(folder, 'next.safetensors'), served);
    await expect.poll(() => versions.size, { timeout: 30_000 }).toBe(2);
    const text = join(folder, 'text');
    execFileSync('cp', [join(fixtures, 'rgb.png'), text]);
    renameSync(text, served);
    await expect.poll(() => lines.join('\n'), { timeout: 30_000 }).toContain('"level":"error"');
    isDone = true;
    await asking;
    expect((await predict(server, body)).status).toBe(200);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('anyclass_model_reloads_total{model="served",result="ok"} 1');
    expect(metrics).toContain('anyclass_model_reloads_total{model="served",result="failed"}');
    expect(metrics.match(/^anyclass_model_info/gm)).toHaveLength(1);
  });

  test('SIGTERM stops the command after all requests on their way are answered', async () => {
    const child = spawn(
      process.execPath,
      [program, 'serve', model, '--port', '0', '--json', '--queue', '500'],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, NODE_OPTIONS: '' },
      },
    );
    const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
    const line = await new Promise<string>((done) => child.stdout.once('data', (data) => done(String(data))));
    const server: Pick<Server, 'url'> = JSON.parse(line);
    const body = asBody(await picture(6));
    const answers = Array.from({ length: 200 }, () => predict(server, body));
    await answers[0];
    child.kill('SIGTERM');
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(await ended).toBe(0);
  });

  test('while it drains, the server is not ready but still answers', async () => {
    const server = await serve([model], { ...quiet, drain: 1 });
    const ready = async () => (await fetch(`${server.url}/health/ready`)).status;
    expect(await ready()).toBe(200);
    const closing = server.close();
    expect(await ready()).toBe(503);
    const answer = await predict(server, asBody(await picture(1)));
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    // An open connection without a request, as browsers make.
    const silent = connect(server.port, '127.0.0.1').on('error', () => {});
    await closing;
    silent.destroy();
    await expect(ready()).rejects.toThrow();
  });
});
