// The C++ compiler and its flags on Linux and macOS.

import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { LinkedLibtorch } from '@anyclass/torch/builds';
import { hasApt, installDebianPackages } from './debian.js';
import { isRoot, type Log, output, SetupError } from './shell.js';

export interface Compiler {
  readonly program: string;
  /** For example, `g++ 12.2.0`. */
  readonly name: string;
}

/** Finds the compiler named in `CXX`, or the system's. */
export function findCompiler(): Compiler | undefined {
  const program = process.env['CXX'] || (process.platform === 'darwin' ? 'c++' : 'g++');
  const version = output(program, ['-dumpfullversion', '-dumpversion']);
  return version === undefined ? undefined : { program, name: `${basename(program)} ${version}` };
}

export function findOrInstallCompiler(log: Log): Compiler {
  const found = findCompiler();
  if (found) return found;
  if (!process.env['CXX'] && hasApt() && isRoot()) {
    installDebianPackages(['g++'], log);
    const installed = findCompiler();
    if (installed) return installed;
  }
  const advice =
    process.platform === 'darwin' ? 'xcode-select --install' : 'Debian, Ubuntu: apt-get install -y g++';
  throw new SetupError(
    `no C++ compiler '${process.env['CXX'] || 'g++'}'; install one (${advice}) or set CXX to yours`,
  );
}

const nodeApi = createRequire(import.meta.url).resolve('node-api-headers/package.json');

/** Version of node_api.h, which comes in an npm package, so that a build needs no download. */
export const nodeApiVersion: string = createRequire(import.meta.url)('node-api-headers/package.json').version;

export function compileFlags(packageFolder: string, libtorch: LinkedLibtorch | undefined): string[] {
  const includes = [
    join(dirname(nodeApi), 'include'),
    ...(libtorch?.include ?? []),
    ...(libtorch?.cuda ? [join(libtorch.cuda, 'include')] : []),
  ];
  return [
    '-fPIC',
    '-fvisibility=hidden',
    // libtorch's checks name their source file; this makes it relative to the package.
    `-ffile-prefix-map=${packageFolder}=`,
    ...(libtorch?.flags ?? ['-std=c++17']),
    ...includes.flatMap((folder) => ['-I', folder]),
  ];
}

/**
 * nodelete: libtorch cannot be unloaded, so what uses it stays loaded when the worker thread that loaded it exits.
 * no-as-needed: libtorch_cuda registers its operators when it is loaded, although no symbol refers to it.
 * dynamic_lookup: on macOS, for symbols that Node itself provides.
 */
export function linkFlags(libtorch: LinkedLibtorch | undefined, runPath = libtorch?.lib): string[] {
  const isMac = process.platform === 'darwin';
  const own = isMac ? ['-dynamiclib', '-undefined', 'dynamic_lookup'] : ['-shared', '-Wl,-z,nodelete'];
  if (!libtorch) return own;
  return [...own, `-L${libtorch.lib}`, `-Wl,-rpath,${runPath}`, ...(isMac ? [] : ['-Wl,--no-as-needed'])];
}

export function libraries(libtorch: LinkedLibtorch | undefined): string[] {
  if (!libtorch) return [];
  const cuda = ['-ltorch_cuda', '-lc10_cuda', `-L${libtorch.cuda}/lib64`, '-lcudart'];
  const system = process.platform === 'darwin' ? [] : ['-ldl'];
  return ['-ltorch', '-ltorch_cpu', '-lc10', ...(libtorch.cuda ? cuda : []), ...system];
}
