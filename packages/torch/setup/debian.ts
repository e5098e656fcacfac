// What setup installs on Debian and Ubuntu if it runs as root; otherwise it says what to run.

import { isRoot, type Log, output, programPath, run, SetupError } from './shell.js';

export interface DebianPackage {
  readonly name: string;
  readonly isMissing: () => boolean;
}

/** Packages besides libtorch itself: Debian's build multiplies matrices with whatever BLAS is installed. */
const companionPackages: readonly DebianPackage[] = [
  { name: 'libopenblas0-openmp', isMissing: () => !hasFastBlas() },
];

export const libtorchPackages: readonly string[] = [
  'libtorch-dev',
  ...companionPackages.map(({ name }) => name),
];

export function hasApt(): boolean {
  return process.platform === 'linux' && programPath('apt-get') !== undefined;
}

/** Returns the command that root would run. */
export function installCommand(packages: readonly string[]): string {
  return `apt-get update && apt-get install -y ${packages.join(' ')}`;
}

/** Installs packages as root; otherwise throws with the command for root. */
export function installDebianPackages(packages: readonly string[], log: Log): void {
  if (!isRoot())
    throw new SetupError(`run this as root, then run setup again:\n\n  ${installCommand(packages)}\n`);
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-q'], log, quiet);
  run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], log, quiet);
}

/** Installs what makes Debian's libtorch fast, if missing. libtorch works without it, but `doctor` warns. */
export function installCompanions(log: Log): void {
  const missing = companionPackages.filter(({ isMissing }) => isMissing()).map(({ name }) => name);
  if (missing.length === 0 || !hasApt()) return;
  if (isRoot()) installDebianPackages(missing, log);
  else log(`libtorch is slow without ${missing.join(' and ')}; as root: ${installCommand(missing)}`);
}

function hasFastBlas(): boolean {
  const blas = output('sh', ['-c', 'readlink -f /usr/lib/*/libblas.so.3']);
  return blas === undefined || !/\/blas\//.test(blas);
}
