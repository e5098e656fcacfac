// A real training, followed in the page from its first step to its end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { describeInBrowser } from '../../test/pages/browser.js';
import { openStudioPage, type StudioPage } from '../../test/pages/studioPage.js';
import { program } from '../../test/program.mjs';
import { smallRun } from '../../test/studioRun.js';
import { openStudio, type StudioServer } from './studio.js';

describeInBrowser('a training in the page', (browser) => {
  const folder = testFolder();
  let server: StudioServer;
  let opened: StudioPage;
  beforeAll(async () => {
    server = await openStudio([folder]);
    opened = await openStudioPage(server, browser());
  });
  afterAll(() => server.close());

  test('appears, moves and ends without a reload', async () => {
    const { page, problems } = opened;
    await expect.poll(() => page.locator('main').textContent()).toContain('no runs');
    // A page that is loaded again forgets this.
    await page.evaluate(() => document.body.setAttribute('data-loaded', 'once'));
    const data = { dataset: 'digits', digits: { scenes: { train: 48, validation: 40, test: 20 } } };
    writeFileSync(join(folder, 'digits.json'), JSON.stringify({ ...smallRun, data, epochs: 14 }));
    const child = spawn(
      process.execPath,
      [program, 'train', join(folder, 'digits.json'), '--run', join(folder, 'digits')],
      {
        stdio: 'ignore',
      },
    );
    const ended = once(child, 'exit');
    // It rests half of the time, so that a slow page can follow; more training would keep the cores busy instead.
    const resting = setInterval(() => {
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), 100);
    }, 200);
    try {
      const line = page.locator('.run-table .run-line', { hasText: 'digits' });
      const epoch = async () => Number(/epoch (\d+) of 14/.exec((await line.textContent()) ?? '')?.[1] ?? 0);
      await expect.poll(() => line.count(), { timeout: 40_000 }).toBe(1);
      await expect.poll(epoch, { timeout: 40_000, interval: 50 }).toBeGreaterThan(1);
      await line.locator('a').click();
      const loss = page.locator('.curves [role=img]').first();
      const seen = new Set<string | null>();
      const said = async () => seen.add(await loss.getAttribute('aria-label')).size;
      await expect.poll(said, { timeout: 40_000, interval: 50 }).toBeGreaterThan(2);
      expect(await ended).toEqual([0, null]);
    } finally {
      clearInterval(resting);
      child.kill('SIGKILL');
    }
    await expect.poll(() => page.locator('main').textContent()).toContain('epoch 14: loss');
    await expect.poll(() => page.locator('main').textContent()).toContain('finished');
    expect(await page.locator('body').getAttribute('data-loaded')).toBe('once');
    expect(problems).toEqual([]);
  }, 180_000);
});
