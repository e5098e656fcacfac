// Opens pages as a reader would, in the system's own Chromium: nothing is downloaded.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';

/** The browser's executable: CHROMIUM, or the system's; undefined if there is none. */
export const chromiumPath = findChromium();

/** A suffix for the names of tests that are skipped without a browser. */
export const chromiumNeed = chromiumPath === undefined ? ' (skipped: no Chromium; set CHROMIUM)' : '';

export interface OpenedPage {
  readonly page: Page;
  /**
   * Console warnings and errors, script errors, and every request beyond the file
   * itself; a good page has none.
   */
  readonly problems: readonly string[];
}

/**
 * Starts a headless browser.
 *
 * @example
 * const browser = await launchChromium();
 * const { page, problems } = await openFile(browser, 'report.html', { viewport: { width: 390, height: 844 } });
 */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('Chromium not found; install it, or set CHROMIUM');
  const browser = await chromium.launch({ executablePath: chromiumPath });
  if (slowness > 1) slowDown(browser);
  return browser;
}

/** A group of tests that share a browser, skipped without one. They are given a function that returns it. */
export function describeInBrowser(name: string, tests: (browser: () => Browser) => void): void {
  describe.skipIf(chromiumPath === undefined)(`${name}${chromiumNeed}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());
    tests(() => browser);
  });
}

/** How many times slower pages are than the machine: TEST_SLOWNESS=6 finds tests that do not wait for what they check. */
const slowness = Number(process.env['TEST_SLOWNESS'] ?? 1);

function slowDown(browser: Browser): void {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    const newPage = context.newPage.bind(context);
    context.newPage = async () => {
      const page = await newPage();
      const devtools = await context.newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowness });
      return page;
    };
    return context;
  };
}

/** Opens a file from disk in a new context, which is closed after the test. `hash` is the part after # in its address. */
export async function openFile(
  browser: Browser,
  file: string,
  options: BrowserContextOptions = {},
  hash = '',
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  const address = pathToFileURL(file).href;
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    const own = request.url().split('#')[0] === address;
    if (!own && !/^(data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  await page.goto(address + (hash === '' ? '' : `#${hash}`));
  return { page, problems };
}

/** What axe finds serious or critical in a page whose policy is bypassed (`bypassCSP`), for readers with a keyboard or a screen reader. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') });
  return page.evaluate(async () => {
    const axe: {
      run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
    } = Reflect.get(window, 'axe');
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

function findChromium(): string | undefined {
  const { CHROMIUM: given, PATH: path = '' } = process.env;
  if (given !== undefined && given !== '') return given;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  return [
    ...path.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ].find((file) => existsSync(file));
}
