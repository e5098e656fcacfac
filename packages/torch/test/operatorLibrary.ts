// Compiles the operators of programs/registeredOperators.cc against the libtorch that the addon was built with, once.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The path of the library, or undefined where there is no compiler. */
export function buildOperatorLibrary(): string | undefined {
  const source = fileURLToPath(new URL('./programs/registeredOperators.cc', import.meta.url));
  const build = fileURLToPath(new URL('../build/', import.meta.url));
  const settings = readFileSync(`${build}libtorch.json`, 'utf8');
  const hash = createHash('sha256').update(readFileSync(source)).update(settings).digest('hex').slice(0, 16);
  const library = `${build}registered_operators_${hash}.so`;
  if (existsSync(library)) return library;
  const { include, lib, flags }: { include: string[]; lib: string; flags: string[] } = JSON.parse(settings);
  const unfinished = `${library}.${process.pid}`;
  const compiled = spawnSync(process.env['CXX'] ?? 'g++', [
    ...flags,
    ...['-O0', '-shared', '-fPIC', '-o', unfinished],
    ...include.flatMap((folder) => ['-I', folder]),
    source,
    ...[`-L${lib}`, `-Wl,-rpath,${lib}`, '-ltorch', '-ltorch_cpu', '-lc10'],
  ]);
  if (compiled.error) return undefined;
  if (compiled.status !== 0) throw new Error(`the compiler failed:\n${compiled.stderr}`);
  renameSync(unfinished, library);
  return library;
}
