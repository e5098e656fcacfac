import { expect, test } from 'vitest';
import { liveLines } from './liveLines.js';

test('on a terminal, live lines are redrawn in place and cut to its width, with notes above them', () => {
  const written: string[] = [];
  let now = 0;
  const output = { isTTY: true, columns: 11, write: (text: string) => written.push(text) };
  const lines = liveLines(output, () => now);
  lines.show(() => ['first', '']);
  lines.show(() => ['too soon', '']);
  now = 200;
  lines.show(() => ['first', 'second is too long']);
  lines.note('done');
  lines.end();
  expect(written).toEqual([
    '\x1b[2Kfirst\n\x1b[2K\n\x1b[J',
    '\x1b[2F\x1b[2Kfirst\n\x1b[2Ksecond is \n\x1b[J',
    '\x1b[2F\x1b[2Kdone\n\x1b[2Kfirst\n\x1b[2Ksecond is \n\x1b[J',
    '\x1b[2F\x1b[J',
  ]);
});

test('lines that were left or finished are not overwritten', () => {
  const written: string[] = [];
  const lines = liveLines({ isTTY: true, write: (text) => written.push(text) }, () => 0);
  lines.show(() => ['first']);
  lines.leave();
  lines.show(() => ['last']);
  lines.finish();
  lines.end();
  expect(written).toEqual(['\x1b[2Kfirst\n\x1b[J', '\x1b[2Klast\n\x1b[J']);
});

test('without a terminal, only notes are written', () => {
  const written: string[] = [];
  const lines = liveLines({ write: (text) => written.push(text) });
  lines.show(() => ['first']);
  lines.note('done');
  lines.finish();
  lines.end();
  expect(written).toEqual(['done\n']);
});
