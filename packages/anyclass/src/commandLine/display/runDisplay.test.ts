import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { StepEvent } from '../../events/runEvent.js';
import { roughDuration } from './progressBar.js';
import { runDisplay, workText } from './runDisplay.js';

const step = (images: number): StepEvent => ({
  type: 'step',
  epoch: 3,
  epochs: 10,
  step: images / 64,
  steps: 10,
  images,
  imagesPerEpoch: 640,
  unit: 'images',
  loss: images === 0 ? null : 0.4123,
  rate: 0.1,
  imagesPerSecond: images === 0 ? null : 64,
  secondsLeft: null,
  dataWaitShare: 0.03,
});

function displayed(isTTY: boolean) {
  let text = '';
  let now = 0;
  const show = runDisplay({ isTTY, columns: 100, write: (part) => (text += part) }, () => now);
  return {
    show,
    wait: (seconds: number) => {
      now += 1000 * seconds;
    },
    lines: () =>
      stripVTControlCharacters(text)
        .split(/[\r\n]+/)
        .filter(Boolean),
  };
}

test('an epoch is shown as a bar with rate, time left and loss, which ends when it is full', () => {
  const { show, wait, lines } = displayed(true);
  show(step(0));
  wait(5);
  show(step(320));
  expect(lines().at(-1)).toMatch(
    /^epoch 3\/10 █+░+ 320\/640 images, 64\/s, 5 s left, loss 0\.4123, 3% waiting/,
  );
  wait(5);
  show(step(640));
  show({ type: 'note', text: 'next' });
  expect(lines().slice(-2)).toEqual([
    expect.stringMatching(/^epoch 3\/10 █+ 640\/640 images, 64\/s, 10 s, loss/),
    'next',
  ]);
});

test('an interrupted bar keeps its line, and the next one starts from the work done so far', () => {
  const { show, wait, lines } = displayed(false);
  show(step(0));
  wait(1);
  show(step(64));
  show({ type: 'interrupted', run: 'runs/a', checkpoint: 'runs/a/checkpoints/x.safetensors' });
  expect(lines()).toEqual([
    'epoch 3/10 64/640 images, 64/s, 1 s, loss 0.4123, 3% waiting for images',
    'Interrupted; saved runs/a/checkpoints/x.safetensors',
  ]);
  show(step(64));
  wait(1);
  show(step(128));
  show({ type: 'note', text: '' });
  expect(lines().at(-1)).toMatch(/^epoch 3\/10 128\/640 images, 64\/s, 1 s/);
});

test('workText describes the work of a run in one line', () => {
  expect(workText(step(320))).toBe('epoch 3/10 320/640 images, 64/s, loss 0.4123, 3% waiting for images');
  expect(workText({ type: 'note', text: 'hello' })).toBeUndefined();
});

test('the first line of a run says about how long it takes in all', () => {
  const { show, lines } = displayed(false);
  const started = {
    type: 'started',
    run: 'runs/a',
    dataset: 'pipes',
    network: 'tresnet-s',
    loss: 'bce',
    device: 'cpu',
    precision: 'float32',
    epochs: 3,
  } as const;
  show({ ...started, expectedSeconds: 500 });
  show(started);
  expect(lines()).toEqual([
    'tresnet-s on cpu in float32, roughly 8 min in all; run runs/a',
    'tresnet-s on cpu in float32; run runs/a',
  ]);
  expect(roughDuration(20)).toBe('less than a minute');
  expect(roughDuration(9000)).toBe('roughly 2.5 h');
});
