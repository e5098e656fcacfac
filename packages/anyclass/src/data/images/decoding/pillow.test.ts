import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { decodeImage } from './decode.js';

const python = '/usr/bin/python3';
const peer = resolve(import.meta.dirname, '../../../../../../bench/data/pillow_peer.py');
const withoutPillow = spawnSync(python, ['-c', 'import PIL, numpy, sklearn']).status !== 0;
const folder = testFolder();

test.skipIf(withoutPillow).each([
  [640, 480], // shrunk by the filter alone
  [900, 1200], // also while the JPEG is decoded
  [160, 120], // enlarged
  [150, 600], // one side enlarged, the other shrunk
])(
  'photographs of %ix%i are within 2 gray levels of Pillow’s antialiased bilinear (needs Pillow, scikit-learn)',
  async (width, height) => {
    const files = join(folder, `${width}`);
    mkdirSync(files);
    execFileSync(python, [peer, 'make', files, '6', `${width}`, `${height}`]);
    execFileSync(python, [peer, 'resize', files, join(folder, 'out.bin')]);
    const expected = readFileSync(join(folder, 'out.bin'));
    const stride = 224 * 224 * 3;
    for (let i = 0; i < 6; i++) {
      const bytes = readFileSync(join(files, `0000${i}.jpg`));
      const pixels = await decodeImage({ kind: 'encoded', bytes }, { width: 224, height: 224, channels: 3 });
      const sum = pixels.reduce((total, value, k) => total + Math.abs(value - expected[i * stride + k]!), 0);
      expect(sum / stride).toBeLessThan(2);
    }
  },
);
