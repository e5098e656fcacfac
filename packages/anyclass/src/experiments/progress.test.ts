import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createAdmission } from '../children/admission.js';
import { configuredDevice, isMpsRunning, listedDevices } from '../children/devices.js';
import { ProgressBar } from '../commandLine/progressBar.js';
import { validateConfiguration } from '../configuration/validate.js';
import { type ChildProgress, progressAfter } from './childProgress.js';
import { liveTable } from './liveTable.js';
import type { RunRow } from './runAll.js';

const configuration = validateConfiguration({ data: { dataset: 'digits' }, epochs: 10 });
const none: ChildProgress = { epoch: 0, epochs: 10, within: 0, loss: null, mAP: null, imagesPerSecond: null };

describe('the progress of a child', () => {
  test('is read from the very lines that a progress bar writes', () => {
    let now = 0;
    let text = '';
    const bar = new ProgressBar('epoch 3/10', 4000, 'images', { write: (part) => (text += part) }, () => now);
    now = 20_000;
    bar.advance(1000, 'loss 0.4123, 3% waiting for images');
    expect(progressAfter(none, text.trim())).toEqual({
      ...none,
      epoch: 2,
      within: 0.25,
      loss: 0.4123,
      imagesPerSecond: 50,
    });
  });

  test('has the loss and mAP of the last whole epoch', () => {
    const line = 'epoch 3: loss 0.4000; validation F1 10.00, F2 9.00, mAP 42.52, F1-Neg 77.00, BCE 0.1';
    expect(progressAfter({ ...none, within: 0.9 }, line)).toMatchObject({
      epoch: 3,
      within: 0,
      loss: 0.4,
      mAP: 0.4252,
    });
  });

  test.each(['', 'validation 100/100 images, 50/s, 2 s', 'tresnet-s on cpu in float32; run x'])(
    'is left alone by %j',
    (line) => {
      expect(progressAfter(none, line)).toBe(none);
    },
  );
});

describe('the table of runs', () => {
  const row = (name: string, change: Partial<RunRow> = {}): RunRow => ({
    planned: { name, folder: name, configuration },
    state: 'running',
    progress: { ...none, epoch: 2, within: 0.5, loss: 0.5, mAP: 0.4, imagesPerSecond: 12_345 },
    started: { at: 0, epochs: 0 },
    seconds: 0,
    lastLines: [],
    ...change,
  });

  test('is redrawn in place on a terminal, with rate and time left, and fits it', () => {
    let text = '';
    const rows = [row('a'), row('b', { state: 'waiting', progress: none, started: undefined })];
    const table = liveTable(
      { isTTY: true, columns: 70, rows: 24, write: (part) => (text += part) },
      () => 25_000,
    );
    table.update(rows[0]!, rows);
    expect(text).toMatch(/a +running +2\.5\/10 +0\.5000 +40\.00 +12,345\/s +1 min 15 s left/);
    text = '';
    table.finish(rows);
    expect(text.startsWith('\x1b[4F')).toBe(true);
    const widths = text.split('\x1b[2K').map((line) => line.indexOf('\n'));
    expect(Math.max(...widths)).toBeLessThan(70);
  });

  const drawn = (rows: readonly RunRow[], columns: number) => {
    let text = '';
    const output = { isTTY: true, columns, rows: 24, write: (part: string) => (text += part) };
    liveTable(output, () => 25_000).update(rows[0]!, rows);
    return stripVTControlCharacters(text).split('\n');
  };
  const planned = (loss: 'bce' | 'any-bce', data: string, rest: string) => ({
    ...row(`${data}-tresnet-m-${loss}${rest}`),
    planned: {
      name: `${data}-tresnet-m-${loss}${rest}`,
      folder: '',
      configuration: validateConfiguration({
        data: { dataset: 'digits' },
        network: { name: 'tresnet-m' },
        loss: { name: loss },
      }),
    },
  });

  test.each([
    [120, /^coco64@coco-41-tresnet-m-any-bce@lambda=0\.02-seed1 +running .* 1 min 15 s left$/],
    [85, /^any-bce λ=0\.02 seed1 +running +2\.5\/10 +0\.5000 +40\.00 +12,345\/s +1 min 15 s left$/],
    [70, /^any-bce λ=0\.02 seed1 +running +2\.5\/10 +40\.00 +12,345\/s +1 min 15 s$/],
    [60, /^any-bc… seed1 +running +2\.5\/10 +40\.00 +12,345\/s +1 min 15 s$/],
  ])('has shorter names, and its figures, on %i columns', (columns, line) => {
    const rows = [
      planned('any-bce', 'coco64@coco-41', '@lambda=0.02-seed1'),
      planned('bce', 'coco64@coco-41', '-seed2'),
    ];
    expect(drawn(rows, columns)[1]).toMatch(line);
    for (const each of drawn(rows, columns)) expect(each.length).toBeLessThan(columns);
  });

  test('names what tells the runs apart', () => {
    const rows = [
      planned('any-bce', 'coco64@coco-41', '@lambda=0.02@loss.beta=0.9-seed1'),
      planned('bce', 'digits', '-seed2'),
    ];
    const [, first, second] = drawn(rows, 100);
    expect(first).toMatch(/^coco64 coco-41 any-bce λ=0\.02 beta=0\.9 seed1 /);
    expect(second).toMatch(/^digits bce seed2 /);
  });

  test('shows the runs that are under way where not all fit', () => {
    let text = '';
    const waiting = Array.from({ length: 30 }, (_, i) => row(`w${i}`, { state: 'waiting' }));
    const rows = [...waiting, row('busy')];
    liveTable({ isTTY: true, rows: 10, write: (part) => (text += part) }).update(rows[0]!, rows);
    expect(text).toContain('busy');
    expect(text.split('\n').length).toBeLessThanOrEqual(10);
    expect(text).toContain('0 of 31 runs done');
  });

  test('is a plain line for each beginning, epoch and end elsewhere', () => {
    let text = '';
    const table = liveTable({ write: (part) => (text += part) }, () => 25_000);
    const one = row('a');
    table.update(one, [one]);
    table.update(one, [one]);
    one.state = 'finished';
    one.seconds = 61;
    table.update(one, [one]);
    expect(text.trim().split('\n')).toEqual([
      'a: running, epoch 2.5/10, loss 0.5000, mAP 40.00, 12,345/s, 1 min 15 s left; 0 of 1 runs done',
      'a: finished, epoch 2/10, loss 0.5000, mAP 40.00, 1 min 1 s; 1 of 1 runs done',
    ]);
  });
});

describe('runs side by side', () => {
  const settled = { isSettled: true };

  test('are as many as the user says, else one on the CPU', () => {
    expect(createAdmission({ gpu: undefined }, 2).admits([settled])).toBe(true);
    expect(createAdmission({ gpu: undefined }, 2).admits([settled, settled])).toBe(false);
    expect(createAdmission({ gpu: undefined }, undefined).admits([])).toBe(true);
    expect(createAdmission({ gpu: undefined }, undefined).admits([settled])).toBe(false);
  });

  test('share a GPU while there is memory for one more of the largest', () => {
    let free = 80_000;
    const admission = createAdmission({ gpu: '0' }, undefined, () => free, 16);
    expect(admission.admits([])).toBe(true);
    free = 60_000;
    expect(admission.admits([{ isSettled: false }])).toBe(false);
    expect(admission.admits([settled])).toBe(true);
    free = 20_000;
    expect(admission.admits([settled, settled])).toBe(false);
  });

  test('do not share a GPU that they leave alone, nor one of which nothing is known', () => {
    const idle = createAdmission({ gpu: '0' }, undefined, () => 80_000, 16);
    expect([idle.admits([]), idle.admits([settled])]).toEqual([true, false]);
    const unknown = createAdmission({ gpu: '0' }, undefined, () => undefined, 16);
    expect([unknown.admits([]), unknown.admits([settled])]).toEqual([true, false]);
  });

  test('are spread over GPUs, each child with its own in sight', () => {
    expect(listedDevices('cuda:0,cuda:1', '2,3')).toMatchObject([
      { name: 'cuda:0', gpu: '2', env: { CUDA_VISIBLE_DEVICES: '2' } },
      { name: 'cuda:1', gpu: '3', env: { CUDA_VISIBLE_DEVICES: '3' } },
    ]);
    expect(configuredDevice({ device: 'cuda:1' }, '4,5')).toEqual({ name: 'cuda:1', env: {}, gpu: '5' });
    expect(() => listedDevices('gpu')).toThrow("'gpu' is neither cpu nor cuda:N");
    expect(() => listedDevices('cuda:4', '0')).toThrow('there is no cuda:4');
  });

  test('know NVIDIA’s MPS by its pipe', () => {
    const folder = mkdtempSync(join(tmpdir(), 'anyclass-mps-'));
    expect(isMpsRunning(folder)).toBe(false);
    writeFileSync(join(folder, 'control'), '');
    expect(isMpsRunning(folder)).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
