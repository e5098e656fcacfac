import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPrograms, runProgram } from '../test/child.js';

const torch = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-addon-'));
beforeAll(buildPrograms, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('libtorch is loaded', () => {
  test('by the first tensor, not by importing the package or defining a module', () => {
    const { imported, computed, failure } = firstTensor();
    expect(failure).toBe('');
    expect(imported).toEqual({ loaded: false, libraries: 0 });
    expect(computed.loaded).toBe(true);
    expect(computed.libraries).toBeGreaterThan(1);
  });

  test.each([
    [undefined, 'passive'],
    ['active', 'active'],
  ])('with OMP_WAIT_POLICY=%s in the environment as %s', (before, after) => {
    expect(firstTensor({ OMP_WAIT_POLICY: before }).waiting).toBe(after);
  });
});

describe('where the addon cannot be opened', () => {
  test('importing works, and a tensor says which file is missing and what to do', () => {
    const { imported, computed, failure } = firstTensor({}, copyWithoutAddon('missing'));
    expect([imported.loaded, computed.loaded]).toEqual([false, false]);
    expect(failure).toContain(join(folder, 'missing/build/torch.node'));
    expect(failure).toContain('npm run setup');
  });

  test('the reason of the loader is part of the message', () => {
    const copy = copyWithoutAddon('damaged');
    mkdirSync(join(copy, 'build'));
    writeFileSync(join(copy, 'build/torch.node'), 'no library');
    const { computed, failure } = firstTensor({}, copy);
    expect(computed.loaded).toBe(false);
    expect(failure).toMatch(/^libtorch could not be loaded: .*torch\.node.*npm run setup/s);
  });
});

interface Stage {
  readonly loaded: boolean;
  readonly libraries: number;
}

interface FirstTensor {
  readonly imported: Stage;
  readonly computed: Stage;
  readonly failure: string;
  readonly waiting: string;
}

function firstTensor(environment: NodeJS.ProcessEnv = {}, home?: string): FirstTensor {
  const { code, output, errors } = runProgram('firstTensor', { environment, home });
  expect([code, errors]).toEqual([0, '']);
  return JSON.parse(output);
}

// The program finds the package by its name, which inside the package's own folder is that folder.
function copyWithoutAddon(name: string): string {
  const copy = join(folder, name);
  for (const part of ['package.json', 'dist', 'test/programs/dist']) {
    cpSync(join(torch, part), join(copy, part), { recursive: true });
  }
  return copy;
}
