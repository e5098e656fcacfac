// Operates the playground by keyboard, mouse and touch.

import { likelihood } from '@anyclass/core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../test/pages/browser.js';
import { playgroundInBrowser, settled } from '../../test/pages/playground.js';
import { plotRows } from './page/plots.js';
import { initialState } from './page/state.js';

const plots = plotRows.flatMap((row) => row.plots);

describeInBrowser('in a browser', (browser) => {
  const { open } = playgroundInBrowser(browser);

  test('arrow keys move the crosshair of all plots, with Shift in larger steps, and the value is announced', async () => {
    const { page } = await open();
    await page.locator('#combined .surface').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowUp');
    await settled(page, 'p=0.69,0.5');
    expect(await page.locator('[name="p1Value"]').inputValue()).toBe('0.69');
    const value = likelihood('bce', [0.69, 0.5], [1, 0]);
    expect(Number(await page.locator('#bce output').getAttribute('title'))).toBeCloseTo(value, 12);
    expect(await page.locator('#spoken').textContent()).toMatch(/^Combined: 0\.\d+ at p1 0\.690, p2 0\.500/);
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
  });

  test('a drag moves the crosshair to the pointer', async () => {
    const { page } = await open();
    const box = (await page.locator('#product .surface').boundingBox())!;
    await page.mouse.move(box.x + 10, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
    await page.mouse.up();
    await settled(page, 'p=0.255,0.5');
  });

  test('on a phone, the plots are in one column, a finger drags the crosshair, and a swipe scrolls', async () => {
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
  });
});

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
