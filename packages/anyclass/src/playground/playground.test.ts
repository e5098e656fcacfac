import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { likelihood, logLikelihoodGradient } from '@anyclass/core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumNeed, chromiumPath, launchChromium, openFile } from '../../test/pages/browser.js';
import { plotRows } from './page/plots.js';
import { readingAt } from './page/reading.js';
import { initialState, stateFromHash } from './page/state.js';
import { playgroundPage } from './playgroundPage.js';

const plots = plotRows.flatMap((row) => row.plots);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-playground-'));
const file = join(folder, 'playground.html');
beforeAll(async () => writeFileSync(file, await playgroundPage()));
afterAll(() => rmSync(folder, { recursive: true }));

test('the page asks for no other file', async () => {
  const html = await playgroundPage();
  expect(html).not.toMatch(/<link[^>]+stylesheet|<script[^>]+src=|@import|url\(/);
  expect(html).toContain("default-src 'none'");
});

describe.skipIf(chromiumPath === undefined)(`in a browser${chromiumNeed}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  const open = async (hash = '', options = {}) => {
    const opened = await openFile(browser, file, options, hash);
    await opened.page.waitForFunction(() => document.querySelector('output')?.textContent !== '');
    return opened;
  };

  test('fourteen plots are drawn, without an error and without a request', async () => {
    const { page, problems } = await open();
    expect(await page.locator('figure').count()).toBe(14);
    for (const hash of await heatHashes(page)) expect(hash).not.toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  test.each([
    'y=10&lambda=0.3&alpha=0.6&gamma=0&p=0.25,0.85',
    'y=00&lambda=0&alpha=1&gamma=2&p=0.9,0.05',
    'y=11&lambda=0&alpha=1&gamma=0.5&p=0.01,0.99',
  ])('the values and gradients under the crosshair are those of core: %s', async (hash) => {
    const { page } = await open(hash);
    const state = stateFromHash(hash);
    const [point, targets] = [
      [state.p1, state.p2],
      [state.y1, state.y2],
    ];
    for (const { id, quantity, negativeLog } of plots) {
      const value = likelihood(quantity, point, targets, state);
      const shown = Number(await page.locator(`[id="${id}"] output`).getAttribute('title'));
      expect(shown).toBeCloseTo(negativeLog ? -Math.log(value) : value, 12);
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
        expect(Math.abs(numbers[n]! - along)).toBeLessThan(digits * Math.abs(along) + 1e-12);
      }
    }
    await page.close();
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
    await page.close();
  });

  test('with equal labels λ moves no plot, and takes effect once they differ', async () => {
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
    await page.close();
  });

  test('a number that is being typed is left alone while the plots are drawn anew', async () => {
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
    await page.close();
  });

  test('the address holds the state, and opening it shows the same', async () => {
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

  test('arrow keys move the crosshair of all plots, Shift by larger steps, and the value is spoken', async () => {
    const { page } = await open();
    await page.locator('#combined .surface').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowUp');
    await settled(page, 'p=0.69,0.5');
    expect(await page.locator('[name="p1Value"]').inputValue()).toBe('0.69');
    const value = likelihood('bce', [0.69, 0.5], [1, 0]);
    expect(Number(await page.locator('#bce output').getAttribute('title'))).toBeCloseTo(value, 12);
    expect(await page.locator('#spoken').textContent()).toMatch(/^Combined: 0\.\d+ at p1 0\.690, p2 0\.500/);
    await page.close();
  });

  test('Tab reaches the labels, sliders, choices, buttons and plots in that order', async () => {
    const { page } = await open();
    const reached: string[] = [];
    for (let n = 0; n < 30; n++) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate(() => {
          const focused = document.activeElement;
          const figure = focused?.closest('figure')?.id;
          if (figure !== undefined) return focused?.tagName === 'BUTTON' ? `save ${figure}` : figure;
          return focused?.getAttribute('name') ?? focused?.tagName ?? '';
        }),
      );
    }
    const sliders = ['lambda', 'alpha', 'gamma'].flatMap((name) => [name, `${name}Value`]);
    const crosshair = ['p1', 'p1Value', 'p2', 'p2Value'];
    expect(reached).toEqual(
      [
        'A',
        'y1',
        'y2',
        ...sliders,
        ...crosshair,
        'palette',
        'contours',
        'BUTTON',
        'BUTTON',
        ...plots.flatMap(({ id }) => [`save ${id}`, id]),
      ].slice(0, 30),
    );
    await page.close();
  });

  test.each([
    'y=10&p=0.2,0.95',
    'y=10&p=0.99,0.01',
    'y=01&p=0.01,0.99',
    'y=11&p=0.99,0.99',
    'y=00&p=0.5,0.01',
  ])('the arrow is seen whole and points where training pushes, at the edges too: %s', async (hash) => {
    const { page } = await open(hash, { viewport: { width: 390, height: 844 } });
    for (const plot of plots) {
      const { push } = readingAt(plot, stateFromHash(hash));
      const surface = (await page.locator(`[id="${plot.id}"] .surface`).boundingBox())!;
      const arrow = page.locator(`[id="${plot.id}"] .place path`);
      const box = (await arrow.boundingBox())!;
      expect(box.x, plot.id).toBeGreaterThan(surface.x - 14);
      expect(box.y, plot.id).toBeGreaterThan(surface.y - 14);
      expect(box.x + box.width, plot.id).toBeLessThan(surface.x + surface.width + 14);
      expect(box.y + box.height, plot.id).toBeLessThan(surface.y + surface.height + 14);
      const shape = (await arrow.getAttribute('d')) ?? '';
      const numbers = shape.match(/-?[\d.]+/g)!.map(Number);
      const [tail, tip] = [middle(numbers.slice(0, 2), numbers.slice(-2)), numbers.slice(6, 8)];
      const [right, down] = [tip[0]! - tail[0]!, tip[1]! - tail[1]!];
      expect(Math.hypot(right, down), plot.id).toBeGreaterThan(11.5);
      const turned = Math.atan2(-down, right) - Math.atan2(push[1], push[0]);
      expect(Math.cos(turned), plot.id).toBeGreaterThan(0.999);
    }
    const clips = await page
      .locator('.surface > svg')
      .evaluateAll((all) => all.map((svg) => getComputedStyle(svg).overflow));
    expect(new Set(clips)).toEqual(new Set(['visible']));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.close();
  });

  test('a plot, or all of them, are saved as SVG with the contours, crosshair and settings that are shown', async () => {
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

    const svg = await openFile(browser, all.path);
    const count = (selector: string) => svg.page.locator(selector).count();
    expect(await count('image')).toBe(14);
    // Four levels at most, and two strokes of the crosshair and the arrow.
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

  test('a drag moves the crosshair to where the pointer is', async () => {
    const { page } = await open();
    const box = (await page.locator('#product .surface').boundingBox())!;
    await page.mouse.move(box.x + 10, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
    await page.mouse.up();
    await settled(page, 'p=0.255,0.5');
    await page.close();
  });

  test('on a phone the plots stand in one column, a finger drags the crosshair, a swipe scrolls', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page, problems } = await open('', phone);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const lefts = await page
      .locator('figure')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    expect(new Set(lefts).size).toBe(1);
    await page.locator('#bce').scrollIntoViewIfNeeded();
    const box = (await page.locator('#bce .handle').boundingBox())!;
    const finger = await fingerOn(page);
    const scrolled = await page.evaluate(() => scrollY);
    const point = [box.x + box.width / 2, box.y + box.height / 2] as const;
    await finger.drag(point, -64, -64);
    const { p1, p2 } = initialState;
    await expect.poll(() => crosshairOf(page)).toSatisfy(([x1, x2]) => x1 < p1 - 0.15 && x2 > p2 + 0.15);
    expect(await page.evaluate(() => scrollY)).toBe(scrolled);

    const dragged = await crosshairOf(page);
    await finger.drag([point[0] + 40, point[1] + 40], 0, -160);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(scrolled + 50);
    await expect.poll(() => crosshairOf(page)).toEqual(dragged);
    expect(problems).toEqual([]);
    await page.close();
  });
});

/** Waits until the address tells that a change has been taken over, and drawn. */
async function settled(page: Page, part: string): Promise<void> {
  await page.waitForFunction((text) => location.hash.includes(text), part);
}

async function fingerOn(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
  return {
    async drag([x, y]: readonly [number, number], across: number, down: number): Promise<void> {
      await touch('touchStart', [{ x, y }]);
      for (let part = 0.125; part <= 1; part += 0.125) {
        await touch('touchMove', [{ x: x + part * across, y: y + part * down }]);
      }
      await touch('touchEnd', []);
    },
  };
}

async function crosshairOf(page: Page): Promise<readonly [number, number]> {
  const value = async (name: string) => Number(await page.locator(`[name="${name}"]`).inputValue());
  return [await value('p1Value'), await value('p2Value')];
}

function middle([x1, y1]: readonly number[], [x2, y2]: readonly number[]): readonly [number, number] {
  return [(x1! + x2!) / 2, (y1! + y2!) / 2];
}

/** One number a canvas that changes with its pixels; 0 if it is empty. */
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
