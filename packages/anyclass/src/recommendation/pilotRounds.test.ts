// All rounds, with runs that are written instead of trained, so that the quality of each loss is known.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import { validateConfiguration } from '../configuration/validate.js';
import { writeWhole } from '../files/wholeFile.js';
import { textTable } from '../tables/index.js';
import { readConfiguration } from '../training/readConfiguration.js';
import { candidateLists, type LossFields } from './candidates.js';
import { configurationText } from './configurationFile.js';
import { type PilotWork, runRounds } from './pilotRounds.js';
import { openProgress } from './progress.js';
import { recommendLoss } from './recommendation.js';
import { recommendationTable } from './recommendationTable.js';

const folder = testFolder();

const speed = { imagesPerSecond: 100, overheadSeconds: 2, sideBySide: 1 };
const decision = { rule: 'gate', budget: { falseAlarms: 0.05, confidence: 0.95 }, beta: 1 } as const;
const full = { train: 1000, validation: 400, epochs: 6, dataset: 'pipes' };

interface Trial {
  /** How well a loss separates classes. */
  readonly strength: (loss: LossFields) => number;
  readonly minutes: number;
  readonly loss?: Partial<LossFields>;
  /** The time is up after this many runs. */
  readonly mostRuns?: number;
  /** Runs that fail, by their name. */
  readonly fails?: (name: string) => boolean;
}

/** Runs all rounds in a folder; the clock advances by the planned seconds of each run. */
async function rounds(
  name: string,
  { strength, minutes, loss, mostRuns = 1000, fails = () => false }: Trial,
) {
  const out = join(folder, name);
  const base = validateConfiguration({ data: { dataset: 'pipes.csv' }, epochs: 6, ...(loss && { loss }) });
  let clock = 0;
  let trained = 0;
  const notes: string[] = [];
  using progress = openProgress(join(folder, `${name}.json`), { decision }, () => 1000 * clock);
  const work: PilotWork = {
    base,
    full,
    out,
    decision,
    progress,
    lists: candidateLists(base.loss, { keepsOwn: loss !== undefined }),
    note: (text) => void notes.push(text),
    secondsLeft: () => 60 * minutes - progress.spentSeconds(),
    isOver: () => trained >= mostRuns,
    isInterrupted: () => false,
    async trainPilots(plan) {
      const missing = plan.filter((run) => !existsSync(run.folder) && !fails(run.name));
      for (const run of missing.slice(0, mostRuns - trained)) {
        writeSyntheticRun(run.folder, {
          configuration: run.configuration,
          strength: strength(run.configuration.loss),
          rows: 200,
          hasTestLabels: false,
        });
        trained++;
        clock += 2 + (run.configuration.epochs * full.train) / speed.imagesPerSecond;
      }
      const unfinished = plan.filter((run) => !existsSync(run.folder));
      return {
        folders: plan.filter((run) => existsSync(run.folder)).map((run) => run.folder),
        unfinished: unfinished.map((run) => ({
          name: run.name,
          state: fails(run.name) ? 'failed' : 'interrupted',
          reason: 'out of luck',
        })),
      };
    },
  };
  if (!progress.speed) progress.save({ speed });
  const results = await runRounds(work, speed);
  const recommendation = () =>
    recommendLoss({
      rounds: results.rounds,
      decision,
      full,
      speed,
      minutes,
      spentSeconds: progress.spentSeconds(),
    });
  const spentSeconds = progress.spentSeconds();
  return { ...results, notes, trained, base, recommendation, recorded: progress.rounds, spentSeconds };
}

const isPlain = ({ name, beta }: LossFields) => name === 'bce' && beta === null;

/** More seeds than this of full runs tell little more. */
const mostSeeds = 5;

describe('rounds of pilots', () => {
  test.each([6, 9, 90])(
    'use at least two thirds of %d minutes and no more, unless full runs of all finalists have five seeds',
    async (minutes) => {
      expectGoodUse(minutes, await rounds(`minutes${minutes}`, { minutes, strength: () => 2 }));
    },
  );

  /** The tests of 20 and 60 minutes below expect it, too. */
  function expectGoodUse(
    minutes: number,
    { spentSeconds, recorded }: Awaited<ReturnType<typeof rounds>>,
  ): void {
    const share = spentSeconds / (60 * minutes);
    const last = recorded.at(-1)!;
    const isAll = last.seeds === mostSeeds && last.instances === full.train && last.epochs === full.epochs;
    expect(share).toBeLessThanOrEqual(1);
    if (!isAll) expect(share).toBeGreaterThan(0.65);
  }

  test('keep the best losses and the plain one in growing pilots, and recommend a loss that is clearly better', async () => {
    const trial = await rounds('clear', {
      minutes: 60,
      strength: ({ name, lambda, beta }) => (name === 'any-asl' && lambda === 0.05 && beta === null ? 4 : 1),
    });
    expectGoodUse(60, trial);
    const { recommendation, recorded } = trial;
    expect(recorded.map(({ losses, seeds }) => [losses.length, seeds])).toEqual([
      [24, 1],
      [8, 1],
      [3, 5],
    ]);
    for (const { losses } of recorded) expect(losses).toContain('bce');
    const { label, matters, verdict, loss } = recommendation();
    expect({ label, matters }).toEqual({ label: 'any-asl λ=0.05', matters: true });
    expect(loss).toMatchObject({ name: 'any-asl', lambda: 0.05, beta: null, reduction: 'mean', clip: 0.05 });
    expect(verdict).toMatch(
      /^Use any-asl λ=0\.05: F1 [\d.]+ at 5% false alarms, cross-fitted on validation\. /,
    );
  });

  test('recommend the plain loss if the choice does not matter, and say so', async () => {
    const trial = await rounds('same', { minutes: 20, strength: () => 2 });
    expectGoodUse(20, trial);
    const { recommendation } = trial;
    expect(recommendation()).toMatchObject({ label: 'bce', matters: false });
    expect(recommendation().verdict).toMatch(
      /^The choice among these \d losses does not matter here: .*Use bce, the simplest of them: /,
    );
  });

  test('keep the loss of the configuration if it is as good as any', async () => {
    const { recommendation, recorded } = await rounds('own', {
      minutes: 20,
      strength: ({ beta }) => (beta === null ? 2 : 1),
      loss: { name: 'any-bce', lambda: 0.07, beta: null },
    });
    for (const { losses } of recorded) expect(losses).toContain('any-bce λ=0.07 (configured)');
    expect(recommendation().label).toBe('any-bce λ=0.07 (configured)');
    expect(recommendation().verdict).toContain("the configuration's own loss");
  });

  test('report the average effect of each part', async () => {
    const { recommendation } = await rounds('parts', {
      minutes: 60,
      strength: ({ beta, name }) => (beta === null ? 3 : 1) - (name.endsWith('asl') ? 0.5 : 0),
    });
    const [first] = recommendation().rounds;
    const effects = Object.fromEntries(first!.effects.map(({ part, f1, pairs }) => [part, { ...f1, pairs }]));
    expect(effects['balancing']).toMatchObject({ pairs: 12 });
    expect(effects['balancing']?.high).toBeLessThan(0);
    expect(effects['asl']?.high).toBeLessThan(0);
    expect(effects['any-class term']).toMatchObject({ pairs: 20, value: 0 });
    expect(recommendation().reasons[0]).toMatch(
      /^Class balancing: F1 −[\d.]+ \(.*\) points on average over 12 pairs/,
    );
  });

  test('are reduced to one in a short time, and refused in too short a time', async () => {
    const { recorded, notes } = await rounds('short', { minutes: 4, strength: () => 2 });
    expect(recorded.map(({ losses }) => losses.length)).toEqual([6]);
    expect(notes[0]).toMatch(
      /^pipes: 1,000 training instances, 400 validation instances.*\nPlan:\n {2}round 1: 6 losses × 1 seed/,
    );
    await expect(rounds('none', { minutes: 1, strength: () => 2 })).rejects.toThrow(
      /minutes: is too short: 6 losses take about \d+ minutes/,
    );
  });

  test('fall back to the last complete round when time runs out', async () => {
    const { recommendation, rounds: judged } = await rounds('cut', {
      minutes: 20,
      strength: () => 2,
      mostRuns: 14,
    });
    expect(judged).toHaveLength(1);
    expect(recommendation().rounds[0]?.losses).toHaveLength(12);
    const early = await rounds('early', { minutes: 20, strength: () => 2, mostRuns: 2 });
    expect(early.recommendation().reasons.at(-1)).toMatch(
      /^Not compared, .*: any-bce λ=0\.1.* and \d+ more\.$/,
    );
  });

  test('resume after a kill with the remaining plan and time', async () => {
    const trial = { minutes: 20, strength: () => 2 };
    const first = await rounds('resumed', { ...trial, mostRuns: 16 });
    const second = await rounds('resumed', trial);
    expect(second.recorded.slice(0, 2).map(({ instances, epochs }) => [instances, epochs])).toEqual(
      first.recorded.map(({ instances, epochs }) => [instances, epochs]),
    );
    const { spentSeconds } = JSON.parse(readFileSync(join(folder, 'resumed.json'), 'utf8'));
    expect(spentSeconds).toBeGreaterThan(16 * 32);
    expect(first.trained + second.trained).toBe(
      new Set(
        second.recorded.flatMap(({ losses, seeds, instances, epochs }) =>
          Array.from({ length: seeds }, (_, s) =>
            losses.map((label) => `${label} ${instances} ${epochs} ${s}`),
          ).flat(),
        ),
      ).size,
    );
  });

  test('leave out a loss that fails', async () => {
    const { rounds: judged, recommendation } = await rounds('failing', {
      minutes: 20,
      strength: (loss) => (isPlain(loss) ? 3 : 2),
      fails: (name) => name.startsWith('any-asl-0.1-'),
    });
    expect(judged[0]?.missing).toEqual(expect.arrayContaining(['any-asl λ=0.1']));
    expect(recommendation().label).toBe('bce');
  });
});

test('the recommended configuration reads back as the base with the loss, and includes its reasons', async () => {
  const { recommendation, base } = await rounds('file', {
    minutes: 4,
    strength: ({ beta }) => (beta === null ? 3 : 1),
  });
  const found = recommendation();
  const text = configurationText({ ...base, batchSize: 32 }, found, folder);
  expect(text).toMatch(/^\/\/ Written by anyclass recommend/);
  expect(text).toContain('  // The test split was not used.\n  "loss": {');
  writeWhole(join(folder, 'recommended.jsonc'), text);
  const read = await readConfiguration(join(folder, 'recommended.jsonc'));
  expect(read).toMatchObject({
    batchSize: 32,
    epochs: 6,
    loss: { name: 'bce', beta: null, reduction: 'mean' },
    evaluation: { decision: { rule: 'gate', falseAlarms: 0.05, confidence: 0.95 } },
  });
  const { losses, missing } = found.rounds[0]!;
  expect(read.evaluation.decision.candidates).toBe(losses.length + missing.length);
  expect(read.data.dataset).toMatch(/pipes\.csv$/);
  expect(textTable(recommendationTable(found))).toMatch(/bce +1 .* best[\s\S]*bce balanced +1 .*lower/);
});

test('settings that differ from those of the pilots are refused, and named', () => {
  const path = join(folder, 'settings.json');
  openProgress(path, { decision })[Symbol.dispose]();
  expect(() => openProgress(path, { decision: { ...decision, beta: 2 } })).toThrow(/decision\.beta 1, not 2/);
});
