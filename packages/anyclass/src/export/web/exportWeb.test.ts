import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportedModel } from '@anyclass/browser';
import type { Guarantee } from '@anyclass/core';
import { nn, setSeed } from '@anyclass/torch';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { FunctionModule } from '../../../test/onnxFunction.js';
import { describeInBrowser, seriousFindings } from '../../../test/pages/browser.js';
import { type StaticHost, serveFolder } from '../../../test/pages/staticHost.js';
import { fixedDecision } from '../../inference/modelDecision.js';
import type { OnnxDescription } from '../../inference/onnx/exportedModel.js';
import { openPredictor } from '../../inference/predictor.js';
import { createNetwork } from '../../networks/createNetwork.js';
import { fileVersion } from '../../runs/fileVersion.js';
import { type ModelDescription, saveModel } from '../../runs/modelFile.js';
import { exportNetwork } from '../onnx/exportOnnx.js';
import { exportWeb } from './exportWeb.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

const classes = ['crack', 'roots', 'deposits', 'joint <open>'];
const fixed = fixedDecision(classes, 0.5);
const guarantee: Guarantee = {
  holds: true,
  about: 'false alarms',
  rate: 0.05,
  confidence: 0.95,
  unit: 'image',
  groups: null,
  candidates: 1,
  exceeding: 38,
  of: 805,
};
const description: ModelDescription = {
  classes,
  channels: 3,
  mean: [0.5],
  std: [0.25],
  epoch: 7,
  loss: 'any-bce',
  dataset: 'pipes & drains',
  calibration: { kind: 'temperature', temperature: 1.3, atBound: false, fittedOn: 'validation' },
  decision: {
    ...fixed,
    presence: 0.4,
    thresholds: [0.45, 0.5, null, 0.4],
    report: { ...fixed.report, guarantee },
  },
};

beforeAll(async () => {
  setSeed(1);
  using network = createNetwork('tresnet-s', { classes: classes.length, inputSize: 64 });
  nn.init.normal_(network.parameters().at(-2)!, 0, 1);
  saveModel(at('model.safetensors'), { network, description });
  await exportWeb(at('model.safetensors'), { out: at('web') });
  mkdirSync(at('photos'));
  for (const [name, color] of [
    ['red.jpg', '#c03020'],
    ['green.png', '#20a040'],
    ['blue.webp', '#2030c0'],
    ['dark.jpg', '#101010'],
  ] as const) {
    const noise = Buffer.from(Uint8Array.from({ length: 90 * 70 * 3 }, (_, i) => (i * i * 31) % 97));
    await sharp(noise, { raw: { width: 90, height: 70, channels: 3 } })
      .composite([{ input: { create: { width: 45, height: 70, channels: 3, background: color } } }])
      .toFile(at('photos', name));
  }
}, 60_000);

test('the folder has page, model and runtime, the same bytes each time, and no draft is left', async () => {
  const again = await exportWeb(at('model.safetensors'), { out: at('again') });
  expect(again.files).toContain(join('model', 'model.onnx'));
  expect(again.hasHeatMaps).toBe(true);
  for (const file of again.files)
    expect(readFileSync(at('again', file)).equals(readFileSync(at('web', file)))).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  const html = readFileSync(at('web', 'index.html'), 'utf8');
  expect(html).toContain('<title>pipes &amp; drains, anyclass export</title>');
  expect(html).toContain("default-src 'none'");
  // The only address is a name: that of SVG in the script.
  expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
});

test('a different page has a different version, so that browsers load it', async () => {
  await exportWeb(at('model.safetensors'), { out: at('titled'), title: 'Drains' });
  const worker = (name: string) => readFileSync(at(name, 'service-worker.js'), 'utf8');
  expect(worker('titled')).not.toBe(worker('web'));
});

test('an export contains only the name of a dataset, not its path', async () => {
  const layer = new nn.Linear(3 * 8 * 8, classes.length);
  using network = new FunctionModule((images) => layer.forward(images.flatten(1)), [layer]);
  const { config, file } = await exportNetwork(network, {
    description: { ...description, dataset: '/home/ada/photos' },
    inputSize: 8,
    out: at('named', 'model.onnx'),
  });
  expect(JSON.parse(readFileSync(config, 'utf8')).training.dataset).toBe('photos');
  expect(readFileSync(file).includes('/home/ada')).toBe(false);
});

test('a folder that is not empty is left alone, and a failed export leaves nothing', async () => {
  mkdirSync(at('full'));
  writeFileSync(at('full', 'mine.txt'), 'mine');
  await expect(exportWeb(at('model.safetensors'), { out: at('full') })).rejects.toThrow(/full is not empty/);
  await expect(exportWeb(at('none.safetensors'), { out: at('failed') })).rejects.toThrow(/none\.safetensors/);
  expect(readdirSync(at('full'))).toEqual(['mine.txt']);
  expect(readdirSync(folder).filter((name) => /failed|part/.test(name))).toEqual([]);
});

test('a network without a linear head over feature maps is exported without heat maps', async () => {
  const layer = new nn.Linear(3 * 8 * 8, classes.length);
  using network = new FunctionModule((images) => layer.forward(images.flatten(1)), [layer]);
  const { outputs } = await exportNetwork(network, {
    description,
    inputSize: 8,
    out: at('flat', 'model.onnx'),
    optionalOutputs: ['cam'],
  });
  expect(outputs).not.toContain('cam');
});

test('the type of an export is what the page reads', () => {
  type ImageModel = OnnxDescription & {
    preprocessing: Exclude<OnnxDescription['preprocessing'], { features: string[] }>;
  };
  const accepted = (model: ImageModel): ExportedModel => model;
  expect(accepted).toBeTypeOf('function');
});

describeInBrowser('in a browser', (browser) => {
  let host: StaticHost;
  let page: Page;
  const problems: string[] = [];
  beforeAll(async () => {
    host = await serveFolder(at('web'));
    page = await (await browser().newContext()).newPage();
    page.on('console', (message) => {
      // Chromium says this on machines without a GPU.
      if (message.text() === 'No available adapters.') return;
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(host.address);
    await page.waitForSelector('body[data-state]', { timeout: 60_000 });
  }, 120_000);
  afterAll(() => host.close());

  test('dropped photos get the labels, probabilities and presence of predict', async () => {
    using predictor = await openPredictor(at('web', 'model', 'model.onnx'));
    let labeled = 0;
    for (const name of readdirSync(at('photos'))) {
      await dropPhoto(page, at('photos', name), name);
      const card = page.locator('.photo').first();
      await card.locator('.labels').waitFor();
      const expected = await predictor.predictOne(at('photos', name));
      labeled += expected.labels.length;
      expect(await card.locator('.label').allTextContents()).toEqual(expected.labels);
      expect(await card.locator('.none').count()).toBe(expected.isNegative ? 1 : 0);
      expect(await shownShare(card.locator('.presence .value'))).toBeCloseTo(
        expected.presence.probability,
        2,
      );
      for (const [className, probability] of Object.entries(expected.probabilities)) {
        const row = card.locator('button.row', { has: page.getByText(className, { exact: true }) });
        expect(await shownShare(row.locator('.value'))).toBeCloseTo(probability, 2);
      }
    }
    expect(labeled).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  test('the model is on the page: its classes, and its promise with what that rests on', async () => {
    const { classes } = JSON.parse(readFileSync(at('web', 'model', 'config.json'), 'utf8'));
    expect(await page.locator('.tags li').allTextContents()).toEqual(classes);
    const version = await fileVersion(at('web', 'model', 'model.onnx'));
    expect(await page.locator('.facts dd').allTextContents()).toEqual([
      classes.join(''),
      'at most 5% of negatives alarm, with 95% confidence (rests on 38 of 805 negatives)',
      'color images, resized to 64 × 64 px',
      'tresnet-s in float32',
      'on pipes & drains with any-bce, epoch 7',
      version,
    ]);
  });

  test('the theme is chosen in the header, as on every page', async () => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    const button = page.locator('#theme');
    await button.click();
    expect(await ground()).toBe(light);
    await button.click();
    expect(await button.textContent()).toBe('Theme: dark');
    expect(await ground()).not.toBe(light);
    await button.click();
  });

  test('choosing a class shows its heat map over the photo, and choosing it again hides the map', async () => {
    await dropPhoto(page, at('photos', 'red.jpg'), 'red.jpg');
    const card = page.locator('.photo').first();
    await card.locator('.labels').waitFor();
    const row = card.locator('button.row').last();
    const heat = card.locator('canvas.heat');
    await row.click();
    expect(await row.getAttribute('aria-pressed')).toBe('true');
    expect(await card.locator('.scale').textContent()).toMatch(
      /^0\d[\d.]*, logit of the cell alone, without the bias$|^No evidence anywhere\.$/,
    );
    expect(await card.locator('.scale').isVisible()).toBe(true);
    expect(await heat.isVisible()).toBe(true);
    const [image, canvas] = [await card.locator('.frame img').boundingBox(), await heat.boundingBox()];
    expect(canvas).toEqual(image);
    await row.click();
    expect(await heat.isVisible()).toBe(false);
  });

  test.each(['light', 'dark'] as const)(
    'readers with a keyboard or a screen reader can use the %s page',
    async (colorScheme) => {
      const context = await browser().newContext({ bypassCSP: true, colorScheme });
      const other = await context.newPage();
      await other.goto(host.address);
      await other.waitForSelector('body[data-state=ready]');
      await dropPhoto(other, at('photos', 'red.jpg'), 'red.jpg');
      await other.locator('.photo .labels').waitFor();
      expect(await seriousFindings(other)).toEqual([]);
      await context.close();
    },
  );

  test('printed, it is the model and its answers, and nothing is wider than the paper', async () => {
    await page.setViewportSize({ width: 718, height: 1016 });
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(718);
    expect(await page.locator('#drop').isVisible()).toBe(false);
    expect(await page.locator('.photo .labels').first().isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test('a file that is not an image is rejected with the reason', async () => {
    writeFileSync(at('note.txt'), 'no image');
    await dropPhoto(page, at('note.txt'), 'note.txt');
    await page.locator('.failure').waitFor();
    expect(await page.locator('.failure').textContent()).toContain('cannot decode');
  });

  test('after the first visit, the page works without its host', async () => {
    await expect.poll(() => page.locator('#offline').textContent()).toContain('Works offline');
    const requested = host.requests.filter((path) => path.endsWith('model.onnx'));
    expect(requested.length).toBeGreaterThan(0);
    await page.context().setOffline(true);
    await page.reload();
    await page.waitForSelector('body[data-state=ready]');
    await dropPhoto(page, at('photos', 'red.jpg'), 'red.jpg');
    await page.locator('.labels').waitFor();
    // Responses from the cache isolate the page, so that it may use threads.
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  });
});

async function dropPhoto(page: Page, path: string, name: string): Promise<void> {
  const content = readFileSync(path).toString('base64');
  const transfer = await page.evaluateHandle(
    ([text, fileName]) => {
      const bytes = Uint8Array.from(atob(text!), (character) => character.charCodeAt(0));
      const given = new DataTransfer();
      given.items.add(new File([bytes], fileName!));
      return given;
    },
    [content, name],
  );
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
}

async function shownShare(locator: ReturnType<Page['locator']>): Promise<number> {
  return Number.parseFloat((await locator.textContent()) ?? '') / 100;
}
