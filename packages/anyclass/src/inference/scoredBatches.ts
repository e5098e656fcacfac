// Scores batches one after another; a GPU gets the next one before it has finished the last.

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { InputBatch } from '../data/batches/deviceBatch.js';
import type { Scorer, Scores, StartedScores } from './scorer.js';

/** A batch with its scores. */
export type ScoredBatch<Batch> = Scores & { readonly batch: Batch };

/**
 * Yields batches with their scores. Each batch is disposed when the next is requested, and other work of the
 * process gets a turn in between.
 *
 * @example
 * for await (const { batch, logits } of scoredBatches(loader.epoch(0), scorer)) console.log(batch.size, logits);
 */
export async function* scoredBatches<Batch extends InputBatch & Disposable>(
  batches: AsyncIterable<Batch>,
  scorer: Scorer,
): AsyncGenerator<ScoredBatch<Batch>> {
  const { start } = scorer;
  if (start) {
    yield* pipelined(batches, start);
    return;
  }
  for await (using batch of batches) {
    yield { batch, ...(batch.size === 0 ? noScores : await scorer.score(batch)) };
    await turn();
  }
}

const noScores: Scores = { logits: new Float32Array(0) };

/** Most batches that are started and not yet read: one that the GPU computes, and one behind it. */
const mostStarted = 2;

interface Started<Batch> {
  readonly batch: Batch;
  /** Undefined for an empty batch. */
  readonly scores: StartedScores | undefined;
}

async function* pipelined<Batch extends InputBatch & Disposable>(
  batches: AsyncIterable<Batch>,
  start: (batch: InputBatch) => StartedScores,
): AsyncGenerator<ScoredBatch<Batch>> {
  const source = batches[Symbol.asyncIterator]();
  const running: Started<Batch>[] = [];
  let asked: Promise<IteratorResult<Batch>> | undefined;
  let isOver = false;
  try {
    for (;;) {
      if (!isOver && running.length < mostStarted) {
        asked ??= source.next();
        // A batch that is long in coming must not hold back the scores of the one before it.
        const [first] = running;
        const next = await (first ? Promise.race([asked, ended(first, asked)]) : asked);
        if (next !== undefined) {
          asked = undefined;
          if (next.done) isOver = true;
          else running.push(begun(next.value, start));
          continue;
        }
      }
      const first = running[0];
      if (!first) return;
      await ended(first);
      yield { batch: first.batch, ...(first.scores?.read() ?? noScores) };
      dispose(running.shift()!);
    }
  } finally {
    running.forEach(dispose);
    const next = await asked?.catch(() => undefined);
    if (next && !next.done) next.value[Symbol.dispose]();
    await source.return?.();
  }
}

function begun<Batch extends InputBatch & Disposable>(
  batch: Batch,
  start: (batch: InputBatch) => StartedScores,
): Started<Batch> {
  try {
    return { batch, scores: batch.size === 0 ? undefined : start(batch) };
  } catch (error) {
    batch[Symbol.dispose]();
    throw error;
  }
}

function dispose<Batch extends Disposable>({ batch, scores }: Started<Batch>): void {
  scores?.[Symbol.dispose]();
  batch[Symbol.dispose]();
}

/** Waits until the scores are there, or `other` has settled; the rest of the process goes on meanwhile. */
async function ended(
  { scores }: Pick<Started<unknown>, 'scores'>,
  other?: Promise<unknown>,
): Promise<undefined> {
  let isOther = false;
  const note = () => {
    isOther = true;
  };
  other?.then(note, note);
  while (scores && !scores.isDone && !isOther) await pause(1);
}
