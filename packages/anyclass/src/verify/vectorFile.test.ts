import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { readVectorFile } from './vectorFile.js';

const folder = testFolder();

function written(name: string, content: unknown): string {
  const file = path.join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('a file with other content is rejected by name, with its keys', () => {
  const file = written('other.json', { train: {}, val: {} });
  expect(() => readVectorFile(file)).toThrow(
    /other\.json: not a file of golden losses .* the keys train, val/,
  );
});

test('a file that is not JSON is rejected by name', () => {
  expect(() => readVectorFile(written('broken.json', '[{'))).toThrow(/broken\.json: not JSON/);
});

test('a damaged case is reported with its place', () => {
  const file = written('losses.json', [{ logits: [[1]], targets: [['x']] }]);
  expect(() => readVectorFile(file)).toThrow(/losses\.json: 0\.targets\.0\.0: /);
});
