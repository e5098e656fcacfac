import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type LinkedLibtorch, libraryKey } from '@anyclass/torch/builds';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { testFolder } from '../../files/test/testFolder.js';
import { compile } from './compile.js';
import { compileFlags, findCompiler } from './compiler.js';
import {
  findPrebuilt,
  fittingLibraries,
  installPrebuilt,
  type PrebuiltLibrary,
  runPathPlaceholder,
} from './prebuilt.js';
import type { NativeProject } from './project.js';
import { output } from './shell.js';

const packageName = '@tests/native';
let folder = '';
beforeEach(() => {
  folder = testFolder();
  vi.stubEnv('ANYCLASS_HOME', join(folder, 'home'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a package of prebuilt libraries', () => {
  test('is found from the package that depends on it', () => {
    expect(findPrebuilt(source())).toBeUndefined();
    makePackage([]);
    expect(findPrebuilt(source())).toMatchObject({ name: '@tests/native 1.2.3', libraries: [] });
  });

  test('must match the version of libtorch and the names of its files', () => {
    const project = makeProject();
    const prebuilt = entry(project, { version: '2.13', files: ['libtorch_cpu.so'] });
    expect(fitting([prebuilt], project, makeLibtorch('2.13.1'))).toEqual([[prebuilt]]);
    expect(fitting([prebuilt], project, makeLibtorch('2.11.0'))).toMatch(/for libtorch 2\.13, not 2\.11\.0/);
    const other = entry(project, { version: '2.13', files: ['libtorch_cpu.so.2.13'] });
    expect(fitting([other], project, makeLibtorch('2.13.1'))).toMatch(/for libtorch 2\.13/);
  });

  test('does not match other sources or a libtorch with CUDA', () => {
    const project = makeProject();
    const prebuilt = entry(project, { version: '2.13', files: [] });
    const libtorch = makeLibtorch('2.13.1');
    expect(fitting([{ ...prebuilt, library: 'scale-0.9' }], project, libtorch)).toMatch(/other sources/);
    writeFileSync(join(libtorch.lib, 'libtorch_cuda.so'), '');
    expect(fitting([prebuilt], project, libtorch)).toMatch(/CUDA/);
  });
});

describe.skipIf(!findCompiler() || process.platform !== 'linux')(
  'a prebuilt library (needs a C++ compiler and Linux)',
  () => {
    test("is copied into the cache with libtorch's folder in place of the placeholder", async () => {
      const project = makeProject();
      const libtorch = makeLibtorch('2.13.1');
      const prebuilt = entry(project, { version: '2.13', files: [] });
      makePackage([prebuilt]);
      await compileAddon(join(packageFolder(), prebuilt.file), [`-Wl,-rpath,${runPathPlaceholder}`]);
      const installed = await installFrom([[prebuilt]], project, libtorch);
      const [library] = typeof installed === 'string' ? [] : installed;
      expect(library).toMatchObject({ builder: '@tests/native 1.2.3', isNew: true });
      expect(createRequire(import.meta.url)(library?.path ?? '')).toBe(7);
      expect(output('readelf', ['-d', library?.path ?? ''])).toContain(`[${libtorch.lib}]`);
      expect(readFileSync(library?.path ?? '').includes('/placeholder')).toBe(false);
    });

    test('is the first of its variants that loads', async () => {
      const project = makeProject(false);
      const [bad, good] = [
        { ...entry(project, null), file: 'bad.node' },
        { ...entry(project, null), file: 'good.node' },
      ];
      makePackage([bad, good]);
      writeFileSync(join(packageFolder(), 'bad.node'), 'no library');
      await compileAddon(join(packageFolder(), 'good.node'), []);
      const libtorch = makeLibtorch('2.13.1');
      expect(await installFrom([[bad]], project, libtorch)).toMatch(/does not load here: .*scale\.node/);
      expect(await installFrom([[bad, good]], project, libtorch)).toHaveLength(1);
    });
  },
);

function source() {
  return { packageName, from: join(folder, 'consumer.js') };
}

function packageFolder(): string {
  return join(folder, 'node_modules', packageName);
}

function makePackage(libraries: readonly PrebuiltLibrary[]): void {
  mkdirSync(packageFolder(), { recursive: true });
  writeFileSync(
    join(packageFolder(), 'package.json'),
    JSON.stringify({ name: packageName, version: '1.2.3' }),
  );
  writeFileSync(join(packageFolder(), 'prebuilt.json'), JSON.stringify(libraries));
}

function makeProject(usesLibtorch = true): NativeProject {
  const own = join(folder, 'scale');
  mkdirSync(join(own, 'native'), { recursive: true });
  writeFileSync(join(own, 'package.json'), '{ "name": "scale", "version": "1.0.0" }');
  writeFileSync(join(own, 'native/scale.cc'), '');
  const library = { packageFolder: own, sourceFolders: ['native'], file: 'scale.node', usesLibtorch };
  return { library, title: 'scale', plan: () => ({ flags: [], linkFlags: [] }) };
}

function entry(project: NativeProject, libtorch: PrebuiltLibrary['libtorch']): PrebuiltLibrary {
  return { library: libraryKey(project.library), file: 'scale.node', libtorch };
}

function makeLibtorch(version: string): LinkedLibtorch {
  const lib = join(folder, `libtorch-${version}`);
  mkdirSync(lib, { recursive: true });
  const file = join(lib, 'libtorch_cpu.so');
  writeFileSync(file, '');
  return { origin: 'LIBTORCH', version, include: [], lib, file, cuda: undefined, flags: [] };
}

function fitting(libraries: readonly PrebuiltLibrary[], project: NativeProject, libtorch: LinkedLibtorch) {
  return fittingLibraries({ name: 'native', folder: '', libraries }, [project], libtorch);
}

function installFrom(variants: PrebuiltLibrary[][], project: NativeProject, libtorch: LinkedLibtorch) {
  const found = findPrebuilt(source());
  if (!found) throw new Error('the package is not found');
  return installPrebuilt(found, variants, [project], libtorch);
}

async function compileAddon(file: string, flags: readonly string[]): Promise<void> {
  const code = join(folder, 'addon.cc');
  writeFileSync(
    code,
    '#include <node_api.h>\nNAPI_MODULE_INIT() { napi_value v; napi_create_int32(env, 7, &v); return v; }\n',
  );
  const compiler = findCompiler()?.program ?? '';
  await compile(compiler, [...compileFlags('', undefined), '-shared', ...flags, '-o', file, code]);
}
