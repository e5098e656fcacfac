import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { buildPrograms, runProgram } from '../../test/child.js';
import { type Build, engineBuild, engineLibrary, libraryKey } from '../builds/index.js';

const folder = testFolder();
beforeAll(buildPrograms, 120_000);

describe('libtorch is loaded', () => {
  test('by the first tensor, not by importing the package or defining a module', () => {
    const { imported, computed, failure } = firstTensor();
    expect(failure).toBe('');
    expect(imported).toEqual({ loaded: false, libraries: 0 });
    expect(computed.loaded).toBe(true);
    expect(computed.libraries).toBeGreaterThan(1);
  });

  test.each([
    [undefined, undefined, 'passive', '1000'],
    [undefined, '7', 'passive', '7'],
    ['active', undefined, 'active', undefined],
  ])(
    'with OMP_WAIT_POLICY=%s and GOMP_SPINCOUNT=%s in the environment as %s and %s',
    (policy, count, waiting, spins) => {
      const loaded = firstTensor({ OMP_WAIT_POLICY: policy, GOMP_SPINCOUNT: count });
      expect([loaded.waiting, loaded.spins]).toEqual([waiting, spins]);
    },
  );
});

describe('if the addon cannot be opened', () => {
  test('importing works, and the first tensor says where a build is missing and which command to run', () => {
    const home = join(folder, 'empty');
    const { imported, computed, failure } = firstTensor({ ANYCLASS_HOME: home });
    expect([imported.loaded, computed.loaded]).toEqual([false, false]);
    expect(failure).toContain(home);
    expect(failure).toContain("run 'npx anyclass setup'");
  });

  test('an environment that asks for a libtorch that setup did not build for is an error', () => {
    const { failure } = firstTensor({ LIBTORCH: '/nowhere/libtorch' });
    expect(failure).toMatch(/LIBTORCH=\/nowhere\/libtorch.*npx anyclass setup/);
  });

  test("the loader's reason is part of the message", () => {
    const home = join(folder, 'damaged');
    copyBuild(home, { library: 'no library' });
    const { computed, failure } = firstTensor({ ANYCLASS_HOME: home });
    expect(computed.loaded).toBe(false);
    expect(failure).toMatch(/^libtorch could not be loaded: .*torch\.node.*npx anyclass setup/s);
  });

  test('a libtorch that changed since setup is an error before it can fault', () => {
    const home = join(folder, 'changed');
    copyBuild(home, { libtorchBytes: 1 });
    const { computed, failure } = firstTensor({ ANYCLASS_HOME: home });
    expect(computed.loaded).toBe(false);
    expect(failure).toContain(engineBuild().libtorch.lib);
    expect(failure).toContain("run 'npx anyclass setup'");
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
  readonly spins?: string;
}

function firstTensor(environment: NodeJS.ProcessEnv = {}): FirstTensor {
  // A separate home has only the last build.
  const any = { LIBTORCH: undefined, LIBTORCH_USE_PYTORCH: undefined };
  const wanted = environment['ANYCLASS_HOME'] === undefined ? {} : any;
  const { code, output, errors } = runProgram('firstTensor', { environment: { ...wanted, ...environment } });
  expect([code, errors]).toEqual([0, '']);
  return JSON.parse(output);
}

/** Makes a cache with a copy of the engine's build, altered in one way. */
function copyBuild(home: string, spoiled: { library?: string; libtorchBytes?: number }): void {
  const { folder, path, libtorch, libtorchBytes, library, builder } = engineBuild();
  const copy = join(home, 'native', libraryKey(engineLibrary));
  const build = join(copy, basename(folder));
  mkdirSync(build, { recursive: true });
  mkdirSync(join(copy, 'selected'));
  writeFileSync(join(copy, 'selected/last'), basename(folder));
  writeFileSync(join(build, 'torch.node'), spoiled.library ?? readFileSync(path));
  const record: Build = {
    library,
    builder,
    libtorch,
    libtorchBytes: spoiled.libtorchBytes ?? libtorchBytes,
  };
  writeFileSync(join(build, 'build.json'), JSON.stringify(record));
}
