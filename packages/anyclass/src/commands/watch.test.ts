import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '@anyclass/files';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';

const folder = testFolder();

/** A run that has saved a checkpoint. */
function begunRun(name: string): string {
  const run = join(folder, name);
  mkdirSync(run);
  writeFileSync(join(run, 'config.json'), '{}');
  const saved = { time: new Date().toISOString(), type: 'saved', checkpoint: 'epoch-0001.safetensors' };
  writeFileSync(join(run, 'events.jsonl'), `${JSON.stringify(saved)}\n`);
  return run;
}

test('a run whose process was killed ends watching with the command that resumes it', async () => {
  begunRun('killed');
  const { status, stderr } = await runInProcess(folder, ['watch', 'killed']);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/its process is gone.*train --resume killed/s)]);
});

test('a run that is deleted while it is watched ends watching with a message', async () => {
  const run = begunRun('run');
  using _ = takeLock(join(run, 'lock'));
  const before = process.listenerCount('SIGINT');
  const watched = runInProcess(folder, ['watch', 'run']);
  // Ctrl-C ends watching from its start on.
  await expect.poll(() => process.listenerCount('SIGINT'), { timeout: 20_000 }).toBeGreaterThan(before);
  rmSync(run, { recursive: true });
  const { status, stderr } = await watched;
  expect([status, stderr]).toEqual([1, expect.stringContaining('run was deleted or moved')]);
});
