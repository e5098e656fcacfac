// What is compiled: the sources in a package and the file built from them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '@anyclass/files';

/** A shared library that setup builds from the sources a package ships. */
export interface NativeLibrary {
  /** The package's root, which holds its `package.json`. */
  readonly packageFolder: string;
  /** Relative to the package's folder. Their subfolders are not searched. */
  readonly sourceFolders: readonly string[];
  /** The name of the file to build; ends in `.node` if Node loads it. */
  readonly file: string;
  /** Whether it is linked with libtorch. If so, there is one build per libtorch. */
  readonly usesLibtorch: boolean;
}

/**
 * Identifies a library, wherever its package is installed: package and version, platform, and a hash of the sources.
 * The hash makes a checkout rebuild when its sources change, and lets installed copies share one build.
 *
 * @example
 * libraryKey(engineLibrary) // '@anyclass+torch-0.1.0-linux-x64-torch.node-3fb41c0a95d2'
 */
export function libraryKey(library: NativeLibrary): string {
  const manifest: { name: string; version: string } = JSON.parse(
    readFileSync(join(library.packageFolder, 'package.json'), 'utf8'),
  );
  const hash = createHash('sha256');
  for (const file of sourceFiles(library)) hash.update(file).update('\0').update(readSource(library, file));
  const sources = hash.digest('hex').slice(0, 12);
  const name = `${manifest.name.replace('/', '+')}-${manifest.version}`;
  return `${name}-${process.platform}-${process.arch}-${library.file}-${sources}`;
}

/** Returns the folder that holds all builds of a library. */
export function buildsFolder(library: NativeLibrary): string {
  return join(homeFolder(), 'native', libraryKey(library));
}

/**
 * Lists the sources and headers of a library, relative to the package's folder.
 *
 * @example
 * sourceFiles(engineLibrary) // ['native/autograd.cc', 'native/cuda.cc', …]
 */
export function sourceFiles({ packageFolder, sourceFolders }: NativeLibrary): string[] {
  return sourceFolders.flatMap((folder) =>
    readdirSync(join(packageFolder, folder))
      .filter((file) => /\.(cc|cu|h)$/.test(file))
      .sort()
      .map((file) => `${folder}/${file}`),
  );
}

function readSource({ packageFolder }: NativeLibrary, file: string): Buffer {
  return readFileSync(join(packageFolder, file));
}
