// Input sizes and augmentations before losses, with runs that are written instead of trained.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { candidateLists } from './candidates.js';
import { type PilotWork, runRounds } from './pilotRounds.js';
import { openProgress } from './progress.js';
import { recommendLoss } from './recommendation.js';
import { chooseSetup } from './setupRound.js';
import { setupsOf } from './setups.js';

const folder = testFolder();

const speed = { imagesPerSecond: 100, overheadSeconds: 2, sideBySide: 1 };
const decision = { rule: 'gate', budget: { falseAlarms: 0.05, confidence: 0.95 }, beta: 1 } as const;
const full = { train: 1000, validation: 400, epochs: 6, dataset: 'pipes' };
const base = validateConfiguration({
  data: { dataset: 'pipes.csv' },
  network: { name: 'tresnet-m', inputSize: 128 },
  epochs: 6,
});

const labelsOf = (configuration: Configuration, fixed: readonly string[] = []) =>
  setupsOf(configuration, fixed).map(({ label }) => label);

test('a larger and a smaller input and crops are tried, but nothing that the user has set', () => {
  expect(labelsOf(base)).toEqual(['128 px', '160 px', '96 px', '128 px with crops', '160 px with crops']);
  expect(labelsOf(base, ['network.inputSize'])).toEqual(['128 px', '128 px with crops']);
  expect(labelsOf(base, ['augmentation.flip'])).toEqual(['128 px', '160 px', '96 px']);
  expect(labelsOf({ ...base, augmentation: 'crops' })).toEqual([
    '128 px with crops',
    '160 px with crops',
    '96 px with crops',
  ]);
  expect(labelsOf({ ...base, network: { ...base.network, inputSize: 64 } })).toEqual([
    '64 px',
    '96 px',
    '64 px with crops',
    '96 px with crops',
  ]);
  expect(labelsOf({ ...base, network: { ...base.network, name: 'mlp' } })).toEqual(['as configured']);
  const tiles = { imageSize: 512, overlap: 0, pool: 'max' } as const;
  expect(labelsOf({ ...base, network: { ...base.network, tiles } })).toEqual(['as configured']);
  const [, larger] = setupsOf(base, []);
  expect(larger).toMatchObject({ settings: { 'network.inputSize': 160 }, cost: 1.5625 });
  expect(larger!.configuration.network.inputSize).toBe(160);
});

/** Chooses a setup, then a loss; the clock advances by the time that runs of this size take. */
async function recommended(
  name: string,
  minutes: number,
  strength: (configuration: Configuration) => number,
  { mostRuns = 1000, fixed = [] }: { readonly mostRuns?: number; readonly fixed?: readonly string[] } = {},
) {
  let [clock, trained] = [0, 0];
  const notes: string[] = [];
  const order: string[] = [];
  using progress = openProgress(join(folder, `${name}.json`), { decision }, () => 1000 * clock);
  const work: PilotWork = {
    base,
    full,
    out: join(folder, name),
    decision,
    progress,
    lists: candidateLists(base.loss, { keepsOwn: false }),
    note: (text) => void notes.push(text),
    secondsLeft: () => 60 * minutes - progress.spentSeconds(),
    isOver: () => trained >= mostRuns,
    isInterrupted: () => false,
    async trainPilots(plan) {
      for (const { folder, configuration, name } of plan
        .filter((run) => !existsSync(run.folder))
        .slice(0, mostRuns - trained)) {
        writeSyntheticRun(folder, {
          configuration,
          strength: strength(configuration),
          rows: 200,
          hasTestLabels: false,
        });
        trained++;
        order.push(name);
        const cost = (Number(configuration.network.inputSize) / 128) ** 2;
        const images =
          configuration.epochs * (configuration.data.subset?.instances ?? full.train) +
          ((configuration.epochs + 1) * full.validation) / 3;
        clock += 2 + (cost * images) / speed.imagesPerSecond;
      }
      return { folders: plan.map((run) => run.folder).filter((each) => existsSync(each)), unfinished: [] };
    },
  };
  if (!progress.speed) progress.save({ speed });
  const setups = setupsOf(base, fixed);
  const { setup, result } = await chooseSetup(work, setups, progress.speed!);
  const { rounds } = await runRounds({ ...work, base: setup.configuration }, progress.speed!);
  const basis = {
    decision,
    rounds,
    full,
    speed: progress.speed!,
    minutes,
    spentSeconds: progress.spentSeconds(),
  };
  const tried = setups.map(({ label }) => label);
  const { label, settings, cost } = setup;
  const recommendation = () =>
    recommendLoss({ ...basis, ...(result && { setup: { label, settings, cost, tried, round: result } }) });
  return {
    setup,
    result,
    notes,
    order,
    trained,
    recommendation,
    share: progress.spentSeconds() / (60 * minutes),
  };
}

describe('before losses', () => {
  test('the input that is clearly better is chosen, and the losses are compared at it, within the minutes', async () => {
    const { setup, order, recommendation, share, notes } = await recommended('larger', 40, ({ network }) =>
      network.inputSize === 160 ? 4 : 1.5,
    );
    expect(setup.label).toBe('160 px'); // crops are as good, but no better
    expect(notes[0]).toMatch(
      /^First 128 px, 160 px, 96 px, 128 px with crops, 160 px with crops: .* of a full run\), about/,
    );
    expect(order.slice(0, 5)).toEqual([
      expect.stringMatching(/^128-px-\d+x\d+-seed1$/),
      expect.stringMatching(/^160-px-/),
      expect.stringMatching(/^96-px-/),
      expect.stringMatching(/^128-px-with-crops-/),
      expect.stringMatching(/^160-px-with-crops-/),
    ]);
    expect(order[5]).toMatch(/^bce-/);
    expect(share).toBeGreaterThan(0.65);
    expect(share).toBeLessThanOrEqual(1);
    expect(recommendation().verdict).toMatch(
      /^Train at 160 px instead of 128 px: F1 [\d.]+ instead of [\d.]+, at 1\.6 times the time\. /,
    );
  });

  test('the configured one is kept if nothing is clearly better, but not if it did worst', async () => {
    const same = await recommended('same', 40, () => 2);
    expect(same.setup.settings).toEqual({});
    expect(same.recommendation().verdict).toMatch(
      /^Train at 128 px: 160 px, 96 px, 128 px with crops and 160 px with crops are not clearly better\./,
    );
    const worst = await recommended('worst', 40, ({ network, augmentation }) =>
      network.inputSize === 128 && augmentation !== 'crops' ? 1.9 : 2,
    );
    expect(worst.setup.label).not.toBe('128 px');
    expect(worst.recommendation().verdict).toMatch(
      /^Train at .* instead of 128 px: .*; that is within the noise, but 128 px did worst\. /,
    );
  });

  test('of two, the configured one is kept unless the other is clearly better', async () => {
    const crops = (strength: number) => async (name: string) => {
      const strengthOf = ({ augmentation }: Configuration) => (augmentation === 'crops' ? strength : 1.9);
      const { setup, recommendation } = await recommended(name, 40, strengthOf, {
        fixed: ['network.inputSize'],
      });
      return [setup.label, recommendation().verdict];
    };
    expect(await crops(2)('two')).toEqual([
      '128 px',
      expect.stringMatching(/^Train at 128 px: 128 px with crops is not clearly better\./),
    ]);
    expect(await crops(4)('two, one better')).toEqual([
      '128 px with crops',
      expect.stringMatching(/^Train at 128 px with crops instead of 128 px: .*, in the same time\. /),
    ]);
  });

  test('nothing is tried without time for it, and the note says so', async () => {
    const { setup, result, notes, order } = await recommended('short', 4, () => 2);
    expect(setup.label).toBe('128 px');
    expect(result).toBeUndefined();
    expect(notes[0]).toBe('Too little time to try input sizes and augmentations: only losses are compared');
    expect(order[0]).toMatch(/^bce-/);
  });

  test('a killed recommendation goes on with the setup that it chose, and trains no pilot twice', async () => {
    const strength = ({ network }: Configuration) => (network.inputSize === 160 ? 4 : 1.5);
    const first = await recommended('killed', 40, strength, { mostRuns: 7 });
    const second = await recommended('killed', 40, strength);
    expect(second.setup.label).toBe(first.setup.label);
    expect(new Set([...first.order, ...second.order]).size).toBe(first.trained + second.trained);
  });
});
