import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';

/**
 * Gives each test of a file a new folder, with nothing set up in `home` below it and no libtorch named by the environment.
 *
 * @returns the folder of the test that runs
 */
export function withEmptyHome(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'anyclass-home-'));
    vi.stubEnv('ANYCLASS_HOME', join(folder, 'home'));
    vi.stubEnv('LIBTORCH', undefined);
    vi.stubEnv('LIBTORCH_USE_PYTORCH', undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return () => folder;
}
