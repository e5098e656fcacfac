// Compiles the operators in programs/registeredOperators.cc once, against the libtorch that the addon was built with.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineBuild } from '../src/builds/index.js';

/** Returns the path of the library, or undefined if there is no compiler. */
export function buildOperatorLibrary(): string | undefined {
  const source = fileURLToPath(new URL('./programs/registeredOperators.cc', import.meta.url));
  const { folder, libtorch } = engineBuild();
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const library = join(folder, `registered_operators_${hash}.so`);
  if (existsSync(library)) return library;
  const { include, lib, flags } = libtorch;
  const unfinished = `${library}.${process.pid}`;
  const compiled = spawnSync(process.env['CXX'] ?? 'g++', [
    ...flags,
    ...['-O0', '-shared', '-fPIC', '-o', unfinished],
    ...include.flatMap((headers) => ['-I', headers]),
    source,
    ...[`-L${lib}`, `-Wl,-rpath,${lib}`, '-ltorch', '-ltorch_cpu', '-lc10'],
  ]);
  if (compiled.error) return undefined;
  if (compiled.status !== 0) throw new Error(`the compiler failed:\n${compiled.stderr}`);
  renameSync(unfinished, library);
  return library;
}
