// The inference thread: opens a model and scores batches of feature vectors, or of images decoded into shared
// memory.

import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { guardedOutcome } from '@anyclass/core';
import { tidy } from '@anyclass/torch';
import { EngineError } from '@anyclass/torch/builds';
import { packInstances } from '../../data/batches/assembler.js';
import type { InputBatch } from '../../data/batches/deviceBatch.js';
import { inputBytes, takesFeatures } from '../../data/dataset/inputs.js';
import { isFileError } from '../../errors/isFileError.js';
import { reasonOf } from '../../errors/reasonOf.js';
import { UserError } from '../../errors/userError.js';
import type { Target } from '../../explain/heatMap.js';
import { heatMaps } from '../../explain/heatMaps.js';
import { type DecidedRows, decideLogits } from '../../inference/decideLogits.js';
import { modelDecision } from '../../inference/modelDecision.js';
import { type ModelScorer, openModelScorer } from '../../inference/modelScorer.js';
import { oddRowsOf } from '../../inference/oddRows.js';
import type { Scores, StartedScores } from '../../inference/scorer.js';
import { fileVersion } from '../../runs/fileVersion.js';
import { modelPath } from '../../runs/modelFile.js';
import type {
  BatchAnswer,
  BatchMessage,
  BatchRequest,
  OpenedModel,
  WorkerMessage,
  WorkerTask,
} from './workerMessages.js';

// On Linux, priorities are per thread, and threads that libraries start here inherit this one. So the main
// thread, which accepts and refuses requests and answers health checks, gets a core when it needs one.
if (process.platform === 'linux') setPriority(Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW));

const port = parentPort;
if (port === null) throw new Error('inferenceWorker.js must be started as a thread by serve');
const task: WorkerTask = workerData;
const say = (message: WorkerMessage, memory: ArrayBuffer[] = []) => port.postMessage(message, memory);

/** Decoded images may take so much memory, beyond what keeps the model busy. */
const slotBytes = 2 ** 28;

/** A batch in memory of its own, which is used again once the batch is answered. */
interface Packed extends InputBatch, Disposable {
  readonly request: BatchRequest;
  /** When it was packed, in milliseconds. */
  readonly since: number;
}

try {
  const { opened, model } = await open();
  const { scorer, batchSize } = opened;
  const stride = inputBytes(model.format);
  const mostStarted = scorer.start ? 2 : 1;
  // Others wait in their encoded form, which `--buffer` limits.
  const slots = Math.min(task.slots, Math.max(2 * mostStarted * batchSize, Math.floor(slotBytes / stride)));
  const pixels = new Uint8Array(new SharedArrayBuffer(slots * stride));
  const sizes = batchSizes(model.device, batchSize);
  const memories = Array.from({ length: mostStarted }, () => new Uint8Array(batchSize * stride));
  const oddRows = oddRowsOf(model.description, model.format);

  const packed = (request: BatchRequest): Packed => {
    const { slots } = request;
    const memory = memories.pop();
    if (!memory) throw new Error('no memory is left for another batch');
    packInstances(pixels, slots, stride, memory);
    // A captured graph has a fixed size: rows beyond the batch contain old images, and their answers are
    // dropped.
    const size = sizes.find((candidate) => candidate >= slots.length) ?? slots.length;
    const release = () => void memories.push(memory);
    return {
      request,
      size,
      inputs: memory.subarray(0, size * stride),
      since: performance.now(),
      [Symbol.dispose]: release,
    };
  };

  const answer = (batch: Packed, scores: Scores): BatchAnswer => {
    const { slots, explained = [] } = batch.request;
    const logits = scores.logits.slice(0, slots.length * model.description.classes.length);
    const decided = decideLogits(logits, model.description, model.decision);
    const odd = oddRows?.({ ...batch, size: slots.length }, scores.embeddings);
    return {
      logits,
      ...decided,
      ...(odd && {
        odd,
        outcomes: decided.outcomes.map((outcome, row) => guardedOutcome(outcome, odd[row])),
      }),
      ...(explained.length > 0 && { explanations: explain(batch, explained, decided) }),
      seconds: secondsOf(batch),
    };
  };

  // Behind another batch, the time counts from when that one was answered, so that no second is counted twice.
  let lastAnswer = 0;
  const secondsOf = ({ since }: Packed) => {
    const now = performance.now();
    const start = Math.max(since, lastAnswer);
    lastAnswer = now;
    return (now - start) / 1000;
  };

  const score = async (request: BatchRequest): Promise<BatchAnswer> => {
    using batch = packed(request);
    return answer(batch, await scorer.score(batch));
  };

  const explain = ({ inputs }: Packed, rows: readonly number[], { probabilities, labels }: DecidedRows) => {
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
        const pixels = inputs.slice(row * stride, (row + 1) * stride);
        const maps = tidy(() => {
          const image = inside.toDevice({ size: 1, inputs: pixels });
          return targets.map((target) => ({ target, ...heatMaps(inside.network, image, [target])[0]! }));
        });
        return [row, { pixels, maps }] as const;
      }),
    );
  };

  // The first batches select algorithms and capture graphs; no request should wait for that.
  for (const size of sizes.length > 0 ? sizes : [1, batchSize])
    for (let i = 0; i < (sizes.length > 0 ? 5 : 1); i++)
      await score({ slots: Array.from({ length: size }, (_, slot) => slot % slots) });

  const respond = async (id: number, make: () => BatchAnswer | Promise<BatchAnswer>) => {
    try {
      say({ type: 'scored', id, answer: await make() });
    } catch (error) {
      say({ type: 'failed', id, reason: reasonOf(error) });
    }
  };

  // A GPU gets the next batch while it still computes one; scores are read in order, as soon as they are there.
  const running: { readonly id: number; readonly batch: Packed; readonly scores: StartedScores }[] = [];
  const begin = ({ id, request }: BatchMessage, start: (batch: InputBatch) => StartedScores) => {
    const batch = packed(request);
    try {
      running.push({ id, batch, scores: start(batch) });
      if (running.length === 1) setImmediate(readFirst);
    } catch (error) {
      batch[Symbol.dispose]();
      say({ type: 'failed', id, reason: reasonOf(error) });
    }
  };
  const readFirst = () => {
    if (running[0]?.scores.isDone) {
      const { id, batch, scores } = running.shift()!;
      void respond(id, () => answer(batch, scores.read()));
      scores[Symbol.dispose]();
      batch[Symbol.dispose]();
    }
    if (running.length > 0) setImmediate(readFirst);
  };

  port.on('message', (message: BatchMessage | 'close') => {
    if (message === 'close') {
      opened[Symbol.dispose]();
      port.close();
    } else if (scorer.start) begin(message, scorer.start);
    else void respond(message.id, () => score(message.request));
  });
  say({ type: 'opened', model, pixels: pixels.buffer, batchSize, mostStarted });
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
function batchSizes(device: string, most: number): readonly number[] {
  return device === 'cpu' ? [] : [...powersUpTo(most), most];
}

function powersUpTo(limit: number): number[] {
  const powers: number[] = [];
  for (let size = 1; size < limit; size *= 2) powers.push(size);
  return powers;
}
