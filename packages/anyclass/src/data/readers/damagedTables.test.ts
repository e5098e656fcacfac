import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DataError } from '../../errors/dataError.js';
import { closeDataset } from '../dataset.js';
import { openDataset } from '../openDataset.js';
import { randomStream } from '../philox.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-damaged-'));
afterAll(() => rmSync(folder, { recursive: true }));

const csv = Buffer.from(
  [
    'Filename,crack,root',
    ...Array.from({ length: 40 }, (_, i) => `${i}.png,${i % 2},${i % 3 === 0 ? 1 : 0}`),
  ].join('\n'),
);
const json = Buffer.from(
  JSON.stringify({
    images: Array.from({ length: 20 }, (_, id) => ({ id, file_name: `${id}.jpg` })),
    annotations: Array.from({ length: 30 }, (_, i) => ({ image_id: i % 20, category_id: (i % 2) + 1 })),
    categories: [
      { id: 1, name: 'cat', supercategory: 'animal' },
      { id: 2, name: 'boat', supercategory: 'vehicle' },
    ],
  }),
);

const damages: ((bytes: Buffer, draw: ReturnType<typeof randomStream>) => Buffer)[] = [
  (bytes, draw) => bytes.subarray(0, draw.below(bytes.length)),
  (bytes, draw) => {
    const copy = Buffer.from(bytes);
    for (let i = 0; i < 4; i++) copy[draw.below(copy.length)] = draw.below(256);
    return copy;
  },
  (bytes, draw) => {
    const at = draw.below(bytes.length);
    const piece = ['"', '{', ']', '\\', ',', '\n', '\u0000', '\ufffd'][draw.below(8)]!;
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at)]);
  },
];

test.each([
  ['csv', csv],
  ['json', json],
  ['parquet', Buffer.concat([Buffer.from('PAR1'), csv, Buffer.from('PAR1')])],
] as const)(
  '300 damaged .%s files are read or refused with a message that names the file',
  async (kind, whole) => {
    let refused = 0;
    for (let i = 0; i < 300; i++) {
      const path = join(folder, `damaged.${kind}`);
      writeFileSync(path, damages[i % 3]!(whole, randomStream('sample', 2, 0, i)));
      try {
        const dataset = await openDataset(path);
        expect(dataset.labels.rows).toBeGreaterThan(0);
        await closeDataset(dataset);
      } catch (error) {
        expect(error).toBeInstanceOf(DataError);
        expect(String(error)).toMatch(new RegExp(`damaged\\.${kind}`));
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(kind === 'parquet' ? 299 : 80);
  },
);
