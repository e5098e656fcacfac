/// <reference lib="dom" />
// What a step of a slider costs on the playground's page, in the system's Chromium, after `npm run build`:
//
//     node bench/dist/core/playgroundSteps.js
//
// A step is the work of one frame: up to twelve surfaces of 200x200, their pixels, contours, numbers and readings, from
// the frame's begin to the message that the browser delivers once it is painted. Beside that time, which other programs
// lengthen, stands the processor time of the page's main thread, which they do not.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CDPSession, chromium, type Page } from 'playwright-core';

const rounds = 5;
/** With the number of their places, so that every step changes the page. */
const sliders: readonly Slider[] = [
  { name: 'lambda', from: 1, to: 61, steps: 60 },
  { name: 'alpha', from: 0, to: 1, steps: 100 },
  { name: 'gamma', from: 0.1, to: 5, steps: 49 },
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
  await moveSlider(page, sliders[0]!);
  console.log(`Chromium ${browser.version()}, load ${loadavg()[0]!.toFixed(1)}; best of ${rounds} rounds`);
  console.log('\n| slider | median, ms | 95th percentile | main thread, ms of processor time |');
  console.log('|---|---|---|---|');
  for (const slider of sliders) {
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measureRound(page, devtools, slider));
    const best = (field: keyof Round) => Math.min(...measured.map((round) => round[field])).toFixed(1);
    console.log(`| ${slider.name} | ${best('median')} | ${best('late')} | ${best('processor')} |`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

interface Slider {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly steps: number;
}

interface Round {
  readonly median: number;
  /** The 95th percentile. */
  readonly late: number;
  readonly processor: number;
}

async function measureRound(page: Page, devtools: CDPSession, slider: Slider): Promise<Round> {
  const before = await mainThreadSeconds(devtools);
  const times = (await moveSlider(page, slider)).sort((a, b) => a - b);
  const processor = (1000 * ((await mainThreadSeconds(devtools)) - before)) / times.length;
  return { median: times[times.length >> 1]!, late: times[Math.floor(0.95 * times.length)]!, processor };
}

async function mainThreadSeconds(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

/** Milliseconds of each step. Frame callbacks run in the order in which they are asked for: ours are around the page's. */
function moveSlider(page: Page, moved: Slider): Promise<number[]> {
  return page.evaluate(async ({ name, from, to, steps }) => {
    const slider = document.querySelector<HTMLInputElement>(`#${name}`);
    const { port1, port2 } = new MessageChannel();
    const times: number[] = [];
    for (let step = 0; slider !== null && step < steps; step++) {
      let begin = 0;
      requestAnimationFrame(() => {
        begin = performance.now();
      });
      slider.value = String(from + ((to - from) * step) / steps);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise<void>((done) => {
        port1.onmessage = () => done();
        requestAnimationFrame(() => port2.postMessage(null));
      });
      times.push(performance.now() - begin);
    }
    return times;
  }, moved);
}
