import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { withEmptyHome } from '../../test/emptyHome.js';
import { buildsFolder, findBuild, findBuildFor, libraryKey, selectBuild } from './index.js';

const folder = withEmptyHome();

describe('the key of a library', () => {
  test('is the same wherever the package is installed', () => {
    const here = scale('here');
    cpSync(here.packageFolder, join(folder(), 'there'), { recursive: true });
    expect(libraryKey({ ...here, packageFolder: join(folder(), 'there') })).toBe(libraryKey(here));
  });

  test('names package, version and platform, and changes with every source and header', () => {
    const library = scale('package');
    const keys = [libraryKey(library)];
    for (const [file, text] of [
      ['native/scale.cc', 'int scale() { return 3; }'],
      ['native/scale.h', 'int scale(int);'],
      ['native/new.cc', ''],
    ] as const) {
      writeFileSync(join(library.packageFolder, file), text);
      keys.push(libraryKey(library));
    }
    expect(keys[0]).toContain(`@tests+scale-1.2.3-${process.platform}-${process.arch}-libscale.so-`);
    expect(new Set(keys).size).toBe(4);
  });

  test('does not change with other files in its folders', () => {
    const library = scale('package');
    const before = libraryKey(library);
    writeFileSync(join(library.packageFolder, 'native/notes.md'), 'remember');
    expect(libraryKey(library)).toBe(before);
  });
});

describe('the build to use', () => {
  test('does not exist before setup', () => {
    expect(findBuild(scale('package'))).toBeUndefined();
  });

  test('is the one from the last setup', () => {
    const library = scale('package');
    add('first', 'A');
    add('second', 'B');
    expect(findBuild(library)?.libtorch?.version).toBe('B');
    add('first', 'A');
    expect(findBuild(library)?.libtorch?.version).toBe('A');

    function add(build: string, version: string) {
      addBuild(library, build, libtorch(version));
    }
  });

  test('is the one for the libtorch that the environment asks for', () => {
    const library = scale('package');
    addBuild(library, 'python', { ...libtorch('P'), origin: 'python3' });
    addBuild(library, 'one', libtorch('A'));
    addBuild(library, 'two', libtorch('B'));
    vi.stubEnv('LIBTORCH', join(folder(), 'libtorch-A'));
    expect(findBuild(library)?.libtorch?.version).toBe('A');
    vi.stubEnv('LIBTORCH', join(folder(), 'elsewhere'));
    expect(findBuild(library)).toBeUndefined();
    vi.stubEnv('LIBTORCH', undefined);
    vi.stubEnv('LIBTORCH_USE_PYTORCH', '1');
    expect(findBuild(library)?.libtorch?.version).toBe('P');
  });

  test('can be asked for by libtorch, as the engine does', () => {
    const library = scale('package');
    addBuild(library, 'one', libtorch('A'));
    addBuild(library, 'two', libtorch('B'));
    expect(findBuildFor(library, libtorch('A'))?.libtorch?.version).toBe('A');
    expect(findBuildFor(library, libtorch('C'))).toBeUndefined();
  });

  test('does not exist if its folder was removed by hand', () => {
    const library = scale('package');
    addBuild(library, 'one', libtorch('A'));
    rmSync(join(buildsFolder(library), 'one'), { recursive: true });
    expect(findBuild(library)).toBeUndefined();
  });
});

function scale(name: string) {
  const packageFolder = join(folder(), name);
  mkdirSync(join(packageFolder, 'native'), { recursive: true });
  writeFileSync(join(packageFolder, 'package.json'), '{ "name": "@tests/scale", "version": "1.2.3" }');
  writeFileSync(join(packageFolder, 'native/scale.cc'), 'int scale() { return 2; }');
  writeFileSync(join(packageFolder, 'native/scale.h'), 'int scale();');
  return { packageFolder, sourceFolders: ['native'], file: 'libscale.so', usesLibtorch: true };
}

function libtorch(version: string) {
  const lib = join(folder(), `libtorch-${version}`, 'lib');
  mkdirSync(lib, { recursive: true });
  return {
    origin: 'LIBTORCH',
    version,
    include: [],
    lib,
    file: join(lib, 'libtorch_cpu.so'),
    cuda: undefined,
    flags: [],
  };
}

function addBuild(
  library: ReturnType<typeof scale>,
  name: string,
  linked: ReturnType<typeof libtorch>,
): void {
  const build = join(buildsFolder(library), name);
  mkdirSync(build, { recursive: true });
  writeFileSync(join(build, library.file), '');
  writeFileSync(join(build, 'build.json'), JSON.stringify({ libtorch: linked }));
  selectBuild(library, name, linked);
}
