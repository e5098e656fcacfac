import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import {
  dtypes,
  findStateDict,
  fromStored,
  loadTensors,
  loadTensorsInto,
  nn,
  noGrad,
  ones,
  randn,
  readPytorchCheckpoint,
  saveTensors,
  setSeed,
  tensor,
  tidy,
  zeros,
} from '../index.js';

const folder = testFolder();

test.each([false, true])('tensors of every dtype round-trip (memory-mapped: %s)', (memoryMap) => {
  const file = join(folder, `dtypes-${memoryMap}.safetensors`);
  const tensors = new Map(
    dtypes.map((dtype) => [
      dtype,
      tensor(
        [
          [1, 0, 1],
          [0, 1, 1],
        ],
        { dtype },
      ),
    ]),
  );
  saveTensors(file, tensors, { note: 'six' });
  const loaded = loadTensors(file, { memoryMap });
  expect(loaded.metadata).toEqual({ note: 'six' });
  expect(new Set(loaded.tensors.keys())).toEqual(new Set(dtypes));
  for (const [name, original] of tensors) {
    expect(loaded.tensors.get(name)?.dtype).toBe(original.dtype);
    expect(loaded.tensors.get(name)?.equal(original)).toBe(true);
  }
});

test('views are written in logical order, not in memory order', () => {
  const file = join(folder, 'views.safetensors');
  const matrix = tensor([
    [1, 2],
    [3, 4],
  ]);
  saveTensors(file, [
    ['transposed', matrix.transpose(0, 1)],
    ['row', matrix.at(1)],
  ]);
  const { tensors } = loadTensors(file);
  expect(tensors.get('transposed')?.toArray()).toEqual([
    [1, 3],
    [2, 4],
  ]);
  expect(tensors.get('row')?.toArray()).toEqual([3, 4]);
});

test('writing to a memory-mapped tensor leaves the file alone', () => {
  const file = join(folder, 'mapped.safetensors');
  saveTensors(file, [['x', zeros([1000])]]);
  const before = readFileSync(file);
  const { tensors } = loadTensors(file, { memoryMap: true });
  tensors.get('x')?.fill_(5);
  expect(tensors.get('x')?.sum().toNumber()).toBe(5000);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a network saved to a file and loaded again computes the same', () => {
  const file = join(folder, 'network.safetensors');
  const build = () =>
    new nn.Sequential(
      new nn.Conv2d(1, 4, { kernel: 3 }),
      new nn.BatchNorm2d(4),
      new nn.Flatten(),
      new nn.Linear(36, 2),
    );
  setSeed(1);
  const network = build();
  tidy(() => network.forward(randn([6, 1, 5, 5]))); // updates the running statistics
  saveTensors(file, network.stateDict());
  const copy = build();
  copy.loadStateDict(loadTensors(file).tensors);
  const x = randn([2, 1, 5, 5]);
  expect(noGrad(() => copy.eval().forward(x).equal(network.eval().forward(x)))).toBe(true);
});

test('a file that does not match a module leaves it unchanged', () => {
  const file = join(folder, 'other.safetensors');
  saveTensors(file, [
    ['weight', ones([2, 3])],
    ['bias', ones([3])],
  ]);
  const module = nn.init.withoutDrawing(() => new nn.Linear(3, 2));
  expect(() => loadTensorsInto(module, file)).toThrow(/bias has shape \[2\], the state dict's \[3\]/);
  expect(module.weight.sum().toNumber()).toBe(0);
  saveTensors(file, [['weight', ones([2, 3])]]);
  expect(() => loadTensorsInto(module, file)).toThrow('missing: bias');
});

test("loading into a module converts weights to the module's dtypes and returns the metadata", () => {
  const file = join(folder, 'halves.safetensors');
  const halves = new nn.Linear(3, 2).to('float16');
  saveTensors(file, halves.stateDict(), { epoch: '3' });
  const module = new nn.Linear(3, 2);
  expect(loadTensorsInto(module, file)).toMatchObject({ epoch: '3' });
  for (const [name, tensor] of halves.stateDict()) {
    const loaded = module.stateDict().get(name);
    expect([loaded?.dtype, loaded?.requiresGrad]).toEqual(['float32', true]);
    expect(loaded?.equal(tensor.to('float32'))).toBe(true);
  }
});

test.skipIf(process.platform !== 'linux')(
  'loading into a module does not hold a second copy of all weights',
  () => {
    const file = join(folder, 'many.safetensors');
    const layers = Array.from({ length: 32 }, () => new nn.Linear(1024, 1024, { bias: false }));
    using module = new nn.Sequential(...layers);
    saveTensors(file, module.stateDict());
    const resident = (field: string) =>
      1024 * Number(readFileSync('/proc/self/status', 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))?.[1]);
    writeFileSync('/proc/self/clear_refs', '5'); // resets the peak to what is resident now
    const before = resident('VmRSS');
    loadTensorsInto(module, file);
    expect(resident('VmHWM') - before).toBeLessThan(statSync(file).size / 2);
  },
);

test('a failed write leaves the old file intact', () => {
  const file = join(folder, 'kept.safetensors');
  saveTensors(file, [['x', ones([2])]]);
  const gone = ones([2]);
  gone.dispose();
  expect(() => saveTensors(file, [['x', gone]])).toThrow('disposed');
  expect(loadTensors(file).tensors.get('x')?.toArray()).toEqual([1, 1]);
});

test('a damaged file is refused by name', () => {
  const file = join(folder, 'damaged.safetensors');
  saveTensors(file, [['x', ones([100])]]);
  writeFileSync(file, readFileSync(file).subarray(0, 200));
  for (const memoryMap of [false, true])
    expect(() => loadTensors(file, { memoryMap })).toThrow('damaged.safetensors');
  const layer = new nn.Linear(1, 1);
  expect(() => loadTensorsInto(layer, file)).toThrow('damaged.safetensors');
});

const checkpoint = new URL('../../test/fixtures/checkpoints/plain_113.pt', import.meta.url).pathname;

test.skipIf(!existsSync(checkpoint))("a PyTorch checkpoint's tensors can be converted", () => {
  const { tensors } = findStateDict(readPytorchCheckpoint(checkpoint).value);
  for (const stored of tensors.values()) expect(fromStored(stored).shape).toEqual(stored.shape);
  expect(tensors.size).toBeGreaterThan(0);
});
