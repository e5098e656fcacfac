// From a log to labels, as someone who labels would do it.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { describeInBrowser } from '../../test/pages/browser.js';
import { readAuditLabels } from '../field/auditLabels.js';
import { auditItems } from './auditItems.js';
import { type AuditServer, serveAudits } from './auditServer.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);
const audit = (...words: string[]) => runInProcess(folder, ['audit', ...words]);

/** Six predictions: a, b, c and f were drawn, d is an alarm that was not, e is neither; a comes twice. */
beforeAll(async () => {
  mkdirSync(at('audited'));
  const lines: string[] = [];
  for (const [i, id] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
    const bytes = await sharp({
      create: { width: 40, height: 30, channels: 3, background: { r: 40 * i, g: 90, b: 160 } },
    })
      [id === 'f' ? 'tiff' : 'png']()
      .toBuffer();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const drawn = 'abcf'.includes(id);
    if (drawn && id !== 'c') writeFileSync(at(`audited/${sha256}`), bytes);
    lines.push(
      JSON.stringify({
        time: `2026-11-17T05:0${i}:00.000Z`,
        id,
        model: 'pipes',
        version: '1',
        name: `${id}.png`,
        sha256,
        isNegative: id !== 'd',
        s: 0.1,
        probabilities: { crack: 0.1, roots: 0.05 },
        audit: { q: 0.5, drawn },
      }),
    );
  }
  writeFileSync(at('log.jsonl'), `${[...lines, lines[0]].join('\n')}\n`);
});

test('audit lists what was drawn and has no label, each image once', async () => {
  writeFileSync(at('some.csv'), 'id,negative,author\nb,1,eve\n');
  const { stdout } = await audit('log.jsonl', '--labels', 'some.csv', '--images', 'audited', '--json');
  const { images, left, items } = JSON.parse(stdout);
  expect([images, left, items.map(({ id }: { id: string }) => id)]).toEqual([4, 3, ['a', 'c', 'f']]);
  expect(items[0].image).toMatch(/^audited\/[0-9a-f]{64}$/);
  expect(items[1].image).toBeUndefined();
  const alarms = JSON.parse((await audit('log.jsonl', '--alarms', '--json')).stdout);
  expect(alarms.items.map(({ id }: { id: string }) => id)).toEqual(['a', 'b', 'c', 'd', 'f']);
  expect((await audit('log.jsonl', '--labels', 'some.csv')).stdout).toContain('3 images left to label');
});

test('a table to fill in has a row for each, and monitor reads it', async () => {
  await audit('log.jsonl', '--out', 'fill.csv');
  expect(readFileSync(at('fill.csv'), 'utf8')).toBe(
    'id,name,negative,crack,roots\na,a.png,,,\nb,b.png,,,\nc,c.png,,,\nf,f.png,,,\n',
  );
  expect((await readAuditLabels(at('fill.csv'))).size).toBe(0);
  // Rows that nobody filled in are left to label.
  const left = async () => {
    const { stdout } = await audit('log.jsonl', '--labels', 'fill.csv', '--json');
    return JSON.parse(stdout).left;
  };
  expect(await left()).toBe(4);
  writeFileSync(at('fill.csv'), 'id,name,negative,unsure\na,a.png,1,\nb,b.png,,1\nc,c.png,,\n');
  expect(await left()).toBe(2);
  expect(await readAuditLabels(at('fill.csv'))).toEqual(new Map([['a', { isNegative: true, line: 2 }]]));
  expect((await audit('log.jsonl', '--out', 'fill.csv')).stderr).toContain('fill.csv has 2 answers');
  await audit('log.jsonl', '--out', 'fill.csv', '--force');
  // An empty one is made anew; what someone filled in is kept.
  expect((await audit('log.jsonl', '--out', 'fill.csv')).status).toBe(0);
  const filled = 'id,name,negative,crack,roots\na,a.png,,0,1\n';
  writeFileSync(at('fill.csv'), filled);
  const { status, stderr } = await audit('log.jsonl', '--out', 'fill.csv');
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/fill\.csv has 1 answer; .*--labels fill\.csv/),
  ]);
  expect(readFileSync(at('fill.csv'), 'utf8')).toBe(filled);
  expect((await audit('log.jsonl', '--out', 'fill.csv', '--force')).status).toBe(0);
});

test('answers of a table that pandas wrote are known, and an import does not replace them', async () => {
  const pandas = 'id,negative,crack,roots\na,1.0,0.0,0.0\nb,,1.0,0.0\n';
  writeFileSync(at('pandas.csv'), pandas);
  writeFileSync(at('other.json'), '[{"data":{"id":"a"},"classes":"crack"}]');
  const { status, stderr } = await audit('log.jsonl', '--import', 'other.json', '--labels', 'pandas.csv');
  expect([status, stderr]).toEqual([1, expect.stringContaining('a is crack, but the labels say negative')]);
  expect(readFileSync(at('pandas.csv'), 'utf8')).toBe(pandas);
});

test('a class with the name of a column that people add can be labeled, one with that of a column of ours cannot', async () => {
  const line = (name: string) =>
    JSON.stringify({
      id: 'a',
      isNegative: true,
      probabilities: { [name]: 0.1 },
      audit: { q: 1, drawn: true },
    });
  for (const name of ['note', 'group', 'model']) {
    writeFileSync(at('named.jsonl'), `${line(name)}\n`);
    writeFileSync(at('named.csv'), `id,${name}\na,1\n`);
    const { table } = await auditItems({ logs: [at('named.jsonl')], labels: at('named.csv') });
    expect(table.answerOf('a')).toEqual({ kind: 'classes', classes: [name] });
  }
  for (const name of ['negative', 'unsure']) {
    writeFileSync(at('named.jsonl'), `${line(name)}\n`);
    const { status, stderr } = await audit('named.jsonl');
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(`class '${name}'.*a table with id and negative`),
    ]);
  }
});

describe('other programs', () => {
  test('Label Studio gets tasks and an interface, and its answers come back', async () => {
    const { status } = await audit('log.jsonl', '--images', 'audited', '--label-studio', 'tasks.json');
    expect(status).toBe(0);
    const tasks = JSON.parse(readFileSync(at('tasks.json'), 'utf8'));
    expect(tasks.map(({ data }: { data: { id: string } }) => data.id)).toEqual(['a', 'b', 'f']);
    expect(tasks[0].data.image).toMatch(/^\/data\/local-files\/\?d=[0-9a-f]{64}$/);
    expect(readFileSync(at('tasks.xml'), 'utf8')).toContain('<Choice value="crack"/>');
    const result = (...choices: string[]) => [{ result: [{ type: 'choices', value: { choices } }] }];
    writeFileSync(
      at('export.json'),
      JSON.stringify([
        { id: 1, data: { id: 'a' }, annotations: result('nothing here') },
        { id: 2, data: { id: 'b' }, annotations: result('roots', 'crack') },
        { id: 3, data: { id: 'f' }, annotations: result('unsure') },
        { id: 4, data: { id: 'c' }, annotations: [] },
      ]),
    );
    const { stdout } = await audit('log.jsonl', '--import', 'export.json', '--labels', 'studio.csv');
    expect(stdout).toContain('3 answers in studio.csv; 1 image left to label');
    expect(readFileSync(at('studio.csv'), 'utf8')).toBe(
      'id,name,negative,crack,roots,unsure\na,a.png,1,0,0,\nb,b.png,0,1,1,\nf,f.png,,,,1\n',
    );
    // The short form says the same, and contradicts nothing.
    writeFileSync(at('short.json'), JSON.stringify([{ id: 'b', classes: { choices: ['crack', 'roots'] } }]));
    expect((await audit('log.jsonl', '--import', 'short.json', '--labels', 'studio.csv')).status).toBe(0);
  });

  test('CVAT gets images named by their ids and labels, and its tags come back', async () => {
    await audit('log.jsonl', '--images', 'audited', '--cvat', 'task');
    expect(JSON.parse(readFileSync(at('task/labels.json'), 'utf8'))[1]).toEqual({
      name: 'crack',
      type: 'tag',
      attributes: [],
    });
    expect(readFileSync(at('task/images/a.png')).length).toBeGreaterThan(0);
    expect(readFileSync(at('task/images/f.tif')).length).toBeGreaterThan(0);
    writeFileSync(
      at('annotations.xml'),
      '<?xml version="1.0"?><annotations><version>1.1</version><image id="0" name="a.png"><tag label="nothing here" source="manual"/></image><image id="1" name="images/b.png"><tag label="roots" source="manual"></tag></image><image id="2" name="f.tif"></image></annotations>',
    );
    await audit('log.jsonl', '--import', 'annotations.xml', '--labels', 'cvat.csv');
    expect(readFileSync(at('cvat.csv'), 'utf8')).toBe(
      'id,name,negative,crack,roots\na,a.png,1,0,0\nb,b.png,0,0,1\n',
    );
  });

  test('unknown ids, contradictions and other files are errors, and nothing is written', async () => {
    writeFileSync(at('own.csv'), 'id,negative\na,0\n');
    const cases: [string, string, RegExp][] = [
      ['x.json', '[{"data":{"id":"zz"},"classes":"crack"}]', /zz is not among the audits/],
      [
        'x.json',
        '[{"data":{"id":"a"},"classes":"nothing here"}]',
        /a is negative, but the labels say positive/,
      ],
      [
        'x.json',
        '[{"data":{"id":"b"},"classes":{"choices":["nothing here","crack"]}}]',
        /x\.json, task 1.*contradict/,
      ],
      ['x.json', '[{"data":{"id":"b"},"classes":"dent"}]', /'dent' is no class; expected crack, roots/],
      ['x.json', '{"a":1}', /not an export of Label Studio/],
      ['x.xml', '<svg/>', /expected CVAT's <annotations>/],
      ['x.xml', '<annotations><image name="b.png"><tag', /x\.xml, line 1: not well-formed XML/],
      ['x.txt', 'hello', /neither JSON nor XML/],
    ];
    for (const [file, text, message] of cases) {
      writeFileSync(at(file), text);
      const { status, stderr } = await audit('log.jsonl', '--import', file, '--labels', 'own.csv');
      expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
    }
    expect(readFileSync(at('own.csv'), 'utf8')).toBe('id,negative\na,0\n');
    expect((await audit('log.jsonl', '--page')).status).toBe(2);
    expect((await audit('log.jsonl', '--images', 'nowhere')).stderr).toContain('nowhere');
  });
});

describe('the page', () => {
  let server: AuditServer;
  beforeAll(async () => {
    writeFileSync(at('page.csv'), 'id,note,negative\nb,dark,1\n');
    const list = await auditItems({ logs: [at('log.jsonl')], labels: at('page.csv'), images: at('audited') });
    server = await serveAudits(list, { labels: at('page.csv') });
  });
  afterAll(() => server.close());

  const ask = (path: string, headers: Record<string, string>, method = 'GET', body = '') =>
    new Promise<number>((done, fail) => {
      const { hostname, port } = new URL(server.url);
      const sent = request({ hostname, port, path, method, headers }, (answer) => {
        answer.resume();
        done(answer.statusCode ?? 0);
      });
      sent.once('error', fail);
      sent.end(body);
    });

  test('answers only its own host and origin, and only with the token', async () => {
    const { host, hash } = new URL(server.url);
    const bearer = { Authorization: `Bearer ${hash.slice('#token='.length)}` };
    expect(await ask('/items', { host, ...bearer })).toBe(200);
    expect(await ask('/items', { host })).toBe(401);
    expect(await ask('/items', { host, Authorization: 'Bearer x' })).toBe(401);
    expect(await ask('/', { host: 'evil.example' })).toBe(403);
    expect(await ask('/items', { host, ...bearer, origin: 'http://evil.example' })).toBe(403);
    expect(await ask('/images/..%2Flog.jsonl', { host, ...bearer })).toBe(404);
    expect(await ask('/images/f', { host, ...bearer })).toBe(200);
    expect(await ask('/labels/a', { host, ...bearer }, 'POST', '{"kind":"classes","classes":["dent"]}')).toBe(
      400,
    );
    expect(await ask('/labels/a', { host, ...bearer }, 'POST', 'x'.repeat(1 << 17))).toBe(413);
    expect(readFileSync(at('page.csv'), 'utf8')).toBe('id,note,negative\nb,dark,1\n');
  });

  describeInBrowser('in a browser', (browser) => {
    test('is labeled by keys, and writes what others wrote too', async () => {
      const page = await (await browser().newContext()).newPage();
      const problems: string[] = [];
      page.on('console', (message) => problems.push(message.text()));
      page.on('pageerror', (error) => problems.push(error.message));
      await page.goto(server.url);
      await page.waitForSelector('#picture:not([hidden])');
      const counts = page.locator('#counts');
      await page.keyboard.press('n'); // a, then b, which has a label
      expect(await page.locator('#about').textContent()).toMatch(/^2026-11-17 05:0\d UTC/);
      await expect.poll(() => counts.textContent()).toBe('2 of 4, 2 labeled');
      await page.keyboard.press('ArrowRight'); // c was not kept
      await page.waitForSelector('#absent:not([hidden])');
      await page.keyboard.press('u');
      await expect.poll(() => counts.textContent()).toBe('4 of 4, 3 labeled');
      await page.waitForSelector('#picture:not([hidden])');
      await page.keyboard.press('2');
      await page.keyboard.press('1');
      await expect.poll(() => page.locator('#state').textContent()).toContain('All images are labeled');
      await expect
        .poll(() => readFileSync(at('page.csv'), 'utf8'))
        .toBe('id,note,negative,crack,roots,unsure\nb,dark,1,,,\na,,1,0,0,\nc,,,,,1\nf,,0,1,1,\n');
      expect(problems).toEqual([]);
    });
  });
});
