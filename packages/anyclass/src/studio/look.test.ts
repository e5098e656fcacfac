// Look: the images of a real run, over HTTP and in the system's Chromium.

import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Suspects } from '@anyclass/studio';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { describeInBrowser } from '../../test/pages/browser.js';
import { openStudioPage, type StudioPage } from '../../test/pages/studioPage.js';
import { copyWithSuspects, openPhotoStudio, type PhotoStudio } from '../../test/studioPhotos.js';
import { asked, cookieOf } from '../../test/studioRuns.js';
import { openStudio } from './studio.js';

const outside = testFolder();
const hostile = '<img src=x onerror=document.title=1>.png';

let studio: PhotoStudio;
let doubted: ReturnType<typeof copyWithSuspects>;
beforeAll(async () => {
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#345' } })
    .png()
    .toBuffer();
  writeFileSync(join(outside, 'secret.png'), png);
  const prepare = (folder: string, table: string) => {
    symlinkSync(join(outside, 'secret.png'), join(folder, 'photos/linked.png'));
    writeFileSync(join(folder, `photos/${hostile}`), png);
    const more = [`linked.png,validation,pipe1,0,0`, `"${hostile}",validation,pipe1,0,0`];
    writeFileSync(table, `${readFileSync(table, 'utf8')}${more.join('\n')}\n`);
  };
  const complete = (folder: string) => {
    cpSync(join(folder, 'runs/first'), join(folder, 'runs/second'), { recursive: true });
    doubted = copyWithSuspects(join(folder, 'runs/first'), join(folder, 'runs/sure'));
  };
  studio = await openPhotoStudio({ prepare, complete });
}, 120_000);
afterAll(async () => {
  await studio[Symbol.asyncDispose]();
});

const at = (name: string) => studio.at(name);
const get = (path: string) => studio.get(path);
const image = (name: string, run = 'runs/first') =>
  get(`/api/look/image?${new URLSearchParams({ run, name })}`);

describe('images over HTTP', () => {
  test('are thumbnails by name, of rows of the data only', async () => {
    const found = await image('003.png');
    expect([found.status, found.headers['content-type']]).toEqual([200, 'image/webp']);
    expect((await image(hostile)).status).toBe(200);
    for (const name of ['/etc/passwd', '../labels.csv', 'labels.csv', 'photos/003.png', '%2e%2e%2fa', 'x\0'])
      expect([name, (await image(name)).status]).toEqual([name, 422]);
    expect((await image('003.png', '../first')).status).toBe(404);
  });

  test('that are refused have the title of what is the matter, and name no page that Studio lacks', async () => {
    const title = async (answer: ReturnType<typeof get>) => {
      const { type, title: told, detail } = JSON.parse((await answer).body);
      expect([type, detail]).toEqual([undefined, expect.not.stringContaining('/docs')]);
      return told;
    };
    const photo = readFileSync(at('photos/004.png'));
    writeFileSync(at('photos/004.png'), photo.subarray(0, 40));
    expect(await title(image('004.png'))).toMatch('could not be read');
    writeFileSync(at('photos/004.png'), photo);
    expect(await title(studio.post('/api/try?run=runs/first', 'no image'))).toMatch('could not be read');
    expect(await title(image('none.png'))).toMatch('could not be carried out');
    expect(await title(get('/api/look/heat?run=runs/first&name=003.png&target=snow'))).toMatch('carried out');
    expect(await title(image('003.png', 'nowhere'))).toBe('Not found');
    expect(await title(get('/nowhere'))).toBe('Not found');
  });

  test('behind a link out of the folder are refused, and so is a run whose data is elsewhere', async () => {
    const refused = await image('linked.png');
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('outside of the folders');
    cpSync(at('runs/first'), at('runs/foreign'), { recursive: true });
    const config = at('runs/foreign/config.json');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, text.replaceAll(at('photos'), outside));
    const apart = await openStudio([studio.folder]);
    const own = await cookieOf(apart.url);
    const query = new URLSearchParams({ run: 'runs/foreign', name: 'secret.png' });
    const answer = await asked(apart.url, `/api/look/image?${query}`, { headers: { cookie: own } });
    expect(answer.status).toBe(422);
    expect(answer.body).toContain('outside of the folders');
    await apart.close();
    rmSync(at('runs/foreign'), { recursive: true });
  });

  test('have heat maps, computed in another process; an unknown class is told', async () => {
    const query = (target: string) => new URLSearchParams({ run: 'runs/first', name: '003.png', target });
    const found = await get(`/api/look/heat?${query('crack')}`);
    expect([found.status, found.headers['content-type']]).toEqual([200, 'image/png']);
    const unknown = await get(`/api/look/heat?${query('snow')}`);
    expect(unknown.status).toBe(422);
    expect(unknown.body).toContain("no class 'snow'");
  });

  test('are found again as suspects and look-alikes; links out of the folder are not read', async () => {
    const { suspects }: Suspects = JSON.parse((await get('/api/look/suspects?run=runs/first')).body);
    for (const { name, kind } of suspects)
      expect([name, kind]).toEqual([name, expect.stringMatching(/missing|wrong/)]);
    const alike = () => get('/api/look/alike?run=runs/first').then(({ body }) => JSON.parse(body));
    await expect.poll(async () => (await alike()).state, { timeout: 30_000 }).toBe('ready');
    const names = (await alike()).result.sets.flat().map(({ name }: { name: string }) => name);
    expect(names).not.toContain('linked.png');
  });
});

describe('test', () => {
  test('stays sealed: what the model says about its images is sent only after it was noted that test is open', async () => {
    const table = () => get('/api/look/table?run=runs/sure&split=test');
    const suspects = async (): Promise<Suspects> =>
      JSON.parse((await get('/api/look/suspects?run=runs/sure')).body);
    const seen = at('runs/sure/decisions/test-seen.jsonl');
    expect((await get('/api/look/table?run=runs/sure&split=validation')).status).toBe(200);
    const sealed = await table();
    expect([sealed.status, sealed.body]).toEqual([
      400,
      expect.stringContaining('test of runs/sure is sealed'),
    ]);
    const before = await suspects();
    expect(before.isTestSealed).toBe(true);
    expect(before.suspects.map(({ name }) => name)).toContain(doubted.validation);
    expect(before.suspects.filter(({ split }) => split === 'test')).toEqual([]);
    expect(JSON.stringify(before)).not.toContain(doubted.test);
    // A heat map says what the model sees in an image.
    const heat = () =>
      get(`/api/look/heat?${new URLSearchParams({ run: 'runs/sure', name: doubted.test, target: 'crack' })}`);
    expect((await heat()).status).toBe(400);
    expect(existsSync(seen)).toBe(false);
    expect((await studio.post('/api/test/open', { runs: ['runs/sure'], view: 'nowhere' })).status).toBe(400);
    expect((await studio.post('/api/test/open', { runs: ['runs/sure'], view: 'look' })).status).toBe(200);
    expect(readFileSync(seen, 'utf8')).toContain('the images of test');
    expect((await table()).status).toBe(200);
    expect((await heat()).status).toBe(200);
    const after = await suspects();
    expect(after.isTestSealed).toBe(false);
    expect(after.suspects).toContainEqual(expect.objectContaining({ name: doubted.test, split: 'test' }));
    const setup = JSON.parse((await get('/api/decisions?run=runs/sure')).body);
    expect(setup.testSeen).toEqual(expect.any(String));
    // Other runs stay sealed.
    expect((await get('/api/look/table?run=runs/first&split=test')).status).toBe(400);
  });
});

describeInBrowser('Look in a browser', (browser) => {
  let opened: StudioPage;
  beforeAll(async () => {
    opened = await openStudioPage(studio.server, browser());
  });
  const page = () => opened.page;
  const open = (query: Record<string, string>) => opened.open({ view: 'look', ...query });
  const shown = () => page().locator('.look-tools output').textContent();

  test('filters by class, group and probability, and keeps them in the address', async () => {
    await open({ run: 'runs/first', show: 'all' });
    await expect.poll(shown).toBe('26 shown');
    await page().locator('#class').selectOption('crack');
    await expect.poll(() => new URL(page().url()).searchParams.get('class')).toBe('crack');
    await expect.poll(shown).not.toBe('26 shown');
    await page().reload();
    await expect.poll(() => page().locator('#class').inputValue()).toBe('crack');
    await page().locator('#class').selectOption('');
    await page().locator('#group').selectOption('pipe1');
    await expect.poll(shown).toBe('6 shown');
    await page().locator('#group').selectOption('');
    await page().locator('#to').fill('0');
    await page().locator('#to').press('Enter');
    await expect.poll(shown).toBe('0 shown');
    await page().goBack();
    await expect.poll(shown).toBe('26 shown');
  });

  test('asks before it opens test, and says which images a list leaves out', async () => {
    await open({ run: 'runs/first', show: 'suspects' });
    await expect.poll(shown).toContain('without test, which is sealed');
    await open({ run: 'runs/first', show: 'all', split: 'test' });
    await expect.poll(() => page().locator('.sealed').textContent()).toContain('Test is sealed');
    expect(await page().locator('.tile').count()).toBe(0);
    expect(existsSync(at('runs/first/decisions/test-seen.jsonl'))).toBe(false);
    await page().getByRole('button', { name: 'Back to validation' }).click();
    await expect.poll(shown).toBe('26 shown');
    await page().goBack();
    await page().getByRole('button', { name: 'Open test' }).click();
    await expect.poll(shown).toBe('12 shown');
    expect(existsSync(at('runs/first/decisions/test-seen.jsonl'))).toBe(true);
  });

  test('shows what a run newly misses beside another, which is nothing beside its copy', async () => {
    await open({ run: 'runs/first', show: 'missed', against: 'runs/second' });
    await expect.poll(shown).toBe('0 shown');
    expect(await page().locator('#show option:checked').textContent()).toBe('Newly missed');
  });

  test('goes from image to image by keyboard, with the heat map of the class; names stay text', async () => {
    await open({ run: 'runs/first', show: 'all', order: 'name' });
    await expect.poll(() => page().locator('.tile').count()).toBeGreaterThan(10);
    await page().keyboard.press('End');
    await page().keyboard.press('ArrowLeft');
    await page().keyboard.press('Home');
    await expect.poll(() => page().locator('.detail-name').textContent()).toBe('002.png');
    await page().keyboard.press('ArrowRight');
    await expect.poll(() => page().locator('.detail-name').textContent()).toBe('003.png');
    await page().keyboard.press('h');
    const heat = page().locator('.detail .heat:not(.loading)');
    await expect.poll(() => heat.count()).toBe(1);
    expect(
      await heat.evaluate((element) => element instanceof HTMLImageElement && element.naturalWidth),
    ).toBe(320);
    await page().locator('.bar', { hasText: 'roots' }).click();
    await expect.poll(() => new URL(page().url()).searchParams.get('heat')).toBe('roots');
    // The labels, and what the model says.
    expect(await page().locator(`.tile[title="${hostile}"] small`).allTextContents()).toEqual([
      'nothing here',
      'clear',
    ]);
    expect(await page().title()).toContain('Look');
  });

  test('sentences keep their order around names that are written from right to left', async () => {
    const suspect = { name: '003.png', split: 'validation', labels: [], unknown: [], class: 'שורש' };
    const suspects: Suspects = { isTestSealed: false, suspects: [{ ...suspect, kind: 'wrong', score: 0.2 }] };
    await page().route('**/api/look/suspects?*', (route) => route.fulfill({ json: suspects }));
    await open({ run: 'runs/first', show: 'suspects' });
    await expect.poll(shown).toBe('1 shown');
    const placeOf = (selector: string, character: string) =>
      page()
        .locator(selector)
        .first()
        .evaluate((element, sought) => {
          const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() as Text;
          const range = document.createRange();
          const at = text.data.indexOf(sought);
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().left;
        }, character);
    expect(await placeOf('.tile small', '−')).toBeLessThan(await placeOf('.tile small', '?'));
    const doubt = '.facts dt:text("Doubt") + dd';
    expect(await placeOf(doubt, 'ש')).toBeLessThan(await placeOf(doubt, 'm'));
    await page().unroute('**/api/look/suspects?*');
  });

  test('shows the heat map of the image under the pointer', async () => {
    await open({ run: 'runs/first', show: 'all', order: 'name' });
    await page().locator('.tile').nth(2).hover();
    await expect.poll(() => page().locator('.tile .heat:not(.loading)').count()).toBe(1);
  });

  test('loads images that stay in sight: none while rows fly past, none any more that was scrolled past', async () => {
    const left: string[] = [];
    page().on('requestfailed', (request) => left.push(request.url()));
    const images = '**/api/look/image?*';
    // They never come.
    await page().route(images, () => {});
    const size = page().viewportSize()!;
    try {
      await page().setViewportSize({ width: 520, height: 160 });
      await open({ run: 'runs/first', show: 'all', order: 'name' });
      const first = await page().locator('.tile img').first().getAttribute('src');
      // Of rows that stay for long, images are due: on a busy machine some frames take that long, and what they drew stays for another.
      const during = await page().evaluate(async () => {
        const box = document.querySelector('.tiles .virtual')!;
        const counts: number[] = [];
        let quick = -3;
        for (let frame = 0; frame < 200 && counts.length < 6; frame++) {
          const begun = performance.now();
          box.scrollTop = frame % 2 === 0 ? box.scrollHeight : 0;
          await new Promise(requestAnimationFrame);
          quick = performance.now() - begun < 50 ? quick + 1 : -3;
          if (quick > 0) counts.push(document.querySelectorAll('.tile img').length);
        }
        return counts;
      });
      expect(during).toEqual(during.map(() => 0));
      expect(during).not.toEqual([]);
      await expect.poll(() => left.some((url) => url.endsWith(first!))).toBe(true);
      await expect.poll(() => page().locator('.tile img').count()).toBeGreaterThan(0);
      expect(await page().locator(`.tile img[src="${first}"]`).count()).toBe(0);
    } finally {
      await page().unroute(images);
      await page().setViewportSize(size);
    }
  });

  test('maps the embeddings, and a lasso chooses images', async () => {
    await open({ run: 'runs/first', show: 'all', map: 'shown' });
    const canvas = page().locator('.map canvas');
    // A process of its own loads libtorch for it.
    await expect.poll(() => canvas.count(), { timeout: 60_000 }).toBe(1);
    // The image behind the link out of the folder is not read.
    expect(await canvas.getAttribute('aria-label')).toBe('Map of 25 images');
    const box = await canvas.boundingBox();
    if (!box) throw new Error('no canvas');
    const to = (u: number, v: number) => page().mouse.move(box.x + u * box.width, box.y + v * box.height);
    await to(0.005, 0.02);
    await page().mouse.down();
    for (const [u, v] of [
      [0.998, 0.02],
      [0.998, 0.98],
      [0.005, 0.98],
    ] as const)
      await to(u, v);
    await page().mouse.up();
    await expect.poll(shown).toBe('25 shown');
    await expect
      .poll(() => new URL(page().url()).searchParams.get('lasso'))
      .toMatch(/^-?[\d.]+(,-?[\d.]+){5}/);
    await page().reload();
    await expect.poll(shown).toBe('25 shown');
    await page().keyboard.press('Escape');
    await expect.poll(shown).toBe('26 shown');
  }, 120_000);

  test('the keyboard draws a lasso around the chosen image, wider each time', async () => {
    await open({ run: 'runs/first', show: 'all', order: 'name', image: '003.png' });
    await expect.poll(() => page().locator('.tile').count()).toBeGreaterThan(10);
    await page().keyboard.press('p');
    await expect.poll(() => page().locator('.map canvas').count()).toBe(1);
    const count = async () => Number.parseInt((await shown()) ?? '', 10);
    await page().keyboard.press('l');
    await expect.poll(count).toBeLessThan(26);
    expect(await page().locator('.tile[title="003.png"]').count()).toBe(1);
    for (let i = 0; i < 10; i++) await page().keyboard.press('l');
    await expect.poll(count).toBe(25);
    await page().keyboard.press('p');
    await expect.poll(count).toBe(26);
  });

  test('Try shows what the model says about a dropped image, its heat maps and its neighbors', async () => {
    await open({ view: 'try', run: 'runs/first' });
    await page().locator('.drop input').setInputFiles(at('photos/002.png'));
    await expect.poll(() => page().locator('.tried h2').textContent()).toMatch(/^(clear|review|alarm):/);
    await expect.poll(() => page().locator('.tried .heat:not(.loading)').count()).toBe(1);
    // It is a validation image itself.
    const first = page().locator('.near small').first();
    await expect.poll(() => first.textContent()).toBe('1.00 002.png');
    expect(await page().locator('.tried .bar').count()).toBe(3);
    await page().locator('.drop input').setInputFiles(at('labels.csv'));
    await expect.poll(() => page().locator('.notices .problem').count()).toBe(1);
    await page().locator('.notices button').click();
  });

  test('a run that is deleted while it is shown is said to be gone', async () => {
    await open({ run: 'runs/second', show: 'all' });
    await expect.poll(shown).toBe('26 shown');
    renameSync(at('runs/second'), join(outside, 'second'));
    await expect.poll(() => page().locator('.empty').textContent()).toContain('not there any more');
    expect((await image('003.png', 'runs/second')).status).toBe(404);
  });

  test('nothing failed, and readers with a screen reader find everything', async () => {
    const { problems, findings } = opened;
    expect(problems.filter((text) => !/status of (400|404|422)/.test(text))).toEqual([]);
    expect(await findings({ view: 'look', run: 'runs/first', show: 'all' }, '.tile')).toEqual([]);
    expect(await findings({ view: 'try', run: 'runs/first' }, '.drop')).toEqual([]);
  });
});
