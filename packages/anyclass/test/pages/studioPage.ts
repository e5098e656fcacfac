// Studio's page in the system's Chromium.

import type { Browser, Page } from 'playwright-core';
import type { StudioServer } from '../../src/studio/studio.js';
import { seriousFindings } from './browser.js';

export interface StudioPage {
  readonly page: Page;
  /** What the page logged, and its errors. */
  readonly problems: string[];
  /** Opens a view. */
  open(query: Readonly<Record<string, string>>): Promise<void>;
  /** Serious findings of axe in a view, once an element is shown. */
  findings(query: Readonly<Record<string, string>>, shown: string): Promise<unknown[]>;
}

/** Opens the page with the cookie of its printed address. */
export async function openStudioPage(server: StudioServer, browser: Browser): Promise<StudioPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(`${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(server.url);
  const { origin } = new URL(server.url);
  const urlOf = (query: Readonly<Record<string, string>>) => `${origin}/?${new URLSearchParams(query)}`;
  return {
    page,
    problems,
    async open(query) {
      await page.goto(urlOf(query));
    },
    async findings(query, shown) {
      // Axe is a script from outside, which the policy of the page forbids.
      const plain = await browser.newContext({ bypassCSP: true });
      const other = await plain.newPage();
      await other.goto(server.url);
      await other.goto(urlOf(query));
      await other.locator(shown).first().waitFor();
      const found = await seriousFindings(other);
      await plain.close();
      return found;
    },
  };
}
