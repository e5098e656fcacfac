import { spawnSync } from 'node:child_process';
import { findBuildFor, type LinkedLibtorch } from '@anyclass/torch/builds';
import type { BuiltLibrary } from './buildLibrary.js';

// The engine comes first, since it loads the operator libraries.
const program = `
  const files = process.argv.slice(1);
  const addons = files.filter((file) => file.endsWith('.node')).map((file) => require(file));
  for (const file of files) if (!file.endsWith('.node')) addons[0].loadLibrary(file);
`;

/** Opens libraries in another process, so that one that does not load is never selected; returns why it does not. */
export function checkLoading(built: readonly BuiltLibrary[]): string | undefined {
  const paths = built.map(({ path }) => path);
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', program, ...paths], {
    encoding: 'utf8',
  });
  if (status === 0) return undefined;
  return /^\w*Error: (.*)$/m.exec(stderr)?.[1] ?? `exited with ${signal ?? `exit code ${status}`}`;
}

/** Whether programs already use it, in which case it is known to load. */
export function isSelected({ library, path }: BuiltLibrary, libtorch: LinkedLibtorch): boolean {
  return findBuildFor(library, libtorch)?.path === path;
}
