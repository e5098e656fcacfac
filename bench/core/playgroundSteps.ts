/// <reference lib="dom" />
// The cost of one step of a control on the playground's page, in the system's Chromium, after `npm run build`:
//
//     node bench/dist/core/playgroundSteps.js
//
// A step is the work of one frame: up to fourteen surfaces of 200x200, their pixels, contours, numbers and readings, from
// the start of the frame to the message that the browser delivers once it is painted. Other programs lengthen that time, so the
// CPU time of the page's main thread is reported too.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CDPSession, chromium, type Page } from 'playwright-core';

const rounds = 5;
/** Sliders with their number of positions, so that every step changes the page; and a label, which changes all plots. */
const controls: readonly Control[] = [
  { name: 'lambda', hash: 'y=10', from: 1, to: 61, steps: 60 },
  { name: 'lambda', hash: 'y=01&gamma=2', from: 1, to: 61, steps: 60 },
  { name: 'alpha', hash: 'y=10', from: 0, to: 1, steps: 100 },
  { name: 'gamma', hash: 'y=10', from: 0.1, to: 5, steps: 49 },
  { name: 'gamma', hash: 'y=11', from: 0.1, to: 5, steps: 49 },
  { name: 'y1', hash: 'y=10&lambda=0.2', from: 0, to: 0, steps: 60 },
  { name: 'y2', hash: 'y=10&lambda=0.2&gamma=2', from: 0, to: 0, steps: 60 },
];

const folder = mkdtempSync(path.join(tmpdir(), 'anyclass-playground-'));
const program = path.resolve(import.meta.dirname, '../../../packages/anyclass/bin/anyclass.js');
const file = path.join(folder, 'playground.html');
execFileSync(process.execPath, [program, 'playground', '--out', file]);
const browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium' });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1100 } });
  await page.goto(pathToFileURL(file).href);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  console.log(`Chromium ${browser.version()}, load ${loadavg()[0]!.toFixed(1)}; ${rounds} rounds\n`);
  console.log(
    '| control | at first | median, ms | 95th percentile | both in the best round | main thread, ms of CPU time |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const control of controls) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, control.hash);
    await moveControl(page, control);
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measureRound(page, devtools, control));
    const all = measured.flatMap(({ times }) => times);
    const best = (of: (round: Round) => number) => Math.min(...measured.map(of)).toFixed(1);
    const cells = [
      quantile(all, 0.5).toFixed(1),
      quantile(all, 0.95).toFixed(1),
      `${best(({ times }) => quantile(times, 0.5))}, ${best(({ times }) => quantile(times, 0.95))}`,
      best(({ processor }) => processor),
    ];
    console.log(`| ${control.name} | ${control.hash} | ${cells.join(' | ')} |`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

interface Control {
  readonly name: string;
  readonly hash: string;
  readonly from: number;
  readonly to: number;
  readonly steps: number;
}

interface Round {
  /** Milliseconds of each step. */
  readonly times: readonly number[];
  readonly processor: number;
}

async function measureRound(page: Page, devtools: CDPSession, control: Control): Promise<Round> {
  const before = await mainThreadSeconds(devtools);
  const times = await moveControl(page, control);
  return { times, processor: (1000 * ((await mainThreadSeconds(devtools)) - before)) / times.length };
}

function quantile(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(share * times.length)]!;
}

async function mainThreadSeconds(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

/** Milliseconds of each step. Frame callbacks run in the order of their requests; ours are before and after the page's. */
function moveControl(page: Page, moved: Control): Promise<number[]> {
  return page.evaluate(async ({ name, from, to, steps }) => {
    const input = document.querySelector<HTMLInputElement>(`[name="${name}"]`);
    const { port1, port2 } = new MessageChannel();
    const times: number[] = [];
    for (let step = 0; input !== null && step < steps; step++) {
      let begin = 0;
      requestAnimationFrame(() => {
        begin = performance.now();
      });
      if (input.type === 'checkbox') input.click();
      else {
        input.value = String(from + ((to - from) * step) / steps);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }
      await new Promise<void>((done) => {
        port1.onmessage = () => done();
        requestAnimationFrame(() => port2.postMessage(null));
      });
      times.push(performance.now() - begin);
    }
    return times;
  }, moved);
}
