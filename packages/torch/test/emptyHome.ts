import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { testFolder } from '../../files/test/testFolder.js';

/**
 * Gives each test in a file a new folder with an empty `home` in it, and no libtorch in the environment.
 *
 * @returns a function that returns the current test's folder
 */
export function withEmptyHome(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = testFolder();
    vi.stubEnv('ANYCLASS_HOME', join(folder, 'home'));
    vi.stubEnv('LIBTORCH', undefined);
    vi.stubEnv('LIBTORCH_USE_PYTORCH', undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  return () => folder;
}
