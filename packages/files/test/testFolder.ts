import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

/** Creates a folder that is removed after the test that asks for it, or outside of tests after those of the file or `describe`. */
export function testFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'anyclass-')));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (TestRunner.getCurrentTest()) onTestFinished(remove);
  else afterAll(remove, 60_000);
  return folder;
}
