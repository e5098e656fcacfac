import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { wavyPicture } from '../../../test/pictures.js';
import { splitNames } from '../dataset/dataset.js';
import { nameTableBuilder } from '../dataset/nameTable.js';
import { type OpenOptions, openDataset } from '../openDataset.js';
import { lookAlikeGroups } from './lookAlikeGroups.js';

const folder = testFolder();
const table = join(folder, 'labels.csv');
const hashFolder = join(folder, 'cache');

const pictures = 12;

/** Twelve pictures, each as a PNG, a smaller JPEG, and a byte-identical copy, and two copies of one color. */
beforeAll(async () => {
  const lines = ['image,patient,crack'];
  for (let i = 0; i < pictures; i++) {
    const png = await wavyPicture(i)().png().toBuffer();
    writeFileSync(join(folder, `${i}.png`), png);
    writeFileSync(join(folder, `${i}-copy.png`), png);
    writeFileSync(join(folder, `${i}-small.jpg`), await sharp(png).resize(80, 80).jpeg().toBuffer());
    lines.push(`${i}.png,p${i},${i % 2}`, `${i}-small.jpg,q${i},${i % 2}`, `${i}-copy.png,p${i},${i % 2}`);
  }
  const gray = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#777' } })
    .png()
    .toBuffer();
  for (const name of ['x.png', 'y.png']) {
    writeFileSync(join(folder, name), gray);
    lines.push(`${name},p-${name},0`);
  }
  writeFileSync(table, lines.join('\n'));
});

async function open(options: OpenOptions) {
  const dataset = await openDataset(table, { groups: 'look-alikes', hashFolder, ...options });
  await dataset.images.close();
  return dataset;
}

test('copies, smaller and re-encoded ones are one group, and no drawn split shares a group', async () => {
  for (let seed = 0; seed < 5; seed++) {
    const { groups, splits, names, splitOrigin } = await open({ draw: { seed }, ignoreColumns: ['patient'] });
    expect(groups?.column).toBe('look-alike set');
    expect(groups?.names).toHaveLength(pictures + 1);
    expect(splitOrigin).toContain('look-alike set');
    for (let i = 0; i < pictures; i++) {
      expect(new Set(groups?.codes.subarray(3 * i, 3 * i + 3)).size).toBe(1);
    }
    const splitOf = Array.from({ length: names.length }, (_, row) =>
      splitNames.find((split) => splits[split].includes(row)),
    );
    const { codes } = groups!;
    expect(splitOf).toEqual(splitOf.map((_, row) => splitOf[codes.indexOf(codes[row]!)]));
  }
});

test('a column of groups is joined with look-alikes', async () => {
  const { groups } = await open({});
  expect(groups?.column).toBe('patient or look-alike set');
  expect(groups?.names).toHaveLength(pictures + 1);
  expect(groups?.names.slice(0, 2)).toEqual(['p0', 'p1']);
  expect(groups?.names).toContain('p-x.png');
});

test('images are read once, and again if one has changed', async () => {
  const notes: string[] = [];
  const onNote = (text: string) => notes.push(text);
  const fresh = join(folder, 'fresh');
  await open({ hashFolder: fresh, onNote });
  await open({ hashFolder: fresh, onNote });
  expect(notes).toHaveLength(1);
  expect(readdirSync(fresh)).toHaveLength(1);
  const other = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#123' } })
    .png()
    .toBuffer();
  writeFileSync(join(folder, 'y.png'), other);
  const { groups } = await open({ hashFolder: fresh, onNote });
  expect(notes).toHaveLength(2);
  expect(groups?.names).toHaveLength(pictures + 2);
});

test('features have no look-alikes', async () => {
  const features = join(folder, 'features.csv');
  writeFileSync(features, 'id,feature_0,crack\na,0.5,1\nb,0.25,0\n');
  await expect(openDataset(features, { groups: 'look-alikes' })).rejects.toThrow(
    'data.groups is look-alikes, but features.csv has features, not images',
  );
});

test('rows are in one group exactly if a chain of look-alikes and own groups connects them', () => {
  const count = 12;
  const names = nameTableBuilder();
  for (let row = 0; row < count; row++) names.add(`${row}.png`);
  const table = names.finish();
  const row = fc.integer({ min: 0, max: count - 1 });
  const sets = fc.array(fc.uniqueArray(row, { minLength: 2, maxLength: 4 }), { maxLength: 4 });
  const owners = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: count, maxLength: count });
  fc.assert(
    fc.property(sets, fc.option(owners), (found, own) => {
      const labels = own && [...new Set(own)];
      const grouping = own && {
        column: 'patient',
        codes: Int32Array.from(own, (owner) => labels!.indexOf(owner)),
        names: labels!.map(String),
      };
      const { codes, names: groupNames } = lookAlikeGroups(grouping ?? undefined, found, table);
      const isLinked = (a: number, b: number) =>
        (own && own[a] === own[b]) || found.some((set) => set.includes(a) && set.includes(b));
      const reached = (start: number) => {
        const seen = new Set([start]);
        for (const at of seen) for (let b = 0; b < count; b++) if (isLinked(at, b)) seen.add(b);
        return seen;
      };
      for (let a = 0; a < count; a++) {
        const together = reached(a);
        for (let b = 0; b < count; b++) expect(codes[a] === codes[b]).toBe(together.has(b));
      }
      expect(new Set(groupNames).size).toBe(groupNames.length);
      expect([...new Set(codes)]).toEqual(groupNames.map((_, code) => code));
    }),
  );
});
