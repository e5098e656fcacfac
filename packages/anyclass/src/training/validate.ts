import { measure, type Scored } from '@anyclass/core';
import { noGrad, tensor, tidy } from '@anyclass/torch';
import type { SplitName } from '../data/dataset.js';
import { plainBce, probabilities, type ScoredRows, type Scorer, scoreRows } from '../inference/scoreRows.js';
import { anyClassLoss } from '../losses/anyClassLoss.js';
import { lateDivergence } from './divergence.js';
import type { TrainingLog } from './log.js';
import type { Validation } from './progress.js';
import { judgedNetwork, type Session } from './session.js';

export interface ScoreSplitOptions {
  readonly log: TrainingLog;
  readonly signal?: AbortSignal | undefined;
  /** Default: the session's own. */
  readonly score?: Scorer;
}

/** The logits and labels of a split, with the network that is judged. */
export async function scoreSplit(
  session: Session,
  split: SplitName,
  { log, signal, score = session.score }: ScoreSplitOptions,
): Promise<ScoredRows & { readonly scored: Scored }> {
  const { dataset, pixels, preparation } = session.data;
  judgedNetwork(session).eval();
  const rows = dataset.splits[split];
  const bar = log.progress(split, rows.length, 'images');
  const result = await scoreRows(score, session.settings, dataset, pixels, {
    rows,
    batchSize: session.evaluationBatch,
    mean: preparation.mean,
    std: preparation.std,
    strict: session.configuration.data.strict,
    signal,
    onProgress: (images) => bar.advance(images),
  });
  bar.finish();
  const scored = {
    scores: probabilities(result.logits),
    targets: result.targets,
    classNames: dataset.classes,
    split,
  };
  return { ...result, scored };
}

/** Metrics, loss and plain binary cross-entropy on the validation split. */
export async function validate(
  session: Session,
  { lastCheckpoint, ...options }: ScoreSplitOptions & { readonly lastCheckpoint: string | undefined },
): Promise<Validation> {
  const { logits, targets, scored, rows } = await scoreSplit(session, 'validation', options);
  const broken = logits.findIndex((logit) => !Number.isFinite(logit));
  if (broken >= 0) {
    const { dataset } = session.data;
    const image = dataset.names.at(rows[Math.floor(broken / dataset.classes.length)]!);
    const { epoch, step } = session.progress;
    throw lateDivergence('logits on validation', `of ${image}, perhaps of others`, {
      epoch: epoch + 1,
      step,
      lastCheckpoint,
    });
  }
  const { classImportance, classes } = session.data.dataset;
  const loss = tidy(() =>
    noGrad(() => {
      const place = {
        shape: [logits.length / classes.length, classes.length],
        device: session.settings.device,
      };
      return anyClassLoss(tensor(logits, place), tensor(targets, place), session.loss).toNumber();
    }),
  );
  return {
    metrics: measure(scored, classImportance ? { classImportance } : {}),
    loss,
    bce: plainBce(logits, targets),
  };
}
