// Divides images among ranks for prediction, in alternating blocks of one batch. Either the first rank
// collects all predictions in the order of the images, or each rank keeps its own.

import { gatherIntegers, gatherTexts } from '../distribution/exchange.js';
import type { Ranks } from '../distribution/ranks.js';
import { UserError } from '../errors/userError.js';
import type { FailedPrediction, Prediction, Predictor, PredictorInput } from './predictor.js';

type AnyPrediction = Prediction | FailedPrediction;

/**
 * Predicts images with all ranks, which must be given the same images in the same order. The first rank gets
 * all predictions, the others none.
 *
 * @example
 * for await (const prediction of dividedPredictions(ranks, predictor, imageInputs(['photos']), 32)) console.log(prediction);
 */
export async function* dividedPredictions(
  ranks: Ranks,
  predictor: Pick<Predictor, 'predict'>,
  images: AsyncIterable<PredictorInput>,
  blockSize: number,
): AsyncGenerator<AnyPrediction> {
  const own = predictor.predict(shareOfImages(ranks, images, blockSize));
  try {
    for (;;) {
      const block = await taken(own, blockSize);
      const all = await gatherTexts(ranks, JSON.stringify(block.map(written)));
      const round = all.map((text): Written[] => JSON.parse(text));
      if (round.every(({ length }) => length === 0)) return;
      if (ranks.isFirst) for (const prediction of round.flat()) yield read(prediction);
    }
  } finally {
    await own.return(undefined);
  }
}

/**
 * Predicts this rank's share. The ranks synchronize after each block, so that a rank that is gone is noticed,
 * and all stop if one is asked to.
 *
 * @example
 * for await (const prediction of ownPredictions(ranks, predictor, imageInputs(['photos']), 32, signal)) console.log(prediction);
 */
export async function* ownPredictions(
  ranks: Ranks,
  predictor: Pick<Predictor, 'predict'>,
  images: AsyncIterable<PredictorInput>,
  blockSize: number,
  signal: AbortSignal,
): AsyncGenerator<AnyPrediction> {
  const own = predictor.predict(shareOfImages(ranks, images, blockSize));
  try {
    for (;;) {
      const block = await taken(own, blockSize);
      const isStopped = signal.aborted;
      const counts = await gatherIntegers(ranks, Int32Array.of(block.length, Number(isStopped)));
      yield* block;
      if (counts.some((stops, i) => i % 2 === 1 && stops > 0)) {
        if (isStopped) return;
        throw new UserError('another process was interrupted', { code: 'rank-lost' });
      }
      if (counts.every((count) => count === 0)) return;
    }
  } finally {
    await own.return(undefined);
  }
}

/**
 * This rank's images: every worldSize-th block.
 *
 * @example
 * shareOfImages({ rank: 1, worldSize: 2 }, images, 2) // the third and fourth, the seventh and eighth, …
 */
async function* shareOfImages(
  { rank, worldSize }: Pick<Ranks, 'rank' | 'worldSize'>,
  images: AsyncIterable<PredictorInput>,
  blockSize: number,
): AsyncGenerator<PredictorInput> {
  let index = 0;
  for await (const image of images) {
    if (Math.floor(index++ / blockSize) % worldSize === rank) yield image;
  }
}

async function taken(source: AsyncGenerator<AnyPrediction>, count: number): Promise<AnyPrediction[]> {
  const block: AnyPrediction[] = [];
  while (block.length < count) {
    const next = await source.next();
    if (next.done) break;
    block.push(next.value);
  }
  return block;
}

type Written =
  | FailedPrediction
  | (Omit<Prediction, 'probabilities'> & { readonly probabilities: readonly number[] });

function written(prediction: AnyPrediction): Written {
  if ('failure' in prediction) return prediction;
  return { ...prediction, probabilities: [...prediction.probabilities] };
}

function read(prediction: Written): AnyPrediction {
  if ('failure' in prediction) return prediction;
  return { ...prediction, probabilities: Float32Array.from(prediction.probabilities) };
}
