import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { withEmptyHome } from '../test/emptyHome.js';
import { explainSetup } from './explain.js';
import { lookForLibtorch } from './findLibtorch.js';
import { setup } from './setup.js';
import { SetupError } from './shell.js';

const folder = withEmptyHome();

describe('libtorch is searched for', () => {
  test('in LIBTORCH first, and nowhere else once it is found', () => {
    vi.stubEnv('LIBTORCH', makeLibtorch('given', '2.13.0'));
    vi.stubEnv('LIBTORCH_USE_PYTORCH', '1');
    const { libtorch, tries } = lookForLibtorch();
    expect(libtorch).toMatchObject({
      origin: 'LIBTORCH',
      version: '2.13.0',
      lib: join(folder(), 'given/lib'),
    });
    expect(tries.map(({ outcome }) => outcome)).toEqual(['chosen', ...Array(4).fill('skipped')]);
  });

  test('in order, and every skipped way says why', () => {
    const tries = explainSetup();
    expect(tries.map(({ way }) => way)).toEqual([
      'LIBTORCH',
      'LIBTORCH_USE_PYTORCH',
      'prebuilt libraries',
      'system',
      'Debian packages',
      'download',
      'compiler',
    ]);
    expect(tries.filter(({ reason }) => reason === '')).toEqual([]);
  });

  test('among downloads only, if a download is requested', () => {
    makeLibtorch('home/libtorch/2.13.0-cpu/libtorch', '2.13.0');
    makeLibtorch('home/libtorch/2.9.1-cpu/libtorch', '2.9.1');
    const { libtorch, tries } = lookForLibtorch('cpu');
    expect(libtorch).toMatchObject({ origin: 'download', version: '2.13.0' });
    expect(tries.find(({ way }) => way === 'system')?.reason).toContain('download');
    expect(lookForLibtorch('cu130').libtorch).toBeUndefined();
  });

  test('and a missing one that was requested stops the search and setup', async () => {
    vi.stubEnv('LIBTORCH', join(folder(), 'empty'));
    const { libtorch, tries, failure } = lookForLibtorch();
    expect(libtorch).toBeUndefined();
    expect(failure).toContain(join(folder(), 'empty'));
    expect(tries).toEqual([{ way: 'LIBTORCH', outcome: 'failed', reason: failure }]);
    await expect(setup()).rejects.toThrow(SetupError);
  });

  test('and refused if it is older than 1.13', () => {
    vi.stubEnv('LIBTORCH', makeLibtorch('old', '1.12.1'));
    expect(lookForLibtorch().failure).toMatch(/1\.12\.1.*1\.13 or newer/);
  });
});

describe('for libtorch', () => {
  test.each([
    ['1.13.1', '-std=c++17'],
    ['2.9.0', '-std=c++17'],
    ['2.10.0', '-std=c++20'],
    ['3.0.0', '-std=c++20'],
  ])('%s the compiler gets %s', (version, flag) => {
    vi.stubEnv('LIBTORCH', makeLibtorch('given', version));
    expect(lookForLibtorch().libtorch?.flags).toEqual([flag]);
  });

  test('without headers the version comes from the file name', () => {
    const lib = join(folder(), 'runtime/lib');
    mkdirSync(lib, { recursive: true });
    writeFileSync(join(lib, 'libtorch_cpu.so.1.13'), '');
    vi.stubEnv('LIBTORCH', join(folder(), 'runtime'));
    expect(lookForLibtorch().libtorch).toMatchObject({ version: '1.13', include: [] });
  });
});

test('a home that cannot be written is an error that says what to set', async () => {
  writeFileSync(join(folder(), 'file'), '');
  vi.stubEnv('ANYCLASS_HOME', join(folder(), 'file/home'));
  await expect(setup()).rejects.toThrow(/file\/home cannot be written.*ANYCLASS_HOME/);
});

function makeLibtorch(name: string, version: string): string {
  const root = join(folder(), name);
  const [major, minor, patch] = version.split('.');
  const header = join(root, 'include/torch/csrc/api/include/torch/version.h');
  mkdirSync(dirname(header), { recursive: true });
  mkdirSync(join(root, 'lib'));
  writeFileSync(
    header,
    `#define TORCH_VERSION_MAJOR ${major}\n#define TORCH_VERSION_MINOR ${minor}\n#define TORCH_VERSION_PATCH ${patch}\n`,
  );
  writeFileSync(join(root, 'lib/libtorch_cpu.so'), '');
  return root;
}
