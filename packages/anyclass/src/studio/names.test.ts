// Names that are made to do harm: markup, marks that turn text around, and control characters, in classes, groups, images, runs and queues.

import { cpSync, renameSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../../test/pages/browser.js';
import { openStudioPage, type StudioPage } from '../../test/pages/studioPage.js';
import { openPhotoStudio, type PhotoStudio } from '../../test/studioPhotos.js';
import { type ImageQueue, queueText } from '../queues/imageQueue.js';

const markup = '<img src=x onerror=document.title=1>';
const crack = `${markup} "crack" \u202Eesrever`;
const roots = `roots\u2066\u0007</option></select><script>document.title=2</script>${'_without_a_space'.repeat(5)}`;
const group = `${markup}\u202Epipe`;
const run = `runs/${markup}\u202Enur\u0007`;
const queue = `${markup}\u202Eqq.json`;

describeInBrowser('names in the page', (browser) => {
  let studio: PhotoStudio;
  let opened: StudioPage;
  beforeAll(async () => {
    const complete = (folder: string) => {
      renameSync(`${folder}/runs/first`, `${folder}/${run}`);
      const image = `${folder}/photos/001.png`;
      const mined: ImageQueue = {
        queue: 'mine',
        model: run,
        classes: [crack, roots],
        among: 1,
        images: [{ image, presence: 0.5, outcome: 'alarm', labels: [crack] }],
      };
      writeFileSync(`${folder}/${queue}`, queueText(mined));
      cpSync(`${folder}/${run}`, `${folder}/${run}2`, { recursive: true });
    };
    studio = await openPhotoStudio({ names: { classes: [crack, roots], group }, complete });
    opened = await openStudioPage(studio.server, browser());
  }, 120_000);
  afterAll(() => studio?.[Symbol.asyncDispose]());

  test.each([
    ['runs', {}, '.run-line', [run]],
    ['run', {}, '.log-lines', [run]],
    ['decide', { budget: '0.3' }, '.figures', []],
    ['look', { show: 'all' }, '.tile', [crack, roots, `${group}1`]],
    ['mend', { show: 'all' }, '.class-key', [crack, roots]],
    ['mend', { queue }, '.class-key', [crack, roots, queue]],
    ['compare', { a: run, b: `${run}2` }, '.compare h1', [crack, roots]],
    ['try', {}, '.drop', []],
  ] as const)('stay visible text in %s', async (view, query, shown, names) => {
    const { page, open } = opened;
    await open({ view, run, ...query });
    await page.locator(shown).first().waitFor();
    for (const name of names) await expect.poll(() => page.content()).toContain(inPage(name));
    if (view === 'try') {
      await page.locator('.drop input').setInputFiles(studio.at('photos/002.png'));
      await expect.poll(() => page.locator('.tried').textContent()).toContain(visibleName(crack));
      await expect.poll(() => page.locator('.near small').count()).toBeGreaterThan(0);
    }
    // No name became an element, no script ran, and no mark or control character is left that turns what stands beside it.
    expect(await page.locator('img[src=x], main script').count()).toBe(0);
    expect(await page.title()).toMatch(/anyclass studio$/);
    const read = await page.evaluate(() => [
      document.body.textContent,
      ...Array.from(document.querySelectorAll('[title], [aria-label]'), (element) =>
        [element.getAttribute('title'), element.getAttribute('aria-label')].join(' '),
      ),
    ]);
    for (const mark of ['\u202e', '\u2066', '\u0007']) expect(read.join(' ')).not.toContain(mark);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.evaluate(wideElements)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('nothing failed', () => expect(opened.problems).toEqual([]));
});

/** What can be scrolled sideways on a phone: the page, or a part of it other than the strip of tools, which is meant to. */
function wideElements(): string[] {
  return Array.from(document.querySelectorAll('html, body *:not(.look-tools)'))
    .filter(
      (element) =>
        element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX),
    )
    .filter((element) => element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
    .map((element) => `${element.tagName} ${element.className}`);
}

/** As the kit shows marks and controls. */
function visibleName(name: string): string {
  return name.replaceAll('\u202e', '⟨RLO⟩').replaceAll('\u2066', '⟨LRI⟩').replaceAll('\u0007', '␇');
}

/** As the page's HTML has it. */
function inPage(name: string): string {
  return visibleName(name).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
