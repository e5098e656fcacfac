// Studio for the pictures: its server on the example runs and the photos, and what each picture shows.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts Studio in `folder`, and opens its page in a browser's context of that size and look. */
export async function openedStudio(program, folder) {
  const child = spawn(process.execPath, [program, 'studio', 'runs', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(line));
  return { url, close: () => child.kill() };
}

/** Name, look, address, and what is done before the picture is taken. */
export const studioShots = [
  [
    'studio-decide',
    { width: 1400, height: 900 },
    'view=decide&budget=0.03',
    (page) => stood(page, '.changes img'),
  ],
  [
    'studio-look',
    { width: 1400, height: 900 },
    'view=look&show=alarms&heat=presence',
    (page) => stood(page, '.detail .heat:not(.loading)'),
  ],
  [
    'studio-mend-dark',
    { width: 1400, height: 900, colorScheme: 'dark' },
    'view=mend&show=missed',
    (page) => stood(page, '.desk-image img'),
  ],
  [
    'studio-try-phone',
    { width: 390, height: 844 },
    'view=try',
    async (page, photo) => {
      await page.setInputFiles('input[type=file]', photo);
      await stood(page, '.tried .heat');
    },
  ],
];

/** Waits until it is there, and then for the pictures around it. */
async function stood(page, selector) {
  await page.locator(selector).first().waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle');
}
