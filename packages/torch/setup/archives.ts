// The official libtorch archives, each with the hash that a maintainer pinned (`npm run pin`), if any. Nothing is downloaded
// without a hash to check it against: the pinned one, or the user's.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineLibrary } from '@anyclass/torch/builds';
import { SetupError } from './shell.js';

export interface LibtorchArchive {
  readonly version: string;
  /** For example, `linux-x64`. */
  readonly platform: string;
  /** `cpu`, or a CUDA version such as `cu130`. */
  readonly variant: string;
  /** Relative to the address of the archives. */
  readonly path: string;
  /** Null if not pinned yet. */
  readonly sha256: string | null;
}

export const officialAddress = 'https://download.pytorch.org/libtorch/';

export function officialArchives(): LibtorchArchive[] {
  return JSON.parse(readFileSync(join(engineLibrary.packageFolder, 'setup/archives.json'), 'utf8'));
}

export interface ArchiveChoice {
  readonly variant: string;
  /** The hash to expect, instead of the pinned one. */
  readonly sha256?: string | undefined;
  /** Default: this machine's. */
  readonly platform?: string;
}

/** Returns the archive of a variant for a platform; throws if there is none, or no hash to check it against. */
export function chooseArchive(
  archives: readonly LibtorchArchive[],
  { variant, sha256: own, platform = `${process.platform}-${process.arch}` }: ArchiveChoice,
): LibtorchArchive & { readonly sha256: string } {
  const here = archives.filter((archive) => archive.platform === platform);
  const found = here.find((archive) => archive.variant === variant);
  if (!found) {
    const known = here.map((archive) => archive.variant).join(', ') || 'none';
    throw new SetupError(`no libtorch archive '${variant}' for ${platform}; available: ${known}`);
  }
  const sha256 = own ?? found.sha256;
  if (sha256 === null) {
    throw new SetupError(
      `libtorch ${found.version} '${variant}' for ${platform} was not downloaded: this version of @anyclass/torch has no sha256 pinned for it. Give the sha256 of ${officialAddress}${found.path}, or unpack it yourself and set LIBTORCH to its folder`,
    );
  }
  return { ...found, sha256 };
}
