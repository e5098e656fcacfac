import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runProgram } from '../commandLine/program.js';
import { playground } from './playground.js';

const folder = testFolder();

async function anyclass(...words: string[]): Promise<{ code: number; printed: string; noted: string }> {
  const printed: string[] = [];
  const noted: string[] = [];
  const code = await runProgram([playground], ['playground', ...words], {
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
    onEvent: () => {
      throw new Error('the playground has nothing to wait for');
    },
  });
  return { code, printed: printed.join('\n'), noted: noted.join('\n') };
}

test('the page is written whole, and the program says where', async () => {
  const out = join(folder, 'surfaces.html');
  expect(await anyclass('--out', out)).toMatchObject({ code: 0, printed: expect.stringContaining(out) });
  const html = readFileSync(out, 'utf8');
  expect(html).toMatch(/^<!doctype html>/);
  expect(html.trimEnd()).toMatch(/<\/html>$/);
  const { printed } = await anyclass('--out', out, '--json');
  expect(JSON.parse(printed)).toEqual({ file: out, bytes: Buffer.byteLength(html) });
});

test('missing folders are created; a file in their place is reported with exit code 1', async () => {
  const out = join(folder, 'metrics', 'page.html');
  expect((await anyclass('--out', out)).code).toBe(0);
  expect(existsSync(out)).toBe(true);
  const { code, noted } = await anyclass('--out', join(out, 'page.html'));
  expect(code).toBe(1);
  expect(noted).toBe(
    `anyclass: --out ${join(out, 'page.html')} cannot be written: part of the path is a file, not a folder`,
  );
});
