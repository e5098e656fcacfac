// The inference thread: opens a model and scores batches of feature vectors, or of images decoded into shared
// memory.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { tidy } from '@anyclass/torch';
import { EngineError } from '@anyclass/torch/builds';
import { packInstances } from '../../data/batches/assembler.js';
import { inputBytes, takesFeatures } from '../../data/dataset/inputs.js';
import { isFileError } from '../../errors/isFileError.js';
import { reasonOf } from '../../errors/reasonOf.js';
import { UserError } from '../../errors/userError.js';
import type { Target } from '../../explain/heatMap.js';
import { heatMaps } from '../../explain/heatMaps.js';
import { type DecidedRows, decideLogits } from '../../inference/decideLogits.js';
import { modelDecision } from '../../inference/modelDecision.js';
import { type ModelScorer, openModelScorer } from '../../inference/modelScorer.js';
import { modelPath } from '../../runs/modelFile.js';
import type { BatchAnswer, BatchRequest, OpenedModel, WorkerMessage, WorkerTask } from './workerMessages.js';

// On Linux, priorities are per thread, and threads that libraries start here inherit this one. So the main
// thread, which accepts and refuses requests and answers health checks, gets a core when it needs one.
if (process.platform === 'linux') setPriority(Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW));

const port = parentPort;
if (port === null) throw new Error('inferenceWorker.js must be started as a thread by serve');
const task: WorkerTask = workerData;
const say = (message: WorkerMessage, memory: ArrayBuffer[] = []) => port.postMessage(message, memory);

try {
  const { opened, model } = await open();
  const stride = inputBytes(model.format);
  const pixels = new Uint8Array(new SharedArrayBuffer(task.slots * stride));
  const sizes = batchSizes(model.device);
  const batch = new Uint8Array(task.batchSize * stride);

  const score = async ({ slots, explained = [] }: BatchRequest): Promise<BatchAnswer> => {
    const start = performance.now();
    packInstances(pixels, slots, stride, batch);
    // A captured graph has a fixed size: rows beyond the batch contain old images, and their answers are
    // dropped.
    const size = sizes.find((candidate) => candidate >= slots.length) ?? slots.length;
    const scored = await opened.scorer.score({ size, inputs: batch.subarray(0, size * stride) });
    const logits = scored.slice(0, slots.length * model.description.classes.length);
    const decided = decideLogits(logits, model.description, model.decision);
    return {
      logits,
      ...decided,
      ...(explained.length > 0 && { explanations: explain(explained, decided) }),
      seconds: (performance.now() - start) / 1000,
    };
  };

  const explain = (rows: readonly number[], { probabilities, labels }: DecidedRows) => {
    const { inside } = opened;
    if (!inside) throw new Error('the model has no heat maps');
    const classes = model.description.classes.length;
    return new Map(
      rows.map((row) => {
        const [from, to] = [row * classes, (row + 1) * classes];
        const predicted = Array.from(labels.subarray(from, to)).flatMap((label, j) =>
          label === 1 ? [j] : [],
        );
        const chances = probabilities.subarray(from, to);
        const top = chances.indexOf(Math.max(...chances));
        const targets: Target[] = ['presence', ...(predicted.length > 0 ? predicted : [top])];
        const pixels = batch.slice(row * stride, (row + 1) * stride);
        const maps = tidy(() => {
          const image = inside.toDevice({ size: 1, inputs: pixels });
          return targets.map((target) => ({ target, ...heatMaps(inside.network, image, [target])[0]! }));
        });
        return [row, { pixels, maps }] as const;
      }),
    );
  };

  // The first batches select algorithms and capture graphs; no request should wait for that.
  for (const size of sizes.length > 0 ? sizes : [1, task.batchSize])
    for (let i = 0; i < (sizes.length > 0 ? 5 : 1); i++)
      await score({ slots: Array.from({ length: size }, (_, slot) => slot % task.slots) });

  port.on('message', async (request: BatchRequest | 'close') => {
    if (request === 'close') {
      opened[Symbol.dispose]();
      port.close();
      return;
    }
    try {
      say({ type: 'scored', answer: await score(request) });
    } catch (error) {
      say({ type: 'failed', reason: reasonOf(error) });
    }
  });
  say({ type: 'opened', model, pixels: pixels.buffer });
} catch (error) {
  const isMistake = error instanceof UserError || error instanceof EngineError || isFileError(error);
  say({ type: 'refused', reason: reasonOf(error), isMistake });
}

async function open(): Promise<{ opened: ModelScorer; model: OpenedModel }> {
  const { model, device, precision, batchSize } = task;
  const version = await fileVersion(modelPath(model));
  const capturedSizes = powersUpTo(batchSize);
  const opened = await openModelScorer(model, { device, precision, batchSize, capturedSizes, spins: false });
  const { description, network, runtime, device: chosen, precision: own, scorer, remarks = [] } = opened;
  const { format } = scorer;
  const used = await modelDecision(model, description, task.decision);
  return {
    opened,
    model: {
      description,
      network,
      runtime,
      device: chosen,
      precision: own,
      version,
      explains: opened.inside !== undefined && !takesFeatures(description),
      format,
      decision: used.decision,
      remarks,
      decisionRemarks: used.remarks,
    },
  };
}

/**
 * Returns the sizes that batches are padded to: those of captured graphs on a GPU; none on the CPU, where
 * every row costs time.
 */
function batchSizes(device: string): readonly number[] {
  return device === 'cpu' ? [] : [...powersUpTo(task.batchSize), task.batchSize];
}

function powersUpTo(limit: number): number[] {
  const powers: number[] = [];
  for (let size = 1; size < limit; size *= 2) powers.push(size);
  return powers;
}

async function fileVersion(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(part);
  return hash.digest('hex').slice(0, 12);
}
