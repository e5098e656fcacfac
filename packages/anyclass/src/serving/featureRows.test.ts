import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { picture, saveServedFeatures, saveServedModel, servedClasses } from '../../test/servedModels.js';
import { exportOnnx } from '../export/onnx/exportOnnx.js';
import { openPredictor } from '../inference/predictor.js';
import { type Server, serve } from './serve.js';

const folder = testFolder();
const torch = join(folder, 'torch.safetensors');
const onnx = join(folder, 'onnx', 'onnx.onnx');
const images = join(folder, 'images.safetensors');

describe('serving feature vectors', () => {
  let server: Server;
  beforeAll(async () => {
    saveServedFeatures(torch);
    saveServedModel(images);
    await exportOnnx(torch, { out: onnx });
    server = await serve([torch, onnx, images], { port: 0, device: 'cpu', drain: 0, log: () => {} });
  }, 60_000);
  afterAll(() => server?.close(), 60_000);

  const post = async (path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') => {
    const headers = { 'content-type': type };
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body, headers });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const predict = (body: object, model = 'torch') => post('/v1/predict', JSON.stringify({ model, ...body }));

  test.each(['torch', 'onnx'])(
    'rows by name and by position get the same predictions from %s as from predict',
    async (model) => {
      using predictor = await openPredictor(model === 'torch' ? torch : onnx, { device: 'cpu' });
      const rows = [
        [2, -1, 0.5],
        [0, null, 4],
      ];
      const { body } = await predict({ rows: [...rows, { depth: 0.5, width: 2, height: -1 }] }, model);
      const expected = await Promise.all(
        [...rows, rows[0]!].map((row) => predictor.predictOne(row.map((value) => value ?? Number.NaN))),
      );
      expect(body.predictions).toHaveLength(3);
      for (const [i, { labels, probabilities }] of expected.entries()) {
        expect(body.predictions[i].labels).toEqual(labels);
        for (const name of servedClasses)
          expect(body.predictions[i].probabilities[name]).toBeCloseTo(probabilities[name]!, 6);
      }
      const infer = { name: 'features', datatype: 'FP32', shape: [2, 3], data: rows };
      const second = await post(`/v2/models/${model}/infer`, JSON.stringify({ inputs: [infer] }));
      expect(second.body.outputs[0].data[0]).toBeCloseTo(expected[0]!.probabilities[servedClasses[0]!]!, 6);
    },
  );

  test('a group gets an answer of its own, with whether it was promised', async () => {
    const rows = [
      [2, -1, 0.5],
      [0, null, 4],
    ];
    const { body: without } = await predict({ rows });
    expect(without).not.toHaveProperty('groups');
    const { body } = await predict({ rows, group: 'pipe 7' });
    expect(body.predictions).toEqual(without.predictions);
    const presences = body.predictions.map(
      ({ presence }: { presence: { probability: number } }) => presence.probability,
    );
    expect(body.groups).toEqual([
      expect.objectContaining({ group: 'pipe 7', images: 2, unreadable: 0, isPromised: false }),
    ]);
    expect(body.groups[0].presence).toBe(Math.max(...presences));
    const form = new FormData();
    form.append('image', new Blob([new Uint8Array(await picture(1))]), 'a.jpg');
    form.append('image', new Blob(['no image']), 'b.png');
    form.append('group', 'pipe 8');
    const sent = await fetch(`${server.url}/v1/predict?model=images`, { method: 'POST', body: form });
    const [answer] = JSON.parse(await sent.text()).groups;
    expect(answer).toMatchObject({ group: 'pipe 8', images: 1, unreadable: 1 });
    expect(answer.outcome).not.toBe('clear');
    const raw = await post(
      '/v1/predict?model=images&group=9',
      new Uint8Array(await picture(2)),
      'image/jpeg',
    );
    expect(raw.body.groups).toMatchObject([{ group: '9', images: 1 }]);
  });

  test('models list what they promise', () => {
    const [model] = server.models();
    expect(model!.decision).toMatchObject({ unit: 'image', promises: [], budget: expect.any(Object) });
  });

  test('models list their features', async () => {
    const [model] = server.models();
    expect(model).toMatchObject({ name: 'torch', input: { features: ['width', 'height', 'depth'] } });
    const described = await (await fetch(`${server.url}/v2/models/torch`)).json();
    expect(described).toMatchObject({ inputs: [{ name: 'features', datatype: 'FP32', shape: [-1, 3] }] });
  });

  test('input that does not fit is rejected with what is expected', async () => {
    const detail = async (asked: Promise<{ status: number; body: { detail: string } }>) => {
      const { status, body } = await asked;
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      return body.detail;
    };
    expect(await detail(predict({ row: [1, 2] }))).toContain('2 features; the model takes 3');
    expect(await detail(predict({ row: { width: 1, height: 2 } }))).toContain(
      "'depth' is missing; send null",
    );
    expect(await detail(predict({ row: { width: 1, height: 2, deep: 1 } }))).toContain("'deep'");
    expect(await detail(predict({ row: [1, 2, 1e39] }))).toContain('1e+39');
    expect(await detail(predict({ row: ['1', 2, 3] }))).toContain('row');
    expect(await detail(predict({ row: [1, 2, 3], image: 'AAAA' }))).toContain('not both');
    expect(await detail(predict({ row: [1, 2, 3] }, 'images'))).toContain('takes images');
    const photo = new Uint8Array(await picture(1));
    expect(await detail(post('/v1/predict?model=torch', photo, 'image/jpeg'))).toContain('rows of features');
    const some = await predict({ rows: [[1, 2, 3], [1]] });
    expect(some.body.predictions[1].failure).toContain('1 feature;');
  });
});
