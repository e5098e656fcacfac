import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { UserError } from '../errors/userError.js';
import { checkAddressSpace, withMemoryAdvice } from './memory.js';

const use = () => ({ what: 'a batch of 32 images', advice: 'lower batchSize' });

test.each([
  [
    "aten::conv2d: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 51380224 bytes. Error code 12",
    'not enough memory for a batch of 32 images (the engine asked for 52 MB more): lower batchSize',
  ],
  [
    'CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 79.15 GiB total capacity)',
    'not enough GPU memory for a batch of 32 images (the engine asked for 20.00 MiB more): lower batchSize',
  ],
  [
    'aten::pad: input tensor must fit into 32-bit index math',
    'a batch of 32 images is more than a GPU kernel can index: lower batchSize',
  ],
  ['std::bad_alloc', 'not enough memory for a batch of 32 images: lower batchSize'],
])('%s becomes advice', (message, told) => {
  const work = () =>
    withMemoryAdvice(() => {
      throw new Error(message);
    }, use);
  expect(work).toThrow(UserError);
  expect(work).toThrow(told);
});

test('other errors pass through unchanged', () => {
  const error = new Error('shapes differ');
  expect(() =>
    withMemoryAdvice(() => {
      throw error;
    }, use),
  ).toThrow(error);
  expect(withMemoryAdvice(() => 3, use)).toBe(3);
});

test('without a limit there is always enough address space', () => {
  checkAddressSpace(2 ** 50);
});

test.skipIf(process.platform !== 'linux')(
  'a limit that leaves too little is named, with what is needed',
  () => {
    const module = new URL('../../dist/inference/memory.js', import.meta.url).href;
    const check = `import('${module}').then(({ checkAddressSpace }) => checkAddressSpace(8e9))`;
    const { stderr } = spawnSync('bash', ['-c', `ulimit -v 8000000; '${process.execPath}' -e "${check}"`], {
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/ulimit -v, 8,192 MB\) leaves .* MB of the 8,000 MB needed/);
  },
);
