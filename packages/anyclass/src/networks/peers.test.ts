// Our networks compute what timm's and torchvision's compute: with the values that bench/fixtures/networks/make.py stored.
// Weights are hashes of the peer's names, written to a file and loaded like any file of theirs, so these tests cover names, shapes
// and conversions too. peerLibraries.test.ts asks the libraries themselves.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveTensors, tidy } from '@anyclass/torch';
import { test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { compareWithPeer, peerCases, peerFixtures, peerValues } from '../../test/peerNetworks.js';
import { hashedEntry } from '../verify/hashFill.js';

const folder = testFolder();

test.each(peerCases({ stored: true }))('%s', (_, one) => {
  const stored = join(peerFixtures, `${one.network}.${one.peer.replace('/', '.')}.json`);
  const values = peerValues.parse(JSON.parse(readFileSync(stored, 'utf8')));
  const file = join(folder, 'weights.safetensors');
  tidy(() =>
    saveTensors(
      file,
      values.entries.map(([name, shape]) => [name, hashedEntry(name, shape, { salt: one.salt })] as const),
    ),
  );
  compareWithPeer(values, one, file);
});
