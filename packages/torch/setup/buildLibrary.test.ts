import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildsFolder, findBuild } from '@anyclass/torch/builds';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { testFolder } from '../../files/test/testFolder.js';
import { buildLibrary } from './buildLibrary.js';
import { findCompiler } from './compiler.js';
import type { NativeProject } from './project.js';
import { SetupError } from './shell.js';

const compiler = findCompiler();
let folder = '';
beforeEach(() => {
  folder = testFolder();
  vi.stubEnv('ANYCLASS_HOME', join(folder, 'home'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe.skipIf(!compiler)('a library (needs a C++ compiler)', () => {
  test('is built into the cache and opens', async () => {
    const built = await build(answers());
    expect(built.isNew).toBe(true);
    expect(built.path.startsWith(join(folder, 'home'))).toBe(true);
    expect(createRequire(import.meta.url)(built.path)).toBe(42);
  });

  test('is built once, even from a copy of the package elsewhere', async () => {
    // With its own headers, which are in a different folder in each copy.
    const withHeaders = (name: string): NativeProject => {
      const project = answers(name);
      const flags = ['-O0', '-I', join(project.library.packageFolder, 'native')];
      return { ...project, plan: () => ({ flags, linkFlags: [`-L${project.library.packageFolder}`] }) };
    };
    await build(withHeaders('one'));
    expect((await build(withHeaders('one'))).isNew).toBe(false);
    const objects = objectFiles();
    expect((await build(withHeaders('two'))).isNew).toBe(false);
    expect(objectFiles()).toEqual(objects);
  });

  test('is built from a read-only package', async () => {
    const project = answers();
    const { packageFolder } = project.library;
    const before = readdirSync(packageFolder, { recursive: true });
    chmodSync(packageFolder, 0o555);
    await build(project);
    expect(readdirSync(packageFolder, { recursive: true })).toEqual(before);
  });

  test('is rebuilt when a source, a flag or the compiler changes, and only what changed is compiled', async () => {
    const project = answers();
    const first = await build(project);
    const objects = readdirSync(join(folder, 'home/objects'));
    writeFileSync(join(project.library.packageFolder, 'native/answer.cc'), 'int answer() { return 43; }');
    const second = await build(project);
    expect(createRequire(import.meta.url)(second.path)).toBe(43);
    expect(readdirSync(join(folder, 'home/objects'))).toHaveLength(objects.length + 1);
    const third = await build({ ...project, plan: () => ({ flags: ['-O1'], linkFlags: [] }) });
    const fourth = await build(project, { program: 'g++', name: 'g++ 99' });
    expect(new Set([first, second, third, fourth].map(({ path }) => path)).size).toBe(4);
  });

  test('reports what the compiler said and leaves no build if a source is wrong', async () => {
    const project = answers();
    writeFileSync(join(project.library.packageFolder, 'native/answer.cc'), 'int answer() { return forty; }');
    const failure = await build(project).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SetupError);
    expect(String(failure)).toMatch(/answer\.cc.*forty/s);
    expect(builds(project)).toEqual([]);
  });

  test('is complete after being built twice at once', async () => {
    const project = answers();
    const [a, b] = await Promise.all([build(project), build(project)]);
    expect(a.path).toBe(b.path);
    expect(createRequire(import.meta.url)(a.path)).toBe(42);
    expect(builds(project)).toHaveLength(1);
  });

  test('is absent after a build that was killed, and the next build resumes', async () => {
    const project = answers();
    const child = buildSlowly(project);
    // answer.cc compiles immediately; node.cc takes a minute once its compiler has begun, and only then.
    const isHalfway = () => objectFiles().length === 1 && !existsSync(join(folder, 'first'));
    await vi.waitUntil(isHalfway, { timeout: 30_000, interval: 50 });
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await once(child, 'exit');
    expect(builds(project)).toEqual([]);
    expect(findBuild(project.library)).toBeUndefined();
    const [object = ''] = objectFiles();
    const path = join(folder, 'home/objects', object);
    utimesSync(path, 1, 1);
    await build(project, slow());
    expect(builds(project)).toHaveLength(1);
    expect(statSync(path).mtimeMs, 'the object of the first build').toBe(1000);
    expect(objectFiles()).toHaveLength(2);
  });
});

/** A package with an addon that exports the number 42. */
function answers(name = 'package'): NativeProject {
  const packageFolder = `${join(folder, name)}/`;
  mkdirSync(join(packageFolder, 'native'), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(packageFolder, file), text);
  write('package.json', '{ "name": "answers", "version": "1.0.0" }');
  write('native/answer.cc', 'int answer() { return 42; }\n');
  write(
    'native/node.cc',
    `#include <node_api.h>
int answer();
NAPI_MODULE_INIT() {
  napi_value value;
  napi_create_int32(env, answer(), &value);
  return value;
}
`,
  );
  return {
    library: { packageFolder, sourceFolders: ['native'], file: 'answers.node', usesLibtorch: false },
    title: 'answers',
    plan: () => ({ flags: ['-O0'], linkFlags: [] }),
  };
}

function build(project: NativeProject, by = compiler) {
  if (!by) throw new Error('no compiler');
  return buildLibrary({ project, compiler: by, libtorch: undefined, log: () => {} });
}

function builds({ library }: NativeProject): string[] {
  const all = buildsFolder(library);
  return existsSync(all) ? readdirSync(all).filter((name) => !name.includes('.partial')) : [];
}

function objectFiles(): string[] {
  const objects = join(folder, 'home/objects');
  return existsSync(objects) ? readdirSync(objects).filter((name) => name.endsWith('.o')) : [];
}

/** A compiler that takes a minute for node.cc the first time. */
function slow() {
  const program = join(folder, 'slow-g++');
  return { program, name: 'slow-g++ 1' };
}

function buildSlowly(project: NativeProject): ChildProcess {
  const { program, name } = slow();
  writeFileSync(join(folder, 'first'), '');
  const script = `#!/bin/sh
case "$*" in *node.cc*) if rm '${join(folder, 'first')}' 2>/dev/null; then sleep 60; fi ;; esac
exec '${compiler?.program}' "$@"
`;
  writeFileSync(program, script, { mode: 0o755 });
  const built = new URL('dist/buildLibrary.js', import.meta.url).href;
  const code = `
    const { buildLibrary } = await import(${JSON.stringify(built)});
    const library = ${JSON.stringify(project.library)};
    await buildLibrary({
      project: { library, title: 'answers', plan: () => ({ flags: ['-O0'], linkFlags: [] }) },
      compiler: ${JSON.stringify({ program, name })},
      libtorch: undefined,
      log: () => {},
    });
  `;
  // Its own group, so that the compiler dies with it.
  return spawn(process.execPath, ['--input-type=module', '-e', code], { detached: true, stdio: 'inherit' });
}
