// The process that computes with models for Studio, whose server stays quick and needs no libtorch.

import { statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import sharp from 'sharp';
import { endBy } from '../children/endProcess.js';
import { isFeatureFormat } from '../data/dataset/inputs.js';
import { openImage } from '../data/images/decoding/decode.js';
import { lookAlikeSets } from '../data/lookAlikes/imageHashes.js';
import { reasonOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import { type Explainer, openExplainer } from '../explain/explainer.js';
import { heatPicture } from '../explain/overlay.js';
import { type EmbeddingModel, openEmbeddingModel } from '../export/embedding/embeddingModel.js';
import { decodedBatches } from '../inference/decodedBatches.js';
import type { ImageInput } from '../inference/imageInput.js';
import { named } from '../inference/predictor.js';
import { scoredBatches } from '../inference/scoredBatches.js';
import { modelPath } from '../runs/modelFile.js';
import type {
  Embedded,
  Explained,
  ModelAnswer,
  ModelReply,
  ModelRequest,
  ModelTask,
} from './modelMessages.js';
import { openRunData } from './runData.js';
import { runDifference } from './runDifference.js';

// Trainings and the server come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const say = (reply: ModelReply) => void (process.connected && process.send?.(reply));
process.on('disconnect', () => endBy('SIGTERM'));

let last = Promise.resolve();
process.on('message', ({ id, task }: ModelRequest) => {
  // One after another: each uses all cores.
  last = last.then(async () => {
    try {
      const answer = await answerTo(task, (done, total) => say({ id, state: 'progress', done, total }));
      say({ id, state: 'done', answer });
    } catch (error) {
      say({ id, state: 'failed', reason: reasonOf(error), isOurs: !(error instanceof UserError) });
    }
  });
});

type Progress = (done: number, total: number) => void;

async function answerTo(task: ModelTask, progress: Progress): Promise<ModelAnswer> {
  if (task.kind === 'explain') return { kind: 'explain', ...(await explain(task)) };
  if (task.kind === 'embed') return { kind: 'embed', values: await embedOne(task) };
  if (task.kind === 'embedAll') return { kind: 'embedAll', ...(await embedAll(task, progress)) };
  if (task.kind === 'lookAlikes') return { kind: 'lookAlikes', sets: await lookAlikes(task) };
  return { kind: 'difference', difference: await runDifference(task.before, task.after) };
}

/** The model that was asked for last; another, or a new file, takes its place. */
let explainer: { readonly key: string; readonly opened: Explainer } | undefined;

async function explainerOf(model: string, targets: readonly string[] | undefined): Promise<Explainer> {
  const key = `${stampOf(model)}\n${targets?.join('\n')}`;
  if (explainer?.key !== key) {
    explainer?.opened[Symbol.dispose]();
    explainer = undefined;
    explainer = { key, opened: await openExplainer(model, { targets }) };
  }
  return explainer.opened;
}

async function explain({
  model,
  image,
  targets,
  side,
}: Extract<ModelTask, { kind: 'explain' }>): Promise<Explained> {
  const opened = await explainerOf(model, targets);
  const { classes } = opened.description;
  for await (const explained of opened.explain([{ name: 'the image', read: async () => image }])) {
    if ('failure' in explained) throw new UserError(explained.failure);
    const shown = await (await openImage(image, opened.reading)).autoOrient().png().toBuffer();
    const { width, height } = await sharp(shown).metadata();
    const scale = side / Math.max(width, height);
    const size = {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    };
    return {
      prediction: named(explained.prediction, classes, opened.decision),
      maps: await Promise.all(
        explained.targets.map(async ({ className, probability, map }) => ({
          target: className ?? 'presence',
          probability,
          method: map.method,
          picture: await heatPicture(map, size),
        })),
      ),
    };
  }
  throw new Error('an image gave no explanation');
}

let embedder: { readonly key: string; readonly opened: EmbeddingModel } | undefined;

async function embedderOf(model: string): Promise<EmbeddingModel> {
  const key = stampOf(model);
  if (embedder?.key !== key) {
    embedder?.opened[Symbol.dispose]();
    embedder = undefined;
    embedder = { key, opened: await openEmbeddingModel(model, { batchSize: 32 }) };
  }
  return embedder.opened;
}

async function embedOne({ model, image }: Extract<ModelTask, { kind: 'embed' }>): Promise<Float32Array> {
  const { values, names } = await embeddings(await embedderOf(model), [
    { name: 'the image', read: async () => image },
  ]);
  if (names.length === 0) throw new UserError('the image cannot be read');
  return values;
}

async function embedAll(
  { model, names, folders }: Extract<ModelTask, { kind: 'embedAll' }>,
  progress: Progress,
): Promise<Embedded> {
  const opened = await embedderOf(model);
  const data = await openRunData(model, folders);
  return embeddings(
    opened,
    names.map((name) => ({ name, read: async () => data.read(name) })),
    (done) => progress(done, names.length),
  );
}

async function embeddings(
  { scorer, width }: EmbeddingModel,
  inputs: readonly ImageInput[],
  progress: (done: number) => void = () => {},
): Promise<Embedded> {
  const { format } = scorer;
  if (isFeatureFormat(format)) throw new UserError('this model takes features; there are no images to embed');
  const names: string[] = [];
  const values = new Float32Array(inputs.length * width);
  let seen = 0;
  for await (const { batch, logits } of scoredBatches(decodedBatches(inputs, format, 32), scorer)) {
    let row = 0;
    for (const { image, failure } of batch.entries) {
      if (failure !== undefined) continue;
      const own = logits.subarray(row * width, (row + 1) * width);
      const length = Math.hypot(...own) || 1;
      values.set(
        own.map((value) => value / length),
        names.length * width,
      );
      names.push(image.name);
      row++;
    }
    seen += batch.entries.length;
    progress(seen);
  }
  return { names, width, values: values.slice(0, names.length * width) };
}

async function lookAlikes({ model, folders }: Extract<ModelTask, { kind: 'lookAlikes' }>) {
  const { dataset, configuration } = await openRunData(model, folders);
  return lookAlikeSets(dataset, { folder: configuration.data.cache ?? undefined });
}

/** Changes when the model file does. */
function stampOf(model: string): string {
  const path = modelPath(model);
  const { size, mtimeMs } = statSync(path);
  return `${path}\n${size}\n${mtimeMs}`;
}
