import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { describeInBrowser, seriousFindings } from '../../test/pages/browser.js';
import {
  answerOf,
  asBody,
  picture,
  post,
  saveServedModel,
  servedClasses,
  textFile,
} from '../../test/servedModels.js';
import { decodeImage } from '../data/images/decoding/decode.js';
import { exportOnnx } from '../export/onnx/exportOnnx.js';
import { openPredictor } from '../inference/predictor.js';
import type { ServeOptions } from './operation/options.js';
import { type Server, serve } from './serve.js';

const folder = testFolder();
const torch = join(folder, 'torch.safetensors');
const onnx = join(folder, 'onnx', 'onnx.onnx');

const quiet: ServeOptions = { port: 0, device: 'cpu', drain: 0, log: () => {} };

/** Returns by how much a page is wider than its window. */
function wide(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

describe('serving', () => {
  let server: Server;
  let predict: string;
  beforeAll(async () => {
    saveServedModel(torch);
    await exportOnnx(torch, { out: onnx });
    server = await serve([torch, onnx], { ...quiet, maxBatch: 8 });
    predict = `${server.url}/v1/predict`;
  }, 60_000);
  afterAll(() => server?.close(), 60_000);

  test.each(['torch', 'onnx'])(
    '%s gives the answers of predict, whatever else is in the batch',
    async (model) => {
      const pictures = await Promise.all(
        Array.from({ length: 40 }, (_, i) => picture(i, (['jpeg', 'png', 'webp'] as const)[i % 3])),
      );
      using predictor = await openPredictor(model === 'torch' ? torch : onnx, { device: 'cpu' });
      const answers = await Promise.all(
        pictures.map(async (bytes) => answerOf(await post(`${predict}?model=${model}`, asBody(bytes)))),
      );
      for (const [i, bytes] of pictures.entries()) {
        const expected = await predictor.predictOne(bytes);
        const { labels, probabilities, presence, thresholds } = answers[i]!.predictions[0]!;
        expect(labels).toEqual(expected.labels);
        expect(thresholds).toEqual(expected.thresholds);
        for (const name of servedClasses)
          expect(Math.abs(probabilities[name]! - expected.probabilities[name]!)).toBeLessThan(1e-6);
        expect(Math.abs(presence.probability - expected.presence.probability)).toBeLessThan(1e-6);
      }
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      const batches = Number(new RegExp(`batch_images_count{model="${model}"} (\\d+)`).exec(metrics)?.[1]);
      expect(batches).toBeLessThan(40);
    },
  );

  test('explain=1 adds what the model saw and where, and changes nothing else; models without gradients refuse it', async () => {
    const bytes = await picture(11);
    const [plain, explained] = await Promise.all(
      [0, 1].map(async (explain) =>
        answerOf(await post(`${predict}?model=torch&explain=${explain}`, asBody(bytes))),
      ),
    );
    const { seen, explanations, ...rest } = explained!.predictions[0]!;
    expect(rest).toEqual(plain!.predictions[0]);
    expect(seen).toMatch(/^data:image\/webp;base64,/);
    expect(explanations?.map((one) => one.class)).toEqual([null, ...rest.labels]);
    for (const { rows, columns, values, peak } of explanations ?? []) {
      expect(values).toHaveLength(rows * columns);
      expect(Math.max(...values)).toBeCloseTo(peak, 2);
    }
    const refused = await post(`${predict}?model=onnx&explain=1`, asBody(bytes));
    expect(refused.status).toBe(415);
    expect((await post(`${predict}?model=torch&explain=yes`, asBody(bytes))).status).toBe(400);
  });

  test('an image gets the same answer raw, in a form, and in JSON', async () => {
    const bytes = await picture(7);
    const form = new FormData();
    form.append('any', new Blob([asBody(bytes)]), 'pipe.jpg');
    form.append('model', 'torch');
    const base64 = bytes.toString('base64');
    const json = (value: unknown) =>
      post(predict, JSON.stringify(value), { 'content-type': 'application/json' });
    const answers = await Promise.all([
      post(`${predict}?model=torch`, asBody(bytes), { 'content-type': 'image/jpeg' }),
      // As curl sends it.
      post(`${predict}?model=torch`, asBody(bytes), { 'content-type': 'application/x-www-form-urlencoded' }),
      post(predict, form),
      json({ model: 'torch', image: base64 }),
      json({ model: 'torch', images: [{ name: 'a', data: `data:image/jpeg;base64,${base64}` }] }),
    ]).then((responses) => Promise.all(responses.map(answerOf)));
    expect(answers.map(({ predictions }) => predictions[0]!.name)).toEqual(['1', '1', 'pipe.jpg', '1', 'a']);
    const [first] = answers;
    for (const { predictions } of answers)
      expect({ ...predictions[0], name: '1' }).toEqual(first!.predictions[0]);
  });

  test('each of several images gets a prediction or a failure; if none can be read, the response is a problem', async () => {
    const form = new FormData();
    form.append('a', new Blob([asBody(await picture(1))]), 'a.jpg');
    form.append('b', new Blob(['no image']), 'b.jpg');
    const response = await post(`${predict}?model=onnx`, form);
    const { predictions } = await answerOf(response);
    expect(response.status).toBe(200);
    expect(predictions[0]!.labels).toEqual(['crack', 'joint']);
    expect(predictions[1]).toEqual({ name: 'b.jpg', failure: expect.stringContaining('unsupported image') });
    const refused = await post(`${predict}?model=onnx`, 'no image', {
      'content-type': 'image/jpeg',
      'x-request-id': 'mine-1',
    });
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.headers.get('x-request-id')).toBe('mine-1');
    expect(JSON.parse(await refused.text())).toMatchObject({
      type: '/docs#problem-unreadable',
      status: 422,
      requestId: 'mine-1',
    });
  });

  test.each([
    ['{', 400, 'not valid JSON'],
    ['{"images": []}', 400, 'images: expected at least 1 entry'],
    ['{"images": [3], "model": "torch"}', 400, 'images.0'],
    ['{"image": "a*b=", "model": "torch"}', 400, 'image: not valid base64'],
    ['{"image": "AAAA"}', 400, 'several models are served'],
    ['{"image": "AAAA", "model": "tirch"}', 404, "no model 'tirch'"],
  ])('the JSON %s is rejected with what is wrong in it', async (body, status, text) => {
    const response = await post(predict, body, { 'content-type': 'application/json' });
    expect(response.status).toBe(status);
    expect(JSON.parse(await response.text()).detail).toContain(text);
  });

  test('a body that is compressed on its way is refused as such, not as a damaged image', async () => {
    const response = await post(`${predict}?model=torch`, asBody(gzipSync(await picture(1))), {
      'content-type': 'image/jpeg',
      'content-encoding': 'gzip',
    });
    expect(response.status).toBe(415);
    expect(JSON.parse(await response.text()).detail).toContain('content encoding gzip');
    const plain = { 'content-type': 'image/jpeg', 'content-encoding': 'identity' };
    expect((await post(`${predict}?model=torch`, asBody(await picture(1)), plain)).status).toBe(200);
  });

  test('models, their classes and decisions are listed', async () => {
    const { models } = JSON.parse(await (await fetch(`${server.url}/v1/models`)).text());
    expect(models.map(({ name }: { name: string }) => name)).toEqual(['torch', 'onnx']);
    expect(models[1]).toMatchObject({
      runtime: 'onnxruntime',
      network: 'tresnet-s',
      classes: servedClasses,
      input: { width: 32, height: 32, channels: 3 },
      decision: { rule: 'fixed', gate: 0, clear: null, thresholds: { crack: 0.3, roots: 0.7, joint: 0.2 } },
    });
    expect((await fetch(`${server.url}/v1/models/nobody`)).status).toBe(404);
  });

  test('metrics count positives per class, presence and negatives', async () => {
    await post(`${predict}?model=torch`, asBody(await picture(3)));
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const value = (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
    const images = value('anyclass_images_total{model="torch"}');
    expect(images).toBeGreaterThan(0);
    expect(value('anyclass_positives_total{model="torch",class="crack"}')).toBe(images);
    expect(value('anyclass_positives_total{model="torch",class="roots"}')).toBe(0);
    expect(value('anyclass_presence_probability_count{model="torch"}')).toBe(images);
    expect(value('anyclass_negatives_total{model="torch"}')).toBe(0);
    expect(value('anyclass_negative_share{model="torch"}')).toBe(0);
    expect(value('anyclass_images_in_flight')).toBe(0);
  });

  test('the Open Inference Protocol takes images or pixels, and gives the results of /v1/predict', async () => {
    const bytes = await picture(9);
    const { probabilities, labels } = (await answerOf(await post(`${predict}?model=torch`, asBody(bytes))))
      .predictions[0]!;
    const address = `${server.url}/v2/models/torch`;
    const described = JSON.parse(await (await fetch(address)).text());
    expect(described.inputs[1]).toEqual({ name: 'pixels', datatype: 'UINT8', shape: [-1, 32, 32, 3] });
    const infer = async (body: object, path = `${address}/infer`) => {
      const response = await post(path, JSON.stringify(body), { 'content-type': 'application/json' });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    const image = {
      name: 'image',
      datatype: 'BYTES',
      shape: [2],
      data: [bytes.toString('base64'), bytes.toString('base64')],
    };
    const { body } = await infer(
      { id: '7', inputs: [image] },
      `${address}/versions/${described.versions[0]}/infer`,
    );
    expect(body).toMatchObject({ model_name: 'torch', id: '7' });
    const output = (name: string) => body.outputs.find((found: { name: string }) => found.name === name);
    expect(output('probabilities').shape).toEqual([2, 3]);
    for (const [j, name] of servedClasses.entries()) {
      expect(Math.abs(output('probabilities').data[3 + j] - probabilities[name]!)).toBeLessThan(1e-6);
      expect(output('labels').data[j]).toBe(labels.includes(name) ? 1 : 0);
    }
    const pixels = await decodeImage({ kind: 'encoded', bytes }, { width: 32, height: 32, channels: 3 });
    const decoded = await infer({
      inputs: [{ name: 'pixels', datatype: 'UINT8', shape: [1, 32, 32, 3], data: [...pixels] }],
      outputs: [{ name: 'probabilities' }],
    });
    expect(decoded.body.outputs).toHaveLength(1);
    for (const [j, name] of servedClasses.entries())
      expect(Math.abs(decoded.body.outputs[0].data[j] - probabilities[name]!)).toBeLessThan(1e-6);
    for (const [wrong, text] of [
      [{ inputs: [{ ...image, shape: [3] }] }, 'shape: expected [2]'],
      [{ inputs: [{ ...image, datatype: 'FP32' }] }, 'expected BYTES'],
      [{ inputs: [{ ...image, name: 'audio' }] }, "'audio'"],
      [{ inputs: [image], outputs: [{ name: 'age' }] }, "'age'"],
      [{ inputs: [] }, 'inputs'],
    ] as const) {
      const refused = await infer(wrong);
      expect(refused.status).toBe(400);
      expect(refused.body.error).toContain(text);
    }
    expect((await fetch(`${address}/versions/0/ready`)).status).toBe(404);
    for (const path of ['/v2', '/v2/health/live', '/v2/health/ready', '/v2/models/torch/ready'])
      expect((await fetch(server.url + path)).status).toBe(200);
  });

  test('every path in the OpenAPI document exists, and its references resolve', async () => {
    const document = JSON.parse(await (await fetch(`${server.url}/openapi.json`)).text());
    expect(document.openapi).toBe('3.1.0');
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
      expect(Object.keys(document.components.schemas)).toContain(name);
    expect(text).not.toContain('$defs');
    for (const path of Object.keys(document.paths)) {
      const response = await fetch(server.url + path.replace('{name}', 'torch'));
      expect([200, 404, 405]).toContain(response.status);
      if (document.paths[path].get) expect(response.status).toBe(200);
    }
  });

  describeInBrowser('in a browser', (browser) => {
    test('the page to try images shows labels in light mode, and in dark mode on a phone', async () => {
      const file = join(folder, 'drop.jpg');
      writeFileSync(file, await picture(11));
      for (const look of [
        { colorScheme: 'light', viewport: { width: 1200, height: 800 } },
        { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
      ] as const) {
        const page = await (await browser().newContext({ ...look, bypassCSP: true })).newPage();
        const problems: string[] = [];
        page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
        page.on('pageerror', (error) => problems.push(error.message));
        await page.goto(server.url);
        await page.setInputFiles('#files', file);
        await page.waitForSelector('.result .labels span');
        expect(await page.locator('.labels span').allTextContents()).toEqual(['crack', 'joint']);
        expect(await page.locator('.bars .name').allTextContents()).toHaveLength(1 + 3);
        expect(await page.locator('.bars .name').first().textContent()).toBe('Any class present');
        expect(await page.locator('.scale').textContent()).toContain('logit');
        expect(await page.locator('.example').count()).toBe(0);
        expect(await page.locator('.where button[aria-pressed=true]').textContent()).toBe('crack');
        await page.locator('.seen canvas').waitFor();
        expect(await page.locator('.facts').first().textContent()).toContain('joint');
        expect(await seriousFindings(page)).toEqual([]);
        await page.setInputFiles('#files', textFile(folder));
        await page.waitForSelector('.failed');
        expect(await wide(page)).toBe(0);
        // Printed, it is the model and its answers.
        await page.emulateMedia({ media: 'print' });
        expect(await page.locator('.labels').first().isVisible()).toBe(true);
        for (const part of ['#drop', '.result pre'])
          expect(await page.locator(part).first().isVisible()).toBe(false);
        await page.emulateMedia({ media: 'screen' });
        await page.goto(`${server.url}/docs`);
        expect(await page.locator('.operation').count()).toBeGreaterThan(10);
        expect(await page.textContent('main')).toContain('/v1/models/torch');
        expect(await seriousFindings(page)).toEqual([]);
        expect(await wide(page)).toBe(0);
        expect(problems.filter((text) => !text.includes('422'))).toEqual([]);
      }
    });
  });
});
