import { spawnSync } from 'node:child_process';
import { findBuildFor, type LinkedLibtorch } from '@anyclass/torch/builds';
import type { BuiltLibrary } from './buildLibrary.js';

// The engine comes first: libraries of operators are loaded by it.
const program = `
  const files = process.argv.slice(1);
  const addons = files.filter((file) => file.endsWith('.node')).map((file) => require(file));
  for (const file of files) if (!file.endsWith('.node')) addons[0].loadLibrary(file);
`;

/** Opens libraries in another process, so that one which does not load here is never selected; says why it does not. */
export function checkLoading(built: readonly BuiltLibrary[]): string | undefined {
  const paths = built.map(({ path }) => path);
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', program, ...paths], {
    encoding: 'utf8',
  });
  if (status === 0) return undefined;
  return /^\w*Error: (.*)$/m.exec(stderr)?.[1] ?? `ended with ${signal ?? `exit code ${status}`}`;
}

/** Whether programs use it already: then it was seen to load. */
export function isSelected({ library, path }: BuiltLibrary, libtorch: LinkedLibtorch): boolean {
  return findBuildFor(library, libtorch)?.path === path;
}
