// Decide's handles over 100,000 rows of 17 classes in Chromium: from a key to the numbers on the page, and whether they are those of
// fitDecision and measure.
//
//     node bench/dist/studio/handles.js [ROWS]

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fitDecision, measure, NumpyRandom } from '@anyclass/core';
import { writeSafetensors } from '@anyclass/torch';
import { validateConfiguration } from 'anyclass/configuration';
import { runScores, writeTable } from 'anyclass/runs';
import { type Browser, chromium } from 'playwright-core';

const rows = Number(process.argv[2] ?? 100_000);
const classes = 17;
const program = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-handles-'));
const run = join(folder, 'run');
const server = spawn(process.execPath, [program, 'studio', await written(), '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let browser: Browser | undefined;
try {
  browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium' });
  const url = await address();
  const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  /** Milliseconds of processor time of the page's main thread so far. */
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  await page.goto(`${url}&view=decide&run=run`);
  await page.waitForSelector('.figures');
  // The curve is drawn between the handles' answers; let it end.
  await page.waitForTimeout(8000);
  const before = await busy();
  const times: number[] = await page.evaluate(async () => {
    const spent: number[] = [];
    const figures = document.querySelector('.figures');
    if (!figures) return spent;
    for (let i = 0; i < 60; i++) {
      const before = performance.now();
      const changed = new Promise<number>((done) => {
        const observer = new MutationObserver(() => {
          observer.disconnect();
          done(performance.now());
        });
        observer.observe(figures, { subtree: true, characterData: true, childList: true });
        setTimeout(() => done(Number.NaN), 2000);
      });
      dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
      spent.push((await changed) - before);
      await new Promise((done) => setTimeout(done, 30));
    }
    return spent.filter(Number.isFinite).sort((a, b) => a - b);
  });
  const processor = (await busy()) - before;
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(0);
  console.log(
    '| rows x classes | moves | fastest | median | p95 | main thread a move |\n|---|---|---|---|---|---|',
  );
  console.log(
    `| ${rows.toLocaleString('en-US')} x ${classes} | ${times.length} | ${at(0)} ms | ${at(0.5)} ms | ${at(0.95)} ms | ${(processor / times.length).toFixed(1)} ms of processor time |\n`,
  );
  await page.waitForTimeout(1000);
  const budget = Number(new URL(page.url()).searchParams.get('budget'));
  const shown = await page.locator('.figures').textContent();
  const scored = await runScores(run, 'validation');
  const decision = fitDecision(scored, { budget: { falseAlarms: budget }, candidates: 'adaptive' });
  const { macroF1, negativesAlarmed, negativeRows } = measure(scored, {
    threshold: decision,
    allowSameSplit: true,
  });
  const expected = [
    `F1${(100 * macroF1).toFixed(1)}`,
    `False alarms${Math.round((negativesAlarmed ?? 0) * negativeRows).toLocaleString('en-US')}of`,
  ];
  for (const text of expected) if (!shown?.includes(text)) throw new Error(`${shown}: expected ${text}`);
  console.log(
    `at a budget of ${budget} the page shows what fitDecision and measure return: ${expected.join(', ')}`,
  );
} finally {
  await browser?.close();
  server.kill();
  rmSync(folder, { recursive: true });
}

async function address(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    const { url }: { url: string } = JSON.parse(line);
    return url;
  }
  throw new Error('the server ended');
}

/** A finished run with scores and a model without weights. */
async function written(): Promise<string> {
  const random = new NumpyRandom(1);
  const classNames = Array.from({ length: classes }, (_, j) => `class ${j}`);
  const names = Array.from({ length: rows }, (_, row) => `${row}.png`);
  const targets = new Float64Array(rows * classes);
  const scores = new Float64Array(rows * classes);
  for (let row = 0; row < rows; row++) {
    const isPositive = random.random() < 0.3;
    for (let j = 0; j < classes; j++) {
      const target = Number(isPositive && random.random() < 0.12);
      targets[row * classes + j] = target;
      const noise = 2 * (random.random() + random.random() + random.random() - 1.5);
      scores[row * classes + j] = Math.fround(1 / (1 + Math.exp(-(4.5 * target - 3 + noise))));
    }
  }
  mkdirSync(join(run, 'scores'), { recursive: true });
  mkdirSync(join(run, 'checkpoints'));
  writeTable(join(run, 'scores/validation.csv'), { names, classNames, values: scores });
  writeTable(join(run, 'scores/validation-labels.csv'), { names, classNames, values: targets });
  const decision = fitDecision({ scores, targets, classNames, split: 'validation' });
  const configuration = validateConfiguration({ data: { dataset: 'digits' } });
  const started = new Date().toISOString();
  writeFileSync(
    join(run, 'config.json'),
    JSON.stringify({ configuration, versions: {}, classes: classNames, datasetFingerprint: 'x', started }),
  );
  writeFileSync(join(run, 'events.jsonl'), `${JSON.stringify({ time: started, type: 'finished', run })}\n`);
  const metrics = { perClassF1: [], perClassF2: [], perClassAP: [], undefinedMetrics: [] };
  const decided = { budget: decision.budget, validation: { macroF1: decision.report.macroFBeta } };
  writeFileSync(
    join(run, 'summary.json'),
    JSON.stringify({
      validation: { split: 'validation', metrics },
      test: { split: 'test', metrics, decided },
    }),
  );
  const model = { classes: classNames, features: ['x'], epoch: 1, loss: 'bce', dataset: 'digits', decision };
  const about = { network: 'linear', networkOptions: '{}', model: JSON.stringify(model) };
  writeSafetensors(
    join(run, 'model.safetensors'),
    [['weight', { dtype: 'float32', shape: [1], data: new Uint8Array(4) }]],
    about,
  );
  return folder;
}
