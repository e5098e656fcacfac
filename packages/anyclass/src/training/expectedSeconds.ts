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
  const secondsFor = async (size: number) => {
    const start = performance.now();
    await scorer.score({ size, inputs: Buffer.alloc(size * bytes, 127) });
    return (performance.now() - start) / 1000;
  };
  // The first call also prepares the kernels.
  const first = await secondsFor(1);
  if (first > patience) return 1 / (stepCost * first);
  const count = Math.max(1, Math.min(configuration.batchSize - 1, Math.floor(patience / first)));
  return count / (stepCost * (await secondsFor(count)));
}
