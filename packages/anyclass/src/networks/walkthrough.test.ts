// The network that docs/networks.md adds works as the page says.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noGrad, randn, setSeed, tidy } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { networkGraph } from '../export/onnx/networkGraph.js';
import type { NetworkDefinition } from './definition.js';
import { foldInPlace } from './foldBatchNorm.js';
import { headNames } from './layers/classHead.js';
import { countMultiplyAdds } from './multiplyAdds.js';

const shared = { classes: 17, inputSize: 224, channels: 3, head: 'linear', mirror: false } as const;

test('the network of the walkthrough has 60 lines, the listed cost, every head, and exports', async () => {
  const definition = await definitionOnPage();
  const { defaults, trunk } = definition;
  using network = definition.build({ ...defaults, ...shared });
  const head = shared.classes * (trunk.features + 1);
  expect(network.parameterCount()).toBe(trunk.parameters + head);
  expect(countMultiplyAdds(network)).toBe(trunk.multiplyAdds + shared.classes * trunk.features);
  for (const name of headNames) {
    setSeed(1);
    using small = definition.build({ ...defaults, ...shared, inputSize: 32, channels: 1, head: name });
    tidy(() =>
      small
        .forward(randn([2, 1, 32, 32]))
        .sum()
        .backward(),
    );
    expect(small.parameters().filter(({ grad }) => grad === null)).toEqual([]);
    using images = randn([2, 1, 32, 32]);
    const logits = () => noGrad(() => tidy(() => small.eval().forward(images).toFloat32Array()));
    const before = logits();
    foldInPlace(small);
    for (const [i, value] of logits().entries()) expect(value).toBeCloseTo(before[i]!, 4);
    using exported = networkGraph(small, { inputShape: small.inputShape });
    expect(exported.graph.outputs.map(({ name: output }) => output)).toContain('logits');
  }
});

async function definitionOnPage(): Promise<NetworkDefinition> {
  const page = readFileSync(new URL('../../../../docs/networks.md', import.meta.url), 'utf8');
  const [, code = ''] = /```ts plain\.ts\n(.*?)```/s.exec(page) ?? [];
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(60);
  // Beside the networks, from where it finds the packages.
  const folder = mkdtempSync(join(import.meta.dirname, 'walkthrough-'));
  try {
    const file = join(folder, 'plain.ts');
    writeFileSync(file, code.replaceAll("from './", "from '../"));
    const { plain } = await import(file);
    return plain['plain-6'];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
