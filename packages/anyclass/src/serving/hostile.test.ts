import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { dicomFile } from '../../test/dicomFile.js';
import { asBody, picture, saveServedModel } from '../../test/servedModels.js';
import type { ServeOptions } from './operation/options.js';
import { type Server, serve } from './serve.js';

const folder = testFolder();
const model = join(folder, 'model.safetensors');
beforeAll(() => saveServedModel(model));

const quiet: ServeOptions = { port: 0, device: 'cpu', drain: 0, log: () => {} };

/** Sends bytes as they are, and returns the status of the answer; 0 if there is none. */
function sendRaw({ port }: Server, text: string): Promise<number> {
  return new Promise((done) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (part) => {
      answer += String(part);
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => done(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)));
  });
}

const post = async ({ url }: Server, path: string, body: BodyInit, type: string) => {
  const response = await fetch(url + path, { method: 'POST', body, headers: { 'content-type': type } });
  return { status: response.status, body: JSON.parse(await response.text()) };
};
const metricsOf = async ({ url }: Server) => (await fetch(`${url}/metrics`)).text();

describe('a stranger', () => {
  test('no target ends the server, before or after its checks', async () => {
    await using server = await serve([model], { ...quiet, token: 'secret' });
    const get = (target: string, token = 'secret', host = 'localhost') =>
      sendRaw(
        server,
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
    expect(await get('/v1/models/%ff')).toBe(400);
    expect(await get('/v1/models/%ff', 'another')).toBe(401);
    expect(await get('/v1/models/%ff', 'secret', 'evil.example.com')).toBe(403);
    for (const target of [
      '/v2/models/%/ready',
      '/%c0%80',
      'http://',
      'http://[::1',
      '//',
      '*',
      '/?%ff',
      '/v1/predict?model=%ff',
    ])
      expect(await get(target)).toBeGreaterThanOrEqual(200);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });

  test('a DICOM file is accepted as application/dicom', async () => {
    await using server = await serve([model], quiet);
    const scan = dicomFile({ width: 40, height: 30, pixels: Buffer.alloc(2 * 40 * 30, 7) });
    expect(await post(server, '/v1/predict', asBody(scan), 'application/dicom')).toMatchObject({
      status: 200,
      body: { predictions: [{ name: '1' }] },
    });
  });

  test('an error that nobody expected is answered, counted and survived', async () => {
    await using server = await serve([model], {
      ...quiet,
      log(line) {
        if (line.includes('/v1/models')) throw new Error('the log failed');
      },
    });
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    expect(await metricsOf(server)).toContain('anyclass_rejections_total{reason="internal"} 1');
    const before = process.listeners('unhandledRejection');
    {
      using _survival = server.surviveErrors();
      const [added] = process.listeners('unhandledRejection').filter((other) => !before.includes(other));
      added?.(new Error('of no request'), Promise.resolve());
      expect(process.listenerCount('uncaughtException')).toBeGreaterThan(0);
    }
    expect(process.listeners('unhandledRejection')).toEqual(before);
    expect(await metricsOf(server)).toContain('anyclass_rejections_total{reason="internal"} 2');
  });

  test('clients that send three bytes and wait keep nobody else out', async () => {
    await using server = await serve([model], { ...quiet, queue: 4, buffer: 0.1 });
    const sockets: Socket[] = [];
    for (let i = 0; i < 40; i++) {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      socket.write('POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\nabc');
      sockets.push(socket);
    }
    await expect.poll(() => metricsOf(server)).toContain('anyclass_request_bytes_in_flight 120');
    const answer = await post(server, '/v1/predict', asBody(await picture(1)), 'image/jpeg');
    expect(answer.status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => metricsOf(server)).toContain('anyclass_request_bytes_in_flight 0');
  });

  test('a form with a hundred thousand files, a cut one, and one with a strange end get their answers', async () => {
    await using server = await serve([model], quiet);
    const type = 'multipart/form-data; boundary=x';
    const part = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nz\r\n';
    const form = (text: string) => post(server, '/v1/predict', text, type);
    expect((await form(`${part.repeat(100_000)}--x--\r\n`)).status).toBe(413);
    expect((await form(part)).status).toBe(400);
    expect((await form('--x\r\nno header\r\n\r\n')).status).toBe(400);
    expect((await form('nothing')).status).toBe(400);
    expect((await form(`${part}--x--\r\nan epilogue`)).status).toBe(422);
    expect((await post(server, '/v1/predict', part, 'multipart/form-data')).status).toBe(400);
  });

  test('JSON that is deep, long or endless is refused, and large requests are answered as small ones', async () => {
    await using server = await serve([`m=${model}`], quiet);
    const json = (text: string, path = '/v1/predict') => post(server, path, text, 'application/json');
    const infer = (data: string) =>
      json(
        `{"inputs":[{"name":"pixels","datatype":"UINT8","shape":[1,32,32,3],"data":${data}}]}`,
        '/v2/models/m/infer',
      );
    expect(await json('['.repeat(1e6))).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('deep') },
    });
    expect((await infer('['.repeat(1e5) + ']'.repeat(1e5))).status).toBe(400);
    expect((await json(`{"images":[${'"",'.repeat(1e5)}""]}`)).status).toBe(413);
    expect((await json(`{"model":"${'m'.repeat(1e6)}","image":"AA=="}`)).body.detail.length).toBeLessThan(
      1100,
    );
    const image = `"${(await picture(3)).toString('base64')}"`;
    const small = await json(`{"image":${image}}`);
    const padded = await json(`{"image":${image}${' '.repeat(1e5)}}`);
    expect(padded.status).toBe(200);
    expect(padded.body.predictions).toEqual(small.body.predictions);
    const pixels = Array.from({ length: 3072 }, (_, i) => i % 256);
    const flat = await infer(JSON.stringify(pixels));
    const nested = await infer(`[[${' '.repeat(1e5)}${pixels.join()}]]`);
    expect(nested.status).toBe(200);
    expect(nested.body).toEqual(flat.body);
  });
});
