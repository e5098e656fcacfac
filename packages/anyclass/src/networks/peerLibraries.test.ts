// Our networks compute what timm's, torchvision's and transformers' compute with the same file, which the library writes here: every
// network and size, odd input sizes, gray and multi-band images, files for other images than the network's.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { compareWithPeer, type PeerCase, peerCases, peerValues } from '../../test/peerNetworks.js';
import { networkDefinitions, networkNames } from './catalog.js';

// PEER_PYTHON: a Python with these libraries, if python3 does not have them.
const python = process.env['PEER_PYTHON'] ?? 'python3';
const search = `
from importlib.util import find_spec
assert all(map(find_spec, ("timm", "torchvision", "transformers", "safetensors")))`;
const hasPeers = spawnSync(python, ['-c', search]).status === 0;

const cases = peerCases({ stored: false });

test('every network for images that others have is compared, except our own small TResNet', () => {
  const all = [...cases, ...peerCases({ stored: true })].map(([, { network }]) => network);
  const left = networkNames.filter(
    (name) => networkDefinitions[name].input !== 'features' && !all.includes(name),
  );
  expect(left).toEqual(['tresnet-s']);
});

describe.skipIf(!hasPeers)(
  'with the peer in Python (needs timm, torchvision and transformers in PEER_PYTHON or python3)',
  () => {
    const folder = testFolder();
    const script = resolve(import.meta.dirname, '../../../../bench/fixtures/networks/make.py');
    let answer: (one: PeerCase) => Promise<string> = () => Promise.reject(new Error('not started'));
    let end: () => Promise<unknown> = async () => undefined;

    // One process for all, because importing the libraries takes longest. It computes the next case while we compare.
    beforeAll(() => {
      const peer = spawn(python, [script, '-', folder], { stdio: ['pipe', 'pipe', 'inherit'] });
      const lines = createInterface(peer.stdout)[Symbol.asyncIterator]();
      const answers = new Map<PeerCase, Promise<string>>();
      const ask = (one: PeerCase) => {
        peer.stdin.write(`${JSON.stringify(one)}\n`);
        const line = lines.next().then(({ value }) => value ?? '');
        answers.set(one, line);
        return line;
      };
      answer = (one) => {
        const own = answers.get(one) ?? ask(one);
        const next = cases[cases.findIndex(([, other]) => other === one) + 1]?.[1];
        if (next && !answers.has(next)) ask(next);
        return own;
      };
      end = async () => {
        peer.stdin.end();
        if (peer.exitCode === null) await once(peer, 'exit');
      };
    });
    afterAll(async () => {
      await end();
    }, 60_000);

    test.each(cases)(
      '%s',
      async (_, one) => {
        const values = peerValues.parse(JSON.parse(await answer(one)));
        compareWithPeer(values, one, values.file ?? '');
        rmSync(dirname(values.file ?? ''), { recursive: true });
      },
      240_000,
    );
  },
);
