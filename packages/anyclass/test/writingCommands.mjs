// Every command that writes files, on inputs of a moment: what `killedCommands.mjs` kills, starves and confuses.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Fields of a run of a few seconds. */
export const tiny = [
  'data.digits.scenes={"train":32,"validation":24,"test":24}',
  ...['network.inputSize=16', 'batchSize=16', 'epochs=1', 'evaluation.replicates=10'],
  ...['device=cpu', 'threads=1'],
].flatMap((field) => ['--set', field]);

/**
 * @typedef {object} Command
 * @property {(out: string) => readonly string[]} words the command that writes to `out`
 * @property {Readonly<Record<string, string>>} [environment]
 */

/**
 * The commands; `run` is a finished run with `writeInputs` beside it, `hub` the address of a server with weights.
 *
 * @param {string} run
 * @param {string} hub
 * @returns {Readonly<Record<string, Command>>}
 */
export function writingCommands(run, hub) {
  const experiment = ['--seeds', '1', ...tiny];
  const beside = (/** @type {string} */ name) => join(run, '..', name);
  const images = beside('images');
  const labels = join(images, 'labels.csv');
  return {
    export: { words: (out) => ['export', run, '--out', join(out, 'model.onnx')] },
    'export to the web': { words: (out) => ['export', run, '--format', 'web', '--out', join(out, 'web')] },
    refit: {
      words: (out) => [
        'refit',
        run,
        'digits',
        '--split',
        'test',
        '--false-alarms',
        '20%',
        '--out',
        join(out, 'refit.safetensors'),
      ],
    },
    'weights pull': {
      words: () => ['weights', 'pull', 'hf:tester/network@main:model.safetensors'],
      environment: { HF_ENDPOINT: hub },
    },
    prepare: {
      words: (out) => ['prepare', labels, '--size', '16', '--cache', join(out, 'cache')],
    },
    predict: {
      words: (out) => ['predict', run, images, '--out', join(out, 'predictions.csv')],
    },
    train: { words: (out) => ['train', 'quick', '--run', join(out, 'run'), ...tiny] },
    compare: {
      words: (out) => [
        'compare',
        'quick',
        '--losses',
        'bce,asl',
        '--out',
        join(out, 'compared'),
        ...experiment,
      ],
    },
    sweep: {
      words: (out) => [
        'sweep',
        'quick',
        '--over',
        'lambda=0,0.1',
        '--out',
        join(out, 'swept'),
        ...experiment,
      ],
    },
    tune: { words: (out) => ['tune', join(out, 'study'), 'quick', '--trials', '2', ...tiny] },
    recommend: {
      words: (out) => [
        'recommend',
        beside('rows.json'),
        '--minutes',
        '20',
        '--losses',
        'bce,any-bce',
        '--out',
        join(out, 'piloted'),
      ],
    },
    init: { words: (out) => ['init', labels, '--out', join(out, 'anyclass.json')] },
    inspect: { words: (out) => ['inspect', labels, '--html', join(out, 'inspected.html')] },
    evaluate: {
      words: (out) => [
        'evaluate',
        run,
        'digits',
        '--split',
        'test',
        '--save-scores',
        join(out, 'scores.csv'),
        '--html',
        join(out, 'evaluated.html'),
      ],
    },
    explain: { words: (out) => ['explain', run, join(images, '0.png'), '--out', join(out, 'heat')] },
    embed: { words: (out) => ['embed', run, labels, '--out', join(out, 'features.parquet')] },
    import: {
      words: (out) => [
        'import',
        join(run, 'model.safetensors'),
        '--network',
        'tresnet-s',
        '--classes',
        'a,b,c,d,e,f',
        '--channels',
        '1',
        '--input-size',
        '16',
        '--out',
        join(out, 'imported.safetensors'),
      ],
    },
    report: {
      words: (out) => ['report', run, '--out', join(out, 'report.html'), '--assets', join(out, 'assets')],
    },
    soup: { words: (out) => ['soup', run, beside('other'), '--out', join(out, 'soup')] },
    mine: { words: (out) => ['mine', run, images, '--out', join(out, 'mined.json')] },
    select: { words: (out) => ['select', run, images, '--count', '5', '--out', join(out, 'selected.json')] },
    audit: { words: (out) => ['audit', beside('log.jsonl'), '--out', join(out, 'audited.csv')] },
    monitor: {
      words: (out) => [
        'monitor',
        beside('log.jsonl'),
        beside('audited.csv'),
        '--false-alarms',
        '0.5',
        '--html',
        join(out, 'field.html'),
        '--prometheus',
        join(out, 'field.prom'),
      ],
    },
    playground: { words: (out) => ['playground', '--out', join(out, 'playground.html')] },
  };
}

/** Writes what the commands read, beside their run. @param {string} folder */
export function writeInputs(folder) {
  drawImages(join(folder, 'images'));
  writeRows(folder);
  writeLog(folder);
}

/** A log of predictions, all drawn to be labeled, and their labels. @param {string} folder */
function writeLog(folder) {
  const ids = Array.from({ length: 60 }, (_, i) => `image${i}`);
  const lines = ids.map((id, i) =>
    JSON.stringify({
      id,
      time: new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString(),
      outcome: i % 6 === 0 ? 'alarm' : 'clear',
      probabilities: { x: i / 60 },
      audit: { drawn: true, q: 1 },
    }),
  );
  writeFileSync(join(folder, 'log.jsonl'), `${lines.join('\n')}\n`);
  writeFileSync(
    join(folder, 'audited.csv'),
    `id,negative\n${ids.map((id, i) => `${id},${Number(i % 12 !== 0)}`).join('\n')}\n`,
  );
}

/** @param {string} images a folder for a few images and their labels */
function drawImages(images) {
  mkdirSync(images);
  const picture = fileURLToPath(new URL('fixtures/data/rgb.png', import.meta.url));
  const names = Array.from({ length: 40 }, (_, i) => `${i}.png`);
  for (const name of names) copyFileSync(picture, join(images, name));
  const rows = names.map((name, i) => `${name},${i % 2}`);
  writeFileSync(join(images, 'labels.csv'), ['Filename,x', ...rows].join('\n'));
}

/** Rows of features and a configuration whose runs take a second. @param {string} folder */
function writeRows(folder) {
  const rows = Array.from({ length: 80 }, (_, i) => {
    const split = i < 32 ? 'train' : i < 56 ? 'validation' : 'test';
    return `${i},${split},${i % 2},${Number(i % 5 === 0)},${Math.sin(i)},${(i % 5) / 5}`;
  });
  const table = join(folder, 'rows.csv');
  writeFileSync(table, `Filename,split,dry,sour,feature_0,feature_1\n${rows.join('\n')}\n`);
  const configuration = {
    ...{ data: { dataset: table }, network: { name: 'linear' } },
    ...{ epochs: 1, batchSize: 8, device: 'cpu', threads: 1, evaluation: { replicates: 10 } },
  };
  writeFileSync(join(folder, 'rows.json'), JSON.stringify(configuration));
}
