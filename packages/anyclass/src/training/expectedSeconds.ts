// The time of a whole run as its first line says it: training, validation and judging.

import { assumedRate, runSeconds } from '../configuration/expectedTime.js';
import { isFeatureFormat } from '../data/dataset/inputs.js';
import { judgedNetwork, type Session } from './session.js';

/** A step costs about three times as much as scoring its images. */
const stepCost = 3;
/** Seconds that measuring may take. */
const patience = 0.3;

/**
 * Returns about how many seconds the rest of a run takes. On the CPU, scoring a few blank images says how fast this network is here;
 * on a GPU, whose first steps are slow, and for several processes, a usual rate is assumed. Measuring changes nothing: no weights, no
 * statistics, no random numbers.
 */
export async function expectedSeconds(session: Session): Promise<number> {
  const { configuration, data, settings, progress, ranks } = session;
  const { splits, classes } = data.dataset;
  const size = {
    classes: classes.length,
    train: data.trainingRows.length,
    validation: splits.validation.length,
    test: configuration.evaluation.test ? splits.test.length : 0,
  };
  const isMeasured = settings.device === 'cpu' && !ranks;
  const rate =
    (isMeasured ? await measuredRate(session) : undefined) ??
    assumedRate(configuration.network, size.classes, settings.device === 'cpu' ? 'cpu' : 'gpu');
  return runSeconds(configuration.epochs - progress.epoch, size, rate);
}

/** Training images per second; undefined for features, whose batches cost more to read than to score. */
async function measuredRate(session: Session): Promise<number | undefined> {
  const { scorer, configuration } = session;
  const { format } = scorer;
  if (isFeatureFormat(format)) return undefined;
  const bytes = format.width * format.height * format.channels;
  judgedNetwork(session).eval();
  return rateOf(async (size) => {
    const start = performance.now();
    await scorer.score({ size, inputs: Buffer.alloc(size * bytes, 127) });
    return (performance.now() - start) / 1000;
  }, configuration.batchSize);
}

/**
 * Training images per second, from the seconds that scoring takes. The first call also loads and prepares the kernels, for seconds on
 * a busy machine, so it is believed only where it is short.
 */
export async function rateOf(
  secondsFor: (images: number) => Promise<number>,
  batchSize: number,
): Promise<number> {
  const first = await secondsFor(1);
  const one = first > patience ? Math.min(first, await secondsFor(1)) : first;
  if (one > patience) return 1 / (stepCost * one);
  const count = Math.max(1, Math.min(batchSize - 1, Math.floor(patience / one)));
  return count / (stepCost * (await secondsFor(count)));
}
