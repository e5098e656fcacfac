import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { playgroundPage } from '../../src/playground/playgroundPage.js';
import { openFile } from './browser.js';

/** Writes the page into a new folder for all tests of a file. */
export function playgroundInBrowser(browser: () => Browser) {
  const folder = testFolder();
  const file = join(folder, 'playground.html');
  beforeAll(async () => {
    writeFileSync(file, await playgroundPage());
  });
  return {
    folder,
    /** Opens another file in the same browser. */
    openFile: (path: string) => openFile(browser(), path),
    async open(hash = '', options = {}) {
      const opened = await openFile(browser(), file, options, hash);
      await opened.page.waitForFunction(() => document.querySelector('output')?.textContent !== '');
      return opened;
    },
  };
}

/** Waits until the address shows that a change has been applied and drawn. */
export async function settled(page: Page, part: string): Promise<void> {
  await page.waitForFunction((text) => location.hash.includes(text), part);
}
