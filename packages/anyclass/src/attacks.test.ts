// Runs about a thousand of the attacks in test/attacks; `npm run test:attacks` runs tens of thousands.

import { expect, test } from 'vitest';
import { runAttacks } from '../test/attacks/attacks.mjs';

const counts: Readonly<Record<string, number>> = {
  'damaged images': 100,
  'damaged tables': 150,
  'damaged safetensors': 100,
  'damaged PyTorch files': 60,
  'damaged ONNX files': 60,
  'damaged caches': 15,
  'outputs over inputs': 15,
  'wrong operator calls': 500,
  'full disk': 20,
};

test('no attack is mistaken for data, replaces a file or crashes the process', async () => {
  for (const { name, problems } of await runAttacks((row) => counts[row] ?? 0))
    expect([name, problems]).toEqual([name, []]);
}, 240_000);
