import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sewermlClasses } from '../data/readers/sewerml.js';
import { evaluate } from '../evaluation/evaluate.js';
import { createNetwork } from '../networks/createNetwork.js';
import { saveWeights } from '../networks/weights/saveWeights.js';
import { loadModel, saveModel } from '../runs/modelFile.js';
import { imageInputs } from './imageInputs.js';
import { fixedDecision } from './modelDecision.js';
import { outputOf } from './outputFormats.js';
import { openPredictor, type Prediction } from './predictor.js';

const fixtures = fileURLToPath(new URL('../../test/fixtures/data', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-predict-'));
const model = join(folder, 'model.safetensors');
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  setSeed(1);
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 32 });
  const decision = fixedDecision(['crack', 'roots'], 0.5);
  saveModel(model, {
    network,
    description: {
      classes: ['crack', 'roots'],
      channels: 3,
      mean: [0.5],
      std: [0.25],
      epoch: 1,
      loss: 'bce',
      dataset: 'digits',
      decision: { ...decision, thresholds: [0.001, 0.999] },
    },
  });
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

async function predictions(images: string[], options: Parameters<typeof openPredictor>[1] = {}) {
  using predictor = await openPredictor(model, { device: 'cpu', ...options });
  const found = [];
  for await (const prediction of predictor.predict(imageInputs(images))) found.push(prediction);
  return found;
}

const rgb = join(fixtures, 'rgb.png');
const isPrediction = (value: object): value is Prediction => 'probabilities' in value;

test('folders are walked in order, patterns match, files are taken as they are', async () => {
  expect(await namesOf(join(folder, 'images'))).toEqual(['images/b.jpg', 'images/below/c.png']);
  expect(await namesOf(join(folder, 'images', '*', '*.png'))).toEqual(['images/below/c.png']);
  expect(await namesOf(join(folder, 'images', '**', '*.???'))).toEqual([
    'images/b.jpg',
    'images/below/c.png',
    'images/note.txt',
  ]);
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

test('a pattern without a match is told as an image that cannot be read, and the others follow', async () => {
  expect(await failuresOf(join(folder, '*.bmp'), rgb)).toEqual(['*.bmp: no file matches']);
});

test('links to folders are followed, and those that lead back are not', async () => {
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
  'a folder that may not be read is told, and the others follow',
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
  // A list has no list in it.
  for await (const { name } of imageInputs(['-'], Readable.from(['-\n']))) names.push(name);
  expect(names.at(-1)).toBe('-');
});

test('Parquet files give an image a row', async () => {
  const found = [];
  for await (const input of imageInputs([join(fixtures, 'class-columns.parquet')])) found.push(input);
  expect(found.length).toBeGreaterThan(0);
  expect((await found[0]!.read()).kind).toBe('encoded');
});

test('Parquet files are found in folders and by patterns; a damaged one counts as one that cannot be read', async () => {
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

test('predictions come in order, with those that failed among them, whatever the batch size', async () => {
  const paths = [rgb, join(folder, 'images', 'b.jpg'), join(fixtures, 'rgb.webp'), 'missing.png', rgb];
  const [one, many] = [
    await predictions(paths, { batchSize: 1 }),
    await predictions(paths, { batchSize: 4 }),
  ];
  expect(many.map(({ name }) => name)).toEqual(paths);
  expect(many.filter((value) => !isPrediction(value)).map(({ name }) => name)).toEqual([
    paths[1],
    'missing.png',
  ]);
  expect(many[3]).toEqual({ name: 'missing.png', failure: 'no such file' });
  const [a, b] = [one, many].map((list) =>
    list.filter(isPrediction).flatMap((value) => [...value.probabilities]),
  );
  a!.forEach((value, i) => {
    expect(value).toBeCloseTo(b![i]!, 5);
  });
});

test("labels are decided by the model's decision, or by one number", async () => {
  const labels = async (options: Parameters<typeof openPredictor>[1]) =>
    (await predictions([rgb], options)).filter(isPrediction)[0]!.labels;
  expect(await labels({})).toEqual(['crack']);
  expect(await labels({ decision: 0 })).toEqual(['crack', 'roots']);
  expect(await labels({ decision: 1 })).toEqual([]);
  await expect(labels({ decision: { budget: { falseAlarms: 0.02 } } })).rejects.toThrow(
    'is a model file without scores to fit a decision on',
  );
});

/** The test's model once more, with other things said of it. */
function described(name: string, change: object): string {
  const { network, description } = loadModel(model);
  using loaded = network;
  const path = join(folder, name);
  saveModel(path, { network: loaded, description: { ...description, ...change } });
  return path;
}

test('an image that does not pass the gate is negative, whatever its classes say', async () => {
  const { decision } = loadModel(model).description;
  const gated = described('gated.safetensors', { decision: { ...decision, presence: 1000 } });
  using predictor = await openPredictor(gated, { device: 'cpu' });
  const one = await predictor.predictOne(rgb);
  expect(one).toMatchObject({ labels: [], isNegative: true, presence: { gate: 1, passes: false } });
  expect(one.probabilities['crack']).toBeGreaterThan(one.thresholds['crack']!);
});

test('probabilities are calibrated where training found that it helps', async () => {
  const calibration = { kind: 'temperature', temperature: 2, atBound: false, fittedOn: 'validation' };
  const calibrated = described('calibrated.safetensors', { calibration });
  const probability = async (path: string) => {
    using predictor = await openPredictor(path, { device: 'cpu' });
    return (await predictor.predictOne(rgb)).probabilities['crack']!;
  };
  const logit = (p: number) => Math.log(p / (1 - p));
  expect(logit(await probability(calibrated))).toBeCloseTo(logit(await probability(model)) / 2, 4);
});

test('a model file of an older version decides by its thresholds, on probabilities as they are', async () => {
  const thresholds = {
    values: [0.001, 0.999],
    classNames: ['crack', 'roots'],
    beta: 1,
    reached: [1, 1],
    fittedOn: 'validation',
    fingerprint: '0',
    undefinedClasses: [],
  };
  const calibration = { kind: 'temperature', temperature: 2, atBound: false, fittedOn: 'validation' };
  const older = described('older.safetensors', { decision: undefined, thresholds, calibration });
  using predictor = await openPredictor(older, { device: 'cpu' });
  expect(predictor.decision).toMatchObject({ rule: 'class', presence: 0, thresholds: [0.001, 0.999] });
  using today = await openPredictor(model, { device: 'cpu' });
  const { labels, probabilities } = await today.predictOne(rgb);
  expect(await predictor.predictOne(rgb)).toMatchObject({ labels, probabilities });
});

const decision = fixedDecision(['crack', 'roots'], 0.5);

test('CSV and JSON lines say negative where no class is predicted, and details where asked', () => {
  const classes = ['crack', 'roots'];
  const prediction = {
    name: 'a,b.png',
    probabilities: Float32Array.of(0.25, 0.5),
    presenceScore: Math.log(2),
    labels: [],
  };
  const csv = outputOf('csv', { classes, decision });
  expect([csv.header, csv.line(prediction)]).toEqual([
    'Filename,crack,roots,labels',
    '"a,b.png",0.25,0.5,negative',
  ]);
  expect(csv.line({ ...prediction, labels: classes })).toContain('crack|roots');
  const detailed = outputOf('csv', { classes, decision, details: true, top: 1 });
  expect([detailed.header, detailed.line({ ...prediction, labels: ['roots'] })]).toEqual([
    'Filename,crack,roots,presence,gate,thresholds,top,labels',
    '"a,b.png",0.25,0.5,0.5,0,0.5,roots 0.5,roots',
  ]);
  const json = outputOf('jsonl', { classes, decision });
  expect(JSON.parse(json.line(prediction))).toEqual({
    Filename: 'a,b.png',
    labels: [],
    negative: true,
    probabilities: { crack: 0.25, roots: 0.5 },
  });
  const full = outputOf('jsonl', { classes, decision, details: true, top: 2 });
  expect(JSON.parse(full.line({ ...prediction, labels: ['roots'] }))).toMatchObject({
    presence: 0.5,
    gate: 0,
    thresholds: { roots: 0.5 },
    top: { roots: 0.5, crack: 0.25 },
  });
});

test("SewerML's file has the benchmark's 17 columns in their order, and names without folders", () => {
  const classes = Object.keys(sewermlClasses).reverse();
  const { header, line } = outputOf('sewerml', { classes, decision });
  expect(header).toBe(`Filename,${Object.keys(sewermlClasses).join(',')}`);
  const probabilities = Float32Array.from(classes, (_, j) => j / 32);
  expect(line({ name: 'test/00001.png', probabilities, presenceScore: 0, labels: [] })).toMatch(
    /^00001.png,0.5,.*,0$/,
  );
  expect(() => outputOf('sewerml', { classes: ['RB'], decision })).toThrow('the model lacks OB');
});

test('weights without classes are refused with what is missing', async () => {
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 32 });
  saveWeights(network, join(folder, 'plain.safetensors'));
  await expect(openPredictor(join(folder, 'plain.safetensors'))).rejects.toThrow(
    'no network name and classes',
  );
  await expect(openPredictor(folder.concat('/images'))).rejects.toThrow('no model.safetensors');
});

test('one image is predicted from its path or its bytes, with probabilities by class name', async () => {
  using predictor = await openPredictor(model, { device: 'cpu' });
  const [expected] = (await predictions([rgb])).filter(isPrediction);
  const one = await predictor.predictOne(rgb);
  expect(Object.keys(one.probabilities)).toEqual(['crack', 'roots']);
  expect(Object.values(one.probabilities)).toEqual([...expected!.probabilities]);
  expect(one).toMatchObject({ labels: expected!.labels, isNegative: expected!.labels.length === 0 });
  expect(await predictor.predictOne(readFileSync(rgb))).toEqual(one);
  await expect(predictor.predictOne(join(folder, 'images', 'b.jpg'))).rejects.toThrow('b.jpg: ');
  await expect(predictor.predictOne(join(folder, 'nowhere.jpg'))).rejects.toThrow('nowhere.jpg: ');
});

test('predict and evaluate see the same pixels: the same image has the same score in both', async () => {
  const photographs = await Promise.all(
    ['a.jpg', 'b.jpg', 'c.png'].map(async (name, i) => {
      const noise = Buffer.from(
        Array.from({ length: 61 * 47 * 3 }, (_, at) => (at * (7 + i) + (at >> 3)) % 251),
      );
      const path = join(folder, `same-${name}`);
      await sharp(noise, { raw: { width: 61, height: 47, channels: 3 } }).toFile(path);
      return path;
    }),
  );
  const table = join(folder, 'same.csv');
  writeFileSync(
    table,
    ['Filename,split,crack,roots', ...photographs.map((path, i) => `${basename(path)},test,${i % 2},1`)].join(
      '\n',
    ),
  );
  const { scored } = await evaluate(model, table, {
    device: 'cpu',
    replicates: 0,
    open: { splitColumn: 'split' },
  });
  const predicted = (await predictions(photographs)).filter(isPrediction);
  expect([...scored.scores].sort()).toEqual(predicted.flatMap((each) => [...each.probabilities]).sort());
});

test('labels that could be taken for others are a JSON list in the table', () => {
  const decision = fixedDecision(['a|b', 'a', 'b'], 0.5);
  const prediction = { name: 'x.png', probabilities: Float32Array.of(1, 0, 1), presenceScore: 1 };
  const { line } = outputOf('csv', { classes: decision.classNames, decision, top: 1 });
  expect(line({ ...prediction, labels: ['a|b', 'b'] })).toBe('x.png,1,0,1,"{""a|b"":1}","[""a|b"",""b""]"');
  expect(line({ ...prediction, labels: [] })).toMatch(/,\[\]$/);
  const plain = outputOf('csv', { classes: ['a', 'b', 'c'], decision: fixedDecision(['a', 'b', 'c'], 0.5) });
  expect(plain.line({ ...prediction, labels: ['a', 'b'] })).toMatch(/,a\|b$/);
});
