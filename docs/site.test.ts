// The documentation builds, its links lead somewhere, and it opens from a folder: navigation, search, both looks, and a phone.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, seriousFindings } from '../packages/anyclass/test/pages/browser.js';
import { testFolder } from '../packages/files/test/testFolder.js';

const root = join(import.meta.dirname, '..');
const site = testFolder();

beforeAll(() => {
  const words = ['--out', site, '--without', 'reference', '--without', 'examples'];
  execFileSync(process.execPath, [join(root, 'docs/site/build.mjs'), ...words], { cwd: root });
}, 60_000);

test('every page of docs is in the site, without markup of its source', () => {
  const pages = readdirSync(join(root, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  for (const name of pages) {
    const html = readFileSync(join(site, name.replace(/md$/, 'html')), 'utf8');
    expect(html).toContain('<main');
    expect(html).not.toContain('](');
  }
});

test('pictures are small', () => {
  const folder = join(root, 'docs/pictures');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    expect(statSync(join(folder, name)).size).toBeLessThan(150_000);
});

describeInBrowser('in a browser, from the folder', (browser) => {
  test.each([
    ['light', 1400],
    ['dark', 390],
  ] as const)(
    '%s at %d px: search finds, nothing is too wide, commands can be copied, axe finds nothing serious',
    async (colorScheme, width) => {
      const context = await browser().newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('requestfailed', (request) => problems.push(request.url()));
      page.on('request', (request) => {
        if (request.url().startsWith('http')) problems.push(request.url());
      });
      await page.goto(pathToFileURL(join(site, 'index.html')).href);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.locator('.doc .command button', { hasText: 'Copy' }).count()).toBeGreaterThan(1);
      await page.fill('#search', 'zzzzzz');
      await expect.poll(() => page.locator('#found').textContent()).toBe('Nothing found');
      await page.fill('#search', 'presence gate');
      await expect.poll(() => page.locator('#found a').count()).toBeGreaterThan(2);
      const found = (await page.locator('#found').boundingBox())!;
      expect(found.x >= 0 && found.x + found.width <= width).toBe(true);
      await page.press('#search', 'Enter');
      await page.waitForURL(/\.html/);
      await page.locator('main h1').first().waitFor();
      expect(problems).toEqual([]);
      await context.close();
    },
    60_000,
  );
});
