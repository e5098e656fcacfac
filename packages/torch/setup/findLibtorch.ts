// Finds libtorch without installing anything: tries one way after another and records each outcome.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkedLibtorch } from '@anyclass/torch/builds';
import { hasApt, installCommand, libtorchPackages } from './debian.js';
import { describeLibtorch } from './describeLibtorch.js';
import { downloadedLibtorch } from './downloadLibtorch.js';
import { output, SetupError } from './shell.js';

/** One way to get libtorch, and its outcome. */
export interface Try {
  readonly way: string;
  readonly outcome: 'chosen' | 'skipped' | 'failed';
  readonly reason: string;
}

export interface LibtorchSearch {
  readonly libtorch: LinkedLibtorch | undefined;
  readonly tries: readonly Try[];
  /** Why setup cannot continue: something that was requested is not available. */
  readonly failure: string | undefined;
}

/**
 * Looks for libtorch in setup's order: `LIBTORCH`, `LIBTORCH_USE_PYTORCH=1`, the system's own, an earlier download. If
 * the environment asks for one that is not available, the search fails; it is never skipped.
 *
 * @param variant variant of a requested download; the system's own libtorch is then skipped
 *
 * @example
 * lookForLibtorch().libtorch?.version // '1.13.1'
 */
export function lookForLibtorch(variant?: string): LibtorchSearch {
  const tries: Try[] = [];
  let libtorch: LinkedLibtorch | undefined;
  for (const { way, look } of ways) {
    if (libtorch) {
      tries.push({ way, outcome: 'skipped', reason: 'not needed' });
      continue;
    }
    try {
      const found = look(variant);
      if (typeof found === 'string') tries.push({ way, outcome: 'skipped', reason: found });
      else {
        libtorch = found;
        tries.push({ way, outcome: 'chosen', reason: `libtorch ${found.version} in ${found.lib}` });
      }
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      tries.push({ way, outcome: 'failed', reason: error.message });
      return { libtorch: undefined, tries, failure: error.message };
    }
  }
  return { libtorch, tries, failure: undefined };
}

interface Way {
  readonly way: string;
  /** Returns libtorch, or why there is none. */
  readonly look: (variant: string | undefined) => LinkedLibtorch | string;
}

const ways: readonly Way[] = [
  { way: 'LIBTORCH', look: fromEnvironment },
  { way: 'LIBTORCH_USE_PYTORCH', look: fromPython },
  { way: 'system', look: fromSystem },
  { way: 'Debian packages', look: fromDebian },
  { way: 'download', look: fromDownload },
];

function fromEnvironment(): LinkedLibtorch | string {
  const folder = process.env['LIBTORCH'];
  if (!folder) return 'not set';
  const found = describeLibtorch({
    origin: 'LIBTORCH',
    include: join(folder, 'include'),
    lib: join(folder, 'lib'),
  });
  if (found) return found;
  throw new SetupError(
    `LIBTORCH=${folder} holds no libtorch; expected include/torch and lib/libtorch_cpu in it`,
  );
}

function fromPython(): LinkedLibtorch | string {
  if (process.env['LIBTORCH_USE_PYTORCH'] !== '1') return 'not set to 1';
  const script =
    'import torch, os; print(os.path.dirname(torch.__file__)); print(int(torch._C._GLIBCXX_USE_CXX11_ABI))';
  const [folder, abi] = output('python3', ['-c', script])?.split('\n') ?? [];
  if (!folder) throw new SetupError('LIBTORCH_USE_PYTORCH=1, but python3 cannot import torch');
  const found = describeLibtorch({
    origin: 'python3',
    include: join(folder, 'include'),
    lib: join(folder, 'lib'),
    flags: [`-D_GLIBCXX_USE_CXX11_ABI=${abi}`],
  });
  if (found) return found;
  throw new SetupError(`python3's torch in ${folder} comes without headers or libraries`);
}

const triplets: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

function fromSystem(variant: string | undefined): LinkedLibtorch | string {
  if (variant !== undefined) return 'a download is asked for';
  const prefixes = ['/usr', '/usr/local', ...(process.platform === 'darwin' ? ['/opt/homebrew'] : [])];
  for (const prefix of prefixes) {
    for (const lib of [join(prefix, 'lib', triplets[process.arch] ?? ''), join(prefix, 'lib')]) {
      const found =
        existsSync(lib) && describeLibtorch({ origin: 'system', include: join(prefix, 'include'), lib });
      if (found) return found;
    }
  }
  return `no libtorch in ${prefixes.join(', ')}`;
}

function fromDebian(variant: string | undefined): string {
  if (variant !== undefined) return 'a download is asked for';
  if (!hasApt()) return 'no apt-get on this system';
  return `root can install them with: ${installCommand(libtorchPackages)}`;
}

function fromDownload(variant: string | undefined): LinkedLibtorch | string {
  return (
    downloadedLibtorch(variant) ??
    (variant === undefined ? 'not requested' : `'${variant}' is not downloaded yet`)
  );
}
