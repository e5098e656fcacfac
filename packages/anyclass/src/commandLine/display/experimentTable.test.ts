import { stripVTControlCharacters } from 'node:util';
import { measure } from '@anyclass/core';
import { describe, expect, test } from 'vitest';
import { validateConfiguration } from '../../configuration/validate.js';
import type { ChildState, RunEvent } from '../../events/runEvent.js';
import type { PlannedRun } from '../../experiments/plannedRun.js';
import { experimentTable, type LiveOutput } from './experimentTable.js';

const configuration = validateConfiguration({ data: { dataset: 'digits' }, epochs: 10 });
const planned = (name: string): PlannedRun => ({ name, folder: name, configuration });

/** What a run has reported after two and a half epochs. */
const halfWay: RunEvent[] = [
  {
    type: 'validated',
    epochs: 10,
    record: {
      epoch: 2,
      rate: 0.1,
      trainingLoss: 0.6,
      validationLoss: 0.6,
      validationBce: 0.6,
      validation: { ...measured(), mAP: 0.4 },
      seconds: 10,
      imagesPerSecond: 12_000,
      dataWaitShare: 0,
      quarantined: 0,
    },
  },
  {
    type: 'step',
    epoch: 3,
    epochs: 10,
    step: 5,
    steps: 10,
    images: 320,
    imagesPerEpoch: 640,
    unit: 'images',
    loss: 0.5,
    rate: 0.1,
    imagesPerSecond: 12_345,
    secondsLeft: 75,
    dataWaitShare: 0.03,
  },
];

function measured() {
  return measure({ scores: new Float64Array([0.9, 0.2]), targets: [1, 0], classNames: ['crack'] });
}

/** Shows runs, of which those in `running` are at `halfWay` after 25 s and the others are waiting. */
function shown(runs: readonly PlannedRun[], running: readonly string[], output: Partial<LiveOutput>) {
  let text = '';
  let now = 0;
  const table = experimentTable(runs, { ...output, write: (part) => (text += part) }, () => now);
  const tell = (name: string, state: ChildState, event?: RunEvent) =>
    table.onEvent({ type: 'child', name, state, ...(event && { event }) });
  for (const name of running) tell(name, 'running');
  now = 25_000;
  for (const name of running) for (const event of halfWay) tell(name, 'running', event);
  return {
    table,
    tell,
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    text: () => text,
    clear: () => {
      text = '';
    },
  };
}

describe('the table of runs', () => {
  test('is redrawn in place on a terminal, with rate and time left, and fits it', () => {
    const runs = shown([planned('a'), planned('b')], ['a'], { isTTY: true, columns: 70, rows: 24 });
    runs.clear();
    runs.table.finish();
    expect(runs.text()).toMatch(/a +running +2\.5\/10 +0\.5000 +40\.00 +12,345\/s +1 min 15 s left/);
    expect(runs.text().startsWith('\x1b[4F')).toBe(true);
    const widths = runs
      .text()
      .split('\x1b[2K')
      .map((line) => line.indexOf('\n'));
    expect(Math.max(...widths)).toBeLessThan(70);
  });

  const ofLoss = (loss: 'bce' | 'any-bce', data: string, rest: string): PlannedRun => ({
    name: `${data}-tresnet-m-${loss}${rest}`,
    folder: '',
    configuration: validateConfiguration({
      data: { dataset: 'digits' },
      network: { name: 'tresnet-m' },
      loss: { name: loss },
      epochs: 10,
    }),
  });
  const drawn = (runs: readonly PlannedRun[], columns: number) => {
    const table = shown(
      runs,
      runs.map(({ name }) => name),
      { isTTY: true, columns, rows: 24 },
    );
    table.clear();
    table.table.finish();
    return stripVTControlCharacters(table.text()).split('\n');
  };

  test.each([
    [120, /^coco64@coco-41-tresnet-m-any-bce@lambda=0\.02-seed1 +running .* 1 min 15 s left$/],
    [85, /^any-bce λ=0\.02 seed1 +running +2\.5\/10 +0\.5000 +40\.00 +12,345\/s +1 min 15 s left$/],
    [70, /^any-bce λ=0\.02 seed1 +running +2\.5\/10 +40\.00 +12,345\/s +1 min 15 s$/],
    [60, /^any-bc… seed1 +running +2\.5\/10 +40\.00 +12,345\/s +1 min 15 s$/],
  ])('shortens names but keeps the numbers at %i columns', (columns, line) => {
    const runs = [
      ofLoss('any-bce', 'coco64@coco-41', '@lambda=0.02-seed1'),
      ofLoss('bce', 'coco64@coco-41', '-seed2'),
    ];
    expect(drawn(runs, columns)[1]).toMatch(line);
    for (const each of drawn(runs, columns)) expect(each.length).toBeLessThan(columns);
  });

  test('names only what distinguishes the runs', () => {
    const runs = [
      ofLoss('any-bce', 'coco64@coco-41', '@lambda=0.02@loss.beta=0.9-seed1'),
      ofLoss('bce', 'digits', '-seed2'),
    ];
    const [, first, second] = drawn(runs, 100);
    expect(first).toMatch(/^coco64 coco-41 any-bce λ=0\.02 beta=0\.9 seed1 /);
    expect(second).toMatch(/^digits bce seed2 /);
  });

  test('shows the active runs if not all fit', () => {
    const waiting = Array.from({ length: 30 }, (_, i) => planned(`w${i}`));
    const { text } = shown([...waiting, planned('busy')], ['busy'], { isTTY: true, rows: 10 });
    expect(text()).toContain('busy');
    expect(text()).toContain('0 of 31 runs done');
    expect(
      text()
        .split('\x1b[J')
        .every((drawing) => drawing.split('\n').length <= 10),
    ).toBe(true);
  });

  test('without a terminal, is a plain line for each start, epoch and end', () => {
    const runs = shown([planned('a')], ['a'], {});
    runs.tell('a', 'running', halfWay[1]);
    runs.wait(36_000);
    runs.tell('a', 'finished');
    expect(runs.text().trim().split('\n')).toEqual([
      'a: running, epoch 0/10; 0 of 1 runs done',
      'a: running, epoch 2/10, loss 0.6000, mAP 40.00, 12,000/s, 1 min 40 s left; 0 of 1 runs done',
      'a: finished, epoch 2/10, loss 0.5000, mAP 40.00, 1 min 1 s; 1 of 1 runs done',
    ]);
  });

  test('shows an epoch whose mAP is undefined', () => {
    const runs = shown([planned('a')], ['a'], {});
    const [validated] = halfWay;
    if (validated?.type !== 'validated') throw new Error('expected an epoch');
    const { record } = validated;
    const event = {
      ...validated,
      record: { ...record, epoch: 3, validation: { ...record.validation, mAP: null } },
    };
    runs.clear();
    runs.tell('a', 'running', event);
    expect(runs.text()).toMatch(/^a: running, epoch 3\/10, loss 0\.6000, 12,000\/s/);
  });
});
