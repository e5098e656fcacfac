// The field, with real images: train on COCO-animals, serve, send streams like the test split and shifted ones, audit by script,
// monitor, refit on the audits, and let the server reload the refitted model. Writes field.json, table.md and evidence.svg.
//
//   node examples/dist/field/field.js DATA OUT [--run RUN] [--epochs 12] [--images 8000] [--audit 0.05] [--device cpu]
//
// DATA is a folder of part-*.parquet with images and their COCO categories; RUN a finished run on it, instead of training one.
// Coins are thrown anew each time, so lines of alerts differ between two calls.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NumpyRandom } from '@anyclass/core';
import {
  type MonitoredStream,
  monitorLogs,
  readConfiguration,
  refit,
  runDisplay,
  runScores,
  type Server,
  serve,
  train,
} from 'anyclass';
import { openRun } from 'anyclass/runs';
import { type JudgedStream, writeResults } from './results.js';
import { judgedShifts } from './siteShift.js';
import { openPhotos, type Shift, send } from './streams.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    run: { type: 'string' },
    epochs: { type: 'string', default: '12' },
    images: { type: 'string', default: '8000' },
    audit: { type: 'string', default: '0.05' },
    device: { type: 'string', default: 'auto' },
  },
});
const [data, out] = positionals;
if (data === undefined || out === undefined) throw new Error('field.js takes DATA and OUT');
mkdirSync(out, { recursive: true });
const at = (name: string) => join(out, name);
const dataset = join(data, 'part-*.parquet');

const started = Date.now();
const run = values.run ?? (await trainedRun());
const { classes } = openRun(run).record;
const photos = await openPhotos(dataset, classes);
const test = photos.rowsOf((await runScores(run, 'test')).names);
const shuffled = Array.from(new NumpyRandom(1).permutation(test.length), (place) => test[place]!);
// The images that judge the refitted decision are others than those that it was fitted on.
const [before, after] = [shuffled.filter((_, i) => i % 2 === 0), shuffled.filter((_, i) => i % 2 === 1)];

// What is seen outdoors besides animals: other categories than those of the whole test split, and harder ones.
const outdoors =
  'airplane,train,boat,bench,frisbee,skis,snowboard,sports ball,kite,baseball bat,skateboard,surfboard,tennis racket,umbrella,teddy bear'.split(
    ',',
  );
const validation = photos.rowsOf((await runScores(run, 'validation')).names);
const [worst] = await judgedShifts(run, photos, validation, {
  negativesWith: outdoors,
  device: values.device,
});
const site = worst!.shift;
tell(
  `the site: brightness ${site.brightness}, blur ${site.blur}, negatives outdoors; ${(100 * worst!.negativesAlarmed).toFixed(1)}% of them alarm on validation`,
);
/** The streams before the refit; the last is the site that the decision is refitted to. */
const shifts: Readonly<Record<string, Shift>> = {
  usual: {},
  darker: { brightness: 0.5 },
  blurred: { blur: 1 },
  'other-categories': { negativesWith: outdoors },
  site,
};

const [log, labels, refitted] = [at('predictions.jsonl'), at('labels.csv'), at('refitted.safetensors')];
if (existsSync(log)) throw new Error(`${log} already exists; choose another OUT`);
copyFileSync(join(run, 'model.safetensors'), refitted);
const served = Object.keys(shifts).map((name) => `${name}=${run}`);
await using server = await serve([...served, `refitted=${refitted}`], {
  port: 0,
  device: values.device,
  reload: 0,
  drain: 0,
  log: () => {},
  logPredictions: log,
  audit: Number(values.audit),
});

for (const [name, shift] of Object.entries(shifts)) await stream(server, name, before, shift);
const { decision } = await refit(run, { logs: [log], labels, out: refitted, replicates: 100 });
tell(`refitted on ${decision.report.negatives} negatives and ${decision.report.positives} positives`);
await server.reload();
await stream(server, 'refitted', after, site);
const { earlier, ...last } = await monitorLogs({ logs: [log], labels });
const judged = judgedStreams([...earlier, last]);
writeResults(out, judged);
await photos.close();
const alerts = new Map(judged.map(({ stream: { model, alert } }) => [model, alert !== null]));
const isAsExpected = !alerts.get('usual') && alerts.get('site') === true && !alerts.get('refitted');
tell(
  isAsExpected
    ? 'the site alerted, the usual stream and the refitted model did not'
    : 'NOT as expected: the site should alert, the usual stream and the refitted model should not',
);
process.exitCode = isAsExpected ? 0 : 1;
tell(`done; ${at('table.md')}, ${at('field.json')} and ${at('evidence.svg')} have the results`);

/** Sends a stream, waits until it is logged, and labels what was drawn and what alarmed, as people would. */
async function stream({ url }: Server, name: string, half: readonly number[], shift: Shift): Promise<void> {
  const { negativesWith } = shift;
  const rows = half
    .filter((row) => !negativesWith || !photos.isNegative(row) || photos.shows(row, negativesWith))
    .slice(0, Number(values.images));
  const expected = logged().length + rows.length;
  await send(url, name, photos, rows, shift);
  while (logged().length < expected) await new Promise((wake) => setTimeout(wake, 100));
  const cells = logged()
    .map(lineOf)
    .filter(({ audit, outcome }) => audit.drawn || outcome === 'alarm')
    .map(({ id, name: row }) =>
      [id, ...classes.map((each) => Number(photos.isPresent(Number(row), each)))].join(),
    );
  writeFileSync(labels, `id,${classes.join()}\n${cells.join('\n')}\n`);
  tell(`${name}: sent ${rows.length.toLocaleString('en-US')} images`);
}

/** A logged prediction; its name is the row of its image. */
interface Line {
  readonly id: string;
  readonly model: string;
  readonly name: string;
  readonly outcome: 'clear' | 'review' | 'alarm';
  readonly audit: { readonly drawn: boolean };
}

function logged(): string[] {
  return readFileSync(log, 'utf8').split('\n').slice(0, -1);
}

function lineOf(text: string): Line {
  return JSON.parse(text);
}

/** What monitoring said about each stream, beside the truth, which only this program knows. */
function judgedStreams(streams: readonly MonitoredStream[]): JudgedStream[] {
  const lines = logged().map(lineOf);
  return streams.map((stream) => {
    const own = lines.filter(({ model }) => model === stream.model);
    const share = (isWanted: (row: number) => boolean) => {
      const wanted = own.filter(({ name }) => isWanted(Number(name)));
      return wanted.filter(({ outcome }) => outcome === 'alarm').length / wanted.length;
    };
    return {
      stream,
      linesBefore: lines.findIndex(({ model }) => model === stream.model),
      negativesAlarmed: share((row) => photos.isNegative(row)),
      positivesAlarmed: share((row) => !photos.isNegative(row)),
    };
  });
}

/** The strong recipe, shorter. */
async function trainedRun(): Promise<string> {
  const configuration = await readConfiguration('strong', {
    dataset,
    set: {
      'data.keep': ['coco-animals'],
      'data.cache': at('cache'),
      epochs: Number(values.epochs),
      device: values.device,
      'evaluation.replicates': 0,
    },
  });
  const { folder } = await train(configuration, { run: at('run'), onEvent: runDisplay(process.stderr) });
  tell('trained');
  return folder;
}

function tell(text: string): void {
  console.log(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`);
}
