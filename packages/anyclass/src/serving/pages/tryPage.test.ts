import { expect, test } from 'vitest';
import { describeInBrowser, seriousFindings } from '../../../test/pages/browser.js';
import type { Example } from '../../events/example.js';
import { tryPage } from './tryPage.js';

const example: Example = {
  outcome: 'missed',
  name: '"><b>x.png',
  present: ['crack'],
  predicted: [],
  width: 8,
  height: 8,
  jpeg: '/9j/4AAQ',
};

test('examples are offered with what became of them, and their names stay text', () => {
  const page = tryPage([{ name: 'pipes', examples: [example] }], { needsToken: false });
  expect(page).toContain('data:image/jpeg;base64,/9j/4AAQ');
  expect(page).toMatch(/class="missed">Missed<\/b>crack/);
  expect(page).not.toContain('"><b>x.png');
  expect(tryPage([{ name: 'pipes' }], { needsToken: false })).not.toContain('class="example"');
});

describeInBrowser('in a browser', (browser) => {
  test.each(['light', 'dark'] as const)(
    'a chosen image gets its answer, axe finds nothing serious, and printed the %s page is the model and its answers',
    async (colorScheme) => {
      const context = await browser().newContext({ bypassCSP: true, colorScheme });
      const page = await context.newPage();
      const html = tryPage([{ name: 'pipes', examples: [example] }], { needsToken: false });
      await page.route('**/*', (route) =>
        new URL(route.request().url()).pathname === '/'
          ? route.fulfill({ contentType: 'text/html', body: html })
          : route.fulfill({ json: answer }),
      );
      await page.goto('http://pipes.test/');
      await page.setInputFiles('input[type=file]', {
        name: 'pipe.jpg',
        mimeType: 'image/jpeg',
        buffer: Buffer.from(example.jpeg, 'base64'),
      });
      await page.locator('.labels').waitFor();
      expect(await page.locator('.labels').allTextContents()).toEqual(['crack']);
      expect(await page.locator('#state').textContent()).toBe('Done: 1 image.');
      expect(await seriousFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      await page.emulateMedia({ media: 'print' });
      const isShown = (selector: string) => page.locator(selector).first().isVisible();
      expect(await isShown('.labels')).toBe(true);
      for (const selector of ['#drop', '.result pre', '.looks'])
        expect(await isShown(selector), selector).toBe(false);
      await context.close();
    },
  );
});

const answer = {
  version: 'a1b2',
  predictions: [
    {
      labels: ['crack'],
      outcome: 'alarm',
      isNegative: false,
      probabilities: { crack: 0.8, rust: 0.1 },
      presence: { probability: 0.9, gate: 0.5, passes: true },
      thresholds: { crack: 0.4, rust: 0.4 },
    },
  ],
};
