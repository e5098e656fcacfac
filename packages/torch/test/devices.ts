// The devices that tests run on: always the CPU, and a GPU if there is one.

import { describe, test } from 'vitest';
import type { Device } from '../src/index.js';
import { native } from '../src/native/native.js';

/**
 * Declares the same tests for the CPU and a GPU. Without a GPU, the log shows one skipped entry that says why.
 *
 * @example
 * onEachDevice((device) => {
 *   test('zeros are zero', () => expect(zeros([2], { device }).toArray()).toEqual([0, 0]));
 * });
 */
export function onEachDevice(declare: (device: Device) => void): void {
  describe('on cpu', () => declare('cpu'));
  if (native.cudaDevices() > 0) describe('on cuda', () => declare('cuda'));
  else test.skip(`on cuda (skipped: ${native.cudaUnavailable()})`);
}
