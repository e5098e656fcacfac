import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { describeInBrowser, openFile, seriousFindings } from '../../test/pages/browser.js';
import { validateConfiguration } from '../configuration/validate.js';
import { explanationPage } from '../explain/explanationPage.js';
import { fixedDecision } from '../inference/modelDecision.js';
import type { Recommendation, RoundResult } from '../recommendation/recommendation.js';
import type { StudyResult, TrialResult } from '../tuning/studyResult.js';
import { recommendationPage } from './recommendationPage.js';
import { studyPage } from './studyPage.js';

const hostile = '<script>alert(1)</script>\u202e';

function trial(number: number, value: number | null, rate: number, name: string): TrialResult {
  return {
    trial: number,
    status: value === null ? 'failed' : 'finished',
    epochs: 4,
    value,
    values: { 'optimizer.rate': rate, 'network.name': name },
    run: `studies/a/trial-${number}`,
    ...(value === null && { reason: `${hostile}\nat line 3` }),
  };
}

const study: StudyResult = {
  study: `studies/${hostile}`,
  metric: 'mAP',
  goal: 4,
  trials: [
    trial(2, 0.61, 0.1, 'b'),
    trial(0, 0.5, 0.001, 'a'),
    trial(1, 0.4, 0.01, hostile),
    trial(3, null, 0.5, 'a'),
  ],
  best: trial(2, 0.61, 0.1, 'b'),
  importance: { 'optimizer.rate': 0.8, 'network.name': null },
};

test('a study opens with its best trial, and draws every scored trial across its settings', () => {
  const html = studyPage(study);
  expect(html).toContain('<h1>Trial 2 is best, with mAP 61.00.</h1>');
  expect(html).toContain('3 trials by their settings and mAP');
  // A line for each scored trial, and two of the progress.
  expect(html.match(/<path /g)).toHaveLength(3 + 2);
  expect(html).toContain('rate (log)');
  expect(html).toContain('0.80, larger is better');
  expect(html).toContain('1 failed');
  // The axis of the metric is in percent like everything else, and three trials show no correlation for certain.
  expect(html).toContain('>61.00<');
  expect(html).toContain('Gray: below 1.00, which 3 trials can reach by chance (95%).');
});

test('a study without a result says so', () => {
  const html = studyPage({ ...study, trials: [], best: null, importance: {} });
  expect(html).toContain('No trial has a result yet.');
});

const { loss } = validateConfiguration({ data: { dataset: 'digits' }, loss: { name: 'bce' } });

const round: RoundResult = {
  losses: [
    {
      candidate: { label: 'bce', loss, role: 'plain' },
      f1: 0.5,
      falseAlarmRate: 0.04,
      mAP: 0.5,
      difference: null,
      isWithinNoise: true,
    },
    {
      candidate: { label: hostile, loss: { ...loss, name: 'any-bce' } },
      f1: 0.4,
      falseAlarmRate: 0.04,
      mAP: 0.5,
      difference: {
        value: -0.1,
        low: -0.15,
        high: -0.05,
        holds: 'lower',
        perSeed: [-0.1, -0.12],
        standardError: 0.02,
        undefinedReplicates: 0,
        first: 0.4,
        second: 0.5,
        pValue: 0.01,
      },
      isWithinNoise: false,
    },
  ],
  seeds: [1, 2],
  effects: [],
  replicates: 100,
  confidence: 0.95,
  instances: 300,
  epochs: 2,
  missing: [],
};

const recommendation: Recommendation = {
  verdict: `Use bce: F1 50.00 at 5% false alarms. ${hostile} is worse.`,
  reasons: [hostile],
  label: 'bce',
  loss: { name: 'bce' },
  matters: true,
  decision: { rule: 'gate', budget: { falseAlarms: 0.05 }, beta: 1 },
  rounds: [round],
  full: { train: 1000, validation: 300, epochs: 10 },
  speed: { imagesPerSecond: 10, overheadSeconds: 1, sideBySide: 1 },
  minutes: 5,
  spentSeconds: 200,
};

test('a recommendation says what to use, the distance of the others, and how to train', () => {
  const html = recommendationPage('photos', recommendation, 'recommendations/photos/recommended.jsonc');
  expect(html).toContain('<h1>Use bce.</h1>');
  expect(html).toContain('One loss is best');
  expect(html).toContain('−10.0 (−15.0 to −5.0)');
  expect(html).toContain('npx anyclass train recommendations/photos/recommended.jsonc');
});

test.each([
  ['a study', () => studyPage(study)],
  ['a recommendation', () => recommendationPage(hostile, recommendation, 'recommended.jsonc')],
  ['explanations', explanations],
])('names on the page of %s stay text', (_, make) => {
  const html = make();
  expect(html.match(/<script>/g)).toHaveLength(1);
  // Tables to copy keep names as they are; only markup is escaped there.
  expect(html.replaceAll(/<textarea[\s\S]*?<\/textarea>/g, '')).not.toContain('\u202e');
});

const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

function explanations(): string {
  const map = {
    method: 'cam',
    unit: 'logit',
    peak: 2,
    peakAt: { x: 0.5, y: 0.5 },
    overlay: 'a.png',
    array: 'a.npy',
  };
  const record = {
    name: hostile,
    labels: [hostile],
    outcome: 'alarm',
    presence: { probability: 0.9, gate: 0.5 },
    maps: [{ ...map, target: hostile, probability: 0.9 }],
  };
  const cards = [{ record, image: dot, heats: [dot] }];
  return explanationPage({
    model: hostile,
    classes: [hostile],
    decision: fixedDecision([hostile], 0.5),
    cards,
    all: 2,
  });
}

describeInBrowser('in a browser', (browser) => {
  test('a study, a recommendation and explanations open without errors, fit on a phone, and axe finds nothing serious', async () => {
    const file = join(testFolder(), 'page.html');
    for (const html of [
      studyPage(study),
      recommendationPage(hostile, recommendation, 'r.jsonc'),
      explanations(),
    ]) {
      writeFileSync(file, html);
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 390],
      ] as const) {
        const viewport = { width, height: 800 };
        const { page, problems } = await openFile(browser(), file, {
          colorScheme,
          viewport,
          bypassCSP: true,
        });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect(await seriousFindings(page)).toEqual([]);
        expect(problems).toEqual([]);
      }
    }
  }, 60_000);

  test('printed, a study of long fields is not wider than the paper', async () => {
    const file = join(testFolder(), 'study.html');
    const fields = [
      'loss.alpha',
      'loss.lambda',
      'loss.beta',
      'optimizer.rate',
      'optimizer.weightDecay',
      'batchSize',
    ];
    const importance = Object.fromEntries(fields.map((field) => [field, 0.5]));
    const values = Object.fromEntries(fields.map((field, i) => [field, 0.003971 * (i + 1)]));
    const trials = study.trials.map((each) => ({
      ...each,
      values,
      run: `runs/study/trials/000${each.trial}`,
    }));
    writeFileSync(file, studyPage({ ...study, trials, importance, study: 'runs/study' }));
    const { page } = await openFile(browser(), file, { viewport: { width: 718, height: 1016 } });
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(718);
  }, 60_000);
});
