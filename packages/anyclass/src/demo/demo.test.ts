import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { UserError } from '../errors/userError.js';
import type { RunEvent } from '../events/runEvent.js';
import { runDemo } from './demo.js';
import { demoText } from './demoText.js';

const folder = testFolder();

const small = {
  seed: 1,
  epochs: 1,
  out: join(folder, 'runs'),
  scenes: { train: 64, validation: 100, test: 100 },
};

test('both losses are trained once despite an interruption, evaluated at 0.5 and with the gate, and compared', async () => {
  const stop = new AbortController();
  const onEvent = ({ type }: RunEvent) => {
    if (type === 'step') stop.abort();
  };
  expect(await runDemo({ ...small, onEvent, signal: stop.signal }, { seconds: 0 })).toBeUndefined();
  const result = await runDemo(small, { seconds: 0 });
  expect(result?.metrics.map(({ loss, decision }) => `${loss}, ${decision}`)).toEqual([
    'bce, at 0.5',
    'bce, gate',
    'any-bce, at 0.5',
    'any-bce, gate',
  ]);
  expect(result?.comparisons.map(({ title }) => title)).toEqual([
    'any-bce − bce, gate',
    'any-bce − bce, at 0.5',
    'gate − 0.5, bce',
  ]);
  const model = join(small.out, 'any-bce', 'model.safetensors');
  const written = statSync(model).mtimeMs;
  const again = await runDemo(small, { seconds: 0 });
  expect(again?.metrics).toEqual(result?.metrics);
  expect(statSync(model).mtimeMs).toBe(written);
  const text = demoText(result!);
  for (const word of ['any-bce, gate', 'F1-Neg', 'paired bootstrap', 'report.html'])
    expect(text).toContain(word);
  expect(text.startsWith(`${result!.comparisons[0]!.choice}: `)).toBe(true);
});

test('runs with other settings are not replaced', async () => {
  await expect(runDemo({ ...small, epochs: 2 }, { seconds: 0 })).rejects.toThrow(UserError);
  await expect(runDemo({ ...small, epochs: 2 }, { seconds: 0 })).rejects.toThrow(
    /epochs is 1 there and 2 now/,
  );
});
