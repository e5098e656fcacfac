// Studio's grid with 100,000 images: how soon the first thumbnails are there, how long frames take while it scrolls and then jumps through
// all of it, and how soon the images are there where the jumps end; beside a plain
// page of the same images, which the browser loads when they come near (`loading=lazy`). Since other work of the machine delays both, also
// the processor time of the page's main thread, and of the server until the first thumbnails. A dash: no result within a minute.
//
//     node bench/dist/studio/grid.js [IMAGES]          needs Chromium, in /usr/bin/chromium or where CHROMIUM says

import { type ChildProcess, spawn } from 'node:child_process';
import {
  createReadStream,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fitDecision } from '@anyclass/core';
import { defineConfig } from 'anyclass';
import { validateConfiguration } from 'anyclass/configuration';
import { createNetwork } from 'anyclass/networks';
import { saveModel } from 'anyclass/runs';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';

const count = Number(process.argv[2] ?? 100_000);
const distinct = 100;
const classes = ['crack', 'roots', 'deposit'];
const program = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-grid-'));
const children: ChildProcess[] = [];

try {
  await writeData();
  const browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium' });
  try {
    const url = await startStudio();
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(url);
    const look = `${new URL(url).origin}/?view=look&run=run&show=all`;
    await page.goto(look);
    const before = processorTime(children[0]);
    const first = await firstImages(page, '.tile img', '.tile');
    const served = processorTime(children[0]) - before;
    // Again, with the table read and the data open, as for every further filter.
    await page.goto(`${look}&order=low`);
    const again = await firstImages(page, '.tile img', '.tile');
    const frames = await scrolled(page, '.tiles .virtual');
    const after = await within(firstImages(page, '.tile img', '.tile img'));
    console.log(
      '| | first thumbnails | with another filter | after the jumps | frames, median | p95 | longest | main thread | of jumps |',
    );
    console.log('|---|---|---|---|---|---|---|---|---|');
    print(`Studio, ${count.toLocaleString('en-US')} images`, [first, again, after], frames);
    await page.close();
    const plain = await plainPage();
    const other = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    try {
      // Its load event would wait for more than what is in sight.
      await other.goto(plain.url, { waitUntil: 'commit' });
      const peerFirst = await within(firstImages(other, 'img', 'img'));
      const peerFrames = peerFirst === undefined ? undefined : await within(scrolled(other, 'main'));
      print('a plain page of lazy images', [peerFirst, undefined, undefined], peerFrames);
    } finally {
      plain.close();
    }
    console.log(
      `\nMain thread: processor time a frame. The server took ${served.toFixed(2)} s of processor time until the first thumbnails.`,
    );
  } finally {
    await browser.close();
  }
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true });
}

/** A result, unless it takes more than a minute: the plain page may not be done in an hour. */
async function within<Result>(work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(done, 60_000, undefined);
  });
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Scrolled {
  /** Milliseconds from frame to frame. */
  readonly frames: readonly number[];
  /** Milliseconds of processor time of the main thread a frame, on average: of all, and of the jumps. */
  readonly processor: readonly [all: number, jumps: number];
}

function print(name: string, times: readonly (number | undefined)[], scroll: Scrolled | undefined): void {
  const sorted = scroll?.frames.toSorted((a, b) => a - b) ?? [];
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))];
  const cells = [
    ...times,
    quantile(0.5),
    quantile(0.95),
    quantile(1),
    ...(scroll?.processor ?? [undefined, undefined]),
  ];
  const texts = cells.map((value) => (value === undefined ? '–' : `${value.toFixed(1)} ms`));
  console.log(`| ${[name, ...texts].join(' | ')} |`);
}

/** Milliseconds from when the grid is drawn until the images in sight are loaded. */
async function firstImages(page: Page, image: string, tile: string): Promise<number> {
  await page.waitForSelector(tile, { timeout: 120_000 });
  return page.evaluate(async (selector) => {
    const start = performance.now();
    const inSight = () =>
      [...document.querySelectorAll<HTMLImageElement>(selector)]
        .slice(0, 200)
        .filter((each) => each.getBoundingClientRect().top < innerHeight);
    while (!inSight().every((each) => each.complete && each.naturalWidth > 0)) {
      if (performance.now() - start > 30_000)
        throw new Error(
          `${inSight().filter((each) => each.naturalWidth === 0).length} images are not loaded`,
        );
      await new Promise((next) => requestAnimationFrame(next));
    }
    return performance.now() - start;
  }, image);
}

/** The times of frames while the grid scrolls 40 pixels a frame, for 300 frames, then jumps through all of it. */
async function scrolled(page: Page, box: string): Promise<Scrolled> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const framesFrom = (from: number, to: number) =>
    page.evaluate(
      async ([selector, first, end]) => {
        const element = document.querySelector(selector)!;
        const times: number[] = [];
        let last = await new Promise<number>(requestAnimationFrame);
        for (let frame = first; frame < end; frame++) {
          if (frame < 300) element.scrollTop += 40;
          else element.scrollTop = ((frame - 300) / 100) * element.scrollHeight;
          const now = await new Promise<number>(requestAnimationFrame);
          times.push(now - last);
          last = now;
        }
        return times;
      },
      [box, from, to] as const,
    );
  const begun = await busy();
  const steps = await framesFrom(0, 300);
  const between = await busy();
  const jumps = await framesFrom(300, 400);
  const frames = [...steps, ...jumps];
  const end = await busy();
  const perFrame = (seconds: number, count: number) => (1000 * seconds) / count;
  return {
    frames,
    processor: [perFrame(end - begun, frames.length), perFrame(end - between, jumps.length)],
  };
}

/** Seconds of all threads of a process, from Linux's clock ticks of 10 ms. */
function processorTime(child: ChildProcess | undefined): number {
  const stat = readFileSync(`/proc/${child?.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function startStudio(): Promise<string> {
  const child = spawn(process.execPath, [program, 'studio', folder, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line).url;
  throw new Error('studio printed nothing');
}

async function plainPage(): Promise<{ readonly url: string; close(): void }> {
  const images = Array.from(
    { length: count },
    (_, i) => `<img loading="lazy" width="132" height="132" src="/${i}.jpg">`,
  );
  const html = `<!doctype html><style>html,body,main{height:100%;margin:0}main{overflow:auto}</style><main>${images.join('')}</main>`;
  const server = createServer((request, response) => {
    if (request.url === '/') response.setHeader('Content-Type', 'text/html').end(html);
    else if (!/^\/\d+\.jpg$/.test(request.url ?? '')) response.writeHead(404).end();
    else createReadStream(join(folder, 'photos', (request.url ?? '').slice(1))).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** 100 photos of 640 x 480 pixels under 100,000 names, and a run with scores of them. */
async function writeData(): Promise<void> {
  const [photos, run] = [join(folder, 'photos'), join(folder, 'run')];
  for (const path of [photos, join(run, 'scores'), join(run, 'checkpoints')])
    mkdirSync(path, { recursive: true });
  for (let i = 0; i < Math.min(distinct, count); i++) {
    const noise = { type: 'gaussian', mean: 60 + (i % 120), sigma: 25 } as const;
    await sharp({ create: { width: 640, height: 480, channels: 3, background: '#888', noise } })
      .jpeg({ quality: 70 })
      .toFile(join(photos, `${i}.jpg`));
  }
  for (let i = distinct; i < count; i++)
    linkSync(join(photos, `${i % distinct}.jpg`), join(photos, `${i}.jpg`));
  const value = (i: number, j: number) => ((i * 7919 + j * 104_729) % 10_007) / 10_007;
  const lines = (cells: (i: number) => string) =>
    `Filename,${classes.join(',')}\n${Array.from({ length: count }, (_, i) => `${i}.jpg,${cells(i)}\n`).join('')}`;
  const labels = (i: number) => classes.map((_, j) => Number(value(i, j + 3) > 0.95)).join(',');
  const scores = (i: number) => classes.map((_, j) => value(i, j).toFixed(4)).join(',');
  writeFileSync(join(folder, 'labels.csv'), lines(labels));
  writeFileSync(join(run, 'scores/validation.csv'), lines(scores));
  writeFileSync(join(run, 'scores/validation-labels.csv'), lines(labels));
  const configuration = validateConfiguration(
    defineConfig({
      data: { dataset: join(folder, 'labels.csv'), imageFolder: photos },
      network: { name: 'tresnet-s' },
    }),
  );
  const record = {
    configuration,
    versions: {},
    classes,
    datasetFingerprint: '',
    started: new Date().toISOString(),
  };
  writeFileSync(join(run, 'config.json'), JSON.stringify(record));
  const rows = 2000;
  const decision = fitDecision(
    {
      scores: Float64Array.from({ length: rows * classes.length }, (_, k) => value(Math.floor(k / 3), k % 3)),
      targets: Float64Array.from({ length: rows * classes.length }, (_, k) =>
        Number(value(Math.floor(k / 3), (k % 3) + 3) > 0.95),
      ),
      classNames: classes,
      split: 'validation',
    },
    { budget: { falseAlarms: 0.05 } },
  );
  using network = createNetwork('tresnet-s', { classes: classes.length, inputSize: 32 });
  const input = { channels: 3 as const, mean: [0.5], std: [0.25] };
  saveModel(join(run, 'model.safetensors'), {
    network,
    description: { classes, ...input, epoch: 1, loss: 'bce', dataset: 'made', decision },
  });
}
