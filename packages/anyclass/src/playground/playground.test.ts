import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { likelihood, logLikelihoodGradient } from '@anyclass/core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../test/pages/browser.js';
import { playgroundInBrowser, settled } from '../../test/pages/playground.js';
import { plotRows } from './page/plots.js';
import { readingAt } from './page/reading.js';
import { stateFromHash } from './page/state.js';
import { playgroundPage } from './playgroundPage.js';

const plots = plotRows.flatMap((row) => row.plots);

test('the page needs no other file', async () => {
  const html = await playgroundPage();
  expect(html).not.toMatch(/<link[^>]+stylesheet|<script[^>]+src=|@import|url\(/);
  expect(html).toContain("default-src 'none'");
});

describeInBrowser('in a browser', (browser) => {
  const { folder, open, openFile } = playgroundInBrowser(browser);

  test('fourteen plots are drawn without errors or requests', async () => {
    const { page, problems } = await open();
    expect(await page.locator('figure').count()).toBe(14);
    for (const hash of await heatHashes(page)) expect(hash).not.toBe(0);
    expect(problems).toEqual([]);
  });

  test('the values and gradients under the crosshair are those of core', async () => {
    const { page } = await open();
    for (const hash of [
      'y=10&lambda=0.3&alpha=0.6&gamma=0&p=0.25,0.85',
      'y=00&lambda=0&alpha=1&gamma=2&p=0.9,0.05',
      'y=11&lambda=0&alpha=1&gamma=0.5&p=0.01,0.99',
    ]) {
      await goTo(page, hash);
      const state = stateFromHash(hash);
      const [point, targets] = [
        [state.p1, state.p2],
        [state.y1, state.y2],
      ];
      for (const { id, quantity, negativeLog } of plots) {
        const value = likelihood(quantity, point, targets, state);
        const shown = Number(await page.locator(`[id="${id}"] output`).getAttribute('title'));
        expect(shown, `${id} at ${hash}`).toBeCloseTo(negativeLog ? -Math.log(value) : value, 12);
        const gradient = [...logLikelihoodGradient(quantity, point, targets, state)].map((along) =>
          negativeLog ? -along : value * along,
        );
        const text = (await page.locator(`[id="${id}"] .reading span`).textContent()) ?? '';
        const numbers = text
          .replaceAll('−', '-')
          .match(/-?[\d.]+(e[+-]?\d+)?/g)!
          .map(Number);
        for (const [n, along] of gradient.entries()) {
          const digits = Math.abs(along) < 0.001 ? 0.06 : 0.006;
          expect(Math.abs(numbers[n]! - along), `${id} at ${hash}`).toBeLessThan(
            digits * Math.abs(along) + 1e-12,
          );
        }
      }
    }
  });

  test('each setting redraws the plots that depend on it, and no others', async () => {
    const { page } = await open('y=10&lambda=0.3&alpha=0.5&gamma=0');
    for (const setting of ['lambda', 'alpha', 'gamma'] as const) {
      const before = await heatHashes(page);
      await page.locator(`[name="${setting}Value"]`).fill('0.8');
      await page.locator(`[name="${setting}Value"]`).press('Enter');
      await settled(page, `${setting}=0.8`);
      const after = await heatHashes(page);
      for (const [n, plot] of plots.entries()) {
        expect(after[n] !== before[n], `${plot.id} after ${setting}`).toBe(plot.dependsOn.includes(setting));
      }
    }
  });

  test('λ changes no plot if the labels are equal, and takes effect once they differ', async () => {
    const { page } = await open('y=11&lambda=0.3');
    const before = await heatHashes(page);
    await page.locator('[name="lambdaValue"]').fill('0.8');
    await page.locator('[name="lambdaValue"]').press('Enter');
    await settled(page, 'lambda=0.8');
    expect(await heatHashes(page)).toEqual(before);
    await page.locator('[name="y2"]').uncheck({ force: true });
    await settled(page, 'y=10');
    const anew = await open('y=10&lambda=0.8');
    expect(await heatHashes(page)).toEqual(await heatHashes(anew.page));
    await Promise.all([page.close(), anew.page.close()]);
  });

  test('labels, palette and contours change what is drawn', async () => {
    const { page } = await open();
    const before = await heatHashes(page);
    await page.locator('[name="y2"]').check({ force: true });
    await settled(page, 'y=11');
    const both = await heatHashes(page);
    expect(both.every((hash, n) => hash !== before[n])).toBe(true);
    await page.locator('[name="palette"]').selectOption('gray');
    await settled(page, 'palette=gray');
    expect((await heatHashes(page)).every((hash, n) => hash !== both[n])).toBe(true);
    const lines = await heatHashes(page, '.lines');
    await page.locator('[name="contours"]').selectOption('0');
    await settled(page, 'contours=0');
    expect((await heatHashes(page, '.lines')).every((hash, n) => hash !== lines[n] && hash === 0)).toBe(true);
  });

  test('a number that is being typed is left alone while the plots are redrawn', async () => {
    const { page } = await open();
    const field = page.locator('[name="p1Value"]');
    await field.fill('0.33');
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          dispatchEvent(new HashChangeEvent('hashchange'));
          requestAnimationFrame(() => requestAnimationFrame(resolve));
        }),
    );
    expect(await field.inputValue()).toBe('0.33');
    await field.press('Enter');
    await settled(page, 'p=0.33,0.4');
    await field.fill('7');
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).not.toBe('7');
  });

  test('the address contains the state, and opening it shows the same plots', async () => {
    const { page } = await open();
    await page.locator('#lambda').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('[name="p1Value"]').fill('0.33');
    await page.locator('[name="p1Value"]').press('Enter');
    await settled(page, 'p=0.33,0.4');
    const hash = new URL(page.url()).hash;
    const again = await open(hash.slice(1));
    expect(await again.page.locator('output').allInnerTexts()).toEqual(
      await page.locator('output').allInnerTexts(),
    );
    expect(await heatHashes(again.page)).toEqual(await heatHashes(page));
    expect(await page.evaluate(() => history.length)).toBe(await again.page.evaluate(() => history.length));
    await again.page.evaluate(() => {
      location.hash = 'y=00&p=0.5,0.5';
    });
    await again.page.waitForFunction(
      () => document.querySelector('[id="bce"] output')?.textContent === '0.250',
    );
    await Promise.all([page.close(), again.page.close()]);
  });

  test('the arrow is fully visible and points where training pushes, even at the edges', async () => {
    const { page } = await open('', { viewport: { width: 390, height: 844 } });
    for (const hash of [
      'y=10&p=0.2,0.95',
      'y=10&p=0.99,0.01',
      'y=01&p=0.01,0.99',
      'y=11&p=0.99,0.99',
      'y=00&p=0.5,0.01',
    ]) {
      await goTo(page, hash);
      for (const plot of plots) {
        const at = `${plot.id} at ${hash}`;
        const { push } = readingAt(plot, stateFromHash(hash));
        const surface = (await page.locator(`[id="${plot.id}"] .surface`).boundingBox())!;
        const arrow = page.locator(`[id="${plot.id}"] .place path`);
        const box = (await arrow.boundingBox())!;
        expect(box.x, at).toBeGreaterThan(surface.x - 14);
        expect(box.y, at).toBeGreaterThan(surface.y - 14);
        expect(box.x + box.width, at).toBeLessThan(surface.x + surface.width + 14);
        expect(box.y + box.height, at).toBeLessThan(surface.y + surface.height + 14);
        const shape = (await arrow.getAttribute('d')) ?? '';
        const numbers = shape.match(/-?[\d.]+/g)!.map(Number);
        const [tail, tip] = [middle(numbers.slice(0, 2), numbers.slice(-2)), numbers.slice(6, 8)];
        const [right, down] = [tip[0]! - tail[0]!, tip[1]! - tail[1]!];
        expect(Math.hypot(right, down), at).toBeGreaterThan(11.5);
        const turned = Math.atan2(-down, right) - Math.atan2(push[1], push[0]);
        expect(Math.cos(turned), at).toBeGreaterThan(0.999);
      }
    }
    const clips = await page
      .locator('.surface > svg')
      .evaluateAll((all) => all.map((svg) => getComputedStyle(svg).overflow));
    expect(new Set(clips)).toEqual(new Set(['visible']));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('one plot or all of them are saved as SVG with the current contours, crosshair and settings', async () => {
    const hash = 'y=10&lambda=0.3&alpha=0.6&gamma=0&p=0.25,0.85&contours=4';
    const { page, problems } = await open(hash);
    const saved = async (button: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator(button).click()]);
      const path = join(folder, download.suggestedFilename());
      await download.saveAs(path);
      return { path, text: readFileSync(path, 'utf8') };
    };
    const one = await saved('[id="combined-product-loss"] .save');
    expect(one.path).toMatch(/combined-product-loss\.svg$/);
    expect(one.text).toContain('y₁ = 1, y₂ = 0, λ = 0.3, α = 0.6, γ = 0');
    expect(one.text).toContain('Combined, plain product loss');
    const value = -Math.log(
      likelihood('combined-product', [0.25, 0.85], [1, 0], { lambda: 0.3, alpha: 0.6 }),
    );
    expect(one.text).toContain(`${value.toPrecision(3)} at p₁ 0.250, p₂ 0.850`);
    const all = await saved('#save');
    expect(problems).toEqual([]);

    const svg = await openFile(all.path);
    const count = (selector: string) => svg.page.locator(selector).count();
    expect(await count('image')).toBe(14);
    // At most four levels, two strokes of the crosshair, and the arrow.
    expect(await count('path')).toBeGreaterThan(14 * 4);
    expect(await count('path')).toBeLessThanOrEqual(14 * (4 + 3));
    expect(await svg.page.evaluate(() => document.documentElement.tagName)).toBe('svg');
    expect(svg.problems).toEqual([]);
    const colors = await svg.page.locator('image').evaluateAll((images) =>
      Promise.all(
        images.map(async (image) => {
          const bitmap = new Image();
          bitmap.src = image.getAttribute('href') ?? '';
          await bitmap.decode();
          return bitmap.width;
        }),
      ),
    );
    expect(new Set(colors)).toEqual(new Set([200]));
    await Promise.all([page.close(), svg.page.close()]);
  });
});

/** Shows another state in an open page, like a link, and waits until its plots are drawn. */
async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((text) => {
    location.hash = text;
  }, hash);
  const { p1, p2 } = stateFromHash(hash);
  await page.waitForFunction(
    (values) =>
      ['p1Value', 'p2Value'].every((name, n) => {
        const field = document.querySelector(`[name="${name}"]`);
        return field instanceof HTMLInputElement && Number(field.value) === values[n];
      }),
    [p1, p2],
  );
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

function middle([x1, y1]: readonly number[], [x2, y2]: readonly number[]): readonly [number, number] {
  return [(x1! + x2!) / 2, (y1! + y2!) / 2];
}

/** Returns a hash of the pixels of each canvas; 0 if it is empty. */
function heatHashes(page: Page, selector = '.heat'): Promise<number[]> {
  return page.locator(selector).evaluateAll((canvases) =>
    canvases.map((canvas) => {
      const context = canvas instanceof HTMLCanvasElement ? canvas.getContext('2d') : null;
      const pixels = context?.getImageData(0, 0, context.canvas.width, context.canvas.height).data ?? [];
      let hash = 0;
      for (const byte of pixels) hash = (Math.imul(hash, 31) + byte) | 0;
      return hash;
    }),
  );
}
