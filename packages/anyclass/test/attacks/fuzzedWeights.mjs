// Fuzzes the readers of weights as libFuzzer does with C++: an input that reaches a new branch is kept and
// damaged further. Fails if a reader throws an error that is not meant for users, or takes more than five
// seconds; FILE then contains the input.
//
//   node packages/anyclass/test/attacks/fuzzedWeights.mjs SECONDS SEED FILE

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readPytorchCheckpoint, readSafetensors } from '@anyclass/torch';
import { randomStream } from '../../dist/data/random/philox.js';
import { checkpoints, damaged, isMeant } from './support.mjs';

const [seconds = 600, seed = 1] = process.argv.slice(2, 4).map(Number);
const file = process.argv[4];
const longestRead = 5000;
// Checking the coverage takes longer than reading, so it is done for many inputs at once, and one by one only
// if they reached something new.
const inputsAtOnce = 64;

/**
 * How bytes become a file: as they are, or inside a valid frame, since lengths and checksums
 * would reject most damage.
 */
const forms = {
  safetensors: { read: readSafetensors, wrap: (bytes) => bytes },
  header: {
    read: readSafetensors,
    wrap: (bytes) => Buffer.concat([lengthOf(bytes), bytes, Buffer.alloc(64)]),
  },
  archive: { read: readPytorchCheckpoint, wrap: (bytes) => bytes },
  pickle: { read: readPytorchCheckpoint, wrap: archiveWith },
};

const coverage = new Session();
coverage.connect();
coverage.post('Profiler.enable');
coverage.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const known = new Set();
const corpus = startingInputs();
let tried = 0;
for (const input of corpus) attempt(input);
for (const branch of branchesReached()) known.add(branch);
const end = performance.now() + 1000 * seconds;
for (let batch = 0; performance.now() < end; batch++) {
  const draw = randomStream('sample', seed, 7, batch);
  const inputs = Array.from({ length: inputsAtOnce }, () => mutated(draw));
  for (const input of inputs) attempt(input);
  if (branchesReached().every((branch) => known.has(branch))) continue;
  for (const input of inputs) {
    attempt(input);
    const fresh = branchesReached().filter((branch) => !known.has(branch));
    if (fresh.length > 0) corpus.push(input);
    for (const branch of fresh) known.add(branch);
  }
}
console.log(`${tried} inputs, ${corpus.length} kept for the ${known.size} branches they reach`);

function attempt({ form, bytes }) {
  const { read, wrap } = forms[form];
  writeFileSync(file, wrap(bytes));
  tried++;
  const start = performance.now();
  try {
    read(file);
  } catch (error) {
    if (!isMeant(error) || error.message.length > 2000) throw error;
  }
  if (performance.now() - start > longestRead) throw new Error(`${form}: took more than ${longestRead} ms`);
  if (Object.keys(Object.prototype).length > 0) throw new Error(`${form}: changed Object.prototype`);
}

/** The blocks of the readers that ran since the last call. */
function branchesReached() {
  const branches = [];
  coverage.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result) {
      if (!url.includes('/torch/dist/serialization/')) continue;
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0) branches.push(`${url}:${startOffset}-${endOffset}`);
    }
  });
  return branches;
}

function mutated(draw) {
  const { form, bytes } = corpus[draw.below(corpus.length)];
  let copy = bytes;
  for (let i = 0; i <= draw.below(4); i++) copy = damaged(copy, draw);
  const other = corpus[draw.below(corpus.length)];
  if (draw.below(8) === 0 && other.form === form && other.bytes.length > 0)
    copy = Buffer.concat([
      copy.subarray(0, draw.below(copy.length + 1)),
      other.bytes.subarray(draw.below(other.bytes.length)),
    ]);
  return { form, bytes: copy.subarray(0, 2 ** 16) };
}

function startingInputs() {
  const header =
    '{"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"I64","shape":[],"data_offsets":[24,32]}}';
  const text = Buffer.from(header);
  const archives = readdirSync(checkpoints)
    .filter((name) => name.endsWith('.pt'))
    .map((name) => readFileSync(join(checkpoints, name)));
  return [
    { form: 'header', bytes: text },
    { form: 'safetensors', bytes: Buffer.concat([lengthOf(text), text, Buffer.alloc(32)]) },
    ...archives.map((bytes) => ({ form: 'archive', bytes })),
    ...archives.flatMap((bytes) => storedPickle(bytes).map((pickle) => ({ form: 'pickle', bytes: pickle }))),
  ];
}

function lengthOf(bytes) {
  const length = Buffer.alloc(8);
  length.writeUInt32LE(bytes.length);
  return length;
}

/** The pickle in a PyTorch archive, which is stored first and uncompressed. */
function storedPickle(archive) {
  const start = archive.indexOf('\x80\x02', 0, 'latin1');
  const end = archive.indexOf('PK', start, 'latin1');
  return start > 0 && end > start ? [archive.subarray(start, end)] : [];
}

/** A valid archive, as PyTorch writes it, around a pickle. */
function archiveWith(pickle) {
  const files = {
    'archive/data.pkl': pickle,
    'archive/data/0': Buffer.alloc(64, 7),
    'archive/data/1': Buffer.alloc(16),
    'archive/version': Buffer.from('3\n'),
  };
  const entries = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(content.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name), content]);
    entries.push(entry);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, Buffer.from(name));
    offset += entry.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...entries, ...directory, Buffer.from('PK\x05\x06'), end]);
}
