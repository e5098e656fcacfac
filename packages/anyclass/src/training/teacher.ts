// Distillation: training labels are mixed with the scores of other models, which also label images that have no labels. Hinton et al.,
// "Distilling the Knowledge in a Neural Network", arXiv 1503.02531; with probabilities per class, a mixed label gives the mixed loss.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { calibrate } from '@anyclass/core';
import type { Configuration } from '../configuration/schema.js';
import { createLoader } from '../data/batches/loader.js';
import { openInputs } from '../data/batches/openInputs.js';
import { type Dataset, instanceWord } from '../data/dataset/dataset.js';
import { gatherFloats, gatherTexts } from '../distribution/exchange.js';
import { ownThreads } from '../distribution/ranks.js';
import { shareOf } from '../distribution/shares.js';
import { counted } from '../errors/counted.js';
import { UserError } from '../errors/userError.js';
import { openModelScorer } from '../inference/modelScorer.js';
import { scoredBatches } from '../inference/scoredBatches.js';
import { probabilities } from '../inference/scorer.js';
import { modelPath } from '../runs/modelFile.js';
import { isRunFolder, openRun } from '../runs/runFolder.js';
import { readTable, writeTable } from '../runs/scoreFiles.js';
import type { ActiveRun } from './activeRun.js';
import { datasetFingerprint, type RunData } from './dataForRun.js';

/** Mixes the teacher's scores of a dataset row into its targets, which begin at an offset. */
export type Teacher = (row: number, targets: Float32Array, offset: number) => void;

/**
 * Scores the training images with the teachers, or reads their scores from the cache; undefined without a teacher.
 *
 * @example
 * const teacher = await openTeacher(configuration, data, run);
 * teacher?.(row, targets, 0); // 0.5 · label + 0.5 · score; an unknown label becomes the score
 */
export async function openTeacher(
  configuration: Configuration,
  data: RunData,
  run: ActiveRun,
): Promise<Teacher | undefined> {
  if (!configuration.teacher) return undefined;
  const { models, weight } = configuration.teacher;
  const { dataset, trainingRows } = data;
  const places = new Int32Array(dataset.names.length).fill(-1);
  trainingRows.forEach((row, place) => {
    places[row] = place;
  });
  const list = typeof models === 'string' ? [models] : models;
  const tables: Float64Array[] = [];
  for (const model of list) tables.push(await scoresOf(model, configuration, data, run));
  const means = meanOfKnown(tables);
  const classes = dataset.classes.length;
  const taught = trainingRows.filter((_, place) =>
    means.subarray(place * classes, (place + 1) * classes).some((score) => !Number.isNaN(score)),
  ).length;
  if (taught === 0)
    throw new UserError(`teacher.models: ${list.join(', ')} scored none of the training images' classes`);
  run.note(
    `The teacher's scores are ${weight} of the training labels: ${counted(list.length, 'model')}, ${taught.toLocaleString('en-US')} of ${counted(trainingRows.length, 'training instance')}`,
  );
  return (row, targets, offset) => {
    const from = places[row]! * classes;
    for (let j = 0; j < classes; j++) {
      targets[offset + j] = taughtLabel(targets[offset + j]!, means[from + j] ?? Number.NaN, weight);
    }
  };
}

/** The mean of each score over the teachers that know it; NaN where none does. */
function meanOfKnown(tables: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: tables[0]!.length }, (_, i) => {
    const known = tables.flatMap((scores) => (Number.isNaN(scores[i]) ? [] : [scores[i]!]));
    return known.reduce((sum, score) => sum + score, 0) / known.length;
  });
}

/**
 * A label mixed with a score; where one of the two is unknown (NaN), the other.
 *
 * @example
 * taughtLabel(1, 0.5, 0.5) // 0.75
 * taughtLabel(NaN, 0.5, 0.5) // 0.5
 */
export function taughtLabel(label: number, score: number, weight: number): number {
  if (Number.isNaN(score)) return label;
  return Number.isNaN(label) ? score : (1 - weight) * label + weight * score;
}

/** One model's scores of the training images, by the dataset's classes; NaN where it has none. */
async function scoresOf(
  model: string,
  configuration: Configuration,
  data: RunData,
  run: ActiveRun,
): Promise<Float64Array> {
  const { dataset, trainingRows } = data;
  if (!existsSync(model)) throw new UserError(`teacher.models: ${model}: no such model, run or table`);
  noteOtherData(model, dataset, run);
  if (isTable(model)) return namedScores(model, dataset, trainingRows);
  const file = join(configuration.data.cache, `teacher-${await keyOf(model, data)}.csv`);
  const { ranks } = run;
  const found = String(existsSync(file));
  const isCached = (ranks ? await gatherTexts(ranks, found) : [found]).every((text) => text === 'true');
  if (!isCached) {
    const table = await computeScores(model, configuration, data, run);
    if (ranks?.isFirst !== false) {
      mkdirSync(configuration.data.cache, { recursive: true });
      writeTable(file, { names: namesOf(dataset, trainingRows), ...table });
    }
    if (ranks) return matched(dataset.classes, table.classNames, table.values);
  }
  return namedScores(file, dataset, trainingRows);
}

interface ScoreTable {
  readonly classNames: readonly string[];
  /** Rows by classes; NaN for an image that cannot be read. */
  readonly values: Float32Array;
}

async function computeScores(
  model: string,
  { device, precision, batchSize: wanted, data: { cache, strict } }: Configuration,
  { dataset, trainingRows }: RunData,
  { emit, note, ranks, options: { signal } }: ActiveRun,
): Promise<ScoreTable> {
  const isOnnx = model.toLowerCase().endsWith('.onnx');
  using opened = await openModelScorer(model, {
    batchSize: wanted,
    ...(!isOnnx && { device, precision }),
  });
  const { scorer, description, batchSize } = opened;
  const { classes: classNames, calibration } = description;
  const { start, end } = shareOf(trainingRows.length, ranks);
  const rows = trainingRows.subarray(start, end);
  const values = new Float32Array(rows.length * classNames.length).fill(Number.NaN);
  const { inputs } = await openInputs(dataset, scorer.format, cache, { onNote: note });
  try {
    const loader = createLoader(dataset, inputs, { rows, batchSize, strict, threads: 2 * ownThreads() });
    const places = new Map(Array.from(rows, (row, place) => [row, place]));
    let done = 0;
    for await (const { batch, logits } of scoredBatches(loader.epoch(0, signal ? { signal } : {}), scorer)) {
      const raw = probabilities(logits);
      const scores = calibration ? calibrate(Float64Array.from(raw), classNames, calibration) : raw;
      batch.indices.forEach((row, i) => {
        const own = scores.subarray(i * classNames.length, (i + 1) * classNames.length);
        values.set(own, places.get(row)! * classNames.length);
      });
      done += batch.size;
      emit({ type: 'progress', task: 'teacher', done, total: rows.length, unit: 'images' });
    }
  } finally {
    await inputs.close();
  }
  return { classNames, values: ranks ? await gatherFloats(ranks, values) : values };
}

async function namedScores(file: string, dataset: Dataset, rows: Int32Array): Promise<Float64Array> {
  const { names, classNames, values } = await readTable(file);
  const places = new Map(names.map((name, place) => [name, place]));
  const width = classNames.length;
  const own = new Float64Array(rows.length * width).fill(Number.NaN);
  rows.forEach((row, i) => {
    const place = places.get(dataset.names.at(row));
    if (place !== undefined) own.set(values.subarray(place * width, (place + 1) * width), i * width);
  });
  if (rows.length > 0 && !rows.some((row) => places.has(dataset.names.at(row))))
    throw new UserError(
      `teacher.models: ${file} has none of the training ${instanceWord(dataset)}s by name: it has ${names[0] ?? 'no rows'}, the data has ${dataset.names.at(rows[0]!)}`,
    );
  const wrong = own.find((score) => score < 0 || score > 1);
  if (wrong !== undefined) throw new UserError(`${file}: holds ${wrong}; expected probabilities from 0 to 1`);
  return matched(dataset.classes, classNames, own);
}

/** Columns by the dataset's classes; NaN for a class that the teacher does not know. */
function matched(
  classes: readonly string[],
  classNames: readonly string[],
  values: ArrayLike<number>,
): Float64Array {
  const columns = classes.map((name) => classNames.indexOf(name));
  const rows = values.length / classNames.length;
  return Float64Array.from({ length: rows * classes.length }, (_, i) => {
    const column = columns[i % classes.length]!;
    return column < 0 ? Number.NaN : values[Math.floor(i / classes.length) * classNames.length + column]!;
  });
}

/** So many images are looked at, as when a cache of images is opened; features are compared in parts of so many rows. */
const rowsAtOnce = 256;

/** Scores belong to a model file, the images or features by name and content, and the way that they are decoded. */
async function keyOf(model: string, { dataset, trainingRows, preparation }: RunData): Promise<string> {
  const hash = createHash('sha256').update(dataset.names.bytes).update(trainingRows);
  hash.update(JSON.stringify([dataset.name, preparation]));
  if (dataset.features) {
    for (let start = 0; start < trainingRows.length; start += rowsAtOnce) {
      const rows = trainingRows.subarray(start, start + rowsAtOnce);
      const values = new Float32Array(rows.length * dataset.features.names.length);
      await dataset.features.read(rows, values);
      hash.update(values);
    }
  } else {
    const step = Math.max(1, Math.floor(trainingRows.length / rowsAtOnce));
    for (let place = 0; place < trainingRows.length; place += step)
      hash.update(await dataset.images.fingerprint(trainingRows[place]!).catch(() => 'missing'));
  }
  for await (const bytes of createReadStream(modelPath(model))) hash.update(bytes);
  return hash.digest('hex').slice(0, 24);
}

/** A teacher that has seen this run's validation or test images makes its results look better than they are. */
function noteOtherData(model: string, dataset: Dataset, { note }: ActiveRun): void {
  if (isRunFolder(model) && openRun(model).record.datasetFingerprint === datasetFingerprint(dataset)) return;
  const origin = isTable(model)
    ? 'holds scores of a model that may have been trained on other splits'
    : 'was trained on other data or other splits, as far as is known';
  note(`${model} ${origin}; if it has seen images of validation or test, their results are too good`);
}

function isTable(model: string): boolean {
  return model.toLowerCase().endsWith('.csv');
}

function namesOf(dataset: Dataset, rows: Int32Array): string[] {
  return Array.from(rows, (row) => dataset.names.at(row));
}
