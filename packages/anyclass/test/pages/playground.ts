import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { playgroundPage } from '../../src/playground/playgroundPage.js';
import { launchChromium, openFile } from './browser.js';

/** Writes the page into a new folder and starts a browser for all tests of a file. */
export function playgroundInBrowser() {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-playground-'));
  const file = join(folder, 'playground.html');
  let browser: Browser;
  beforeAll(async () => {
    writeFileSync(file, await playgroundPage());
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    /** Opens another file in the same browser. */
    openFile: (path: string) => openFile(browser, path),
    async open(hash = '', options = {}) {
      const opened = await openFile(browser, file, options, hash);
      await opened.page.waitForFunction(() => document.querySelector('output')?.textContent !== '');
      return opened;
    },
  };
}

/** Waits until the address shows that a change has been applied and drawn. */
export async function settled(page: Page, part: string): Promise<void> {
  await page.waitForFunction((text) => location.hash.includes(text), part);
}
