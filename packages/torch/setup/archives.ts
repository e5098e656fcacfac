// The official archives of libtorch, each with the hash that a maintainer saw (`npm run pin`): only what is pinned is downloaded.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineLibrary } from '@anyclass/torch/builds';
import { SetupError } from './shell.js';

export interface LibtorchArchive {
  readonly version: string;
  /** Such as `linux-x64`. */
  readonly platform: string;
  /** `cpu`, or a version of CUDA such as `cu130`. */
  readonly variant: string;
  /** Below the address of the archives. */
  readonly path: string;
  /** Null while nobody has pinned it. */
  readonly sha256: string | null;
}

export const officialAddress = 'https://download.pytorch.org/libtorch/';

export function officialArchives(): LibtorchArchive[] {
  return JSON.parse(readFileSync(join(engineLibrary.packageFolder, 'setup/archives.json'), 'utf8'));
}

/** The archive of a variant for this platform; throws where there is none, or none with a pin. */
export function chooseArchive(
  archives: readonly LibtorchArchive[],
  variant: string,
  platform = `${process.platform}-${process.arch}`,
): LibtorchArchive & { readonly sha256: string } {
  const here = archives.filter((archive) => archive.platform === platform);
  const found = here.find((archive) => archive.variant === variant);
  if (!found) {
    const known = here.map((archive) => archive.variant).join(', ') || 'none';
    throw new SetupError(`no archive of libtorch '${variant}' for ${platform}; there is: ${known}`);
  }
  const { sha256 } = found;
  if (sha256 === null) {
    throw new SetupError(
      `libtorch ${found.version} '${variant}' for ${platform} is not downloaded: this version of @anyclass/torch has no sha256 to check it against; download ${officialAddress}${found.path} yourself and set LIBTORCH to the unpacked folder`,
    );
  }
  return { ...found, sha256 };
}
