import { expect, test } from 'vitest';
import { ProgressBar } from './progressBar.js';

function recorded(
  isTTY: boolean,
  columns = 120,
): { bar: ProgressBar; text: () => string; wait: (ms: number) => void } {
  let now = 0;
  let text = '';
  const output = {
    isTTY,
    columns,
    write: (part: string) => {
      text += part;
    },
  };
  const bar = new ProgressBar('decoding', 1000, 'images', output, () => now);
  return {
    bar,
    text: () => text,
    wait: (ms) => {
      now += ms;
    },
  };
}

test('on a terminal, one line is redrawn with rate, time left and remark', () => {
  const { bar, text, wait } = recorded(true);
  wait(2000);
  bar.advance(500, 'loss 0.5');
  expect(text()).toBe('\r\x1b[Kdecoding ██████████░░░░░░░░░░ 500/1,000 images, 250/s, 2 s left, loss 0.5');
  wait(2000);
  bar.advance(500);
  bar.finish();
  expect(text().split('\r\x1b[K').at(-1)).toBe(
    'decoding ████████████████████ 1,000/1,000 images, 250/s, 4 s\n',
  );
});

test('a terminal that reports a width of 0 is assumed to have 80 columns', () => {
  const { bar, text } = recorded(true, 0);
  bar.finish();
  expect(text()).toBe('\r\x1b[Kdecoding ░░░░░░░░░░░░░░░░░░░░ 0/1,000 images, 0/s, 0 s\n');
});

test('a terminal is not flooded: at most ten redraws a second', () => {
  const { bar, text, wait } = recorded(true);
  for (let i = 0; i < 100; i++) {
    wait(10);
    bar.advance(1);
  }
  expect(text().split('\r').length - 1).toBe(10);
});

test('without a terminal, a plain line is written every ten seconds', () => {
  const { bar, text, wait } = recorded(false);
  for (let i = 0; i < 25; i++) {
    wait(1000);
    bar.advance(10);
  }
  bar.finish();
  expect(text().split('\n')).toEqual([
    'decoding 100/1,000 images, 10/s, 1 min 30 s left',
    'decoding 200/1,000 images, 10/s, 1 min 20 s left',
    'decoding 250/1,000 images, 10/s, 25 s',
    '',
  ]);
});

test('without a terminal, the last step is written once', () => {
  const { bar, text, wait } = recorded(false);
  wait(20_000);
  bar.advance(1000);
  bar.finish();
  expect(text()).toBe('decoding 1,000/1,000 images, 50/s, 20 s\n');
});

test('a long line is cut to the width of the terminal', () => {
  const { bar, text, wait } = recorded(true, 30);
  wait(1000);
  bar.advance(1);
  expect(text().replace('\r\x1b[K', '')).toHaveLength(29);
});
