import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { createAdmission } from './admission.js';
import { configuredDevice, isMpsRunning, listedDevices, runDevices } from './devices.js';

describe('runs side by side', () => {
  const settled = { isSettled: true };

  test('are as many as the user says, or one on the CPU', () => {
    expect(createAdmission({ gpu: undefined }, 2).admits([settled])).toBe(true);
    expect(createAdmission({ gpu: undefined }, 2).admits([settled, settled])).toBe(false);
    expect(createAdmission({ gpu: undefined }, undefined).admits([])).toBe(true);
    expect(createAdmission({ gpu: undefined }, undefined).admits([settled])).toBe(false);
  });

  test('share a GPU while there is memory for another as large as the largest', () => {
    let free = 80_000;
    const admission = createAdmission({ gpu: '0' }, undefined, () => free, 16);
    expect(admission.admits([])).toBe(true);
    free = 60_000;
    expect(admission.admits([{ isSettled: false }])).toBe(false);
    expect(admission.admits([settled])).toBe(true);
    free = 20_000;
    expect(admission.admits([settled, settled])).toBe(false);
  });

  test('do not share a GPU that they do not use, nor one whose memory is unknown', () => {
    const idle = createAdmission({ gpu: '0' }, undefined, () => 80_000, 16);
    expect([idle.admits([]), idle.admits([settled])]).toEqual([true, false]);
    const unknown = createAdmission({ gpu: '0' }, undefined, () => undefined, 16);
    expect([unknown.admits([]), unknown.admits([settled])]).toEqual([true, false]);
  });

  test('are spread over GPUs, and each child sees only its own', () => {
    expect(listedDevices(['cuda:0', 'cuda:1'], '2,3')).toMatchObject([
      { name: 'cuda:0', gpu: '2', env: { CUDA_VISIBLE_DEVICES: '2' } },
      { name: 'cuda:1', gpu: '3', env: { CUDA_VISIBLE_DEVICES: '3' } },
    ]);
    expect(configuredDevice({ device: 'cuda:1' }, '4,5')).toEqual({ name: 'cuda:1', env: {}, gpu: '5' });
    const groups = runDevices(
      { devices: ['cuda:0', 'cuda:1', 'cuda:2', 'cuda:3', 'cpu'], processes: 2 },
      { device: 'auto' },
      '4,5,6,7',
    );
    expect(groups).toMatchObject([
      { name: 'cpu', env: {} },
      { name: 'cuda:0+cuda:1', env: { CUDA_VISIBLE_DEVICES: '4,5' } },
      { name: 'cuda:2+cuda:3', env: { CUDA_VISIBLE_DEVICES: '6,7' } },
    ]);
    expect(() => runDevices({ devices: ['cuda:0'], processes: 2 }, { device: 'auto' }, '0')).toThrow(
      'groups of 2',
    );
    expect(() => listedDevices(['cuda:1.5'], '0')).toThrow("'cuda:1.5' is neither cpu nor cuda:N");
    expect(() => listedDevices(['cuda:4'], '0')).toThrow('there is no cuda:4');
  });

  test('detect NVIDIA’s MPS by its pipe', () => {
    const folder = testFolder();
    expect(isMpsRunning(folder)).toBe(false);
    writeFileSync(join(folder, 'control'), '');
    expect(isMpsRunning(folder)).toBe(true);
  });
});
