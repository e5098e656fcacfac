import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { fakeHub, sha256 } from '../../test/fakeHub.mjs';
import { killDownloads, outputOf, pull } from '../../test/killedDownloads.mjs';

test('a repeatedly killed download ends with the right bytes and transfers at most 10% more than the file', async () => {
  const { inTransfer, wrong, finished, mostTransferred } = await killDownloads(3, 32, () => {});
  expect({ inTransfer, wrong }).toEqual({ inTransfer: 3, wrong: 0 });
  expect(finished).toBeGreaterThan(0);
  expect(mostTransferred).toBeLessThanOrEqual(1.1);
}, 120_000);

test('four processes at once make one transfer', async () => {
  const home = testFolder();
  const content = randomBytes(8 * 2 ** 20);
  const hub = await fakeHub({ 'model.safetensors': content }, { pause: 20 });
  try {
    const outputs = await Promise.all([1, 2, 3, 4].map(() => outputOf(pull(home, hub.state.endpoint))));
    const paths = new Set(outputs.map((output) => JSON.parse(output)[0].path));
    expect([...paths].map((path) => sha256(readFileSync(path)))).toEqual([sha256(content)]);
    expect(hub.state.bytesSent).toBe(content.length);
    expect(hub.state.requests.filter(({ server }) => server === 'storage').length).toBe(1);
  } finally {
    await hub.close();
  }
}, 120_000);
