import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure } from '@anyclass/core';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import type { RunEvent } from '../../events/runEvent.js';
import { runLogs } from './runLogs.js';
import { scalarsOf } from './scalars.js';
import { crc32c, scalarEvent } from './tensorboardEvents.js';

const folder = testFolder();

const metrics = measure({ scores: new Float64Array([0.9, 0.2]), targets: [1, 0], classNames: ['crack'] });

function step(epoch: number, number: number): RunEvent {
  return {
    type: 'step',
    epoch,
    epochs: 2,
    step: number,
    steps: 10,
    images: number,
    imagesPerEpoch: 10,
    unit: 'images',
    loss: 0.5 / epoch,
    rate: 0.01,
    imagesPerSecond: null,
    secondsLeft: null,
    dataWaitShare: 0,
  };
}

function validated(epoch: number): RunEvent {
  const numbers = { rate: 0.01, trainingLoss: 1 / epoch, validationLoss: 0.7, validationBce: 0.6 };
  const speed = { seconds: 2, imagesPerSecond: 5, dataWaitShare: 0, quarantined: 0 };
  return { type: 'validated', epochs: 2, record: { epoch, ...numbers, ...speed, validation: metrics } };
}

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []);

test('the checksum is the Castagnoli one', () => {
  expect(crc32c(Buffer.from('123456789')).toString(16)).toBe('e3069283');
});

test('a record has its length first, and checksums after length and content', () => {
  const record = scalarEvent(1, 2, { loss: 0.5 });
  expect(Number(record.readBigUInt64LE())).toBe(record.length - 16);
});

test('a validation is at the last step of its epoch; undefined metrics and notes are left out', () => {
  const next = scalarsOf(() => 0);
  expect(next(step(2, 3))?.step).toBe(13);
  const scalars = next(validated(2));
  expect(scalars?.step).toBe(20);
  expect(scalars?.values['validation/F1']).toBe(1);
  expect(next({ type: 'note', text: 'hello' })).toBeUndefined();
});

test('log.csv has one header and a line per epoch; a resumed run appends', async () => {
  const run = join(folder, 'csv');
  mkdirSync(run);
  for (const epoch of [1, 2]) {
    for (const log of runLogs(run, ['csv'], {})) log.listen(validated(epoch));
    await expect.poll(() => linesOf(join(run, 'log.csv'))).toHaveLength(epoch + 2);
  }
  const [header, first, second] = readFileSync(join(run, 'log.csv'), 'utf8').split('\n');
  expect(header).toMatch(/^time,epoch,rate,trainingLoss,/);
  expect(first?.split(',').slice(1, 4)).toEqual(['1', '0.01', '1']);
  expect(second?.split(',').slice(1, 4)).toEqual(['2', '0.01', '0.5']);
});

test('a log that cannot be written is given up with one note, and stops nothing', async () => {
  const blocked = join(folder, 'blocked');
  writeFileSync(blocked, 'a file in place of the folder');
  const inTheWay = join(folder, 'in-the-way');
  mkdirSync(join(inTheWay, 'log.csv'), { recursive: true });
  for (const [run, count] of [
    [blocked, 2],
    [join(folder, 'missing', 'run'), 1],
    [inTheWay, 1],
  ] as const) {
    const notes: string[] = [];
    const kinds = count === 2 ? (['csv', 'tensorboard'] as const) : (['csv'] as const);
    const logs = runLogs(run, kinds, {}, { note: (text) => notes.push(text) });
    for (const log of logs) expect(() => log.listen(validated(1))).not.toThrow();
    for (const log of logs) await log.close();
    for (const log of logs) expect(() => log.listen(validated(2))).not.toThrow();
    expect(notes).toEqual(kinds.map((kind) => expect.stringContaining(`no more is logged for '${kind}'`)));
    expect(notes[0]).toContain(run);
  }
});

test('a log with an error of its own is told no more, and the run goes on', async () => {
  const run = join(folder, 'own-error');
  mkdirSync(run);
  const notes: string[] = [];
  const examples = () => {
    throw new Error('no examples');
  };
  const [log] = runLogs(run, ['tensorboard'], {}, { examples, note: (text) => notes.push(text) });
  for (const _ of [1, 2])
    expect(() => log?.listen({ type: 'finished', run, summary: JSON.parse('{}') })).not.toThrow();
  await log?.close();
  expect(notes).toEqual([expect.stringContaining('no examples')]);
});

test('when a log is closed, its file is complete', async () => {
  const run = join(folder, 'complete');
  mkdirSync(run);
  const [log] = runLogs(run, ['csv'], {});
  log?.listen(validated(1));
  await log?.close();
  expect(linesOf(join(run, 'log.csv'))).toHaveLength(3);
});

const python = process.env['PEER_PYTHON'] ?? 'python3';
const hasTensorBoard =
  spawnSync(python, ['-c', 'import tensorboard.backend.event_processing.event_accumulator']).status === 0;

test.skipIf(!hasTensorBoard)(
  `TensorBoard drops what a killed run logged after the checkpoint that it resumes from${hasTensorBoard ? '' : ' (skipped: no tensorboard in PEER_PYTHON or python3)'}`,
  async () => {
    const run = join(folder, 'killed');
    mkdirSync(run);
    for (const events of [
      [step(1, 5), validated(1), step(2, 7)],
      [step(2, 0), step(2, 3), validated(2)],
    ]) {
      const [log] = runLogs(run, ['tensorboard'], {});
      for (const event of events) {
        // Steps are logged about once a second.
        if (event.type === 'step') vi.setSystemTime(Date.now() + 2000);
        log?.listen(event);
      }
      await log?.close();
    }
    vi.useRealTimers();
    const program = `import json, sys
from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
runs = EventMultiplexer().AddRunsFromDirectory(sys.argv[1]); runs.Reload()
print(json.dumps([[e.step for e in runs.Scalars('tensorboard', tag)] for tag in ('training/loss', 'validation/F1')]))`;
    const read = execFileSync(python, ['-c', program, run], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [losses, validations] = JSON.parse(read);
    // Step 17 came after the checkpoint at 10, which is told twice.
    expect(new Set(losses)).toEqual(new Set([5, 10, 13]));
    expect(validations).toEqual([10, 20]);
  },
  60_000,
);

test.skipIf(!hasTensorBoard)(
  `TensorBoard reads the event files${hasTensorBoard ? '' : ' (skipped: no tensorboard in PEER_PYTHON or python3)'}`,
  async () => {
    const run = join(folder, 'board');
    mkdirSync(run);
    const scores = {
      scores: new Float64Array([0.9, 0.4, 0.6, 0.2]),
      targets: [1, 1, 0, 0],
      classNames: ['crack'],
    };
    const finalScores = async () => scores;
    const jpeg = await sharp({ create: { width: 8, height: 6, channels: 3, background: '#f00' } })
      .jpeg()
      .toBuffer();
    const example = { name: 'a.png', width: 8, height: 6, jpeg: jpeg.toString('base64') };
    const examples = () => [
      { ...example, outcome: 'missed', present: ['crack'], predicted: [] } as const,
      { ...example, outcome: 'other', present: ['crack'], predicted: ['roots'] } as const,
    ];
    const options = { finalScores, examples };
    for (const log of runLogs(run, ['tensorboard'], { epochs: 2, loss: { name: 'bce' } }, options)) {
      for (const event of [step(1, 5), validated(1), validated(2)]) log.listen(event);
      log.listen({ type: 'finished', run, summary: JSON.parse('{}') });
      await log.close();
    }
    const inner = join(run, 'tensorboard');
    await expect.poll(() => existsSync(join(inner, readdirSync(inner)[0] ?? ''))).toBe(true);
    const program = `import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.util import tensor_util
board = EventAccumulator(sys.argv[1]); board.Reload()
curve = tensor_util.make_ndarray(board.Tensors('class/crack')[0].tensor_proto)
start = plugin_data_pb2.HParamsPluginData.FromString(board.SummaryMetadata('_hparams_/session_start_info').plugin_data.content)
settings = {k: v.number_value or v.string_value for k, v in start.session_start_info.hparams.items()}
print(json.dumps({'scalars': {tag: [[e.step, e.value] for e in board.Scalars(tag)] for tag in board.Tags()['scalars']}, 'texts': board.Tags()['tensors'], 'curve': curve.tolist(), 'curves': list(board.PluginTagToContent('pr_curves')), 'settings': settings, 'images': {tag: [[e.step, e.width, e.height, e.encoded_image_string[:2].hex()] for e in board.Images(tag)] for tag in board.Tags()['images']}}))`;
    await vi.waitFor(
      () => {
        const read = JSON.parse(
          execFileSync(python, ['-c', program, inner], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          }),
        );
        expect(read.scalars['training/loss']).toEqual([[5, 0.5]]);
        expect(read.curves).toEqual(['class/crack']);
        // At 0.5: one positive and one negative reach it.
        expect(read.curve.map((row: number[]) => row[50])).toEqual([1, 1, 1, 1, 0.5, 0.5]);
        expect(read.settings).toEqual({ epochs: 2, 'loss.name': 'bce' });
        expect(read.scalars['epoch/training loss']).toEqual([
          [10, 1],
          [20, 0.5],
        ]);
        expect(read.scalars['validation/F1']).toEqual([
          [10, 1],
          [20, 1],
        ]);
        expect(read.texts).toContain('configuration');
        expect(read.images).toEqual({
          'missed/1: crack': [[20, 8, 6, 'ffd8']],
          'another name/2: crack as roots': [[20, 8, 6, 'ffd8']],
        });
      },
      { timeout: 40_000, interval: 500 },
    );
  },
  60_000,
);
