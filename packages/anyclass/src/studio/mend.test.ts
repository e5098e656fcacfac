// Mend: labels corrected over HTTP and by keyboard in the system's Chromium, and a run that is trained again with them.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { MendState, SavedChange, SaveRequest } from '@anyclass/studio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { describeInBrowser } from '../../test/pages/browser.js';
import { openStudioPage, type StudioPage } from '../../test/pages/studioPage.js';
import { program } from '../../test/program.mjs';
import { copyWithSuspects, openPhotoStudio, type PhotoStudio } from '../../test/studioPhotos.js';
import { asked, cookieOf } from '../../test/studioRuns.js';
import { openDataset } from '../data/openDataset.js';
import { queueText } from '../queues/imageQueue.js';
import { mineImages, selectImages } from '../queues/queueImages.js';
import { openStudio } from './studio.js';

const outside = testFolder();
let studio: PhotoStudio;
let doubted = '';
let original = '';
beforeAll(async () => {
  const complete = (folder: string) => {
    doubted = copyWithSuspects(join(folder, 'runs/first'), join(folder, 'runs/sure')).validation;
  };
  studio = await openPhotoStudio({ complete });
  original = readFileSync(studio.table, 'utf8');
}, 120_000);
afterAll(async () => {
  await studio[Symbol.asyncDispose]();
});

const query = '/api/mend?run=runs/first';
const at = (name: string) => studio.at(name);
const get = (path: string) => studio.get(path);
const post = (path: string, body: unknown, url = studio.server.url, cookie = studio.cookie) =>
  asked(url, path, { method: 'POST', headers: { cookie }, body: JSON.stringify(body) });
const state = async (path = query): Promise<MendState> => JSON.parse((await get(path)).body);
const request = (name: string, labels: SaveRequest['labels'], replaces: SaveRequest['replaces'] = null) => [
  { name, labels, author: 'ada, "the" first', replaces },
];
const corrected = () => openDataset(studio.table, { corrections: file(), groupColumn: 'pipe' });
const file = () => at(`corrections/${readdirSync(at('corrections')).find((name) => name.endsWith('.csv'))}`);

describe('corrections', () => {
  test('are a file of their own with author and time, which training reads; they can be taken back', async () => {
    expect((await state()).saved).toEqual([]);
    const labels = { crack: 1, roots: 0 } as const;
    const saved = await post(query, request('000.png', labels));
    expect(JSON.parse(saved.body).saved).toMatchObject([
      {
        name: '000.png',
        labels,
        author: 'ada, "the" first',
      },
    ]);
    await post(query, request('003.png', { crack: null, roots: null }));
    const { corrections, labels: matrix, names } = await corrected();
    expect(corrections).toMatchObject({ labels: 4, images: 2, changed: 3 });
    expect(names.at(0)).toBe('000.png');
    expect([matrix.at(0, 0), matrix.at(3, 0)]).toEqual([1, Number.NaN]);
    expect(readFileSync(studio.table, 'utf8')).toBe(original);
    await post(query, request('003.png', null, { crack: null, roots: null }));
    await post(query, request('000.png', null, labels));
    expect((await state()).saved).toEqual([]);
  });

  test('of an unknown image or class are refused, and so is what someone else changed meanwhile', async () => {
    for (const [name, labels] of [
      ['/etc/passwd', { crack: 1 }],
      ['000.png', { snow: 1 }],
      ['000.png', { __proto__: 1, snow: 0 }],
    ] as const)
      expect((await post(query, request(name, labels))).status).toBe(422);
    await post(query, request('000.png', { crack: 1, roots: 0 }));
    const late = await post(query, request('000.png', { crack: 0, roots: 0 }));
    expect([late.status, late.body]).toEqual([422, expect.stringContaining('labeled meanwhile by ada')]);
    await post(query, request('000.png', null, { crack: 1, roots: 0 }));
  });

  test('of two servers at once are all kept', async () => {
    await using second = await openStudio([studio.folder]);
    const other = await cookieOf(second.url);
    const names = Array.from({ length: 16 }, (_, i) => `${String(i).padStart(3, '0')}.png`);
    const answers = await Promise.all(
      names.map((name, i) =>
        i % 2 === 0
          ? post(query, request(name, { crack: 1, roots: 1 }))
          : post(query, request(name, { crack: 1, roots: 1 }), second.url, other),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect((await state()).saved.map(({ name }) => name).sort()).toEqual(names);
    rmSync(file());
  });

  test('are whole when the server is killed while it saves, and have all that was acknowledged', async () => {
    const { child, url } = await started();
    const own = await cookieOf(url);
    const saved: string[] = [];
    let isOver = false;
    const save = async () => {
      for (let i = 0; !isOver && i < 40; i++) {
        const name = `${String(i).padStart(3, '0')}.png`;
        const answer = await post(query, request(name, { crack: 1, roots: 0 }), url, own).catch(
          () => undefined,
        );
        if (answer?.status === 200) saved.push(name);
        if (saved.length === 7) {
          child.kill('SIGKILL');
          isOver = true;
        }
      }
    };
    await save();
    const now = (await state()).saved.map(({ name }) => name);
    for (const name of saved) expect(now).toContain(name);
    expect((await corrected()).corrections?.images).toBe(now.length);
    expect((await post(query, request('039.png', { crack: 1, roots: 0 }))).status).toBe(200);
    rmSync(file());
  });

  test('an image that became a pipe is not exported, instead of being waited for', async () => {
    const photo = at('photos/003.png');
    renameSync(photo, `${photo}.kept`);
    execFileSync('mkfifo', [photo]);
    const asked = { to: 'cvat', names: ['003.png'] };
    const { status, body } = await post('/api/mend/export?run=runs/first', asked);
    renameSync(`${photo}.kept`, photo);
    expect([status, JSON.parse(body).detail]).toEqual([422, expect.stringContaining('a named pipe')]);
  });

  test('go to Label Studio and CVAT, and come back', async () => {
    const names = ['004.png', '007.png'];
    const tasks = JSON.parse(
      (await post('/api/mend/export?run=runs/first', { to: 'label-studio', names })).body,
    );
    const list = JSON.parse(readFileSync(tasks.file, 'utf8'));
    expect(list[0].data).toMatchObject({ id: '004.png', image: '/data/local-files/?d=photos/004.png' });
    const cvat = JSON.parse((await post('/api/mend/export?run=runs/first', { to: 'cvat', names })).body);
    expect(readdirSync(join(cvat.file, 'images')).sort()).toEqual(['004.png.png', '007.png.png']);
    const xml = `<annotations><image name="004.png.png"><tag label="roots"/></image><image name="007.png.png"><tag label="nothing here"/></image></annotations>`;
    const path = '/api/mend/import?run=runs/first&author=eve';
    const sent = (body: string) =>
      asked(studio.server.url, path, { method: 'POST', headers: { cookie: studio.cookie }, body });
    const answer = await sent(xml);
    const { changes }: { changes: SavedChange[] } = JSON.parse(answer.body);
    expect(changes.map(({ name, before, now }) => [name, before, now.author])).toEqual([
      ['004.png', null, 'eve'],
      ['007.png', null, 'eve'],
    ]);
    expect((await state()).saved).toMatchObject([
      { name: '004.png', labels: { crack: 0, roots: 1 }, author: 'eve' },
      { name: '007.png', labels: { crack: 0, roots: 0 } },
    ]);
    const foreign = JSON.stringify([{ data: { id: 'other.png' }, classes: { choices: ['roots'] } }]);
    const refused = await sent(foreign);
    expect([refused.status, refused.body]).toEqual([422, expect.stringContaining('other.png')]);
    // Taken back together, or, if someone labeled one of them meanwhile, not at all.
    const back = changes.map(({ name, now }) => request(name, null, now.labels)[0]!);
    const roots = { crack: 0, roots: 1 } as const;
    await post(query, request('007.png', roots, { crack: 0, roots: 0 }));
    expect((await post(query, back)).status).toBe(422);
    expect((await state()).saved.map(({ name }) => name)).toEqual(['004.png', '007.png']);
    await post(query, request('007.png', { crack: 0, roots: 0 }, roots));
    expect((await post(query, back)).status).toBe(200);
    expect((await state()).saved).toEqual([]);
    rmSync(file());
  });
});

describe('queues', () => {
  test('of mine and select are labeled into tables to train on; files outside of the folders are not shown', async () => {
    const mined = await mineImages(at('runs/first'), [at('photos')], { count: 5 });
    expect(mined.images).toHaveLength(5);
    expect(mined.among).toBe(60);
    const presences = mined.images.map(({ presence }) => presence);
    expect(presences).toEqual(presences.toSorted((a, b) => b - a));
    const selected = await selectImages(at('runs/first'), [at('photos')], { count: 6 });
    expect(new Set(selected.images.map(({ image }) => image)).size).toBe(6);
    const secret = join(outside, 'secret.png');
    writeFileSync(secret, readFileSync(at('photos/001.png')));
    symlinkSync(secret, at('linked.png'));
    const images = [
      ...mined.images,
      { ...mined.images[0]!, image: at('linked.png') },
      { ...mined.images[0]!, image: secret },
    ];
    writeFileSync(at('mined.json'), queueText({ ...mined, images }));
    writeFileSync(at('next.json'), queueText(selected));
    const listed = JSON.parse((await get('/api/mend/queues')).body);
    expect(listed).toEqual([
      { id: 'mined.json', kind: 'mine', count: 7 },
      { id: 'next.json', kind: 'select', count: 6 },
    ]);
    const { items } = JSON.parse((await get('/api/mend/queue?queue=mined.json')).body);
    const picture = (name: string) =>
      get(`/api/mend/image?${new URLSearchParams({ queue: 'mined.json', name, side: '64' })}`);
    expect((await picture(items[0].name)).status).toBe(200);
    for (const { name } of items.slice(5)) expect([name, (await picture(name)).status]).toEqual([name, 422]);
    expect((await get('/api/mend/queue?queue=../mined.json')).status).toBe(404);
    const labels = { crack: 0, roots: 0 } as const;
    await post('/api/mend?run=runs/first&queue=mined.json', request(items[0].name, labels));
    const grown = await openDataset(at('mined-labels.csv'));
    expect([grown.names.length, grown.labels.presence(0), grown.splits.train.length]).toEqual([
      1,
      'negative',
      1,
    ]);
    expect((await grown.images.read(0)).kind).toBe('encoded');
  });

  test('of the field are the audits that a server drew, labeled into its table', async () => {
    const line = {
      id: 'a1',
      time: '2026-01-01T00:00:00Z',
      outcome: 'clear',
      probabilities: { crack: 0.1, roots: 0.2 },
    };
    const drawn = { ...line, audit: { drawn: true, q: 0.1 } };
    writeFileSync(at('served.jsonl'), `${JSON.stringify(drawn)}\n`);
    const listed = JSON.parse((await get('/api/mend/queues')).body);
    expect(listed).toContainEqual({ id: 'served.jsonl', kind: 'audit', count: 1 });
    const path = '/api/mend?run=runs/first&queue=served.jsonl';
    const saved = await post(path, request('a1', { crack: 0, roots: 1 }));
    expect([saved.status, saved.body]).toEqual([200, expect.anything()]);
    expect(await state(path)).toMatchObject({
      file: at('served-labels.csv'),
      saved: [{ name: 'a1', labels: { crack: 0, roots: 1 } }],
    });
    expect(readFileSync(studio.table, 'utf8')).toBe(original);
  });
});

describeInBrowser('Mend in a browser', (browser) => {
  let opened: StudioPage;
  beforeAll(async () => {
    opened = await openStudioPage(studio.server, browser());
  });
  const page = () => opened.page;
  const open = (query: Record<string, string>) => opened.open({ view: 'mend', run: 'runs/first', ...query });
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page().keyboard.press(key);
  };

  test('twenty labels are fixed by keyboard, and the last is taken back', async () => {
    rmSync(at('corrections'), { recursive: true, force: true });
    await open({ show: 'all', order: 'name' });
    await expect.poll(() => page().locator('.class-key').count()).toBe(2);
    const before = await state();
    expect(before.saved).toEqual([]);
    // 16 of 24 images: nothing here, a class, both, or unsure; then four of them again.
    for (let i = 0; i < 16; i++) {
      if (i % 4 === 0) await page().keyboard.press('n');
      else if (i % 4 === 1) await page().keyboard.press('u');
      else {
        await page().keyboard.press(i % 4 === 2 ? '1' : '2');
        await page().keyboard.press('Enter');
      }
    }
    await expect.poll(() => page().locator('#count').textContent()).toBe('16 saved');
    for (let i = 0; i < 16; i++) await page().keyboard.press('ArrowLeft');
    for (let i = 0; i < 4; i++) await page().keyboard.press('n');
    await expect.poll(async () => (await state()).saved.at(-1)?.name).toBe('008.png');
    const names = (await state()).saved.map(({ name }) => name);
    expect(names).toHaveLength(16);
    const labelsOf = async (name: string) => (await state()).saved.find((each) => each.name === name)?.labels;
    expect(await labelsOf('002.png')).toEqual({ crack: 0, roots: 0 });
    expect(await labelsOf('012.png')).toEqual({ crack: 0, roots: 0 });
    expect(await labelsOf('013.png')).toEqual({ crack: null, roots: null });
    await page().keyboard.press('z');
    // 008.png was a third class of answers before: the key of roots, Enter.
    await expect.poll(() => labelsOf('008.png')).toMatchObject({ roots: 1 });
    await expect.poll(() => page().locator('.detail-name').textContent()).toContain('008.png');
    expect(readFileSync(studio.table, 'utf8')).toBe(original);
  });

  test('answers of another program are taken over and taken back as one step, each to whoever had said it', async () => {
    rmSync(at('corrections'), { recursive: true, force: true });
    await post(query, request('007.png', { crack: 1, roots: 0 }));
    const before = (await state()).saved;
    await open({ show: 'all', order: 'name' });
    await expect.poll(() => page().locator('#count').textContent()).toBe('1 saved');
    await press('n');
    await expect.poll(() => page().locator('#count').textContent()).toBe('2 saved');
    const tag = (name: string, label: string) => `<image name="${name}"><tag label="${label}"/></image>`;
    const xml = `<annotations>${tag('004.png.png', 'roots')}${tag('007.png.png', 'roots')}${tag('008.png.png', 'crack')}</annotations>`;
    await page().locator('.desk-labels summary', { hasText: 'Label Studio' }).click();
    await page()
      .locator('input[type=file]')
      .setInputFiles({ name: 'answers.xml', mimeType: 'text/xml', buffer: Buffer.from(xml) });
    await expect.poll(() => page().locator('#count').textContent()).toBe('4 saved');
    await press('z');
    await expect.poll(() => page().locator('#count').textContent()).toBe('2 saved');
    expect((await state()).saved.find(({ name }) => name === '007.png')).toMatchObject({
      labels: { crack: 1, roots: 0 },
      author: before[0]?.author,
    });
    // The step before it is still there.
    await press('z');
    await expect.poll(() => page().locator('#count').textContent()).toBe('1 saved');
    await expect.poll(() => page().locator('.detail-name').textContent()).toContain('002.png');
  });

  test('a button trains again from the old weights with them, and shows the paired difference', async () => {
    rmSync(file());
    await post(query, request('002.png', { crack: 1, roots: 0 }));
    await page().reload();
    await page().locator('button', { hasText: 'Train again with 1 corrected' }).click();
    const row = page().locator('.difference tr', { hasText: 'mAP' });
    await expect.poll(() => row.count(), { timeout: 60_000 }).toBe(1);
    expect(await row.textContent()).toMatch(/→.*\(.* to .*\)/);
    const { configuration } = JSON.parse(readFileSync(at('runs/first-mended/config.json'), 'utf8'));
    expect(configuration.network.weights).toBe(at('runs/first'));
    expect(configuration.data.corrections).toBe(file());
  }, 90_000);

  test('a queue is labeled by keyboard: hard negatives, what to label next, and audits of the field', async () => {
    const labelsIn = (name: string) => readFileSync(at(name), 'utf8').trim().split('\n');
    rmSync(at('mined-labels.csv'));
    await open({});
    const names = () => page().locator('#queue option').allTextContents();
    await expect
      .poll(names)
      .toEqual([
        'images of the run',
        'hard negatives: mined.json (7)',
        'to label next: next.json (6)',
        'audits of the field: served.jsonl (1)',
      ]);
    await page().locator('#queue').selectOption('mined.json');
    await expect.poll(() => page().locator('.detail-name').textContent()).toMatch(/1 of 7 · .*%/);
    await expect.poll(() => page().locator('.desk-image img').count()).toBe(1);
    await press('n', 'u', '2', 'Enter');
    await expect.poll(() => page().locator('#count').textContent()).toBe('3 saved');
    await press('z');
    await expect.poll(() => page().locator('#count').textContent()).toBe('2 saved');
    await expect.poll(() => page().locator('.detail-name').textContent()).toContain('3 of 7');
    expect(labelsIn('mined-labels.csv')).toEqual([
      'Filename,split,crack,roots',
      expect.stringMatching(/^photos\/\d+\.png,train,0,0$/),
      expect.stringMatching(/^photos\/\d+\.png,train,,$/),
    ]);
    await page().locator('#queue').selectOption('next.json');
    await expect.poll(() => page().locator('.detail-name').textContent()).toContain('1 of 6');
    await press('1', 'Enter');
    await expect.poll(() => existsSync(at('next-labels.csv'))).toBe(true);
    // The answer of the model is not shown with an audit, so that it sways nobody.
    await open({ queue: 'served.jsonl' });
    await expect.poll(() => page().locator('.detail-name').textContent()).toContain('1 of 1');
    expect(await page().locator('.desk').textContent()).not.toMatch(/clear|10|20/);
    expect(await page().locator('.desk-image').textContent()).toContain('No image was kept');
    await press('n');
    await expect.poll(() => labelsIn('served-labels.csv').at(-1)).toContain('a1');
  });

  test('one key takes over what the model says about a suspect label', async () => {
    rmSync(at('corrections'), { recursive: true, force: true });
    await open({ run: 'runs/sure', show: 'suspects' });
    await expect.poll(() => page().locator('.detail-name').textContent()).toContain(doubted);
    expect(await page().locator('.legend-keys').textContent()).toContain('the model is right: + roots');
    await press('y');
    await expect
      .poll(async () => (await state('/api/mend?run=runs/sure')).saved)
      .toMatchObject([{ name: doubted, labels: { crack: 0, roots: 1 } }]);
  });

  test('nothing failed, and readers with a screen reader find everything', async () => {
    expect(opened.problems).toEqual([]);
    expect(await opened.findings({ view: 'mend', run: 'runs/first', show: 'all' }, '.class-key')).toEqual([]);
  });
});

/** Starts the program itself, which can be killed. */
async function started(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [program, 'studio', studio.folder, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout! }))
    return { child, url: JSON.parse(line).url };
  throw new Error('studio printed nothing');
}
