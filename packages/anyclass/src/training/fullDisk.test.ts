// What a run reports if its disk is full or becomes read-only, or the run folder is removed. Needs permission
// to mount a small disk.

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { tinyRun } from '../../test/tinyRun.js';
import { messageOf } from '../errors/reasonOf.js';
import { trainRun } from './trainRun.js';

const disk = testFolder();
const mount = (...words: string[]) => spawnSync('mount', words).status === 0;
const canMount = process.platform === 'linux' && mount('-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', disk);
afterAll(() => {
  if (canMount) spawnSync('umount', ['-l', disk]);
});

async function messageWhere(name: string, onSaved: () => void): Promise<string> {
  const onEvent = ({ type }: { type: string }) => type === 'saved' && onSaved();
  return trainRun(tinyRun, { run: join(disk, name), onEvent }).then(
    () => 'no error',
    (error) => messageOf(error),
  );
}

beforeAll(() => mkdirSync(join(disk, 'filler'), { recursive: true }));

test.skipIf(!canMount)(
  'a full disk is reported with the file, the cause and what to do (needs mount)',
  async () => {
    const message = await messageWhere('full', () =>
      spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler', 'zeros')}`, 'bs=1M']),
    );
    rmSync(join(disk, 'filler', 'zeros'));
    expect(message).toMatch(
      /full cannot be written to: .*(safetensors|metrics\.jsonl): the disk is full; make room.* The last checkpoint is .*safetensors; fix this, then resume/,
    );
  },
  60_000,
);

test.skipIf(!canMount)(
  'if the folder was removed, no checkpoint in it is mentioned (needs mount)',
  async () => {
    const message = await messageWhere('removed', () => rmSync(join(disk, 'removed'), { recursive: true }));
    expect(message).toMatch(/removed: the run folder was removed or replaced/);
  },
  60_000,
);

test.skipIf(!canMount)(
  'a disk that becomes read-only is reported as such, not as a failed disposal (needs mount)',
  async () => {
    const message = await messageWhere('readOnly', () => mount('-o', 'remount,ro', disk));
    mount('-o', 'remount,rw', disk);
    expect(message).toMatch(/readOnly cannot be written to: .*: the disk is read-only; mount it for writing/);
    expect(message).not.toContain('suppressed');
  },
  60_000,
);
