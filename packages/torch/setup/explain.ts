// Explains to `doctor` what setup would do on this machine, and why.

import { findCompiler } from './compiler.js';
import { engineProject } from './engineProject.js';
import { lookForLibtorch, type Try } from './findLibtorch.js';
import { findPrebuilt, fittingLibraries } from './prebuilt.js';
import type { SetupOptions } from './setup.js';

/**
 * Lists the ways to get libtorch and the native libraries, in order, each with its outcome. Changes nothing.
 *
 * @example
 * explainSetup()[0] // { way: 'LIBTORCH', outcome: 'skipped', reason: 'not set' }
 */
export function explainSetup(options: Pick<SetupOptions, 'projects' | 'prebuilt'> = {}): Try[] {
  const { libtorch, tries } = lookForLibtorch();
  const fromEnvironment = tries.filter(({ way }) => way.startsWith('LIBTORCH'));
  const others = tries.filter(({ way }) => !way.startsWith('LIBTORCH'));
  const prebuilt = prebuiltTry();
  return [...fromEnvironment, prebuilt, ...others, compilerTry()];

  function prebuiltTry(): Try {
    const way = 'prebuilt libraries';
    const found = options.prebuilt && findPrebuilt(options.prebuilt);
    if (!found) {
      return {
        way,
        outcome: 'skipped',
        reason: `${options.prebuilt?.packageName ?? 'the prebuilt package'} is not installed`,
      };
    }
    if (!libtorch) return { way, outcome: 'skipped', reason: `${found.name} needs a libtorch` };
    const fitting = fittingLibraries(found, [engineProject, ...(options.projects ?? [])], libtorch);
    return typeof fitting === 'string'
      ? { way, outcome: 'skipped', reason: fitting }
      : { way, outcome: 'chosen', reason: found.name };
  }

  function compilerTry(): Try {
    const way = 'compiler';
    if (prebuilt.outcome === 'chosen') return { way, outcome: 'skipped', reason: 'not needed' };
    const compiler = findCompiler();
    return compiler
      ? { way, outcome: 'chosen', reason: compiler.name }
      : { way, outcome: 'skipped', reason: `'${process.env['CXX'] || 'g++'}' not found` };
  }
}
