// Decide and Compare in the system's Chromium, on a real run.

import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fitDecision, measure } from '@anyclass/core';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { describeInBrowser, seriousFindings } from '../../test/pages/browser.js';
import { trainSmallRun } from '../../test/studioRun.js';
import { asked, cookieOf } from '../../test/studioRuns.js';
import { openDataset } from '../data/openDataset.js';
import { readModelRecord } from '../inference/modelRecord.js';
import { runScores } from '../runs/runScores.js';
import { openStudio, type StudioServer } from './studio.js';

describeInBrowser('the page', (browser) => {
  const folder = testFolder();
  const run = join(folder, 'digits');
  let server: StudioServer;
  let cookie: string;
  let page: Page;
  const problems: string[] = [];
  beforeAll(async () => {
    await trainSmallRun(run);
    await trainSmallRun(join(folder, 'other'), 1);
    server = await openStudio([folder]);
    cookie = await cookieOf(server.url);
    page = await (await browser().newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${server.url}&view=decide&run=digits`);
  }, 120_000);
  afterAll(() => server.close());
  const metric = (name: string) =>
    page
      .locator('.figures div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
      .textContent();

  test('handles move by key and pointer, and everything with them; the address keeps it', async () => {
    const scored = await runScores(run, 'validation');
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/5% of negatives/);
    const before = await metric('Found: alarm');
    for (let i = 0; i < 10; i++) await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => page.url()).toContain('budget=0.15');
    const decision = fitDecision(scored, {
      budget: { falseAlarms: 0.15, confidence: 0.95 },
      candidates: 'adaptive',
    });
    const { macroF1 } = measure(scored, { threshold: decision, allowSameSplit: true });
    await expect.poll(() => metric('F1')).toContain(`F1${(100 * macroF1).toFixed(1)}`);
    await expect.poll(() => metric('Found: alarm')).not.toBe(before);
    await expect.poll(() => page.locator('h1').textContent()).toContain('About 15% of negatives');
    await expect.poll(() => page.locator('.changes img').count()).toBe(16);
    const handle = page.getByRole('slider', { name: 'False-alarm budget', exact: true });
    const box = (await handle.locator('.rule').boundingBox())!;
    await page.mouse.move(box.x, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 80, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.url()).not.toContain('budget=0.15');
    await page.keyboard.press(']');
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/of positives are cleared/);
    await page.reload();
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/of positives are cleared/);
  });

  test('the handles are reached with the tab key, one after the other, and the arrows move the one that has it', async () => {
    await page.goto(`${new URL(server.url).origin}/?view=decide&run=digits&budget=0.15&missed=0.1`);
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/15% of negatives.*10% of positives/);
    await page.locator('.saving select').focus();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    const reached: string[] = [];
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      const name = await focused();
      if ((await page.locator('[role=slider]:focus').count()) === 0) continue;
      reached.push(name);
      if (name === 'Share of positives that may be cleared') await page.keyboard.press('ArrowRight');
    }
    expect(reached).toEqual([
      'Share of positives that may be cleared',
      'False-alarm budget',
      'False-alarm budget, on the curve',
    ]);
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/15% of negatives.*10.5% of positives/);
  });

  test('the curve reaches as far as the handles, and the handle stands on it', async () => {
    await page.goto(`${new URL(server.url).origin}/?view=decide&run=digits&budget=0.25`);
    const curve = page.getByRole('group', { name: 'F1 by false-alarm budget' });
    const number = async (name: string) => Number(await curve.locator('circle').getAttribute(name));
    // Its points come one after the other.
    const after = async () => {
      const text = (await curve.locator('polyline').getAttribute('points')) ?? '';
      const points = text.split(' ').map((pair) => pair.split(',').map(Number));
      const x = await number('cx');
      const next = points.findIndex(([at = 0]) => at >= x);
      return [points[next - 1]?.[1], points[next]?.[1]];
    };
    await expect.poll(after).toEqual([expect.any(Number), expect.any(Number)]);
    const y = await number('cy');
    const [before = 0, next = 0] = await after();
    expect(y).toBeGreaterThan(Math.min(before, next) - 20);
    expect(y).toBeLessThan(Math.max(before, next) + 20);
  });

  test('a handle follows more moves than a browser lets the address change', async () => {
    await page.goto(`${new URL(server.url).origin}/?view=decide&run=digits`);
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/5% of negatives/);
    await page.evaluate(() => {
      const press = (key: string, times: number) => {
        for (let i = 0; i < times; i++) dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      };
      // Chromium drops what is more than 200 in 10 seconds.
      for (let i = 0; i < 4; i++) {
        press('ArrowRight', 40);
        press('ArrowLeft', 40);
      }
      press('ArrowRight', 120);
    });
    await expect.poll(() => page.locator('h1').textContent()).toContain('About 17% of negatives');
    await expect.poll(() => page.url()).toContain('budget=0.17');
    // A step back is where the page was before, not a move of the handle.
    await page.locator('.tabs a', { hasText: 'Runs' }).click();
    await page.goBack();
    await expect.poll(() => page.locator('h1').textContent()).toContain('About 17% of negatives');
  });

  test('a moved handle promises nothing, also where rows were held back: saving does', async () => {
    const held = join(folder, 'held-back');
    cpSync(run, held, { recursive: true });
    for (const name of ['', '-labels'])
      cpSync(join(run, `scores/validation${name}.csv`), join(held, `scores/decision${name}.csv`));
    await expect
      .poll(async () => (await asked(server.url, '/api/run?run=held-back', { headers: { cookie } })).status)
      .toBe(200);
    await page.goto(`${new URL(server.url).origin}/?view=decide&run=held-back&budget=0.1`);
    const head = () => page.locator('.head').textContent();
    await expect.poll(head).toContain('About 10% of negatives');
    expect(await head()).toContain('Approximate');
    expect(await head()).toContain('promised there');
    expect(await head()).not.toContain('confidence');
    await page.locator('#decision-name').fill('promised');
    await page.getByRole('button', { name: 'Save decision' }).click();
    await expect.poll(head).toContain('At most 10% of negatives');
    expect(await head()).toMatch(/95% confidence. Rests on \d+ of \d+ negative held-back images/);
    // First away from the run: the page would still ask for its pictures.
    await page.goto(`${new URL(server.url).origin}/?view=decide&run=digits`);
    rmSync(held, { recursive: true });
  });

  test('the command that is copied writes the decision that is saved', async () => {
    await page.goto(`${new URL(server.url).origin}/?view=decide&run=digits&budget=0.12&missed=0.15`);
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/15% of positives/);
    await page.locator('#decision-name').fill('copied');
    const copy = page.getByRole('button', { name: 'Copy command' });
    const [program, ...words] = ((await copy.getAttribute('title')) ?? '').split(' ');
    expect(program).toBe('anyclass');
    expect(await runInProcess(folder, words)).toMatchObject({ status: 0 });
    await page.getByRole('button', { name: 'Save decision' }).click();
    await expect.poll(() => page.url()).toContain('saved=copied');
    const decisionIn = (file: string) => readModelRecord(join(folder, file)).description.decision;
    expect(decisionIn('copied.safetensors')).toEqual(decisionIn('digits/decisions/copied.safetensors'));
  });

  test('a decision is saved, test opens for it, and predict uses it', async () => {
    await page.goto(`${new URL(server.url).origin}/?view=decide&run=digits&budget=0.2&missed=0.2`);
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/20% of positives/);
    await expect.poll(() => metric('Test')).toContain('opens for a saved decision');
    // By keyboard alone: s names it, Enter saves it, and the arrows move the handle again.
    await page.keyboard.press('s');
    await page.locator('#decision-name').fill('first');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('saved=first');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.url()).toContain('budget=0.201');
    await page.keyboard.press('s');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await expect.poll(() => page.url()).not.toContain('budget');
    await page.getByRole('button', { name: 'Open' }).click();
    await expect.poll(() => metric('Test')).toContain('false alarms');
    expect(await metric('Test')).not.toContain('chosen after test was seen');
    // Changed after it was seen.
    await page.goto(`${new URL(server.url).origin}/?view=decide&run=digits&budget=0.21&missed=0.2`);
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/21% of negatives/);
    await page.locator('#decision-name').fill('mine');
    await page.getByRole('button', { name: 'Save decision' }).click();
    await expect.poll(() => page.url()).toContain('saved=mine');
    expect(existsSync(join(run, 'decisions/mine.safetensors'))).toBe(true);
    await page.getByRole('button', { name: 'Open' }).click();
    await expect.poll(() => metric('Test')).toContain('chosen after test was seen');
    const dataset = await openDataset('digits', {
      digits: { scenes: { train: 48, validation: 240, test: 80 } },
    });
    const image = await dataset.images.read(dataset.splits.test[0]!);
    if (image.kind !== 'pixels') throw new Error('digits are pixels');
    const { pixels, width, height, channels } = image;
    await sharp(pixels, { raw: { width, height, channels } }).png().toFile(join(folder, 'photo.png'));
    const words = [
      'predict',
      join(run, 'decisions/mine.safetensors'),
      'photo.png',
      '--out',
      'predictions.csv',
    ];
    expect(await runInProcess(folder, words)).toMatchObject({ status: 0 });
    // Only a decision that limits missed positives leaves anything to review.
    expect(readFileSync(join(folder, 'predictions.csv'), 'utf8')).toMatch(
      /outcome[\s\S]*(clear|review|alarm)/,
    );
  });

  test('two runs are compared, with intervals and images', async () => {
    await page.goto(`${new URL(server.url).origin}/?view=compare&a=digits&b=other`);
    await expect.poll(() => page.locator('.compare h1').textContent()).toMatch(/points of F1 \(/);
    await expect.poll(() => page.locator('.compare').textContent()).toContain('On validation');
    await page.getByRole('button', { name: 'Open test' }).click();
    await expect
      .poll(() => page.locator('.compare').textContent())
      .toContain('On test, with decisions fitted on validation');
    await expect.poll(() => page.url()).toContain('split=test');
  });

  test('nothing failed, and readers with a screen reader find everything', async () => {
    expect(problems).toEqual([]);
    const context = await browser().newContext({ bypassCSP: true });
    const plain = await context.newPage();
    await plain.goto(server.url);
    for (const [view, part] of [
      ['decide', '.changes img'],
      ['compare', '.compare h1'],
      ['run', '.curves canvas'],
    ]) {
      await plain.goto(`${new URL(server.url).origin}/?view=${view}&run=digits&a=digits&b=other`);
      await expect.poll(() => plain.locator(part!).count()).toBeGreaterThan(0);
      expect([view, await seriousFindings(plain)]).toEqual([view, []]);
    }
    await context.close();
  });
});
