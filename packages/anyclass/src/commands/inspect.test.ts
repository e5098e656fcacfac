import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../bin/anyclass.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-inspect-'));
const anyclass = (...words: string[]) =>
  spawnSync(process.execPath, [program, ...words], { encoding: 'utf8', cwd: folder });

beforeAll(async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `${i}.png,${i % 4 === 0 ? 1 : 0},${i % 5 === 0 ? 1 : 0}`);
  writeFileSync(join(folder, 'labels.csv'), `Filename,crack,root\n${rows.join('\n')}\n`);
  for (let i = 0; i < 20; i++) {
    const background = { r: 10 * i, g: 100, b: 50 };
    await sharp({ create: { width: 20, height: 10, channels: 3, background } })
      .png()
      .toFile(join(folder, `${i}.png`));
  }
  writeFileSync(join(folder, '7.png'), 'no image');
});
afterAll(() => rmSync(folder, { recursive: true }));

test('inspect counts positives and negatives, and names the unreadable image', () => {
  const { status, stdout } = anyclass('inspect', 'labels.csv', '--json');
  expect(status).toBe(0);
  const inspection: { splits: { total: number; negative: number }[]; quarantined: { name: string }[] } =
    JSON.parse(stdout);
  expect(inspection.splits.at(-1)).toMatchObject({ total: 20, negative: 12 });
  expect(inspection.quarantined.map(({ name }) => name)).toEqual(['7.png']);
});

test('inspect writes a page that needs nothing beside it', () => {
  const { status, stderr } = anyclass('inspect', 'labels.csv', '--html', 'page.html');
  expect(status).toBe(0);
  expect(stderr).toContain('the page is in page.html');
  const page = readFileSync(join(folder, 'page.html'), 'utf8');
  expect(page).toContain('<svg');
  expect(page).not.toMatch(/(src|href)="http/);
});

test('strict makes the unreadable image an error that names it', () => {
  const { status, stderr } = anyclass('inspect', 'labels.csv', '--strict');
  expect(status).toBe(1);
  expect(stderr).toContain('7.png');
  expect(stderr).not.toContain('    at ');
});

test('prepare decodes once, and the second run finds everything in place', () => {
  const first = anyclass('prepare', 'labels.csv', '--size', '16', '--json');
  expect(first.status).toBe(0);
  expect(first.stderr).toContain('left out 7.png');
  expect(JSON.parse(first.stdout)).toMatchObject({ rows: 20, decoded: 20 });
  const second = anyclass('prepare', 'labels.csv', '--size', '16', '--check', '--json');
  expect(JSON.parse(second.stdout)).toMatchObject({ rows: 20, decoded: 0 });
});

test('a table that is not there is told in one line, exit code 1', () => {
  const { status, stderr } = anyclass('inspect', 'nothing.csv');
  expect(status).toBe(1);
  expect(stderr).toBe('anyclass: nothing.csv: no such file or folder\n');
});
