// Which images the paths on a command line stand for.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { createDecoder } from '../data/images/decoding/decoder.js';
import { imageInputs } from './imageInputs.js';

const fixtures = fileURLToPath(new URL('../../test/fixtures/data', import.meta.url));
const rgb = join(fixtures, 'rgb.png');
const folder = testFolder();

beforeAll(() => {
  mkdirSync(join(folder, 'images', 'below'), { recursive: true });
  writeFileSync(join(folder, 'images', 'note.txt'), 'no image');
  writeFileSync(join(folder, 'images', 'b.jpg'), 'not an image either');
  writeFileSync(join(folder, 'images', 'below', 'c.png'), '');
});

async function namesOf(...paths: string[]): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of imageInputs(paths)) names.push(name.replace(`${folder}/`, ''));
  return names;
}

test('folders are walked in order, patterns match, and files are used as they are', async () => {
  expect(await namesOf(join(folder, 'images'))).toEqual(['images/b.jpg', 'images/below/c.png']);
  expect(await namesOf(join(folder, 'images', '*', '*.png'))).toEqual(['images/below/c.png']);
  expect(await namesOf(join(folder, 'images', '**', '*.???'))).toEqual([
    'images/b.jpg',
    'images/below/c.png',
    'images/note.txt',
  ]);
});

test("a known dataset stands for the images of its test split, from the authors' folder", async () => {
  const sewer = join(folder, 'sewer');
  mkdirSync(join(sewer, 'Test'), { recursive: true });
  writeFileSync(join(sewer, 'SewerML_Test.csv'), 'Filename\nb.png\na.png\n');
  copyFileSync(rgb, join(sewer, 'Test', 'a.png'));
  expect(await namesOf(`sewerml=${sewer}`)).toEqual(['b.png', 'a.png']);
  expect(await failuresOf(`sewerml=${sewer}`)).toEqual([expect.stringContaining('b.png')]);
  const val = join(folder, 'validationOnly');
  mkdirSync(val);
  const codes = 'RB,OB,PF,DE,FS,IS,RO,IN,AF,BE,FO,GR,PH,PB,OS,OP,OK';
  writeFileSync(join(val, 'SewerML_Val.csv'), `Filename,${codes}\nc.png,${codes.replace(/\w+/g, '0')}\n`);
  await expect(namesOf(`sewerml=${val}`)).rejects.toThrow('has no test split');
});

async function failuresOf(...paths: string[]): Promise<string[]> {
  const failures: string[] = [];
  for await (const { name, read } of imageInputs(paths)) {
    await read().catch((error: Error) =>
      failures.push(`${name.replace(`${folder}/`, '')}: ${error.message}`),
    );
  }
  return failures;
}

test('a pattern without a match is reported as an unreadable image, and the others follow', async () => {
  expect(await failuresOf(join(folder, '*.bmp'), rgb)).toEqual(['*.bmp: no file matches']);
  // As Node shows a name that is not UTF-8.
  expect(await failuresOf(join(folder, 'stra\ufffde.png'))).toEqual([
    'stra\ufffde.png: its name is not valid UTF-8; rename the file',
  ]);
});

test.skipIf(process.platform === 'win32')(
  'pipes, devices and sockets are refused by kind, and the others follow (not on Windows)',
  async () => {
    const place = join(folder, 'unusual');
    mkdirSync(place);
    execFileSync('mkfifo', [join(place, 'a.jpg'), join(place, 'IM0001')]);
    symlinkSync('/dev/zero', join(place, 'b.jpg'));
    copyFileSync(rgb, join(place, 'd.png'));
    const socket = createServer().listen(join(place, 'c.jpg'));
    await once(socket, 'listening');
    const decoder = createDecoder({ width: 8, height: 8, channels: 3 }, {});
    const reasons: string[] = [];
    for await (const input of imageInputs([place])) {
      const decoded = decoder.readInto(input, new Uint8Array(192), 0);
      reasons.push(await decoded.then(() => 'decoded', String));
    }
    socket.close();
    await decoder.close();
    expect(reasons).toEqual([
      expect.stringContaining('is a named pipe'),
      expect.stringContaining('is a device'),
      expect.stringContaining('is a socket'),
      'decoded',
    ]);
  },
);

test('links to folders are followed, unless they lead back', async () => {
  mkdirSync(join(folder, 'linked', 'a'), { recursive: true });
  mkdirSync(join(folder, 'elsewhere'));
  copyFileSync(rgb, join(folder, 'linked', 'a', 'a.png'));
  copyFileSync(rgb, join(folder, 'elsewhere', 'b.png'));
  symlinkSync('../elsewhere', join(folder, 'linked', 'b'));
  symlinkSync('../..', join(folder, 'linked', 'a', 'top'));
  symlinkSync('gone.png', join(folder, 'linked', 'c.png'));
  const names = await namesOf(join(folder, 'linked'));
  expect(names.filter((name) => !name.includes('top'))).toEqual([
    'linked/a/a.png',
    'linked/b/b.png',
    'linked/c.png',
  ]);
  expect(names.every((name) => !name.includes('top/linked'))).toBe(true);
  expect(await namesOf(join(folder, 'linked', '?', 'b.png'))).toEqual(['linked/b/b.png']);
  expect(await failuresOf(join(folder, 'linked', 'c.png'))).toEqual(['linked/c.png: no such file']);
});

test.skipIf(process.getuid?.() === 0)(
  'a folder that cannot be read is reported, and the others follow',
  async () => {
    mkdirSync(join(folder, 'closed', 'a'), { recursive: true });
    copyFileSync(rgb, join(folder, 'closed', 'b.png'));
    chmodSync(join(folder, 'closed', 'a'), 0);
    expect(await namesOf(join(folder, 'closed'))).toEqual(['closed/a', 'closed/b.png']);
    expect(await failuresOf(join(folder, 'closed'))).toEqual([
      'closed/a: this folder cannot be read: permission denied',
    ]);
    // Nothing below it could match.
    expect(await failuresOf(join(folder, 'closed', '*.png'))).toEqual([]);
    chmodSync(join(folder, 'closed', 'a'), 0o700);
  },
);

test('a list of paths comes from standard input', async () => {
  const names: string[] = [];
  const list = Readable.from(['a.png\n\n b.', 'png\r\n']);
  for await (const { name } of imageInputs(['-'], list)) names.push(name);
  expect(names).toEqual(['a.png', 'b.png']);
  // A list cannot contain another list.
  for await (const { name } of imageInputs(['-'], Readable.from(['-\n']))) names.push(name);
  expect(names.at(-1)).toBe('-');
});

test('Parquet files yield one image per row', async () => {
  const found = [];
  for await (const input of imageInputs([join(fixtures, 'class-columns.parquet')])) found.push(input);
  expect(found.length).toBeGreaterThan(0);
  expect((await found[0]!.read()).kind).toBe('encoded');
});

test('Parquet files are found in folders and by patterns; a damaged one is reported as unreadable', async () => {
  mkdirSync(join(folder, 'shards'));
  const whole = readFileSync(join(fixtures, 'class-columns.parquet'));
  writeFileSync(join(folder, 'shards', 'a.parquet'), whole.subarray(0, whole.length / 2));
  writeFileSync(join(folder, 'shards', 'b.parquet'), whole);
  const rows = await namesOf(join(fixtures, 'class-columns.parquet'));
  for (const path of ['', '*.parquet']) {
    expect(await namesOf(join(folder, 'shards', path))).toEqual(['shards/a.parquet', ...rows]);
    expect(await failuresOf(join(folder, 'shards', path))).toEqual([
      expect.stringMatching(/^shards\/a.parquet: cannot be read as Parquet: /),
    ]);
  }
  expect(await failuresOf(join(folder, 'none.parquet'))).toEqual(['none.parquet: no such file or folder']);
});
