import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fitDecision, measure } from '@anyclass/core';
import { parse } from 'csv-parse/sync';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { writeRunWithEpochs, writeSyntheticRun } from '../../../test/experimentRuns.js';
import { describeInBrowser, openFile, seriousFindings } from '../../../test/pages/browser.js';
import { report } from '../../commands/report.js';
import { compareRuns } from '../../experiments/comparison.js';
import type { Comparison } from '../../experiments/comparisonResult.js';
import { readRuns } from '../../experiments/readRuns.js';
import { saveCalibration } from '../../runs/savedCalibration.js';
import { reportPage } from './experimentReport.js';

const folder = testFolder();
const runs = join(folder, 'runs');
const pageFile = join(folder, 'report.html');
const assets = join(folder, 'assets');
const quiet = {
  print: () => undefined,
  note: () => undefined,
  onEvent: () => {
    throw new Error('a report shows no progress');
  },
};
const defaults = { replicates: 20, intervalConfidence: 0.95, force: false, json: false };

beforeAll(async () => {
  for (const seed of [1, 2]) {
    writeRunWithEpochs(runs, 'bce', 0.02, seed, 1);
    for (const lambda of [0, 0.02, 0.2]) writeRunWithEpochs(runs, 'any-bce', lambda, seed, 2 + lambda);
  }
  const words = {
    ...defaults,
    runs: [runs],
    out: pageFile,
    assets,
    title: 'Pipes <1>',
    paper: 'auto' as const,
  };
  const terminal = { ...quiet, print: (text: string) => void printed.push(text) };
  ({ files, comparison } = await report.run(words, terminal));
}, 60_000);
const printed: string[] = [];
let files: readonly string[];
let comparison: Comparison;

test('every table is written as CSV, Markdown and LaTeX, and every chart as SVG in fixed colors', () => {
  for (const name of ['decisions', 'results', 'differences', 'classes-1', 'splits', 'configurations']) {
    expect(files).toEqual(expect.arrayContaining([`${name}.csv`, `${name}.md`, `${name}.tex`]));
  }
  for (const name of [
    'trade-off',
    'lambda-1-validation-metrics',
    'lambda-1-test-negatives',
    'learning-mAP',
    'classes-1-F1',
    'precision-recall',
    'reliability',
    'negatives',
    'cooccurrence',
  ]) {
    const svg = readFileSync(join(assets, `${name}.svg`), 'utf8');
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*aria-label="/);
    expect(svg).not.toMatch(/var\(|NaN|undefined/);
    expect(svg, 'its own background').toMatch(
      /<rect x="-?\d+" y="-?\d+" width="\d+" height="\d+" fill="#ffffff"/,
    );
  }
  expect(new Set(files).size).toBe(files.length);
});

test('the tables contain the numbers of the comparison', async () => {
  const { groups } = await compareRuns(readRuns([runs]), { replicates: 20 });
  const rows: Record<string, string>[] = parse(readFileSync(join(assets, 'results.csv')), { columns: true });
  expect(rows.map(({ loss }) => loss)).toEqual(['bce', 'any-bce λ=0', 'any-bce λ=0.02', 'any-bce λ=0.2']);
  for (const row of rows) {
    const group = groups.find(({ label }) => label === row['loss']);
    expect(Number(row['Test F1'])).toBe(group?.test?.macroF1?.mean);
    expect(Number(row['Validation mAP low'])).toBe(group?.validation.mAP?.lowest);
  }
});

test('classes are evaluated on the test split at the decision of each run', async () => {
  const rows: Record<string, string>[] = parse(readFileSync(join(assets, 'classes-1.csv')), {
    columns: true,
  });
  const metrics = await Promise.all(
    [1, 2].map(async (seed) => {
      const { scores } = readRuns([join(runs, `bce-0.02-${seed}`)])[0]!;
      const threshold = fitDecision((await scores('validation'))!);
      return measure((await scores('test'))!, { threshold });
    }),
  );
  for (const row of rows) {
    const j = metrics[0]!.classNames.indexOf(row['class']!);
    const mean = (metrics[0]!.perClassF1[j]! + metrics[1]!.perClassF1[j]!) / 2;
    expect(Number(row['F1 before'])).toBeCloseTo(mean, 12);
  }
  expect(rows).toHaveLength(3);
});

test('the table of configurations has only fields that differ', () => {
  const [header] = parse(readFileSync(join(assets, 'configurations.csv')));
  expect(header).toEqual(['run', 'epochs', 'best epoch', 'loss.name', 'loss.lambda', 'seed']);
});

test('the verdict of the comparison opens the page, the text and the JSON', async () => {
  const { verdict } = comparison;
  const json: string[] = [];
  const terminal = { ...quiet, print: (text: string) => void json.push(text) };
  await report.run({ ...defaults, runs: [runs], out: join(folder, 'verdict.html'), json: true }, terminal);
  expect(verdict).toMatch(/^any-bce λ=[\d.]+ beats bce on F1 by /);
  expect(printed[0]).toMatch(/^any-bce λ=/);
  expect(printed[0]!.startsWith(verdict)).toBe(true);
  expect(JSON.parse(json[0]!).verdict).toBe(verdict);
  const page = readFileSync(pageFile, 'utf8');
  expect(headline(page)).toMatch(/^any-bce λ=[\d.]+ beats bce by [\d.]+ points of F1\.$/);
  const [, low, high] = / points \(([\d.]+) to ([\d.]+)\)/.exec(verdict)!;
  expect(page).toContain(` points of F1 (+${low} to +${high})`);
});

test('the page of a sweep opens with what the sweep found', () => {
  const made = { title: 'sweep', comparison, sections: [] };
  const html = reportPage({ ...made, answer: 'The choice of λ does not matter here: no F1 differs' });
  expect(html).toContain('<h1>The choice of λ does not matter here.</h1>');
  expect(html).toContain('No F1 differs. any-bce');
});

test('with several datasets, each difference says which it is of, and the contents have each once', async () => {
  const several = join(folder, 'several');
  for (const [dataset, loss] of [
    ['pipes', 'bce'],
    ['pipes', 'any-bce'],
    ['walls', 'bce'],
    ['walls', 'any-bce'],
  ] as const)
    writeSyntheticRun(join(several, `${dataset}-${loss}`), {
      configuration: { data: { dataset: `${dataset}.csv` }, loss: { name: loss } },
      dataset,
      strength: 1,
    });
  const out = join(folder, 'several.html');
  await report.run({ ...defaults, runs: [several], out }, quiet);
  const page = readFileSync(out, 'utf8').replaceAll(/<\/?span[^>]*>/g, '');
  for (const dataset of ['pipes', 'walls']) {
    expect(page).toMatch(new RegExp(`class="strong">${dataset}: any-bce[^<]* − bce<`));
    expect(page).toMatch(new RegExp(`<th scope="row">${dataset}: any-bce[^<]* over bce\\?<`));
  }
  const [, contents = ''] = /<nav[^>]*>(.*?)<button/.exec(page) ?? [];
  expect([...contents.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].map(([, link]) => link)).toEqual([
    'Results',
    'pipes',
    'walls',
    'Configurations',
  ]);
});

test('if runs differ in more than the loss, the page says so in its verdict and tables', async () => {
  const mixed = join(folder, 'mixed');
  for (const [loss, epochs] of [
    ['bce', 20],
    ['any-bce', 30],
  ] as const)
    writeSyntheticRun(join(mixed, loss), {
      configuration: { data: { dataset: 'pipes.csv' }, loss: { name: loss }, epochs },
      strength: loss === 'bce' ? 1 : 2,
    });
  const out = join(folder, 'mixed.html');
  await report.run({ ...defaults, runs: [mixed], out }, quiet);
  const page = readFileSync(out, 'utf8');
  expect(page).toMatch(
    /Read with care[\s\S]*<h1>.*they also differ in epochs\.<\/h1>[\s\S]*They also differ in epochs \(30 and 20\)/,
  );
  for (const name of ['results', 'differences', 'classes-1']) {
    const block = page.split(`data-name="${name}"`)[1]!.split('<p class="actions">')[0];
    expect(block, name).toContain('also differ in epochs (30 and 20)');
  }
});

test('bands are explained where several seeds draw them, and one differing field is one', async () => {
  const page = readFileSync(pageFile, 'utf8');
  expect(page).toContain('Bands: ± one standard deviation');
  const alone = join(folder, 'one-seed');
  for (const lambda of [0.02, 0.2]) writeRunWithEpochs(alone, 'any-bce', lambda, 1, 2 + lambda);
  const out = join(folder, 'one-seed.html');
  await report.run({ ...defaults, runs: [alone], out }, quiet);
  const single = readFileSync(out, 'utf8');
  expect(single).toContain('The axis is what alarmed on test');
  expect(single).not.toContain('Bands:');
  expect(single).toContain('1 field differs; ');
});

test('a single run has a report too, and a missing folder is rejected by name', async () => {
  const one = join(folder, 'one.html');
  await report.run({ ...defaults, runs: [join(runs, 'bce-0.02-1')], out: one }, quiet);
  expect(readFileSync(one, 'utf8')).toContain('Learning curves');
  await expect(report.run({ ...defaults, runs: [join(folder, 'nothing')], out: one }, quiet)).rejects.toThrow(
    'nothing: no such folder',
  );
});

test('published results are shown if the name of the data or the user identifies the dataset', async () => {
  const out = join(folder, 'paper.html');
  expect(readFileSync(pageFile, 'utf8')).not.toContain('in the paper');
  await report.run({ ...defaults, runs: [runs], out, paper: 'chestxray14' }, quiet);
  const page = readFileSync(out, 'utf8');
  expect(page).toContain('pipes, next to chestxray14 in the paper');
  expect(page).toContain('data-value="0.2075"');
  expect(page).toContain('data-name="lambda-1-paper-metrics"');
});

describeInBrowser('the page in a browser', (browser) => {
  test('opens from disk without errors or requests, and fits on a phone', async () => {
    for (const width of [1280, 390]) {
      const { page, problems } = await openFile(browser(), pageFile, { viewport: { width, height: 800 } });
      expect(await page.textContent('.crumb')).toBe('comparisons / Pipes <1>');
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(problems).toEqual([]);
    }
  });

  test('axe finds nothing serious', async () => {
    const { page } = await openFile(browser(), pageFile, { bypassCSP: true });
    expect(await seriousFindings(page)).toEqual([]);
  }, 60_000);

  test('a wide table or chart scrolls in its box, up to its last column', async () => {
    for (const width of [1280, 390]) {
      const { page } = await openFile(browser(), pageFile, { viewport: { width, height: 800 } });
      for (const name of ['configurations', 'results', 'differences', 'cooccurrence']) {
        const box = page.locator(`[data-name=${name}] .scroll`);
        const [isSeen, leavesRoom] = await box.evaluate((element) => {
          element.scrollLeft = element.scrollWidth;
          const frame = element.getBoundingClientRect();
          const last = element.querySelector('thead tr:last-child th:last-child, svg')!;
          const { right } = last.getBoundingClientRect();
          // The first column of a table stays visible while the others scroll.
          const first = element.querySelector('tbody th')?.getBoundingClientRect().width ?? 0;
          const isScrolled = element.scrollWidth > element.clientWidth;
          return [
            right <= frame.right + 1 && frame.right <= innerWidth,
            !isScrolled || first < frame.width / 2,
          ];
        });
        expect([isSeen, leavesRoom], `${name} at ${width}`).toEqual([true, true]);
      }
    }
  });

  test('paths that are too long for a page are wrapped', async () => {
    const { page } = await openFile(browser(), pageFile, { viewport: { width: 1000, height: 800 } });
    const box = page.locator('[data-name=configurations] .scroll');
    const [needed, given] = await box.evaluate((element) => {
      for (const name of element.querySelectorAll('tbody th')) {
        name.classList.add('long');
        name.textContent = `/data/${'a'.repeat(150)}`;
      }
      return [element.scrollWidth, element.clientWidth];
    });
    expect(needed).toBe(given);
  });

  test('shows the numbers of the comparison', async () => {
    const { page } = await openFile(browser(), pageFile);
    const row = page.locator('[data-name=results] tbody tr', { has: page.getByText('any-bce λ=0.02') });
    const values = await row
      .locator('td[data-value]')
      .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('data-value'))));
    const group = comparison.groups.find(({ label }) => label === 'any-bce λ=0.02');
    const means = (part: 'validation' | 'test') =>
      group?.metrics.map((metric) => group[part]?.[metric]?.mean);
    expect(values).toEqual([2, ...(means('validation') ?? []), ...(means('test') ?? [])]);
  });

  test('the theme follows the system until the button changes it', async () => {
    const { page } = await openFile(browser(), pageFile, { colorScheme: 'dark' });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const line = () =>
      page
        .locator('[data-name=reliability] svg path.line')
        .first()
        .evaluate((path) => getComputedStyle(path).stroke);
    expect(await ground()).toBe('rgb(15, 18, 22)');
    const inDark = await line();
    const button = page.locator('#theme');
    await button.click();
    expect(await button.textContent()).toBe('Theme: light');
    expect(await ground()).toBe('rgb(255, 255, 255)');
    expect(await line()).not.toBe(inDark);
    await button.click();
    expect(await button.textContent()).toBe('Theme: dark');
    expect(await ground()).toBe('rgb(15, 18, 22)');
  });

  test('a choice shows the panel that it names, also by keyboard', async () => {
    const { page } = await openFile(browser(), pageFile);
    const chart = (name: string) => page.locator(`[data-name="${name}"]`);
    expect(await chart('classes-1-F1').isVisible()).toBe(true);
    await page.getByLabel('bce and any-bce λ=0.2', { exact: true }).check();
    expect(await chart('classes-3-F1').isVisible()).toBe(true);
    expect(await chart('classes-1-F1').isVisible()).toBe(false);
    await page.keyboard.press('ArrowUp');
    expect(await chart('classes-2-F1').isVisible()).toBe(true);
  });

  test('a mark shows its value under the pointer', async () => {
    const { page } = await openFile(browser(), pageFile);
    await page.locator('[data-name="learning-mAP"] [data-label^="bce, epoch 2"]').hover();
    expect(await page.locator('#mark').textContent()).toMatch(/^bce, epoch 2: [\d.]+ \([\d.]+ to [\d.]+\)$/);
  });

  test('tables can be copied and saved, and charts saved, with the content of the written files', async () => {
    const { page } = await openFile(browser(), pageFile, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const results = page.locator('[data-name=results]');
    await results.locator('[data-act=copy][data-kind=tex]').click();
    await results.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      readFileSync(join(assets, 'results.tex'), 'utf8'),
    );
    const saved = async (block: string, kind: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator(`[data-name="${block}"] [data-act=save][data-kind=${kind}]`).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`${block}.${kind}`);
      return readFileSync(await download.path(), 'utf8');
    };
    expect(await saved('results', 'csv')).toBe(readFileSync(join(assets, 'results.csv'), 'utf8'));
    const svg = await saved('negatives', 'svg');
    expect(svg).toContain('#16191f');
    expect(svg).not.toContain('var(');
  });
});

test('runs whose probabilities are calibrated are pooled over their seeds', async () => {
  const calibrated = join(folder, 'calibrated');
  for (const seed of [1, 2]) {
    for (const loss of ['bce', 'any-bce'] as const)
      writeRunWithEpochs(calibrated, loss, 0.02, seed, loss === 'bce' ? 1 : 2);
  }
  for (const name of readdirSync(calibrated))
    saveCalibration(join(calibrated, name, 'scores'), {
      kind: 'temperature',
      temperature: 1.4,
      atBound: false,
      fittedOn: 'validation',
    });
  const out = join(folder, 'calibrated.html');
  await report.run({ ...defaults, runs: [calibrated], out }, quiet);
  expect(readFileSync(out, 'utf8')).toContain('Reliability of');
});

/** The headline as it reads, without the marks of words that stay on one line. */
function headline(page: string): string {
  return /<h1>(.*?)<\/h1>/.exec(page)![1]!.replaceAll(/<[^>]+>/g, '');
}
