// The devices that tests run on: the CPU always, a GPU where there is one.

import type { Device } from '../src/index.js';
import { native } from '../src/native.js';

export interface TestDevice {
  readonly device: Device;
  /** For `describe.skipIf`. */
  readonly missing: boolean;
  /** For test names, so that the log says what was left out. */
  readonly label: string;
}

const hasCuda = native.cudaDevices() > 0;

/**
 * @example
 * for (const { device, missing, label } of testDevices) {
 *   describe.skipIf(missing)(`on ${label}`, () => { … });
 * }
 */
export const testDevices: readonly TestDevice[] = [
  { device: 'cpu', missing: false, label: 'cpu' },
  {
    device: 'cuda',
    missing: !hasCuda,
    label: hasCuda ? 'cuda' : `cuda (skipped: ${native.cudaUnavailable()})`,
  },
];
