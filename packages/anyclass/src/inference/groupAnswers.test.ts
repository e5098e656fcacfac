import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { createGroupAnswers } from './groupAnswers.js';
import { groupsByFolder, groupsByTable } from './groupNames.js';

const folder = testFolder();

test('a group alarms with any of its images, and is clear only if all of them are', () => {
  const groups = createGroupAnswers(['crack', 'roots']);
  const add = (
    group: string,
    outcome: 'clear' | 'review' | 'alarm',
    labels: string[],
    presenceScore: number,
  ) => groups.add(group, { name: '', probabilities: new Float32Array(2), presenceScore, outcome, labels });
  add('a', 'clear', [], 0.1);
  add('b', 'review', [], 0.5);
  add('a', 'alarm', ['roots'], 2);
  add('b', 'clear', [], 0.2);
  add('c', 'clear', [], 0.2);
  groups.add('c', { name: 'x.png', failure: 'no such file' });
  groups.add('d', { name: 'y.png', failure: 'no such file' });
  expect(groups.finish()).toEqual([
    { group: 'a', images: 2, unreadable: 0, outcome: 'alarm', labels: ['roots'], presenceScore: 2 },
    { group: 'b', images: 2, unreadable: 0, outcome: 'review', labels: [], presenceScore: 0.5 },
    // An image that nobody has seen is not clear.
    { group: 'c', images: 1, unreadable: 1, outcome: 'review', labels: [], presenceScore: 0.2 },
    { group: 'd', images: 0, unreadable: 1, outcome: 'review', labels: [], presenceScore: 0 },
  ]);
});

test('folders name groups by their level', () => {
  expect(groupsByFolder(1)('photos/pipe 7/0001.jpg')).toBe('pipe 7');
  expect(groupsByFolder(2)('photos/pipe 7/0001.jpg')).toBe('photos');
  expect(() => groupsByFolder(3)('photos/pipe 7/0001.jpg')).toThrow(/has no folder at level 3/);
});

test('tables name groups by file name, with or without folders', async () => {
  const path = join(folder, 'groups.csv');
  writeFileSync(path, 'Filename,patient\na.png,p1\nleft/b.png,p2\nright/b.png,p3\n');
  const groupOf = await groupsByTable(path, 'patient');
  expect(['a.png', 'photos/a.png', 'left/b.png'].map(groupOf)).toEqual(['p1', 'p1', 'p2']);
  expect(() => groupOf('photos/b.png')).toThrow(/has no group for photos\/b\.png/);
  await expect(groupsByTable(path, 'pipe')).rejects.toThrow("no column 'pipe' with groups");
  writeFileSync(path, 'Filename,patient\na.png,\n');
  await expect(groupsByTable(path, 'patient')).rejects.toThrow(
    /groups\.csv, line 2: group 'patient' is empty/,
  );
});
