import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { refuseReplacing, refuseSameFile } from './replacing.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

const page = '<!doctype html>\n<title>x</title>';
const kind = 'an HTML page';

test('an input is never replaced, be it by its name, a symbolic link, or a hard link', () => {
  writeFileSync(at('input.html'), page);
  symlinkSync('input.html', at('link.html'));
  linkSync(at('input.html'), at('twin.html'));
  for (const name of ['input.html', 'link.html', 'twin.html']) {
    const replace = () => refuseReplacing(at(name), { kind, inputs: [at('input.html')], force: true });
    expect(replace).toThrow(`it is an input (${at('input.html')})`);
  }
  expect(() => refuseSameFile('--out', at('twin.html'), at('input.html'))).toThrow('--out');
  refuseSameFile('--out', at('none.html'), at('input.html'));
});

test('only older outputs in an input folder are replaced, even with force', () => {
  mkdirSync(at('photos'));
  writeFileSync(at('photos', 'a.jpg'), '\xff\xd8');
  writeFileSync(at('photos', 'old.html'), page);
  const inputs = [at('photos')];
  expect(() => refuseReplacing(at('photos', 'a.jpg'), { kind, inputs, force: true })).toThrow('input folder');
  refuseReplacing(at('photos', 'old.html'), { kind, inputs });
  refuseReplacing(at('photos', 'new.html'), { kind, inputs });
});

test('a run file is never replaced, and a name that a run needs is never taken', () => {
  mkdirSync(at('run', 'scores'), { recursive: true });
  writeFileSync(at('run', 'config.json'), '{"datasetFingerprint": "0"}');
  symlinkSync('run', at('alias'));
  for (const name of ['config.json', 'summary.json', 'report.html', 'scores/mine.csv']) {
    expect(() => refuseReplacing(at('run', name), { kind, force: true })).toThrow('a file of the run');
    expect(() => refuseReplacing(at('alias', name), { kind, force: true })).toThrow('a file of the run');
  }
  refuseReplacing(at('run', 'comparison.html'), { kind });
  for (const name of ['model.safetensors', 'scores/test.csv']) {
    writeFileSync(at('run', name), name);
    const twin = at(`twin of ${name.slice(0, 5)}`);
    linkSync(at('run', name), twin);
    expect(() => refuseReplacing(twin, { kind, inputs: [at('run')], force: true })).toThrow(at('run', name));
  }
  mkdirSync(at('exported'));
  writeFileSync(at('exported', 'config.json'), '{"architecture": "resnet18"}');
  refuseReplacing(at('exported', 'report.html'), { kind });
});

test.each([
  ['an HTML page', '<!DOCTYPE html><html>'],
  ['a table of scores', 'Filename,crack\na.jpg,0.5\n'],
  ['a table of predictions', 'Filename,crack,labels\na.jpg,0.5,crack\n'],
  ['predictions as JSON lines', '{"Filename":"a.jpg"}\n'],
  ['a configuration', '// Written by anyclass recommend\n{ "data": {} }'],
  ['an ONNX model', '\u0008\u0008'],
] as const)('%s replaces an older one or an empty file, and other files only with force', (written, text) => {
  writeFileSync(at('old'), text);
  refuseReplacing(at('old'), { kind: written });
  writeFileSync(at('empty'), '');
  refuseReplacing(at('empty'), { kind: written });
  writeFileSync(at('notes'), 'my notes');
  expect(() => refuseReplacing(at('notes'), { kind: written })).toThrow(`not ${written}`);
  refuseReplacing(at('notes'), { kind: written, force: true });
});
