import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';

const folder = testFolder();

test('a run that is deleted while it is watched ends watching with a message', async () => {
  const run = join(folder, 'run');
  mkdirSync(run);
  writeFileSync(join(run, 'config.json'), '{}');
  const saved = { time: new Date().toISOString(), type: 'saved', checkpoint: 'epoch-0001.safetensors' };
  writeFileSync(join(run, 'events.jsonl'), `${JSON.stringify(saved)}\n`);
  const before = process.listenerCount('SIGINT');
  const watched = runInProcess(folder, ['watch', 'run']);
  // Ctrl-C ends watching from its start on.
  await expect.poll(() => process.listenerCount('SIGINT'), { timeout: 20_000 }).toBeGreaterThan(before);
  rmSync(run, { recursive: true });
  const { status, stderr } = await watched;
  expect([status, stderr]).toEqual([1, expect.stringContaining('run was deleted or moved')]);
});
