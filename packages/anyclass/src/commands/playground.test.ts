import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runProgram } from '../commandLine/program.js';
import { playground } from './playground.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-playground-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function anyclass(...words: string[]): Promise<{ code: number; printed: string; noted: string }> {
  const printed: string[] = [];
  const noted: string[] = [];
  const code = await runProgram([playground], ['playground', ...words], {
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
    progress: () => {
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

test('a folder that is not there is named, with exit code 1', async () => {
  const out = join(folder, 'nowhere', 'page.html');
  const { code, noted } = await anyclass('--out', out);
  expect(code).toBe(1);
  expect(noted).toContain(`--out ${out} cannot be written`);
  expect(noted).not.toContain('    at ');
});
