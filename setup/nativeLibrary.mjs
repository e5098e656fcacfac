// Compiles folders of C++ (and CUDA) into one shared library, most against libtorch: one compiler call per source file,
// side by side, and nothing at all while neither the sources nor libtorch have changed.

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fingerprint, root, SetupError } from './shell.mjs';

/**
 * @typedef {object} NativeLibrary
 * @property {string} title for the progress line
 * @property {string[]} sourceFolders from the project's root, without what is in folders below them
 * @property {string} library the file to make, from the project's root
 * @property {(file: string) => boolean} uses whether a source file belongs in it, here
 * @property {string[]} flags of the C++ compiler, beside libtorch's own and its standard
 * @property {string[]} linkFlags
 * @property {{ nvcc: string, flags: string[] }} [cuda] the compiler of its .cu files
 */

/**
 * Builds the library where it is missing or out of date.
 *
 * @param {NativeLibrary} plan
 * @param {import('./libtorch.mjs').Libtorch} [libtorch] left out for what does not use it
 * @returns {Promise<boolean>} whether it was built
 */
export async function buildNativeLibrary(plan, libtorch) {
  const library = join(root, plan.library);
  const build = join(library, '..');
  const files = plan.sourceFolders.flatMap(filesOf);
  const sources = files.filter((file) => /\.(cc|cu)$/.test(file) && plan.uses(basename(file)));
  const headers = files.filter((file) => file.endsWith('.h'));
  const expected = fingerprint(
    [...sources, ...headers],
    [JSON.stringify(libtorch ?? null), JSON.stringify(plan)],
  );
  const stamp = join(build, 'fingerprint');
  if (existsSync(library) && existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return false;

  const compiler = cxx();
  const against = libtorch ? ` against libtorch ${libtorch.version} (${libtorch.origin})` : '';
  console.log(`setup: building ${plan.title}${against}`);
  const objects = sources.map((source) => objectOf(source, build));
  const commands = sources.map((source, i) => {
    const files = ['-c', source, '-o', objects[i] ?? ''];
    const isCuda = source.endsWith('.cu');
    return isCuda && plan.cuda
      ? { program: plan.cuda.nvcc, parameters: [...plan.cuda.flags, ...files] }
      : { program: compiler, parameters: [...compileFlags(libtorch), ...plan.flags, ...files] };
  });
  await runSideBySide(commands);
  const unfinished = `${library}.new`;
  await compile(compiler, [
    ...linkFlags(libtorch),
    '-o',
    unfinished,
    ...objects,
    ...plan.linkFlags,
    ...libraries(libtorch),
  ]);
  renameSync(unfinished, library);
  writeFileSync(stamp, expected);
  return true;
}

/** @param {string} folder */
function filesOf(folder) {
  return readdirSync(join(root, folder))
    .sort()
    .map((file) => join(root, folder, file));
}

/**
 * Where a source file's object goes: in a folder of the same name, for several folders may hold a file of one name.
 *
 * @param {string} source
 * @param {string} build
 */
function objectOf(source, build) {
  const folder = join(build, 'objects', basename(dirname(source)));
  mkdirSync(folder, { recursive: true });
  return join(folder, `${basename(source)}.o`);
}

/** @returns {string} the C++ compiler, which must be there */
function cxx() {
  const compiler = process.env['CXX'] ?? 'g++';
  if (spawnSync(compiler, ['--version']).status === 0) return compiler;
  throw new SetupError(
    `no C++ compiler '${compiler}': install g++ (Debian: apt-get install -y g++) or set CXX`,
  );
}

/** @param {import('./libtorch.mjs').Libtorch} [libtorch] */
function compileFlags(libtorch) {
  const own = ['-fPIC', '-fvisibility=hidden'];
  if (!libtorch) return [...own, '-std=c++17'];
  const includes = [...libtorch.include, ...(libtorch.cuda ? [join(libtorch.cuda, 'include')] : [])];
  return [...own, ...libtorch.flags, ...includes.flatMap((folder) => ['-I', folder])];
}

/**
 * nodelete: libtorch cannot be unloaded, so what uses it stays when a worker thread that loaded it ends.
 * no-as-needed: libtorch_cuda registers its operators by being there, though no symbol asks for it.
 *
 * @param {import('./libtorch.mjs').Libtorch} [libtorch]
 */
function linkFlags(libtorch) {
  const own = ['-shared', '-Wl,-z,nodelete'];
  if (!libtorch) return own;
  return [...own, `-L${libtorch.lib}`, `-Wl,-rpath,${libtorch.lib}`, '-Wl,--no-as-needed'];
}

/** @param {import('./libtorch.mjs').Libtorch} [libtorch] */
function libraries(libtorch) {
  if (!libtorch) return [];
  const cuda = ['-ltorch_cuda', '-lc10_cuda', `-L${libtorch.cuda}/lib64`, '-lcudart'];
  return ['-ltorch', '-ltorch_cpu', '-lc10', ...(libtorch.cuda ? cuda : []), '-ldl'];
}

/** @param {{ program: string, parameters: string[] }[]} commands */
async function runSideBySide(commands) {
  const waiting = [...commands];
  const worker = async () => {
    for (let command = waiting.pop(); command; command = waiting.pop()) {
      await compile(command.program, command.parameters);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/**
 * @param {string} compiler
 * @param {string[]} parameters
 */
async function compile(compiler, parameters) {
  try {
    await promisify(execFile)(compiler, parameters, { maxBuffer: 64 << 20 });
  } catch (error) {
    const details = error instanceof Error && 'stderr' in error ? error.stderr : error;
    throw new SetupError(`${compiler} ${parameters.join(' ')} failed:\n${details}`);
  }
}
