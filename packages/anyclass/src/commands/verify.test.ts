import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { networkNames } from '../networks/catalog.js';

const packageRoot = path.resolve(import.meta.dirname, '../..');
const losses = path.resolve(packageRoot, '../core/test/vectors/losses.json');
const metrics = path.resolve(packageRoot, '../core/test/vectors/metrics.json');
const folder = testFolder();

async function anyclass(...words: string[]) {
  const { status: code, stdout, stderr } = await runInProcess(folder, words);
  return { code, stdout, stderr };
}

describe('anyclass verify', () => {
  test('prints the largest error of each quantity and ends with ok', async () => {
    const { code, stdout } = await anyclass('verify', losses, metrics);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /losses\.json: losses, 40 cases\n {2}loss +\d\.\de-\d+ of 1e-9 +ok\n {2}gradient +/,
    );
    expect(stdout).toMatch(/mAP +\d\.\de[-+]\d+ of 1e-9 +ok/);
    expect(stdout).toMatch(/^2 of 2 files match their golden values\.\n/);
    expect(stdout.trimEnd().endsWith('ok')).toBe(true);
  });

  test('says FAILED and where, and exits with 1, if a value does not match', async () => {
    const cases = JSON.parse(readFileSync(losses, 'utf8'));
    cases[7].expected.loss *= 1 + 1e-6;
    const file = path.join(folder, 'changed.json');
    writeFileSync(file, JSON.stringify(cases));
    const { code, stdout, stderr } = await anyclass('verify', file);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^0 of 1 files match/);
    expect(stdout).toMatch(/loss +\d\.\de-7 of 1e-9 +FAILED {2}case 7/);
    expect(stderr).toContain(`FAILED: ${file}`);
  });

  test('gives the same as JSON', async () => {
    const { code, stdout } = await anyclass('verify', losses, '--json');
    expect(code).toBe(0);
    const [report] = JSON.parse(stdout);
    expect(report).toMatchObject({ kind: 'losses', ok: true });
    expect(report.checks[0]).toMatchObject({ name: 'loss', tolerance: 1e-9, ok: true });
  });

  test('names a file that is missing or has another format', async () => {
    const missing = await anyclass('verify', path.join(folder, 'none.json'));
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.stderr).toContain('none.json');
    const other = path.join(folder, 'other.json');
    writeFileSync(other, '{"train": {}}');
    const outcome = await anyclass('verify', other);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('not a file of golden losses');
    expect(outcome.stderr).not.toContain('--debug');
  });

  test('asks for a file', async () => {
    const { code, stderr } = await anyclass('verify');
    expect(code).toBe(2);
    expect(stderr).toContain('FILE… is missing');
  });
});

describe('anyclass networks', () => {
  test('lists every network with parameters and multiply-adds', async () => {
    const { stdout } = await anyclass('networks', '--classes', '14');
    expect(stdout).toMatch(/tresnet-m +29,368,718 +5\.73 G +arXiv 2003\.13630/);
    expect(stdout).toMatch(/maxvit-t +30,414,792 /);
  });

  test('measures images per second on this machine', async () => {
    const { stdout } = await anyclass(
      ...[
        'networks',
        '--network',
        'mobilenetv3-l',
        '--measure',
        '--input-size',
        '32',
        '--batch-size',
        '1',
        '--json',
      ],
    );
    const [{ rates }] = JSON.parse(stdout);
    expect(rates.predicted).toBeGreaterThan(0);
    expect(rates.trained).toBeGreaterThan(0);
    expect(rates).toMatchObject({ inputSize: 32, batchSize: 1 });
  });

  test('says at which size it measured, if the requested one does not fit', async () => {
    const { stdout } = await anyclass(
      ...['networks', '--network', 'dinov2-s-14', '--measure', '--input-size', '32', '--batch-size', '1'],
      ...['--device', 'cpu'],
    );
    expect(stdout).toContain('on cpu, in batches of 1 at 28 px');
  });

  test('refuses sizes to measure with if it measures nothing', async () => {
    const { code, stderr } = await anyclass('networks', '--input-size', '320');
    expect(code).toBe(2);
    expect(stderr).toContain('--input-size: has no effect without --measure');
  });

  test('names networks that fit a dataset, with reasons', async () => {
    const { stdout } = await anyclass('networks', '--fits', 'digits', '--device', 'cpu');
    expect(stdout).toMatch(/1\. tresnet-s: made for small images.*cells a side/);
    expect(stdout).toContain('For 6 classes.');
  });

  test('gives the same as JSON', async () => {
    const { stdout } = await anyclass('networks', '--json');
    const listed = JSON.parse(stdout);
    expect(listed).toHaveLength(networkNames.length);
    expect(listed[1]).toMatchObject({
      name: 'tresnet-m',
      classes: 17,
      parameters: 29_374_865,
      inputSize: 224,
    });
  });
});
