import { measure } from '@anyclass/core';
import { noGrad, tensor, tidy } from '@anyclass/torch';
import { instanceWord, type SplitName } from '../data/dataset/dataset.js';
import { fromFirst, gatherTexts } from '../distribution/exchange.js';
import { scoreRows } from '../inference/scoreRows.js';
import { probabilities, type Scorer } from '../inference/scorer.js';
import { anyClassLoss } from '../losses/anyClassLoss.js';
import type { ActiveRun } from './activeRun.js';
import { lateDivergence } from './divergence.js';
import { plainBce } from './plainBce.js';
import type { Validation } from './progress.js';
import { judgedNetwork, type Session } from './session.js';
import type { SplitScores } from './splitScores.js';

/** The logits and labels of a split, from the session's evaluated network or another scorer. */
export async function scoreSplit(
  session: Session,
  split: SplitName,
  { emit, options, ranks }: ActiveRun,
  scorer: Scorer = session.scorer,
): Promise<SplitScores> {
  const { dataset, inputs } = session.data;
  judgedNetwork(session).eval();
  const rows = dataset.splits[split];
  const result = await scoreRows(scorer, dataset, inputs, {
    rows,
    batchSize: session.evaluationBatch,
    strict: session.configuration.data.strict,
    allowPartial: session.configuration.data.allowPartial,
    ranks,
    signal: ranks ? undefined : options.signal,
    onProgress: (done) =>
      emit({ type: 'progress', task: split, done, total: rows.length, unit: `${instanceWord(dataset)}s` }),
  });
  const scored = {
    scores: probabilities(result.logits),
    targets: result.targets,
    classNames: dataset.classes,
    split,
  };
  return { ...result, scored };
}

/** Metrics, loss and plain BCE on the validation split. Of several ranks, the first computes them for all. */
export async function validate(session: Session, run: ActiveRun): Promise<Validation> {
  const result = await scoreSplit(session, 'validation', run);
  session.validated = { epoch: session.progress.epoch + 1, scores: result };
  const { ranks } = run;
  if (!ranks) return metricsOf(session, run, result);
  const unread = await gatherTexts(ranks, String(session.loader.quarantined().length));
  const quarantinedInTraining = unread.reduce((sum, text) => sum + Number(text), 0);
  return fromFirst(ranks, () => ({ ...metricsOf(session, run, result), quarantinedInTraining }));
}

function metricsOf(session: Session, run: ActiveRun, result: SplitScores): Validation {
  const { logits, targets, scored, rows } = result;
  const broken = logits.findIndex((logit) => !Number.isFinite(logit));
  if (broken >= 0) {
    const { dataset } = session.data;
    const image = dataset.names.at(rows[Math.floor(broken / dataset.classes.length)]!);
    const { epoch, step } = session.progress;
    throw lateDivergence('logits on validation', `of ${image}, perhaps of others`, {
      epoch: epoch + 1,
      step,
      lastCheckpoint: run.lastCheckpoint,
    });
  }
  const { classImportance, classes } = session.data.dataset;
  const loss = tidy(() =>
    noGrad(() => {
      const place = {
        shape: [logits.length / classes.length, classes.length],
        device: session.settings.device,
      };
      // Without label smoothing, which is for training only.
      const options = { ...session.loss, smoothing: 0 };
      return anyClassLoss(tensor(logits, place), tensor(targets, place), options).toNumber();
    }),
  );
  return {
    metrics: measure(scored, classImportance ? { classImportance } : {}),
    loss,
    bce: plainBce(logits, targets),
  };
}
