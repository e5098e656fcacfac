// Attacks on what reads files and calls the engine, the same ones for the same seed. Every case must end as it should or with an error
// that is meant for users; anything else is a failure and is printed.
//
//   node packages/anyclass/test/attacks/attacks.mjs 10000 [SEED]      (cases a row; needs a build: npm run setup)

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSafetensors, WeightFileError, writeSafetensors } from '@anyclass/torch';
import { FileError } from '@anyclass/torch/files';
import { runProgram } from '../../dist/commandLine/program.js';
import { commandEntries } from '../../dist/commands/entries.js';
import { openPixels } from '../../dist/data/cache/openCache.js';
import { prepareCache } from '../../dist/data/cache/prepareCache.js';
import { decodeImage } from '../../dist/data/images/decode.js';
import { openDataset } from '../../dist/data/openDataset.js';
import { randomStream } from '../../dist/data/philox.js';
import { UserError } from '../../dist/errors/userError.js';

const fixtures = fileURLToPath(new URL('../fixtures/data', import.meta.url));
const format = { width: 16, height: 16, channels: 3 };

/** An error that a user can do something with. */
const isMeant = (error) =>
  error instanceof UserError || error instanceof WeightFileError || error instanceof FileError;

/** Bytes cut off, flipped, zeroed, repeated, replaced by a mark, or random. */
export function damaged(bytes, draw) {
  if (bytes.length === 0) return Buffer.from([draw.below(256)]);
  const copy = Buffer.from(bytes);
  const at = draw.below(copy.length);
  switch (draw.below(6)) {
    case 0:
      return copy.subarray(0, at);
    case 1:
      for (let i = 0; i <= draw.below(8); i++) {
        const place = draw.below(copy.length);
        copy[place] ^= 1 << draw.below(8);
      }
      return copy;
    case 2:
      return copy.fill(0, at, Math.min(copy.length, at + 1 + draw.below(64)));
    case 3:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(Math.max(0, at - 40))]);
    case 4:
      return Buffer.concat([
        copy.subarray(0, at),
        Buffer.from(['"', '\0', '{', '\n', ',', '\ufeff', '__proto__'][draw.below(7)]),
        copy.subarray(at),
      ]);
    default:
      for (let i = at; i < Math.min(copy.length, at + 32); i++) copy[i] = draw.below(256);
      return copy;
  }
}

async function images(count, drawOf) {
  const files = readdirSync(fixtures).filter((name) => /\.(png|jpg|webp|tif|gif)$/.test(name));
  const pictures = files.map((name) => readFileSync(join(fixtures, name)));
  return each(count, drawOf, async (draw) => {
    const bytes = damaged(pictures[draw.below(pictures.length)], draw);
    try {
      const pixels = await decodeImage({ kind: 'encoded', bytes }, format);
      if (pixels.length !== 768) return `decoded to ${pixels.length} bytes`;
    } catch (error) {
      if (!isMeant(error) || /unknown error|undefined/i.test(error.message)) return String(error);
    }
  });
}

async function tables(count, drawOf, folder) {
  const rows = Array.from({ length: 30 }, (_, i) => i);
  const samples = {
    'labels.csv': [
      'Filename,crack,roots,split',
      ...rows.map((i) => `${i}.png,${i % 2},${i % 3 === 0 ? 1 : ''},${['train', 'val', 'test'][i % 3]}`),
    ].join('\n'),
    'words.csv': [
      'image,labels',
      ...rows.map((i) => `${i}.png,"${['crack|roots', 'crack', ''][i % 3]}"`),
    ].join('\n'),
    'features.csv': [
      'id,feature_0,feature_1,crack',
      ...rows.map((i) => `r${i},${i / 7},${i % 4 === 0 ? '' : -i},${i % 2}`),
    ].join('\n'),
    'features.arff': [
      '@relation pipes',
      '@attribute width numeric',
      '@attribute crack {0,1}',
      '@data',
      ...rows.map((i) => (i % 3 === 0 ? `{0 ${i + 1}, 1 1}` : `${i / 7},${i % 2}`)),
    ].join('\n'),
    'instances.json': JSON.stringify({
      images: rows.map((i) => ({ id: i, file_name: `${i}.png` })),
      annotations: rows.map((i) => ({ id: i, image_id: i, category_id: 1 + (i % 2) })),
      categories: [
        { id: 1, name: 'crack' },
        { id: 2, name: 'roots' },
      ],
    }),
  };
  const parquet = readdirSync(fixtures).filter((name) => name.endsWith('.parquet'));
  const all = [
    ...Object.entries(samples).map(([name, text]) => [name, Buffer.from(text)]),
    ...parquet.map((name) => [name, readFileSync(join(fixtures, name))]),
  ];
  return each(count, drawOf, async (draw) => {
    const [name, bytes] = all[draw.below(all.length)];
    const path = join(folder, name);
    writeFileSync(path, damaged(bytes, draw));
    try {
      const dataset = await openDataset(path);
      await dataset.images.close();
      if (Object.prototype.polluted !== undefined || dataset.names.length < 0) return 'polluted';
    } catch (error) {
      if (!isMeant(error) || /reading '|undefined|is not a function/.test(error.message))
        return `${name}: ${error.stack}`;
    }
  });
}

async function weights(count, drawOf, folder) {
  const path = join(folder, 'model.safetensors');
  const data = new Uint8Array(new Float32Array(600).map((_, i) => Math.sin(i)).buffer);
  writeSafetensors(
    path,
    [['a.weight', { dtype: 'float32', shape: [20, 30], data }]],
    { network: 'x', model: '{"classes":["a"]}' },
    { checksums: true },
  );
  const whole = readFileSync(path);
  const key = whole.indexOf('checksums');
  return each(count, drawOf, async (draw) => {
    const bytes = damaged(whole, draw);
    const isKey = !bytes.subarray(key, key + 9).equals(Buffer.from('checksums'));
    if (bytes.equals(whole) || isKey) return;
    writeFileSync(path, bytes);
    try {
      const { tensors, metadata } = readSafetensors(path);
      const isSame =
        Buffer.compare(tensors.get('a.weight')?.data ?? Buffer.alloc(0), data) === 0 &&
        metadata.model === '{"classes":["a"]}';
      if (!isSame) return 'damage was accepted';
    } catch (error) {
      if (!isMeant(error)) return String(error);
    }
  });
}

async function cache(count, drawOf, folder) {
  const names = Array.from({ length: 24 }, (_, i) => `${i}.${i % 2 === 0 ? 'png' : 'jpg'}`);
  for (const name of names)
    copyFileSync(join(fixtures, name.endsWith('png') ? 'rgb.png' : 'rgb.jpg'), join(folder, name));
  writeFileSync(
    join(folder, 'labels.csv'),
    ['Filename,x', ...names.map((name, i) => `${name},${i % 2}`)].join('\n'),
  );
  const dataset = await openDataset(join(folder, 'labels.csv'));
  const { path } = await prepareCache(dataset, { format, folder: join(folder, 'cache') });
  const whole = readFileSync(join(path, 'images.bin'));
  const found = await each(count, drawOf, async (draw) => {
    writeFileSync(join(path, 'images.bin'), damaged(whole, draw).subarray(0, whole.length));
    const { pixels } = await openPixels(dataset, format, join(folder, 'cache'));
    try {
      const row = draw.below(names.length);
      const out = new Uint8Array(768);
      await pixels.readInto(row, out, 0);
      if (Buffer.compare(out, whole.subarray(row * 768, (row + 1) * 768)) !== 0) return `row ${row} differs`;
    } catch (error) {
      if (!isMeant(error)) return String(error);
    } finally {
      await pixels.close();
    }
  });
  await dataset.images.close();
  return found;
}

async function anyclass(words) {
  const notes = [];
  const terminal = { print() {}, note: (text) => notes.push(text), onEvent() {} };
  const code = await runProgram(commandEntries, words, terminal);
  return { code, said: notes.join('\n') };
}

async function outputs(count, drawOf, folder) {
  mkdirSync(join(folder, 'run/scores'), { recursive: true });
  const files = {
    'run/config.json': '{"datasetFingerprint":"0"}',
    'run/summary.json': '{}',
    'run/scores/test.csv': 'Filename,x\na.png,0.5\n',
    'labels.csv': 'Filename,x\na.png,1\n',
    'a.png': 'pixels',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const names = Object.keys(files).map((name) => join(folder, name));
  return each(count, drawOf, async (draw) => {
    const input = names[draw.below(names.length)];
    const isRun = draw.below(2) === 0;
    const output = isRun ? names[draw.below(3)] : input;
    const forced = draw.below(2) === 0 ? ['--force'] : [];
    const words = [
      ['predict', join(folder, 'run'), input, '--out', output],
      ['report', join(folder, 'run'), '--out', names[draw.below(3)]],
      ['inspect', input, '--no-images', '--html', output],
      ['evaluate', '--scores', input, '--labels', names[3], '--html', output],
      ['playground', '--out', names[draw.below(3)]],
    ][draw.below(5)];
    const { code, said } = await anyclass([...words, ...forced]);
    for (const [name, text] of Object.entries(files))
      if (readFileSync(join(folder, name), 'utf8') !== text) return `${words.join(' ')} replaced ${name}`;
    if (code === 0 || /--debug/.test(said)) return `${words.join(' ')}: ${code} ${said}`;
  });
}

/** A run with damaged files is read, or refused with words: never a stack trace. */
async function runFolders(count, drawOf, folder) {
  const { train } = await import('../../dist/training/train.js');
  const scenes = { train: 32, validation: 16, test: 16 };
  await train(
    {
      data: { dataset: 'digits', digits: { scenes } },
      network: { name: 'tresnet-s', inputSize: 32 },
      ...{ epochs: 1, batchSize: 16, device: 'cpu', threads: 1, evaluation: { replicates: 0 } },
    },
    { run: join(folder, 'whole') },
  );
  const run = join(folder, 'run');
  const small = readdirSync(join(folder, 'whole'), { recursive: true, encoding: 'utf8' }).filter((name) => {
    const status = statSync(join(folder, 'whole', name));
    return status.isFile() && status.size < 2 ** 20;
  });
  return each(count, drawOf, async (draw) => {
    rmSync(run, { recursive: true, force: true });
    mkdirSync(run);
    for (const name of small) cpSync(join(folder, 'whole', name), join(run, name), { recursive: true });
    const name = small[draw.below(small.length)];
    writeFileSync(join(run, name), damaged(readFileSync(join(run, name)), draw));
    const { code, said } = await anyclass([
      'report',
      run,
      '--out',
      join(folder, 'report.html'),
      '--replicates',
      '0',
      '--json',
    ]);
    if (code !== 0 && /--debug|reading '|is not a function/.test(said)) return `${name}: ${said}`;
  });
}

/** Wrong calls of operators, in a process of their own: it must not end before its time. */
async function operators(count, _drawOf, folder, seed) {
  const program = fileURLToPath(new URL('operatorCalls.mjs', import.meta.url));
  const problems = [];
  for (let start = 0; start < count; start += 2000) {
    const calls = Math.min(2000, count - start);
    const log = join(folder, 'last-call.txt');
    const { status, signal } = spawnSync(process.execPath, [
      program,
      String(seed),
      String(start),
      String(calls),
      log,
    ]);
    if (status !== 0) problems.push(`${signal ?? status} after ${readFileSync(log, 'utf8')}`);
  }
  return problems;
}

const attacks = {
  'damaged images': images,
  'damaged tables': tables,
  'damaged weights': weights,
  'damaged caches': cache,
  'outputs over inputs': outputs,
  'damaged run folders': runFolders,
  'wrong operator calls': operators,
};

async function each(count, drawOf, attack) {
  const problems = [];
  for (let i = 0; i < count; i++) {
    const problem = await attack(drawOf(i)).catch((error) => `broke the attack: ${error.stack}`);
    if (problem !== undefined) problems.push(`case ${i}: ${problem}`);
  }
  return problems;
}

/**
 * Runs every attack.
 *
 * @param {(name: string) => number} countOf cases of a row
 * @returns {Promise<{ name: string, tried: number, problems: string[] }[]>}
 */
export async function runAttacks(countOf, seed = 1) {
  const results = [];
  for (const [number, [name, attack]] of Object.entries(attacks).entries()) {
    const tried = countOf(name);
    if (tried === 0) continue;
    const folder = mkdtempSync(join(tmpdir(), 'anyclass-attack-'));
    try {
      const drawOf = (i) => randomStream('sample', seed, number, i);
      results.push({ name, tried, problems: await attack(tried, drawOf, folder, seed) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return results;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const count = Number(process.argv[2] ?? 10_000);
  const seed = Number(process.argv[3] ?? 1);
  const slow = new Set(['damaged caches', 'outputs over inputs', 'damaged run folders']);
  const results = await runAttacks((name) => (slow.has(name) ? Math.ceil(count / 10) : count), seed);
  console.log('| attack | seed | tried | failed |\n|---|---|---|---|');
  for (const { name, tried, problems } of results)
    console.log(`| ${name} | ${seed} | ${tried} | ${problems.length} |`);
  for (const { name, problems } of results)
    for (const problem of problems.slice(0, 10)) console.error(`${name}: ${problem}`);
  process.exitCode = results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}
