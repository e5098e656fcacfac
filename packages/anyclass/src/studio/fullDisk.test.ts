// What Studio saves where the disk is full: whole or as it was, with a message that names the file. Needs permission to mount a small disk.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeCvatTask } from '../audits/cvat.js';
import { messageOf } from '../errors/reasonOf.js';
import { correctionStore, saveLabels } from './labelStores.js';
import { noteTestSeen, testSeen } from './testSeals.js';

const disk = testFolder();
const outside = testFolder();
const mount = (...words: string[]) => spawnSync('mount', words).status === 0;
const canMount = process.platform === 'linux' && mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk);
afterAll(() => {
  if (canMount) spawnSync('umount', ['-l', disk]);
});

const filler = join(disk, 'zeros');
const fill = () => spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']);
const makeRoom = () => rmSync(filler);
const photo = join(outside, 'a.png');
beforeAll(() => {
  // Only its first bytes are looked at.
  writeFileSync(photo, Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(20_000)]));
});

test.skipIf(!canMount)(
  'labels stay as they were, and can be saved once there is room (needs mount)',
  async () => {
    const store = correctionStore(join(disk, 'corrections', 'a.csv'));
    const save = (name: string) =>
      saveLabels(store, [{ name, labels: { crack: 1 }, author: '', replaces: null }]);
    await save('1.png');
    const before = readFileSync(store.file, 'utf8');
    fill();
    await expect(save('2.png')).rejects.toThrow(`${store.file} cannot be written: the disk is full`);
    expect(readFileSync(store.file, 'utf8')).toBe(before);
    makeRoom();
    expect(await save('2.png')).toHaveLength(2);
  },
);

test.skipIf(!canMount)(
  'a task for CVAT names the copy that found no room, not the image (needs mount)',
  () => {
    mkdirSync(join(disk, 'task', 'images'), { recursive: true });
    fill();
    const write = () =>
      writeCvatTask([{ id: 'a', image: photo, wasDrawn: true, isAlarm: false }], [], join(disk, 'task'));
    let message = '';
    try {
      write();
    } catch (error) {
      message = messageOf(error);
    }
    const copy = join(disk, 'task', 'images', 'a.png');
    expect(message).toBe(`${copy}: the disk is full; make room or choose another path`);
    expect(existsSync(copy)).toBe(false);
    makeRoom();
    expect(write()).toBe(1);
  },
);

test.skipIf(!canMount)(
  'that test was seen is noted, also after a note that found no room for all of it (needs mount)',
  () => {
    const run = join(disk, 'run');
    noteTestSeen(run, 'the report');
    const path = join(run, 'decisions', 'test-seen.jsonl');
    // Up to 50 bytes before the end of a page, so that a full disk has room for those.
    writeFileSync(path, `${' '.repeat(4096 - 51)}\n`);
    fill();
    expect(() => noteTestSeen(run, 'the report')).toThrow(
      'cannot be written, and test metrics are only shown if',
    );
    expect(statSync(path).size).toBe(4096);
    expect(testSeen(run)).toBe(null);
    makeRoom();
    const seen = noteTestSeen(run, 'the report', new Date('2026-03-14'));
    expect([seen, testSeen(run)]).toEqual([seen, '2026-03-14T00:00:00.000Z']);
  },
);
