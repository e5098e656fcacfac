import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import { describeInBrowser, openFile, seriousFindings } from '../../test/pages/browser.js';
import { tinyRun } from '../../test/tinyRun.js';
import { thumbnail } from '../inspect/samples.js';
import { runPaths } from '../runs/runFolder.js';
import { runScores } from '../runs/runScores.js';
import { readSummary } from '../runs/summary.js';
import { presenceBins } from './run/curves.js';
import { mostPictures, pictureSide } from './run/imageCards.js';
import { outcomesOf } from './run/outcomes.js';
import { chanceF1 } from './run/verdict.js';
import { writeRunReport } from './runReport.js';

const folder = testFolder();
const run = join(folder, 'second');
const file = join(run, 'report.html');
let html = '';

beforeAll(async () => {
  for (const [name, strength, started] of [
    ['first', 1, '2026-01-30T12:00:00Z'],
    ['second', 3, '2026-01-31T12:00:00Z'],
  ] as const)
    writeSyntheticRun(join(folder, name), {
      configuration: tinyRun,
      strength,
      rows: 300,
      isDecided: true,
      started,
    });
  html = readFileSync(await writeRunReport(run), 'utf8');
});

test('rows are found, missed, false alarms, or alarms under another name; classes count theirs', () => {
  const scored = {
    scores: new Float64Array([0.9, 0.1, 0.2, 0.8, 0.1, 0.2, 0.7, 0.1, 0.1, 0.1]),
    targets: [1, 0, 1, 0, 1, 0, 0, 0, 0, Number.NaN],
    classNames: ['a', 'b'],
  };
  const { ofRow, counts, byClass } = outcomesOf(scored, {
    rule: 'class',
    presence: 0,
    thresholds: [0.5, 0.5],
  });
  expect(ofRow).toEqual(['found', 'other', 'missed', 'false-alarm', undefined]);
  expect(counts).toEqual({ found: 1, other: 1, missed: 1, review: 0, 'false-alarm': 1, quiet: 0 });
  expect(byClass[0]).toEqual({ name: 'a', present: 3, found: 1, other: 1, review: 0 });
});

test('a gate that lets nothing pass leaves every positive missed', () => {
  const scored = { scores: new Float64Array([0.9, 0.9]), targets: [1, 0], classNames: ['a'] };
  expect(outcomesOf(scored, { rule: 'gate', presence: null, thresholds: [0.5] }).ofRow).toEqual([
    'missed',
    'quiet',
  ]);
});

test('a gate alarms by presence alone, also without a label', () => {
  const scored = { scores: new Float64Array([0.9, 0.9, 0.1]), targets: [1, 0, 0], classNames: ['a'] };
  const { ofRow, work } = outcomesOf(scored, { rule: 'gate', presence: 1, thresholds: [0.95] });
  expect(ofRow).toEqual(['other', 'false-alarm', 'quiet']);
  expect(work).toEqual({ clear: { positive: 0, negative: 1 }, alarm: { positive: 1, negative: 1 } });
});

test('with triage, presence alone clears, alarms or leaves a row to review', () => {
  const scores = new Float64Array([0.1, 0.5, 0.9, 0.1, 0.5, 0.9]);
  const scored = { scores, targets: [1, 1, 1, 0, 0, 0], classNames: ['a'] };
  const decision = { rule: 'gate', presence: 1, clear: 0.5, thresholds: [0.95] } as const;
  const { ofRow, work } = outcomesOf(scored, decision);
  expect(ofRow).toEqual(['missed', 'review', 'other', 'quiet', 'review', 'false-alarm']);
  expect(work).toEqual({
    clear: { positive: 1, negative: 1 },
    review: { positive: 1, negative: 1 },
    alarm: { positive: 1, negative: 1 },
  });
});

test('chance is the F1 of as many labels at random', () => {
  const { test: judged } = readSummary(runPaths(run));
  const metrics = {
    ...judged!.metrics,
    truePositives: [5],
    falsePositives: [5],
    falseNegatives: [5],
    trueNegatives: [85],
  };
  // Precision and recall are both the prevalence, 10 of 100.
  expect(chanceF1(metrics)).toBeCloseTo(0.1, 12);
});

test('calibration has bins of equal counts, whose positives add up', async () => {
  const scored = await runScores(run, 'test');
  const bins = presenceBins(scored);
  const counts = bins.map(({ count }) => count);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  expect(counts.every((count) => count > 0)).toBe(true);
  const { positiveRows } = readSummary(runPaths(run)).test!.metrics;
  expect(bins.reduce((sum, { positive }) => sum + positive, 0)).toBe(positiveRows);
});

test('the counts are the alarms of the summary, with or without a label', () => {
  const { metrics } = readSummary(runPaths(run)).test!.decided!;
  const found = Math.round((1 - metrics.missedRate!) * metrics.positiveRows);
  const alarms = Math.round(metrics.negativesAlarmed! * metrics.negativeRows);
  // Here some alarms have no label, so the two ways of counting differ.
  expect(alarms).toBeGreaterThan(metrics.falseAlarmRate! * metrics.negativeRows);
  const share = metrics.negativeRows / (metrics.negativeRows + metrics.positiveRows);
  const daily = Math.round(10_000 * share * metrics.negativesAlarmed!).toLocaleString('en-US');
  expect(html).toContain(`At 10,000 images a day: about ${daily} false alarms`);
  const [, headline = ''] = /<h1>([^<]*)<\/h1>/.exec(html) ?? [];
  expect(headline.replaceAll(',', '')).toBe(
    `Finds ${found} of ${metrics.positiveRows} positive images with false alarms on ${alarms} of ${metrics.negativeRows} negatives.`,
  );
  // The trade-off marks the same finds.
  expect(html).toContain(`${((100 * found) / metrics.positiveRows).toFixed(0)}% of positives found`);
});

test('a report weighs less than 1.5 MB, even if all of its images are noise', async () => {
  const side = 300;
  const pixels = Uint8Array.from({ length: side * side * 3 }, (_, i) => (i * 2654435761) >>> 24);
  const noise = { kind: 'pixels', pixels, width: side, height: side, channels: 3 } as const;
  const picture = await thumbnail(async () => noise, pictureSide, {});
  expect(picture).toBeDefined();
  expect(html.length + mostPictures * picture!.length).toBeLessThan(1.5e6);
});

test('the run before it is part of the comparison; the first run has none', async () => {
  expect(html).toContain('before: first');
  const first = readFileSync(await writeRunReport(join(folder, 'first')), 'utf8');
  expect(first).not.toContain('before: ');
});

describeInBrowser('in a browser', (browser) => {
  /** The text within the first screen. */
  const firstScreen = (page: Page) =>
    page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const texts: string[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const box = node.parentElement?.getBoundingClientRect();
        if (box && box.width > 1 && box.bottom <= innerHeight) texts.push(node.textContent ?? '');
      }
      return texts.join(' ');
    });

  test.each([
    ['1400 pixels', { width: 1400, height: 900 }],
    ['a phone', { width: 390, height: 844 }],
  ])(
    'at %s the first screen answers whether to ship it, at how many false alarms a day, and what it misses',
    async (_, viewport) => {
      const { page, problems } = await openFile(browser(), file, { viewport });
      const text = await firstScreen(page);
      expect(text).toMatch(/Keeps its promise|Nothing is promised|Above its limit|Breaks its promise/);
      expect(text).toMatch(/At 10,000 images a day: about [\d,]+ false alarms/);
      expect(text).toMatch(/It misses the other \d+\./);
      expect(text).toMatch(/Found and missed[\s\S]* of \d+/);
      expect(text).toMatch(/chosen: 5%/);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(problems).toEqual([]);
    },
    60_000,
  );

  test('the rate that was seen is that of the negatives counted beside it', () => {
    const text = readFileSync(file, 'utf8').replace(/<[^>]*>/g, ' ');
    const [, rate, count, negatives] =
      /Seen on \w+\s+([\d.]+)%[^%]*?, ([\d,]+) of ([\d,]+) negatives/.exec(text) ?? [];
    const number = (words = '') => Number(words.replaceAll(',', ''));
    expect(number(negatives)).toBeGreaterThan(0);
    // Rounded to one decimal.
    expect(Math.abs(number(rate) - (100 * number(count)) / number(negatives))).toBeLessThan(0.051);
  });

  test.each(['light', 'dark'] as const)(
    'in %s mode, axe finds nothing serious',
    async (colorScheme) => {
      const { page } = await openFile(browser(), file, { colorScheme, bypassCSP: true });
      for (const part of await page.locator('details > summary').all()) await part.click();
      expect(await seriousFindings(page)).toEqual([]);
    },
    60_000,
  );
});
