// No command replaces one of its inputs or a file of a run.

import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runProgram } from '../commandLine/program.js';
import { commands } from './index.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

mkdirSync(at('run', 'scores'), { recursive: true });
mkdirSync(at('photos'));
const files: Readonly<Record<string, string>> = {
  'run/config.json': '{"datasetFingerprint": "0"}',
  'run/summary.json': '{}',
  'run/model.safetensors': 'weights',
  'run/scores/test.csv': 'Filename,crack\na.png,0.5\n',
  'labels.csv': 'Filename,crack\na.png,1\n',
  'photos/a.png': 'pixels',
  'notes.txt': 'mine',
};
for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
linkSync(at('photos', 'a.png'), at('twin.png'));

async function anyclass(words: readonly string[]): Promise<{ code: number; said: string }> {
  const notes: string[] = [];
  const terminal = { print() {}, note: (text: string) => void notes.push(text), onEvent() {} };
  const code = await runProgram(commands, words, terminal);
  return { code, said: notes.join('\n') };
}

test.each([
  ['predict', at('run'), at('photos/a.png'), '--out', at('photos/a.png')],
  ['predict', at('run'), at('photos'), '--out', at('photos/a.png'), '--force'],
  ['predict', at('run'), at('photos/a.png'), '--out', at('twin.png'), '--force'],
  ['predict', at('run/model.safetensors'), at('photos'), '--out', at('run/model.safetensors')],
  ['report', at('run'), '--out', at('run/summary.json'), '--force'],
  ['inspect', at('labels.csv'), '--html', at('labels.csv'), '--force'],
  [
    'evaluate',
    '--scores',
    at('run/scores/test.csv'),
    '--labels',
    at('labels.csv'),
    '--html',
    at('labels.csv'),
  ],
  [
    'evaluate',
    '--scores',
    at('labels.csv'),
    '--labels',
    at('labels.csv'),
    '--html',
    at('run/scores/test.csv'),
  ],
  ['evaluate', at('run'), at('labels.csv'), '--save-scores', at('labels.csv')],
  ['export', at('run/model.safetensors'), '--out', at('run/model.safetensors'), '--force'],
  ['playground', '--out', at('run/config.json'), '--force'],
  ['playground', '--out', at('notes.txt')],
])('%s does not touch the files that it must not replace', async (...words) => {
  const { code, said } = await anyclass(words);
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('cannot be written: ') });
  for (const [name, text] of Object.entries(files)) expect(readFileSync(at(name), 'utf8')).toBe(text);
});

test('force replaces a file that is neither an input nor part of a run', async () => {
  expect((await anyclass(['playground', '--out', at('notes.txt')])).said).toContain('--force');
  expect((await anyclass(['playground', '--out', at('notes.txt'), '--force'])).code).toBe(0);
  expect(readFileSync(at('notes.txt'), 'utf8')).toMatch(/^<!doctype html/i);
});
