// Folders of finished runs, created without training, for tests of comparisons.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fitDecision, NumpyRandom } from '@anyclass/core';
import type { ConfigurationInput } from '../src/configuration/schema.js';
import { validateConfiguration } from '../src/configuration/validate.js';
import { judge } from '../src/evaluation/judge.js';
import type { RunSummary } from '../src/events/runSummary.js';
import { writeWhole } from '../src/files/wholeFile.js';
import type { LossName } from '../src/losses/lossNames.js';
import { appendEpoch } from '../src/runs/metricsLog.js';
import { absolutePaths, createRunFolder, runPaths, saveRunRecord } from '../src/runs/runFolder.js';
import { writeTable } from '../src/runs/scoreFiles.js';
import { readSummary } from '../src/runs/summary.js';

export interface SyntheticRun {
  readonly configuration: ConfigurationInput;
  /** How far the scores of present classes are above those of absent ones, in logits. */
  readonly strength: number;
  /** Default 60 in each split. */
  readonly rows?: number;
  readonly hasTestLabels?: boolean;
  /** Whether a decision is fitted on validation and judged on test, as training does; default false. */
  readonly isDecided?: boolean;
  readonly started?: string;
  /** The name of the dataset; default 'pipes'. */
  readonly dataset?: string;
  readonly datasetFingerprint?: string;
  readonly classImportance?: readonly number[];
}

const classNames = ['crack', 'roots', 'deposit'];

/** Writes a run folder whose scores depend on the run's seed; labels are the same in all runs. */
export function writeSyntheticRun(folder: string, run: SyntheticRun): void {
  const {
    configuration: input,
    strength,
    rows = 60,
    hasTestLabels = true,
    isDecided = false,
    started = '2026-01-31T12:00:00Z',
    dataset = 'pipes',
    datasetFingerprint = 'synthetic',
    classImportance,
  } = run;
  mkdirSync(folder, { recursive: true });
  const paths = createRunFolder(folder);
  const configuration = absolutePaths(validateConfiguration(input));
  const { network, loss, seed, bestBy } = configuration;
  saveRunRecord(paths, {
    configuration,
    versions: {},
    classes: classNames,
    classImportance,
    datasetFingerprint,
    started,
  });
  const split = (name: 'validation' | 'test') => {
    const labels = random(name === 'test' ? 11 : 12);
    const noise = random(100 + seed);
    const names = Array.from({ length: rows }, (_, i) => `${name}-${i}.png`);
    const targets = Float32Array.from({ length: rows * classNames.length }, () => (labels() < 0.2 ? 1 : 0));
    const values = targets.map((y) => 1 / (1 + Math.exp(1.5 - strength * y - 3 * (noise() - 0.5))));
    const isLabeled = name === 'validation' || hasTestLabels;
    writeTable(join(paths.scores, `${name}.csv`), { names, classNames, values });
    writeTable(join(paths.scores, `${name}-labels.csv`), {
      names,
      classNames,
      values: isLabeled ? targets : targets.map(() => Number.NaN),
    });
    return { scores: Float64Array.from(values), targets, classNames, split: name };
  };
  const validation = split('validation');
  const decision = isDecided ? fitDecision(validation) : undefined;
  const summary: RunSummary = {
    dataset,
    network: network.name,
    loss: loss.name,
    classes: classNames,
    epochs: 1,
    bestEpoch: 1,
    bestBy,
    bestValue: 0.5,
    validation: judge(validation, { replicates: 0 }),
    ...(hasTestLabels && { test: judge(split('test'), { replicates: isDecided ? 20 : 0, decision }) }),
    quarantined: [],
  };
  writeWhole(paths.summary, JSON.stringify(summary));
}

function random(seed: number): () => number {
  const source = new NumpyRandom(seed);
  return () => source.integer(1 << 24) / (1 << 24);
}

/** A run on `coco-41` with three epochs in its log. */
export function writeRunWithEpochs(
  folder: string,
  loss: LossName,
  lambda: number,
  seed: number,
  strength: number,
): void {
  const run = join(folder, `${loss}-${lambda}-${seed}`);
  writeSyntheticRun(run, {
    configuration: { data: { dataset: 'coco-41=pipes' }, loss: { name: loss, lambda }, seed },
    strength,
  });
  const { validation } = readSummary(runPaths(run));
  for (let epoch = 1; epoch <= 3; epoch++) {
    appendEpoch(join(run, 'metrics.jsonl'), {
      epoch,
      rate: 0.1,
      trainingLoss: 1 / epoch,
      validationLoss: 1 / epoch,
      validationBce: 1 / epoch,
      validation: validation.metrics,
      seconds: 1,
      imagesPerSecond: 1,
      dataWaitShare: 0,
      quarantined: 0,
    });
  }
}

/**
 * Writes three seeds each of bce, of any-bce, which is better, and of any-bce with another λ, which is best.
 */
export function writeThreeLosses(folder: string): void {
  for (const seed of [1, 2, 3]) {
    writeSyntheticRun(join(folder, `bce-${seed}`), lossRun('bce', seed, 1.2));
    writeSyntheticRun(join(folder, `any-${seed}`), lossRun('any-bce', seed, 2.4));
    writeSyntheticRun(join(folder, `any-strong-${seed}`), lossRun('any-bce', seed, 2.6, { lambda: 0.2 }));
  }
}

export function lossRun(name: LossName, seed: number, strength: number, more: object = {}): SyntheticRun {
  return { configuration: { data: { dataset: 'pipes.csv' }, loss: { name, ...more }, seed }, strength };
}
