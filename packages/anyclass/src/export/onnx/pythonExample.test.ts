import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nn, setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { FunctionModule } from '../../../test/onnxFunction.js';
import { fixedDecision } from '../../inference/modelDecision.js';
import { openPredictor } from '../../inference/predictor.js';
import { exportNetwork } from './exportOnnx.js';

// PEER_PYTHON: a Python with onnxruntime, Pillow and NumPy, if python3 does not have them.
const python = process.env['PEER_PYTHON'] ?? 'python3';
const hasPeers = spawnSync(python, ['-c', 'import onnxruntime, PIL, numpy']).status === 0;
const docs = resolve(import.meta.dirname, '../../../../../docs/export.md');
const folder = testFolder();

test.skipIf(!hasPeers)(
  'the Python example in docs/export.md prints the labels of predict (needs onnxruntime and Pillow in PEER_PYTHON)',
  async () => {
    const out = join(folder, 'model.onnx');
    const classes = ['crack', 'roots', 'deposits'];
    setSeed(3);
    const layer = new nn.Linear(3 * 32 * 32, classes.length);
    nn.init.normal_(layer.weight, 0, 0.05);
    using network = new FunctionModule((images) => layer.forward(images.flatten(1)), [layer]);
    const decision = { ...fixedDecision(classes, 0.5), presence: 0.7, thresholds: [0.5, 0.5, null] };
    const description = { classes, channels: 3, mean: [0.5, 0.4, 0.3], std: [0.2], decision } as const;
    await exportNetwork(network, { description, inputSize: 32, out });
    const names = await photos();
    const [code = ''] = readFileSync(docs, 'utf8').match(/(?<=```python\n).*?(?=```)/s) ?? [];
    const script = join(folder, 'example.py');
    writeFileSync(script, code.replaceAll("'sewer/", `'${folder}/`));
    const printed = execFileSync(python, [script, ...names], { encoding: 'utf8' })
      .trim()
      .split('\n');
    using predictor = await openPredictor(out);
    const expected: string[] = [];
    for (const name of names) {
      const { labels } = await predictor.predictOne(name);
      expected.push(`${name} ${labels.join('|') || 'negative'}`);
    }
    expect(printed).toEqual(expected);
    expect(new Set(expected.map((line) => line.split(' ').at(-1))).size).toBeGreaterThan(1);
  },
);

/** Writes gradients of several colors, which are smooth so that decoders agree. */
async function photos(): Promise<string[]> {
  const colors = ['#e02010', '#10c030', '#2040e0', '#f0f0e0', '#101010', '#c0a020'];
  return Promise.all(
    colors.map(async (color, i) => {
      const name = join(folder, `${i}.${['jpg', 'png', 'webp'][i % 3]}`);
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${90 + 20 * i}" height="80"><defs><linearGradient id="g">
<stop stop-color="${color}"/><stop offset="1" stop-color="#807060"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/></svg>`;
      await sharp(Buffer.from(svg)).toFile(name);
      return name;
    }),
  );
}
