// Downloads pytorch.org's libtorch archives into the user's cache.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homeFolder } from '@anyclass/files';
import {
  DownloadError,
  defaultPatience,
  type Patience,
  partialEnding,
  transfer,
} from '@anyclass/files/downloads';
import type { LinkedLibtorch } from '@anyclass/torch/builds';
import { unpackZip } from '#zip';
import { chooseArchive, type LibtorchArchive, officialAddress, officialArchives } from './archives.js';
import { wholeFolder } from './buildLibrary.js';
import { describeLibtorch } from './describeLibtorch.js';
import { type Log, SetupError } from './shell.js';

export interface DownloadWish {
  /** `cpu`, or a CUDA version such as `cu130`. */
  readonly variant: string;
  /** An address that serves the official archives, instead of pytorch.org. */
  readonly mirror?: string;
  /** The archive's sha256, for an archive that is not pinned, or a mirror's own. */
  readonly sha256?: string;
  /** Archives to choose from, instead of the official ones. */
  readonly archives?: readonly LibtorchArchive[];
}

/** Finds libtorch from an earlier download, of this variant or any. */
export function downloadedLibtorch(variant?: string): LinkedLibtorch | undefined {
  const all = join(homeFolder(), 'libtorch');
  const names = existsSync(all) ? readdirSync(all).filter((name) => !name.includes('.partial')) : [];
  // The newest, if there are several.
  const name = names
    .filter((candidate) => variant === undefined || candidate.endsWith(`-${variant}`))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);
  return name === undefined ? undefined : describeDownload(join(all, name));
}

/** Downloads and unpacks an archive, unless that was done before. */
export async function downloadLibtorch(
  wish: DownloadWish,
  { log, patience = defaultPatience }: { readonly log: Log; readonly patience?: Patience },
): Promise<LinkedLibtorch> {
  const { variant, mirror = officialAddress, archives = officialArchives() } = wish;
  const { version, path, sha256 } = chooseArchive(archives, wish);
  const folder = join(homeFolder(), 'libtorch', `${version}-${variant}`);
  if (!existsSync(folder)) {
    const downloads = join(homeFolder(), 'downloads');
    mkdirSync(downloads, { recursive: true });
    const archive = join(downloads, decodeURIComponent(basename(path)));
    const address = new URL(path, mirror.endsWith('/') ? mirror : `${mirror}/`).href;
    if (!existsSync(archive)) await download({ address, archive, sha256, log, patience });
    log(`unpacking ${archive}`);
    await wholeFolder(folder, (draft) => unpackZip(archive, draft));
    rmSync(archive);
  }
  const found = describeDownload(folder);
  if (found) return found;
  throw new SetupError(
    `${folder} holds no libtorch: expected libtorch/include and libtorch/lib in the archive`,
  );
}

interface ArchiveDownload {
  readonly address: string;
  readonly archive: string;
  readonly sha256: string;
  readonly log: Log;
  readonly patience: Patience;
}

async function download({ address, archive, sha256, log, patience }: ArchiveDownload): Promise<void> {
  log(`downloading ${address}`);
  try {
    await transfer({
      address,
      target: archive,
      checksum: { algorithm: 'sha256', value: sha256 },
      size: undefined,
      title: address,
      patience,
      onNote: log,
      onProgress: progressLines(log),
    });
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    const isBegun = existsSync(archive + partialEnding);
    throw new SetupError(error.message + (isBegun ? '; run setup again to resume the download' : ''));
  }
}

/** Logs a line for every tenth. */
function progressLines(log: Log): (done: number, total: number) => void {
  let tenth: number | undefined;
  return (done, total) => {
    const now = Math.floor((10 * done) / total);
    if (tenth !== undefined && now > tenth) log(`${now * 10}% of ${(total / 1e6).toFixed(1)} MB`);
    tenth = now;
  };
}

function describeDownload(folder: string): LinkedLibtorch | undefined {
  const root = join(folder, 'libtorch');
  return describeLibtorch({ origin: 'download', include: join(root, 'include'), lib: join(root, 'lib') });
}
