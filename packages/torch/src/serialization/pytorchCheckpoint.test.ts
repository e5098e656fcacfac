import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { checkpointOf } from '../../test/hostile/evilArchives.js';
import { described, fixtureFolder, fixtures } from '../../test/hostile/fixture.js';
import {
  dictOf,
  emptyDict,
  global,
  int,
  pickle,
  reduce,
  storage,
  tensor,
  tupleOf,
} from '../../test/hostile/pickleBuilder.js';
import { buildZip } from '../../test/hostile/zipBuilder.js';
import { type CheckpointValue, isStoredTensor } from './checkpointValue.js';
import { CheckpointError } from './errors.js';
import { readPytorchCheckpoint } from './pytorchCheckpoint.js';
import { withFile } from './randomAccessFile.js';
import { listZipEntries, readZipEntry } from './zip.js';

const folder = testFolder();
const path = join(folder, 'made.pt');

describe('reads every value that torch.save wrote:', () => {
  test.each(fixtures())('$name', ({ path, expected }) => {
    expect(described(readPytorchCheckpoint(path).value)).toEqual(expected);
  });

  test.each(fixtures())('$name, repacked with deflate and folder entries', ({ path: original, expected }) => {
    const pieces = withFile(original, CheckpointError, (file) =>
      [...listZipEntries(file)].map(([name, entry]) => ({
        name,
        data: readZipEntry(file, entry),
        deflate: true,
      })),
    );
    writeFileSync(path, buildZip([{ name: 'some folder/', data: '' }, ...pieces]));
    expect(described(readPytorchCheckpoint(path).value)).toEqual(expected);
  });

  test('all twelve files from PyTorch 1.13 are covered', () => {
    expect(fixtures().filter(({ name }) => name.endsWith('_113'))).toHaveLength(12);
  });
});

test('a renamed file is read through the root folder in its archive', () => {
  copyFileSync(`${fixtureFolder}plain_113.pt`, path);
  expect(readPytorchCheckpoint(path).value).toBeInstanceOf(Map);
});

test('entries are found by the 64-bit fields that files over 4 GiB need', () => {
  const pieces = withFile(`${fixtureFolder}views_113.pt`, CheckpointError, (file) =>
    [...listZipEntries(file)].map(([name, entry]) => ({ name, data: readZipEntry(file, entry), wide: true })),
  );
  writeFileSync(path, buildZip(pieces));
  expect(readPytorchCheckpoint(path)).toEqual(readPytorchCheckpoint(`${fixtureFolder}views_113.pt`));
});

test('tensors over one storage share its bytes', () => {
  const { value } = readPytorchCheckpoint(`${fixtureFolder}views_113.pt`);
  const [whole, same, tail] = ['whole', 'same_storage', 'tail'].map((key) => tensorAt(value, key));
  expect(same?.data.buffer).toBe(whole?.data.buffer);
  expect(tail?.data.buffer).toBe(whole?.data.buffer);
  expect(tail?.data.byteOffset).toBe(48);
});

test('objects of unknown classes are listed with their paths', () => {
  const { skipped } = readPytorchCheckpoint(`${fixtureFolder}lightning_113.pt`);
  expect(skipped).toEqual([
    { className: '__main__.Recorder', path: 'callbacks[__main__.Recorder]' },
    { className: 'argparse.Namespace', path: 'hyper_parameters.args' },
    { className: '__main__.Recorder', path: 'hyper_parameters.recorder' },
  ]);
});

test('tensors of other kinds are left out by name', () => {
  const { skipped } = readPytorchCheckpoint(`${fixtureFolder}skipped_dtypes_113.pt`);
  expect(skipped).toEqual([
    { className: 'torch.ComplexFloatStorage', path: 'complex' },
    { className: 'torch._utils._rebuild_sparse_tensor', path: 'sparse' },
    { className: 'torch._utils._rebuild_qtensor', path: 'quantised' },
  ]);
});

test('unknown classes can be refused instead', () => {
  const lightning = `${fixtureFolder}lightning_113.pt`;
  expect(() => readPytorchCheckpoint(lightning, { onUnknown: 'refuse' })).toThrow(CheckpointError);
  expect(() => readPytorchCheckpoint(lightning, { onUnknown: 'refuse' })).toThrow(
    /argparse\.Namespace \(at hyper_parameters\.args\)/,
  );
  expect(readPytorchCheckpoint(`${fixtureFolder}plain_113.pt`, { onUnknown: 'refuse' }).skipped).toEqual([]);
});

describe('what later versions of PyTorch write', () => {
  const one = tensor(storage('0', int(1)), int(0), tupleOf(int(1)), tupleOf(int(1)));
  const isOne = { tensor: 'float32', shape: [1], values: [1] };

  test('a byte order of little', () => {
    writeFileSync(path, checkpointOf(pickle(one), [{ name: 'archive/byteorder', data: 'little' }]));
    expect(described(readPytorchCheckpoint(path).value)).toEqual(isOne);
  });

  test('a parameter with attributes', () => {
    const rebuild = global('torch._utils', '_rebuild_parameter_with_state');
    writeFileSync(
      path,
      checkpointOf(pickle(rebuild, tupleOf(one, 0x88, emptyDict, dictOf({ tag: int(1) })), reduce)),
    );
    expect(described(readPytorchCheckpoint(path).value)).toEqual(isOne);
  });

  test('a tensor with attributes', () => {
    const rebuild = global('torch._tensor', '_rebuild_from_type_v2');
    const args = tupleOf(storage('0', int(1)), int(0), tupleOf(int(1)), tupleOf(int(1)), 0x89, emptyDict);
    const inner = [
      global('torch._utils', '_rebuild_tensor_v2'),
      global('torch', 'Tensor'),
      args,
      dictOf({ tag: int(1) }),
    ];
    writeFileSync(path, checkpointOf(pickle(rebuild, tupleOf(...inner), reduce)));
    expect(described(readPytorchCheckpoint(path).value)).toEqual(isOne);
  });

  test('a tensor of a dtype without its own storage class is left out by name', () => {
    const rebuild = global('torch._utils', '_rebuild_tensor_v3');
    writeFileSync(path, checkpointOf(pickle(rebuild, tupleOf(global('torch', 'float8_e4m3fn')), reduce)));
    expect(readPytorchCheckpoint(path).skipped).toEqual([
      { className: 'torch._utils._rebuild_tensor_v3', path: '' },
    ]);
  });
});

test("a path that does not exist gives the system's error", () => {
  expect(() => readPytorchCheckpoint(join(folder, 'absent.pt'))).toThrow(/ENOENT.*absent\.pt/);
});

function tensorAt(value: CheckpointValue, key: string) {
  const found = value instanceof Map ? value.get(key) : undefined;
  return found !== undefined && isStoredTensor(found) ? found : undefined;
}
