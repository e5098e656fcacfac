import { expect, test } from 'vitest';
import type { ServedModel } from '../models/servedModel.js';
import { createPages } from './pages.js';

const opening: ServedModel = {
  name: 'pipes',
  path: 'pipes.onnx',
  isReady: false,
  version: () => expect.fail('no version is open'),
  reload: async () => {},
  close: async () => {},
};

test('pages are made once, for however many requests, and name the address that was asked', () => {
  const models = new Map([['pipes', opening]]);
  const pages = createPages({ models, token: undefined, settings: { examples: false } });
  expect(pages.toTry()).toBe(pages.toTry());
  expect(String(pages.toTry().html)).toContain('pipes');
  for (const origin of ['http://localhost:8080', 'http://ml.example']) {
    const { html, policy } = pages.docs(origin);
    expect(String(html)).toContain(`${origin}/v1/predict`);
    expect(String(html)).not.toContain('.invalid');
    expect(policy).toBe(pages.docs('http://other').policy);
  }
  expect(String(pages.docs(`http://"'<b>`).html)).not.toContain('<b>/v1');
});
