// The page in the system's Chromium.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { describeInBrowser, seriousFindings } from '../../test/pages/browser.js';
import { fakeRun, logEpoch, pageFolder } from '../../test/studioRuns.js';
import { openStudio, type StudioServer } from './studio.js';

test('the first view has at most 150 KB, compressed', () => {
  const read = (name: string) => readFileSync(join(pageFolder, name));
  const html = read('index.html').toString('utf8');
  const first = new Set(Array.from(html.matchAll(/\/page\/([\w.-]+)/g), ([, name = '']) => name));
  // What these import at once, and the view that is shown first.
  const views = readdirSync(pageFolder).filter(
    (name) => /^view-/.test(name) && read(name).includes('runs-view'),
  );
  for (const name of [...first, ...views]) first.add(name);
  for (const name of first)
    for (const [, other = ''] of read(name)
      .toString('utf8')
      .matchAll(/from"\.\/([\w.-]+)"|import"\.\/([\w.-]+)"/g))
      if (other !== '') first.add(other);
  expect(first.size).toBeGreaterThan(3);
  const bytes = ['index.html', ...first].reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(150_000);
});

describeInBrowser('the page', (browser) => {
  const folder = testFolder();
  const at = (name: string) => join(folder, name);
  const hostile = '<img src=x onerror=document.title=1>';
  let server: StudioServer;
  let page: Page;
  const problems: string[] = [];
  beforeAll(async () => {
    for (const seed of [1, 2])
      fakeRun(at(`pipes-seed${seed}`), {
        end: 'finished',
        configuration: { data: { dataset: 'digits' }, seed },
      });
    fakeRun(at('live'), {
      isLocked: true,
      epochs: 1,
      configuration: { data: { dataset: 'digits' }, epochs: 4 },
    });
    fakeRun(at(hostile), {
      end: 'failed',
      configuration: { data: { dataset: 'digits' }, epochs: 5 },
      message: '<svg onload=document.title=2>the disk is full',
    });
    server = await openStudio([folder]);
    const context = await browser().newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: false });
    page = await context.newPage();
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(server.url);
  });
  afterAll(() => server.close());
  const text = (selector: string) => page.locator(selector).first().textContent();

  test('lists the runs, and what a training does is there half a second later', async () => {
    const live = page.locator('.run-table .run-line', { hasText: 'live' });
    await expect.poll(() => live.textContent()).toContain('epoch 2 of 4');
    logEpoch(at('live'), 2);
    await expect.poll(() => live.textContent()).toContain('epoch 3 of 4');
    expect(new URL(page.url()).search).toBe('');
    await expect.poll(() => text('.run-line.group')).toContain('pipes');
    await page.locator('.disclose').click();
    await expect.poll(() => page.locator('.run-line.inner').count()).toBe(2);
    await page.reload();
    await expect.poll(() => page.locator('.run-line.inner').count()).toBe(2);
  });

  test('names stay text, and a failed run says why and how to resume', async () => {
    const failed = page.locator('.run-table .run-line', { hasText: 'onerror' });
    expect(await failed.locator('a').textContent()).toBe(hostile);
    expect(await failed.locator('.state').getAttribute('title')).toMatch(
      /<svg onload=document.title=2>the disk is full\nanyclass train --resume '/,
    );
    expect(await page.locator('img').count()).toBe(0);
    await failed.locator('a').click();
    await expect.poll(() => text('h1')).toBe(hostile);
    await expect
      .poll(() => page.locator('.log-lines').textContent())
      .toContain('failed: <svg onload=document.title=2>the disk is full');
    expect(await page.title()).toContain(hostile);
    await page.goBack();
    await expect.poll(() => page.locator('.run-table').count()).toBe(1);
  });

  test('shows a run with its curves while it is trained, by keyboard', async () => {
    await page.locator('.run-table a', { hasText: 'live' }).click();
    await expect.poll(() => text('h1')).toBe('live');
    await expect.poll(() => page.locator('.curves canvas').count()).toBeGreaterThan(3);
    logEpoch(at('live'), 3);
    const loss = page.locator('.curves [role=img]').first();
    await expect.poll(() => loss.getAttribute('aria-label')).toContain('loss 0.3333');
    await page.keyboard.press('j');
    await expect.poll(() => text('h1')).not.toBe('live');
    await page.goBack();
    await expect.poll(() => text('h1')).toBe('live');
    // The list keeps the chosen run, so that the next view is about it.
    await page.keyboard.press('j');
    await expect.poll(() => text('h1')).not.toBe('live');
    const next = await text('h1');
    await page.locator('.rail h2 a').click();
    await expect.poll(() => page.locator('.run-table').count()).toBe(1);
    await page.locator('.tabs a', { hasText: /^Run$/ }).click();
    await expect.poll(() => text('h1')).toBe(next);
  });

  test('a run that is deleted while it is shown is said to be gone', async () => {
    // It logged no step yet: its curves are empty.
    fakeRun(at('short'), { end: 'interrupted', epochs: 0, started: '2026-02-01T00:00:00.000Z' });
    await expect.poll(() => page.locator('.rail .runs').textContent()).toContain('short');
    await page.locator('.rail .runs a', { hasText: 'short' }).click();
    await expect.poll(() => text('h1')).toBe('short');
    await expect.poll(() => page.locator('.log-lines').textContent()).toContain('interrupted');
    await expect.poll(() => page.locator('.curves canvas').count()).toBeGreaterThan(3);
    rmSync(at('short'), { recursive: true });
    await expect.poll(() => text('.empty')).toContain('short is not there any more');
    // A question that was on its way meanwhile is answered with 404, which the browser reports.
    const isGone = (text: string) => text.includes('status of 404');
    problems.splice(0, problems.length, ...problems.filter((text) => !isGone(text)));
  });

  test('draws nothing while nothing happens', async () => {
    const context = await browser().newContext();
    const still = await context.newPage();
    await still.addInitScript(() => {
      const draw = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (callback) => {
        document.documentElement.dataset['drawn'] = String(
          Number(document.documentElement.dataset['drawn'] ?? 0) + 1,
        );
        return draw(callback);
      };
    });
    await still.goto(server.url);
    await expect.poll(() => still.locator('.legend-keys dt').count()).toBeGreaterThan(2);
    const drawn = async () => Number(await still.locator('html').getAttribute('data-drawn'));
    // A page that draws for ever asks for a frame 60 times a second and is never seen to rest.
    const rested = async () => {
      const before = await drawn();
      await still.waitForTimeout(500);
      return (await drawn()) - before;
    };
    await expect.poll(rested, { timeout: 20_000, interval: 1 }).toBeLessThan(4);
    await context.close();
  });

  test('nothing failed, and readers with a screen reader find everything', async () => {
    expect(problems).toEqual([]);
    const context = await browser().newContext({ bypassCSP: true });
    const plain = await context.newPage();
    await plain.goto(server.url);
    await expect.poll(() => plain.locator('.run-table .run-line').count()).toBeGreaterThan(2);
    expect(await seriousFindings(plain)).toEqual([]);
    await context.close();
  });
});
